//! Putting a new file into place, whole and private.

use std::{
    fs::File,
    io::{self, Write as _},
    path::Path,
};

use super::KeyFileFault;

/// Writes a file beside its place, and gives it its name when it is on the disk.
pub(super) fn new_file(path: &Path, bytes: &[u8]) -> Result<(), KeyFileFault> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Its mode is 600 from the start, and it is removed again unless it is persisted.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(KeyFileFault::Write)?;
    file.write_all(bytes)
        .and_then(|()| file.as_file().sync_all())
        .map_err(KeyFileFault::Write)?;
    file.persist_noclobber(path)
        .map_err(|refused| match refused.error.kind() {
            io::ErrorKind::AlreadyExists => KeyFileFault::Exists,
            _ => KeyFileFault::Write(refused.error),
        })?;
    sync_folder(folder);
    Ok(())
}

/// Puts the file's name on the disk too. Some file systems refuse that, and the file itself
/// is there all the same.
#[cfg(unix)]
fn sync_folder(folder: &Path) {
    let _synced = File::open(folder).and_then(|folder| folder.sync_all());
}

/// A folder can't be opened for that here.
#[cfg(not(unix))]
fn sync_folder(_: &Path) {}
