//! Exclusive locks between processes.
//!
//! Some file systems have no locks. There, each lock is granted, but it is not
//! [held](FolderLock::is_held).

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use thiserror::Error;

use crate::{
    platform::{REMOVES_LOCK_FILES, is_at, open_folder},
    staged::parent_folder,
};

/// Maximum number of attempts to create a lock file while other processes remove it.
const MAX_ATTEMPTS: u32 = 100;
/// Name of the file that a [`FolderLock`] locks where a folder can't be locked itself. Other programs
/// may be unable to read it.
pub const FOLDER_LOCK: &str = ".lock";

/// A lock was not granted.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process, or another place in this one, holds the lock.
    #[error("another program holds the lock")]
    Held,
    /// The file or the folder can't be opened or created.
    #[error("{0}")]
    Io(io::Error),
}

/// A lock on a separate lock file. Dropping it releases the lock. On Unix, it also removes the file.
///
/// A file that a killed process left behind is not locked, so it does not matter.
#[derive(Debug)]
pub struct LockFile {
    path: PathBuf,
    file: File,
    is_locked: bool,
}

impl LockFile {
    /// Locks a file that is often replaced, by locking a file beside it. Does not wait. Creates the folder.
    ///
    /// # Errors
    /// [`LockError::Held`] if the file is locked. [`LockError::Io`] if the lock file can't be created, or is not a
    /// regular file.
    pub fn beside(path: &Path) -> Result<Self, LockError> {
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".lock");
        let path = path.with_file_name(name);
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            let reason = format!("{} is not a regular file", path.display());
            return Err(LockError::Io(io::Error::other(reason)));
        }
        fs::create_dir_all(parent_folder(&path)).map_err(LockError::Io)?;
        Self::take(&path)
    }

    fn take(path: &Path) -> Result<Self, LockError> {
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

    /// Returns whether other processes can't take the lock. If not, the file system has no locks.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.is_locked
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // A file with content is not a lock file of ours.
        let is_empty = self.file.metadata().is_ok_and(|found| found.len() == 0);
        if REMOVES_LOCK_FILES && self.is_locked && is_empty {
            let _removed = fs::remove_file(&self.path);
        }
    }
}

/// A lock on a folder, released on drop.
///
/// On Unix, the folder itself is locked. Other systems can't open a folder. There, the file
/// [`FOLDER_LOCK`] in the folder is locked. It is never removed, because a process that removes it could
/// let two others lock two files.
#[derive(Debug)]
pub struct FolderLock {
    _locked: File,
    is_held: bool,
}

impl FolderLock {
    /// Locks a folder. Waits at most this long while it is locked elsewhere.
    ///
    /// # Errors
    /// [`LockError::Held`] if the folder is still locked after the wait. [`LockError::Io`] if the
    /// folder, or the file in it, can't be opened.
    pub fn take(folder: &Path, wait: Duration) -> Result<Self, LockError> {
        let file = open_folder(folder, lock_file_in);
        Self::of(file.map_err(LockError::Io)?, wait)
    }

    fn of(file: File, wait: Duration) -> Result<Self, LockError> {
        const PAUSE: Duration = Duration::from_millis(20);

        let started = Instant::now();
        loop {
            match try_lock(&file) {
                Err(LockError::Held) if started.elapsed() < wait => std::thread::sleep(PAUSE),
                tried => {
                    return tried.map(|is_held| Self {
                        _locked: file,
                        is_held,
                    });
                }
            }
        }
    }

    /// Returns whether other processes can't take the lock. If not, the folder's file system has no
    /// locks.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.is_held
    }
}

/// Opens the file that is locked in place of a folder, and creates it if it is missing.
fn lock_file_in(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false);
    options.open(folder.join(FOLDER_LOCK))
}

/// Tries to lock a file. Returns false if its file system has no locks.
fn try_lock(file: &File) -> Result<bool, LockError> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Err(LockError::Held),
        Err(TryLockError::Error(_)) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_has_one_holder_and_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join(".state.lock");
        let take = || LockFile::beside(&path.with_file_name("state"));
        let held = take().unwrap();
        assert!(matches!(take(), Err(LockError::Held)));
        drop(held);
        assert_eq!(path.exists(), !REMOVES_LOCK_FILES);
        for (left, stays) in [("", !REMOVES_LOCK_FILES), ("not a lock", true)] {
            fs::write(&path, left).unwrap();
            drop(take().unwrap());
            assert_eq!(path.exists(), stays);
        }
        let _removed = fs::remove_file(&path);
        fs::create_dir(&path).unwrap();
        assert!(matches!(take(), Err(LockError::Io(_))));
    }

    /// A way to lock a folder for this process.
    type Take = fn(&Path, Duration) -> Result<FolderLock, LockError>;

    #[test]
    fn a_folder_is_waited_for() {
        // The second way is that of systems that can't open a folder.
        let ways: [Take; 2] = [FolderLock::take, |folder, wait| {
            FolderLock::of(lock_file_in(folder).map_err(LockError::Io)?, wait)
        }];
        for way in ways {
            let folder = tempfile::tempdir().unwrap();
            let take = |wait| way(folder.path(), Duration::from_millis(wait));
            let held = take(0).unwrap();
            assert!(held.is_held());
            assert!(matches!(take(50), Err(LockError::Held)));
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| take(10_000));
                drop(held);
                assert!(waiting.join().unwrap().unwrap().is_held());
            });
        }
        let missing = Path::new("no-such-folder");
        let wait = Duration::ZERO;
        assert!(
            ways.iter()
                .all(|way| matches!(way(missing, wait), Err(LockError::Io(_))))
        );
    }
}
