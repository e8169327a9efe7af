//! Exclusive locks between processes.
//!
//! Some file systems have no locks. There, each lock is granted, but it is not
//! [held](FolderLock::is_held).

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// Maximum number of attempts to create a lock file while other processes remove it.
const MAX_ATTEMPTS: u32 = 100;

/// A lock was not granted.
#[derive(Debug)]
pub enum LockError {
    /// Another process, or another place in this one, holds the lock.
    Held,
    /// The file or the folder can't be opened or created.
    Io(io::Error),
}

impl std::fmt::Display for LockError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Held => f.write_str("another program holds the lock"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LockError {}

/// A lock on a separate lock file. Dropping it releases the lock and removes the file.
///
/// A file that a killed process left behind is not locked, so it does not matter.
#[derive(Debug)]
pub struct LockFile {
    path: PathBuf,
    file: File,
    is_locked: bool,
}

impl LockFile {
    /// Creates and locks a file, without waiting. Its folder must exist.
    ///
    /// # Errors
    /// [`LockError::Held`] if the file is locked. [`LockError::Io`] if it can't be created.
    pub fn take(path: &Path) -> Result<Self, LockError> {
        // The holder removes the file on release, perhaps between two of these steps.
        for _ in 0..MAX_ATTEMPTS {
            let mut options = OpenOptions::new();
            let options = options.write(true).create(true).truncate(false);
            let file = options.open(path).map_err(LockError::Io)?;
            let is_locked = try_lock(&file)?;
            if !is_locked || is_at(&file, path) {
                return Ok(Self {
                    path: path.to_owned(),
                    file,
                    is_locked,
                });
            }
        }
        Err(LockError::Held)
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // A file with content is not a lock file of ours.
        let is_empty = self.file.metadata().is_ok_and(|found| found.len() == 0);
        if self.is_locked && is_empty {
            let _removed = fs::remove_file(&self.path);
        }
    }
}

/// A lock on a folder itself, released on drop. Only Unix has locks on folders.
#[derive(Debug)]
pub struct FolderLock {
    #[cfg(unix)]
    _folder: File,
    is_held: bool,
}

impl FolderLock {
    /// Locks a folder. Waits at most this long while it is locked elsewhere.
    ///
    /// # Errors
    /// [`LockError::Held`] if the folder is still locked after the wait. [`LockError::Io`] if the
    /// folder can't be opened.
    #[cfg(unix)]
    pub fn take(folder: &Path, wait: std::time::Duration) -> Result<Self, LockError> {
        const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

        let started = std::time::Instant::now();
        let folder = File::open(folder).map_err(LockError::Io)?;
        loop {
            match try_lock(&folder) {
                Err(LockError::Held) if started.elapsed() < wait => std::thread::sleep(PAUSE),
                tried => {
                    return tried.map(|is_held| Self {
                        _folder: folder,
                        is_held,
                    });
                }
            }
        }
    }

    /// Grants the lock without holding it: this system can't open a folder.
    ///
    /// # Errors
    /// None.
    #[cfg(not(unix))]
    pub fn take(_: &Path, _: std::time::Duration) -> Result<Self, LockError> {
        Ok(Self { is_held: false })
    }

    /// Returns whether other processes can't take the lock. If not, the folder's file system has no
    /// locks.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.is_held
    }
}

/// Tries to lock a file. Returns false if its file system has no locks.
fn try_lock(file: &File) -> Result<bool, LockError> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Err(LockError::Held),
        Err(TryLockError::Error(_)) => Ok(false),
    }
}

/// Returns whether an open file is still the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}

/// Returns true: on this system an open file can't be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_has_one_holder_and_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let held = LockFile::take(&path).unwrap();
        assert!(matches!(LockFile::take(&path), Err(LockError::Held)));
        drop(held);
        assert!(!path.exists());
        for (left, stays) in [("", false), ("not a lock", true)] {
            fs::write(&path, left).unwrap();
            drop(LockFile::take(&path).unwrap());
            assert_eq!(path.exists(), stays);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let take = |wait| FolderLock::take(folder.path(), std::time::Duration::from_millis(wait));
        let held = take(0).unwrap();
        assert!(matches!(take(50), Err(LockError::Held)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| take(10_000));
            drop(held);
            waiting.join().unwrap().unwrap();
        });
    }
}
