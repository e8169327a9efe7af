//! Unix.

use std::{
    fs::{self, DirBuilder, File, Metadata, Permissions},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _, symlink},
    path::Path,
    time::{Duration, SystemTime},
};

use super::ownership::Ownership;

const READABLE_BY_OTHERS: u32 = 0o044;
const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Whether a lock file is removed when its lock is released.
pub(crate) const REMOVES_LOCK_FILES: bool = true;
/// The environment variable with the user's folder for data, if the system has one.
pub(crate) const LOCAL_DATA: Option<&str> = None;

/// Returns whether users other than the owner can read an open file.
#[must_use]
pub fn is_readable_by_others(file: &File) -> bool {
    // A pipe has a mode too, but no other user can open it.
    file.metadata()
        .is_ok_and(|found| found.is_file() && found.mode() & READABLE_BY_OTHERS != 0)
}

/// Returns a text that differs once a file is replaced or written to, and the time of the last change.
///
/// A file that changes twice within a clock tick, a few milliseconds, can keep its stamp. So trust only
/// the stamp of a file whose last change was some time ago.
#[must_use]
pub fn file_stamp(found: &Metadata) -> Option<(String, SystemTime)> {
    let (seconds, nanoseconds) = (found.ctime(), found.ctime_nsec());
    let since = Duration::new(seconds.try_into().ok()?, nanoseconds.try_into().ok()?);
    let changed = SystemTime::UNIX_EPOCH.checked_add(since)?;
    let (device, file, length) = (found.dev(), found.ino(), found.len());
    let stamp = format!("{device}.{file}.{length}.{seconds}.{nanoseconds}");
    Some((stamp, changed))
}

/// Creates a symbolic link, unless the name is taken. Other systems have no such links, so nothing
/// happens there.
///
/// # Errors
/// If the system refuses.
pub fn link(target: &Path, name: &Path) -> io::Result<()> {
    match symlink(target, name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Returns who controls a folder.
pub(crate) fn ownership(folder: &Path) -> io::Result<Option<Ownership>> {
    let found = fs::metadata(folder)?;
    Ok(Some(Ownership {
        is_own: [rustix::process::geteuid().as_raw(), 0].contains(&found.uid()),
        is_shared: found.mode() & WRITABLE_BY_OTHERS != 0,
        is_sticky: found.mode() & STICKY != 0,
    }))
}

/// Makes new folders accessible only for their owner.
pub(crate) fn only_for_owner(builder: &mut DirBuilder) {
    builder.mode(0o700);
}

/// Returns the permissions of a file that others may read, without the umask.
pub(crate) fn shared_permissions() -> Option<Permissions> {
    Some(Permissions::from_mode(0o664))
}

/// Syncs the names in a folder to disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Opens a folder to lock it. `_in_place` opens a file in it where that is not possible.
pub(crate) fn open_folder(
    folder: &Path,
    _in_place: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<File> {
    File::open(folder)
}

/// Returns whether an open file is still the one at this path.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}
