//! The saved state of a monitor: the last checked block of each node, and the nodes that left the majority.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use nodeproof_files::{Access, LockError, LockFile, read_text, replace};
use serde::{Deserialize, Serialize};

use crate::{checks::Fingerprint, http::Target};

/// The format tag, with the version.
const FORMAT: &str = "nodeproof-monitor/1";
/// Maximum length of the file, in bytes.
const MAX_LENGTH: u64 = 1 << 20;

/// The content of the file. Each key is the network and the base URL of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    format: String,
    /// The last checked block of each node.
    heights: BTreeMap<String, u64>,
    /// The `previous_hash` of that block of each node. It tells another chain from this one.
    #[serde(default)]
    links: BTreeMap<String, Fingerprint>,
    /// The nodes that left the majority, and their first block that differs.
    #[serde(default)]
    left: BTreeMap<String, u64>,
}

/// What is saved, and whether the file has it.
#[derive(Debug)]
struct Saved {
    content: Content,
    is_written: bool,
}

/// A file with the state of a monitor. Only one monitor can use it at a time.
#[derive(Debug)]
pub(crate) struct SavedState {
    path: PathBuf,
    saved: Mutex<Saved>,
    lock: LockFile,
}

impl SavedState {
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
                links: BTreeMap::new(),
                left: BTreeMap::new(),
            },
            Err(error) => return Err(error),
        };
        // A file that can't be written is an error at the start, not after the first run.
        write(path, &content)?;
        Ok(Self {
            path: path.to_owned(),
            saved: Mutex::new(Saved {
                content,
                is_written: true,
            }),
            lock,
        })
    }

    /// Returns whether other monitors can't use the file. If not, its file system has no locks.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.is_held()
    }

    /// Returns the last checked block of a node, and its `previous_hash` if it had one.
    pub(super) fn height(&self, target: &Target) -> Option<(u64, Option<Fingerprint>)> {
        let (key, content) = (key(target), &self.saved().content);
        let height = content.heights.get(&key).copied()?;
        Some((height, content.links.get(&key).copied()))
    }

    /// Saves the last checked block of a node.
    pub(super) fn save_height(
        &self,
        target: &Target,
        height: u64,
        link: Option<Fingerprint>,
    ) -> io::Result<()> {
        self.change(|content| {
            content.heights.insert(key(target), height);
            match link {
                Some(link) => content.links.insert(key(target), link),
                None => content.links.remove(&key(target)),
            };
        })
    }

    /// Returns the first block of a node that differs, if it left the majority.
    pub(super) fn left(&self, target: &Target) -> Option<u64> {
        self.saved().content.left.get(&key(target)).copied()
    }

    /// Saves whether a node left the majority, and its first block that differs.
    pub(super) fn save_left(&self, target: &Target, since: Option<u64>) -> io::Result<()> {
        self.change(|content| {
            match since {
                Some(since) => content.left.insert(key(target), since),
                None => content.left.remove(&key(target)),
            };
        })
    }

    /// Changes the content. If it can't be written, it is written with the next change.
    fn change(&self, change: impl FnOnce(&mut Content)) -> io::Result<()> {
        let mut saved = self.saved();
        let before = saved.content.clone();
        change(&mut saved.content);
        if !saved.is_written || saved.content != before {
            saved.is_written = false;
            write(&self.path, &saved.content)?;
            saved.is_written = true;
        }
        Ok(())
    }

    fn saved(&self) -> MutexGuard<'_, Saved> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner)
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
    use std::fs;

    use nodeproof_primitives::Network;

    use super::*;

    fn target(url: &str) -> Target {
        Target::parse(url, Network::Devnet).unwrap()
    }

    #[test]
    fn the_state_is_read_again_and_no_other_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let (one, two) = (target("http://a.example"), target("http://b.example"));
        let (saved, hash) = (SavedState::open(&path).unwrap(), Fingerprint::of("5a"));
        saved.save_height(&one, 7, Some(hash)).unwrap();
        saved.save_left(&one, Some(3)).unwrap();
        saved.save_left(&two, Some(4)).unwrap();
        saved.save_left(&two, None).unwrap();
        let second = SavedState::open(&path).unwrap_err().to_string();
        assert!(second.contains("another monitor"), "{second}");
        drop(saved);
        let saved = SavedState::open(&path).unwrap();
        assert_eq!(saved.height(&one), Some((7, Some(hash))));
        assert_eq!(saved.height(&two), None);
        assert_eq!((saved.left(&one), saved.left(&two)), (Some(3), None));
        drop(saved);
        // A file of an earlier version.
        fs::write(&path, r#"{"format":"nodeproof-monitor/1","heights":{}}"#).unwrap();
        assert_eq!(SavedState::open(&path).unwrap().left(&one), None);
        for other in [
            "",
            "mine",
            "{}",
            r#"{"format":"nodeproof-sweep/4","heights":{}}"#,
            r#"{"format":"nodeproof-monitor/1","heights":{},"left":{"a":-1}}"#,
            r#"{"format":"nodeproof-monitor/1","heights":{},"left":["a"]}"#,
        ] {
            fs::write(&path, other).unwrap();
            assert!(SavedState::open(&path).is_err());
            assert_eq!(fs::read_to_string(&path).unwrap(), other);
        }
    }

    #[test]
    fn what_could_not_be_written_is_written_with_the_next_change() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("place");
        fs::create_dir(&place).unwrap();
        let (path, one) = (place.join("state.json"), target("http://a.example"));
        let saved = SavedState::open(&path).unwrap();
        saved.save_height(&one, 7, None).unwrap();
        fs::rename(&place, folder.path().join("moved")).unwrap();
        assert!(saved.save_left(&one, Some(3)).is_err());
        fs::create_dir(&place).unwrap();
        saved.save_height(&one, 7, None).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let content: Content = serde_json::from_str(&text).unwrap();
        assert_eq!(content, saved.saved().content);
        assert_eq!(content.left.len(), 1);
    }
}
