//! Writing the file whole, and reading it within bounds.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::Path,
};

use serde::Serialize;

use super::KeptError;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 8 * 1024 * 1024;

/// Writes a file whole, or not at all; `over` tells whether one may be there already.
///
/// When this returns, it is on disk.
pub(super) fn write(path: &Path, contents: &impl Serialize, over: bool) -> Result<(), KeptError> {
    let unusable = |source| KeptError::Unusable {
        path: path.to_owned(),
        action: "written",
        source,
    };
    let mut text =
        serde_json::to_string_pretty(contents).map_err(|error| unusable(error.into()))?;
    text.push('\n');
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // In the same folder, as a file can only be moved within one file system. It is of mode 600.
    let mut file = tempfile::Builder::new()
        .prefix(".kept-")
        .tempfile_in(folder)
        .map_err(unusable)?;
    file.write_all(text.as_bytes()).map_err(unusable)?;
    file.as_file().sync_all().map_err(unusable)?;
    let moved = if over {
        file.persist(path)
    } else {
        file.persist_noclobber(path)
    };
    moved.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => KeptError::Exists {
            path: path.to_owned(),
        },
        _ => unusable(error.error),
    })?;
    // The name, too, has to survive a power cut; only Unix can be asked for that.
    if cfg!(unix) {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(unusable)?;
    }
    Ok(())
}

/// The file's text, if there is such a file and it is no longer than it may be.
pub(super) fn read(path: &Path) -> Result<Option<String>, KeptError> {
    let unusable = |source| KeptError::Unusable {
        path: path.to_owned(),
        action: "read",
        source,
    };
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
