//! Reads files and standard input, up to a limit.

use std::{
    io::{self, Read},
    path::Path,
};

use nodeproof_files::open_regular;
use nodeproof_wallet::exposed_key;

use crate::failure::Failure;

/// Maximum length of a transaction or of parameters, in bytes. Nodes accept less.
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum length of a configuration file, in bytes.
const MAX_SETTINGS: u64 = 1024 * 1024;

/// Reads the text of a file, or of standard input if the path is `-`.
pub(crate) fn text(what: &str, path: &Path) -> Result<String, Failure> {
    let shown = shown(path);
    let read = match path == Path::new("-") {
        true => bounded(io::stdin().lock(), MAX_BYTES),
        false => open_regular(path).and_then(|file| bounded(file, MAX_BYTES)),
    };
    let bytes = read
        .map_err(|error| Failure::usage(format!("{what} can't be read from {shown}: {error}")))?;
    let text = utf8(what, &shown, bytes)?;
    // The text will be sent, so it must not contain a key.
    if let Some(found) = exposed_key(&text, &[]) {
        return Err(Failure::usage(format!(
            "{what}: in {shown} there is {found}, which must not be sent; nothing was \
             sent or signed"
        )));
    }
    Ok(text)
}

/// Returns the name of a file, or of standard input if the path is `-`.
pub(crate) fn shown(path: &Path) -> String {
    match path == Path::new("-") {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

/// Reads a configuration file.
pub(crate) fn settings(path: &Path) -> io::Result<Vec<u8>> {
    open_regular(path).and_then(|file| bounded(file, MAX_SETTINGS))
}

pub(crate) fn utf8(what: &str, shown: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        Failure::usage(format!(
            "{what} in {shown} is not UTF-8: byte {} is the first that is wrong",
            error.utf8_error().valid_up_to()
        ))
    })
}

pub(super) fn bounded(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}
