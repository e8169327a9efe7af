//! Writing a new file completely, and readable only by its owner.

use std::{
    fs::File,
    io::{self, Write as _},
    path::Path,
};

use super::fault::KeyFileFault;

/// Writes a temporary file in the same folder, and renames it when it is on the disk.
pub(super) fn new_file(path: &Path, bytes: &[u8]) -> Result<(), KeyFileFault> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Its mode is 600 from the start. It is removed unless it is persisted.
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

/// Writes the file's name to the disk too. Some file systems refuse this, which is not an error:
/// the file exists.
#[cfg(unix)]
fn sync_folder(folder: &Path) {
    let _synced = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Does nothing, because a folder can't be opened on this system.
#[cfg(not(unix))]
fn sync_folder(_: &Path) {}
