//! Gives a sweep's state to one run at a time.
//!
//! The state file itself is often replaced, so a second file next to it is locked.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use nodeproof_files::{LockError, LockFile, parent_folder};

use super::state::StateError;

/// The lock of a sweep's state. Dropping it releases the lock.
#[derive(Debug)]
pub(crate) struct Lock {
    file: LockFile,
}

impl Lock {
    /// Locks the state of a sweep for this run.
    pub(crate) fn take(state: &Path) -> Result<Self, StateError> {
        let failed = |source| StateError::Io {
            path: state.to_owned(),
            source,
        };
        let path = lock_path(state);
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() => return Err(StateError::NoFile { path }),
            _ => {}
        }
        fs::create_dir_all(parent_folder(&path)).map_err(failed)?;
        match LockFile::take(&path) {
            Ok(file) => Ok(Self { file }),
            Err(LockError::Held) => Err(StateError::InUse {
                path: state.to_owned(),
            }),
            Err(LockError::Io(source)) => Err(failed(source)),
        }
    }

    /// Returns whether other runs can't use the state. If not, its file system has no locks.
    pub(crate) fn is_held(&self) -> bool {
        self.file.is_held()
    }
}

/// Returns the path of the lock file of a state file.
fn lock_path(state: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(state.file_name().unwrap_or_default());
    name.push(".lock");
    state.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_belongs_to_one_run_until_that_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("deep").join("state.json");
        let lock = Lock::take(&state).unwrap();
        let refused = Lock::take(&state).unwrap_err();
        assert!(matches!(&refused, StateError::InUse { path } if *path == state));
        let other = Lock::take(&folder.path().join("deep").join("other.json"));
        assert!(other.is_ok());
        drop((lock, other));
        // The lock file was removed, and the lock can be taken again.
        assert_eq!(state.parent().unwrap().read_dir().unwrap().count(), 0);
        drop(Lock::take(&state).unwrap());
    }
}
