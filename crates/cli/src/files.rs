//! Reading what a person names, within bounds, and writing it whole or not at all.

use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use crate::failure::Failure;

/// The most that is read of a transaction or of parameters: more than any node takes.
const MOST: u64 = 16 * 1024 * 1024;

/// The text of a file, or of standard input where the path is `-`.
pub(crate) fn text(what: &str, path: &Path) -> Result<String, Failure> {
    let (shown, read) = if path == Path::new("-") {
        ("standard input".to_owned(), bounded(io::stdin().lock()))
    } else {
        let read = File::open(path).and_then(bounded);
        (path.display().to_string(), read)
    };
    let bytes = read
        .map_err(|error| Failure::usage(format!("{what} can't be read from {shown}: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        Failure::usage(format!(
            "{what} in {shown} is not UTF-8: byte {} is the first that is wrong",
            error.utf8_error().valid_up_to()
        ))
    })
}

fn bounded(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other(format!("it is longer than {MOST} bytes")));
    }
    Ok(bytes)
}

/// Writes a file whole: whoever reads it sees what was there before, or all of this.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let failed =
        |error: io::Error| Failure::usage(format!("{} can't be written: {error}", path.display()));
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
