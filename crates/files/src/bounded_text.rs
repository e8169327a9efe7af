//! Reading text files that people name.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Reads the text of a regular file of at most `most` bytes.
///
/// A device such as `/dev/zero` has no end, and reading from a named pipe waits for a writer. So other
/// files than regular ones are refused before they are opened.
///
/// # Errors
/// If the path is not a regular file, the file is longer, it is not UTF-8, or it can't be read.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("report.json");
/// std::fs::write(&path, "{}")?;
/// assert_eq!(nodeproof_files::read_text(&path, 2)?, "{}");
/// assert!(nodeproof_files::read_text(&path, 1).is_err());
/// assert!(nodeproof_files::read_text(folder.path(), 1).is_err());
/// # Ok(())
/// # }
/// ```
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    open_regular(path)?
        .take(most.saturating_add(1))
        .read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(io::Error::other(format!("it is longer than {most} bytes")));
    }
    Ok(text)
}

/// Opens a regular file for reading. Nothing else is opened: see [`read_text`].
///
/// # Errors
/// If the path is not a regular file, or it can't be opened.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let regular = |about: std::fs::Metadata| {
        if about.is_file() {
            Ok(())
        } else {
            let reason = "it is not a regular file";
            Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
        }
    };
    regular(std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    // It may have been replaced in between.
    regular(file.metadata()?)?;
    Ok(file)
}
