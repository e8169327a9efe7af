//! Writing the file whole, and reading it within bounds.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::Serialize;
use tempfile::NamedTempFile;

use super::KeptError;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 8 * 1024 * 1024;
/// What the name of a file begins with that is being written.
const UNFINISHED: &str = ".kept-";
/// How many letters and digits follow in it.
const RANDOM: usize = 6;
/// After that time, nobody is writing it any more.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);
/// How many files of a folder are looked at for stale ones.
const MOST_LOOKED_AT: usize = 10_000;

/// How a file comes to its name.
pub(in crate::claim) enum Place {
    /// There must be none of that name.
    New,
    /// It takes the place of the one that is there.
    Over,
    /// The one that is there, if any, is put aside first.
    Aside,
}

/// The folder of a file, locked against everybody else who writes kept files in it.
pub(super) struct Folder {
    path: PathBuf,
    /// The lock is held as long as this is open, and no longer than this process lives.
    #[cfg(unix)]
    _lock: Option<File>,
}

impl Folder {
    /// Locks the folder of a file.
    pub(super) fn of(file: &Path) -> Result<Self, KeptError> {
        let path = match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Ok(Self {
            #[cfg(unix)]
            _lock: lock(path).map_err(|source| unusable(file, "written", source))?,
            path: path.to_owned(),
        })
    }

    /// Writes a file whole, or not at all, and tells where the one is that was put aside.
    ///
    /// When this returns, it is on disk. At no time is the file that was there before under no
    /// name at all, unless it is written over.
    pub(super) fn write(
        &self,
        path: &Path,
        contents: &impl Serialize,
        place: &Place,
    ) -> Result<Option<PathBuf>, KeptError> {
        let failed = |source| unusable(path, "written", source);
        let file = self.unfinished(contents).map_err(failed)?;
        let aside = match place {
            Place::Aside => put_aside(path).map_err(failed)?,
            Place::New | Place::Over => None,
        };
        if aside.is_some() {
            self.sync().map_err(failed)?;
        }
        let moved = if matches!(place, Place::Over) || aside.is_some() {
            file.persist(path)
        } else {
            file.persist_noclobber(path)
        };
        if let Err(error) = moved {
            // The file that was there has its first name still, and needs no second one.
            if let Some(aside) = aside {
                let _ = fs::remove_file(aside);
            }
            return Err(match error.error.kind() {
                io::ErrorKind::AlreadyExists => KeptError::Exists {
                    path: path.to_owned(),
                },
                _ => failed(error.error),
            });
        }
        self.sync().map_err(failed)?;
        Ok(aside)
    }

    /// The contents on disk, under a name that goes if nothing comes of it.
    fn unfinished(&self, contents: &impl Serialize) -> io::Result<NamedTempFile> {
        let mut text = serde_json::to_string_pretty(contents)?;
        text.push('\n');
        // In the same folder, as a file can only be moved within one file system. It is of mode 600.
        let mut file = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .rand_bytes(RANDOM)
            .tempfile_in(&self.path)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file)
    }

    /// The names, too, have to survive a power cut; only Unix can be asked for that.
    fn sync(&self) -> io::Result<()> {
        if cfg!(unix) {
            File::open(&self.path)?.sync_all()?;
        }
        Ok(())
    }

    /// Removes what processes left behind that were ended while they wrote.
    ///
    /// Nothing depends on it, so it fails silently.
    pub(super) fn remove_stale(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else {
            return;
        };
        for entry in entries.take(MOST_LOOKED_AT).flatten() {
            let name = entry.file_name();
            if !name.to_str().is_some_and(is_unfinished) {
                continue;
            }
            let stale = entry.metadata().is_ok_and(|about| {
                let age = about
                    .modified()
                    .ok()
                    .and_then(|written| SystemTime::now().duration_since(written).ok());
                about.is_file() && age.is_some_and(|age| age > STALE)
            });
            if stale && let Err(error) = fs::remove_file(entry.path()) {
                tracing::debug!(%error, "a stale file can't be removed");
            }
        }
    }
}

/// Whether that is the name of a file that is being written.
pub(super) fn is_unfinished(name: &str) -> bool {
    name.strip_prefix(UNFINISHED).is_some_and(|random| {
        random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Gives a file a second name, the first one that is free: `FILE.1`, `FILE.2` and so on.
///
/// It keeps its first name as well, until another file takes that.
fn put_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    const MOST: u32 = 10_000;
    for number in 1..=MOST {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        let aside = PathBuf::from(name);
        // A link fails where the name is taken, which a renaming does not.
        match fs::hard_link(path, &aside) {
            Ok(()) => return Ok(Some(aside)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!(
        "{MOST} files of its name are put aside already"
    )))
}

/// Locks a folder; `None` where its file system has no locks.
#[cfg(unix)]
fn lock(folder: &Path) -> io::Result<Option<File>> {
    use rustix::{
        fs::{FlockOperation, flock},
        io::Errno,
    };

    // Who holds it writes one small file.
    const PAUSE: Duration = Duration::from_millis(20);
    const TRIES: u32 = 500;

    let folder = File::open(folder)?;
    for _ in 0..TRIES {
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(folder)),
            Err(Errno::WOULDBLOCK) => std::thread::sleep(PAUSE),
            Err(Errno::INTR) => {}
            Err(_) => return Ok(None),
        }
    }
    Err(io::Error::other(
        "another program holds a lock on its folder",
    ))
}

fn unusable(path: &Path, action: &'static str, source: io::Error) -> KeptError {
    KeptError::Unusable {
        path: path.to_owned(),
        action,
        source,
    }
}

/// The file's text, if there is such a file and it is no longer than it may be.
pub(super) fn read(path: &Path) -> Result<Option<String>, KeptError> {
    let unusable = |source| unusable(path, "read", source);
    let foreign = |reason: &str| KeptError::Foreign {
        path: path.to_owned(),
        reason: reason.to_owned(),
    };
    let kind = match fs::metadata(path) {
        Ok(kind) => kind,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(error)),
    };
    if !kind.is_file() {
        return Err(foreign("it is no regular file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unusable)?;
    file.take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(unusable)?;
    if bytes.len() as u64 > LONGEST {
        return Err(foreign("it is too long"));
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| foreign("it is no text"))
}
