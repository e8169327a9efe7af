//! Windows, and other systems that are not Unix. They have no permissions of Unix.

use std::{
    fs::{DirBuilder, File, Metadata, Permissions},
    io,
    path::Path,
    time::SystemTime,
};

use super::ownership::Ownership;

/// Whether a lock file is removed when its lock is released. Another process could lock the removed file,
/// because it can't be recognised.
pub(crate) const REMOVES_LOCK_FILES: bool = false;
/// The environment variable with the user's folder for data, if the system has one.
pub(crate) const LOCAL_DATA: Option<&str> = if cfg!(windows) {
    Some("LOCALAPPDATA")
} else {
    None
};

/// Returns `false`, because this system has no such permissions.
#[must_use]
pub fn is_readable_by_others(_: &File) -> bool {
    false
}

/// Returns a text that differs once a file is replaced or written to, and the time of the last change.
///
/// A file that changes twice within a clock tick, a few milliseconds, can keep its stamp. So trust only
/// the stamp of a file whose last change was some time ago.
#[must_use]
pub fn file_stamp(found: &Metadata) -> Option<(String, SystemTime)> {
    let nanoseconds = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH);
    let changed = found.modified().ok()?;
    let made = nanoseconds(found.created().ok()?).ok()?.as_nanos();
    let written = nanoseconds(changed).ok()?.as_nanos();
    Some((format!("{made}.{}.{written}", found.len()), changed))
}

/// Does nothing.
///
/// # Errors
/// None.
pub fn link(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns `None`, because this system has no such permissions.
pub(crate) fn ownership(_: &Path) -> io::Result<Option<Ownership>> {
    Ok(None)
}

/// Does nothing.
pub(crate) fn only_for_owner(_: &mut DirBuilder) {}

/// Returns `None`, because this system has no such permissions.
pub(crate) fn shared_permissions() -> Option<Permissions> {
    None
}

/// Does nothing, because this system can't open a folder.
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Opens a file in the folder, because this system can't open a folder.
pub(crate) fn open_folder(
    folder: &Path,
    in_place: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<File> {
    in_place(folder)
}

/// Returns true: on this system lock files are not removed.
pub(crate) fn is_at(_: &File, _: &Path) -> bool {
    true
}
