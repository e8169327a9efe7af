//! Files that are written under a temporary name before they get their final name.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
    time::{Duration, SystemTime},
};

use tempfile::NamedTempFile;

use crate::platform;

/// Number of random letters and digits in a temporary name, after its prefix.
const RANDOM: usize = 6;
/// Prefix of the temporary names that [`create`] and [`replace`] use.
const PREFIX: &str = ".tmp-";
/// Maximum number of a folder's entries that [`remove_leftovers`] examines.
const MAX_ENTRIES: usize = 10_000;

/// Who may read a new file. It only has an effect on Unix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Only its owner: mode 0600, from its creation.
    Owner,
    /// As the umask allows, but never writable by everyone: mode 0664 without the umask's bits.
    Umask,
}

/// A file under a temporary name, complete and synced to disk. Dropping it removes the file.
#[derive(Debug)]
pub struct StagedFile(NamedTempFile);

impl StagedFile {
    /// Writes `bytes` to a new file in `folder` and syncs it. The temporary name is `prefix` and
    /// six letters or digits; see [`remove_leftovers`].
    ///
    /// Use the folder of the final path: a file gets its name atomically only within one file
    /// system.
    ///
    /// # Errors
    /// If the file can't be created, written or synced.
    pub fn write(folder: &Path, prefix: &str, bytes: &[u8], access: Access) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix).rand_bytes(RANDOM);
        if let (Access::Umask, Some(permissions)) = (access, platform::shared_permissions()) {
            builder.permissions(permissions);
        }
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        Ok(Self(file))
    }

    /// Gives the file its final name. [`sync_folder`] makes the name survive a power failure.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists) if the name is taken, or another error
    /// if the file can't be renamed. The staged file is removed.
    pub fn create(self, path: &Path) -> io::Result<()> {
        self.0.persist_noclobber(path)?;
        Ok(())
    }

    /// Gives the file its final name. An existing file with the name is replaced. [`sync_folder`]
    /// makes the change survive a power failure.
    ///
    /// # Errors
    /// If the file can't be renamed. The staged file is removed, and the existing file stays.
    pub fn replace(self, path: &Path) -> io::Result<()> {
        self.0.persist(path)?;
        Ok(())
    }
}

/// Writes a new file. It never overwrites a file.
///
/// # Errors
/// [`AlreadyExists`](io::ErrorKind::AlreadyExists) if the name is taken, or another error if
/// the file can't be written.
pub fn create(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let folder = parent_folder(path);
    StagedFile::write(folder, PREFIX, bytes, access)?.create(path)?;
    sync_folder_if_possible(folder);
    Ok(())
}

/// Writes a file. An existing file with the name is replaced.
///
/// # Errors
/// If the file can't be written. The existing file stays.
pub fn replace(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let folder = parent_folder(path);
    StagedFile::write(folder, PREFIX, bytes, access)?.replace(path)?;
    sync_folder_if_possible(folder);
    Ok(())
}

/// Returns the folder that contains a file. It is `.` for a bare file name.
#[must_use]
pub fn parent_folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Syncs the names in a folder to disk. Does so only on Unix; elsewhere it does nothing.
///
/// # Errors
/// If the folder can't be opened, or its file system reports an error.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    platform::sync_folder(folder)
}

/// Syncs a folder, and ignores errors: some file systems can't sync folders. The file itself is
/// already synced and has its name.
fn sync_folder_if_possible(folder: &Path) {
    let _synced = sync_folder(folder);
}

/// Returns whether `name` is a temporary name with this prefix.
#[must_use]
pub fn is_staged_name(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|random| {
        random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Removes staged files that killed processes left in a folder: those with this prefix that were
/// last written longer ago than `age`.
///
/// It examines at most 10,000 entries. It reports no errors, because nothing depends on the removal.
pub fn remove_leftovers(folder: &Path, prefix: &str, age: Duration) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.take(MAX_ENTRIES).flatten() {
        let is_staged = |name: &str| is_staged_name(name, prefix);
        if !entry.file_name().to_str().is_some_and(is_staged) {
            continue;
        }
        let is_old = entry.metadata().is_ok_and(|metadata| {
            let written = metadata.modified().ok();
            let elapsed = written.and_then(|time| SystemTime::now().duration_since(time).ok());
            metadata.is_file() && elapsed.is_some_and(|elapsed| elapsed > age)
        });
        if is_old {
            let _removed = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn creates_replaces_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        create(&path, b"first", Access::Owner).unwrap();
        let refused = create(&path, b"second", Access::Owner).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        replace(&path, b"second", Access::Owner).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert!(replace(folder.path(), b"x", Access::Owner).is_err());
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_a_private_file() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str, access| {
            let path = folder.path().join(name);
            create(&path, b"", access).unwrap();
            fs::metadata(path).unwrap().permissions().mode() & 0o777
        };
        File::create(folder.path().join("plain")).unwrap();
        let plain = fs::metadata(folder.path().join("plain")).unwrap();
        assert_eq!(mode("private", Access::Owner), 0o600);
        let umask = plain.permissions().mode() & 0o777;
        assert_eq!(mode("shared", Access::Umask), umask & !0o002);
    }

    #[test]
    fn removes_old_leftovers_only() {
        let folder = tempfile::tempdir().unwrap();
        let hours = |hours: u64| Duration::from_secs(hours * 60 * 60);
        for (name, age) in [(".a-Zz0Zz0", 0), (".a-aB3xY9", 2), (".a-longer-name", 2)] {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - hours(age)).unwrap();
        }
        remove_leftovers(folder.path(), ".a-", hours(1));
        let is_there = |name: &str| folder.path().join(name).exists();
        assert!(!is_there(".a-aB3xY9"));
        assert!(is_there(".a-Zz0Zz0") && is_there(".a-longer-name"));
    }
}
