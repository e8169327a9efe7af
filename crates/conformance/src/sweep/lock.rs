//! Keeps a sweep's state to one run at a time.
//!
//! The state itself is replaced again and again, so the lock is on a file beside it. The system
//! releases the lock when the process ends, however it ends. The file may stay, and has no meaning.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
};

use super::state::StateError;

/// Held for as long as a state belongs to this run.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    /// `None` where the file system has no locks.
    held: Option<File>,
}

impl Lock {
    /// Locks a state for this run.
    pub(crate) fn take(state: &Path) -> Result<Self, StateError> {
        let failed = |source| StateError::Io {
            path: state.to_owned(),
            source,
        };
        let path = beside(state);
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() => return Err(StateError::NoFile { path }),
            _ => {}
        }
        if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        // The run that held the lock removes the file, and may do so between two of these steps.
        for _ in 0..MOST_TRIES {
            let mut options = OpenOptions::new();
            let options = options.write(true).create(true).truncate(false);
            let file = options.open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) if is_still(&file, &path) => {
                    let held = Some(file);
                    return Ok(Self { path, held });
                }
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => break,
                // Not every file system has locks.
                Err(TryLockError::Error(_)) => return Ok(Self { path, held: None }),
            }
        }
        Err(StateError::InUse {
            path: state.to_owned(),
        })
    }
}

const MOST_TRIES: u32 = 100;

impl Drop for Lock {
    fn drop(&mut self) {
        // No other run has it now. A file with any text is not ours.
        let own = |file: &File| file.metadata().is_ok_and(|found| found.len() == 0);
        if self.held.as_ref().is_some_and(own) {
            // A file that stays does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn beside(state: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(state.file_name().unwrap_or_default());
    name.push(".lock");
    state.with_file_name(name)
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let same = |one: fs::Metadata, other: fs::Metadata| {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    };
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(one), Ok(other)) => same(one, other),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_still(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_one_runs_own_until_that_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("deep").join("state.json");
        let lock = Lock::take(&state).unwrap();
        let told = Lock::take(&state).unwrap_err();
        assert!(matches!(&told, StateError::InUse { path } if *path == state));
        let other = Lock::take(&folder.path().join("deep").join("other.json"));
        assert!(other.is_ok());
        drop((lock, other));
        // Nothing is left, and it can be had again.
        assert_eq!(state.parent().unwrap().read_dir().unwrap().count(), 0);
        drop(Lock::take(&state).unwrap());
        // One that was left behind means nothing, and one of somebody else's stays.
        for (text, left) in [("", 0), ("mine", 1)] {
            fs::write(beside(&state), text).unwrap();
            drop(Lock::take(&state).unwrap());
            assert_eq!(state.parent().unwrap().read_dir().unwrap().count(), left);
        }
    }
}
