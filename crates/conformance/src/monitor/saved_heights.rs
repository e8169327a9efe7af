//! The saved progress of a monitor: the last checked block of each node.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use nodeproof_files::{Access, LockError, LockFile, read_text, replace};
use serde::{Deserialize, Serialize};

use crate::http::Target;

/// The format tag, with the version.
const FORMAT: &str = "nodeproof-monitor/1";
/// Maximum length of the file, in bytes.
const MAX_LENGTH: u64 = 1 << 20;

/// The content of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Content {
    format: String,
    /// The last checked block of each node, by network and base URL.
    heights: BTreeMap<String, u64>,
}

/// A file with the last checked block of each node. Only one monitor can use it at a time.
#[derive(Debug)]
pub(crate) struct SavedHeights {
    path: PathBuf,
    content: Mutex<Content>,
    lock: LockFile,
}

impl SavedHeights {
    /// Opens the file, or creates it if it does not exist. Another file is not replaced.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let lock = LockFile::beside(path).map_err(|error| match error {
            LockError::Held => io::Error::other("another monitor is using it"),
            LockError::Io(error) => error,
        })?;
        let content = match read_text(path, MAX_LENGTH) {
            Ok(text) => serde_json::from_str(&text)
                .ok()
                .filter(|content: &Content| content.format == FORMAT)
                .ok_or_else(|| io::Error::other("it is not the state of a monitor"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Content {
                format: FORMAT.to_owned(),
                heights: BTreeMap::new(),
            },
            Err(error) => return Err(error),
        };
        // A file that can't be written is an error at the start, not after the first run.
        write(path, &content)?;
        Ok(Self {
            path: path.to_owned(),
            content: Mutex::new(content),
            lock,
        })
    }

    /// Returns whether other monitors can't use the file. If not, its file system has no locks.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.is_held()
    }

    /// Returns the last checked block of a node.
    pub(super) fn height(&self, target: &Target) -> Option<u64> {
        let content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        content.heights.get(&key(target)).copied()
    }

    /// Saves the last checked block of a node.
    pub(super) fn save(&self, target: &Target, height: u64) -> io::Result<()> {
        let mut content = self.content.lock().unwrap_or_else(PoisonError::into_inner);
        if content.heights.get(&key(target)) == Some(&height) {
            return Ok(());
        }
        let mut next = content.clone();
        next.heights.insert(key(target), height);
        write(&self.path, &next)?;
        *content = next;
        Ok(())
    }
}

fn key(target: &Target) -> String {
    format!("{} {}", target.network, target.base_url)
}

fn write(path: &Path, content: &Content) -> io::Result<()> {
    let text = serde_json::to_string_pretty(content)?;
    replace(path, format!("{text}\n").as_bytes(), Access::Owner)
}

#[cfg(test)]
mod tests {
    use nodeproof_primitives::Network;

    use super::*;

    #[test]
    fn heights_are_read_again_and_no_other_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let target = |url| Target::parse(url, Network::Devnet).unwrap();
        let (one, two) = (target("http://a.example"), target("http://b.example"));
        let saved = SavedHeights::open(&path).unwrap();
        saved.save(&one, 7).unwrap();
        let second = SavedHeights::open(&path).unwrap_err().to_string();
        assert!(second.contains("another monitor"), "{second}");
        drop(saved);
        let saved = SavedHeights::open(&path).unwrap();
        assert_eq!((saved.height(&one), saved.height(&two)), (Some(7), None));
        drop(saved);
        for other in [
            "",
            "mine",
            "{}",
            "{\"format\":\"nodeproof-sweep/4\",\"heights\":{}}",
        ] {
            std::fs::write(&path, other).unwrap();
            assert!(SavedHeights::open(&path).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
        }
    }
}
