//! Keeping a sweep's state to one run at a time.
//!
//! The state itself is replaced again and again, so what is locked is a file beside it. The system
//! takes the lock back when the process ends, in whichever way; the file may stay, and means nothing.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use super::StateError;

/// Held for as long as a state is this run's own.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    /// None where the file system has no locks.
    held: Option<File>,
}

impl Lock {
    /// Takes the state in a file for this run alone.
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
        // Whoever had it removes the file, and may do so between two of these steps.
        for _ in 0..MOST_TRIES {
            let Some(file) = open(&path).map_err(failed)? else {
                return Err(StateError::InUse {
                    path: state.to_owned(),
                });
            };
            let held = match try_lock(&file).map_err(failed)? {
                Tried::Held => Some(file),
                Tried::NoLocks => None,
                Tried::Anothers => {
                    return Err(StateError::InUse {
                        path: state.to_owned(),
                    });
                }
            };
            if held.as_ref().is_none_or(|file| is_still(file, &path)) {
                return Ok(Self { path, held });
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
        // Nobody else may have it now; and what has any text is not of here.
        let own = |file: &File| file.metadata().is_ok_and(|found| found.len() == 0);
        if self.held.as_ref().is_some_and(own) {
            // One that stays does no harm.
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

#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "elsewhere opening is what locks, or nothing does")
)]
enum Tried {
    Held,
    Anothers,
    NoLocks,
}

/// Opens the file, and makes it where it is not there; none where opening is refused, as another
/// process has it.
#[cfg(not(windows))]
fn open(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false);
    options.open(path).map(Some)
}

/// The same, where an open file can be kept from being opened again.
#[cfg(windows)]
fn open(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;

    const SHARING_VIOLATION: i32 = 32;
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false);
    match options.share_mode(0).open(path) {
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        opened => opened.map(Some),
    }
}

#[cfg(unix)]
fn try_lock(file: &File) -> io::Result<Tried> {
    use rustix::{
        fs::{FlockOperation, flock},
        io::Errno,
    };

    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Tried::Held),
            Err(Errno::WOULDBLOCK) => return Ok(Tried::Anothers),
            Err(Errno::INTR) => {}
            // Not every file system has locks.
            Err(_) => return Ok(Tried::NoLocks),
        }
    }
}

#[cfg(windows)]
fn try_lock(_: &File) -> io::Result<Tried> {
    Ok(Tried::Held)
}

#[cfg(not(any(unix, windows)))]
fn try_lock(_: &File) -> io::Result<Tried> {
    Ok(Tried::NoLocks)
}

/// Whether a file is the one that its path leads to.
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
