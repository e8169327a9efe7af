//! Reading what a person names, within bounds, and writing it whole or not at all.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use clap::builder::{OsStringValueParser, TypedValueParser};

use crate::{failure::Failure, withheld::looks_like_a_key};

/// The most that is read of a transaction or of parameters: more than any node takes.
const MOST: u64 = 16 * 1024 * 1024;
/// The most that is read of a configuration file.
const MOST_SETTINGS: u64 = 1024 * 1024;

/// A file that is to be written, as it may be named on the command line.
///
/// `-` would be a file of that name, which nobody means.
pub(crate) fn to_write() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| {
        if name == "-" {
            return Err("a file is wanted here, and - would be one of that name".to_owned());
        }
        no_key(name)
    })
}

/// A file that may hold a key, as it may be named on the command line.
pub(crate) fn key_file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(no_key)
}

fn no_key(name: OsString) -> Result<PathBuf, String> {
    if looks_like_a_key(&name.to_string_lossy()) {
        return Err(
            "keys are read from files and hidden prompts only, and this one may now stand in your \
             shell's history"
                .to_owned(),
        );
    }
    if name.is_empty() {
        return Err("the name of a file is wanted".to_owned());
    }
    Ok(name.into())
}

/// The text of a file, or of standard input where the path is `-`.
pub(crate) fn text(what: &str, path: &Path) -> Result<String, Failure> {
    let (shown, read) = if path == Path::new("-") {
        (
            "standard input".to_owned(),
            bounded(io::stdin().lock(), MOST),
        )
    } else {
        let read = File::open(path).and_then(|file| bounded(file, MOST));
        (path.display().to_string(), read)
    };
    let bytes = read
        .map_err(|error| Failure::usage(format!("{what} can't be read from {shown}: {error}")))?;
    utf8(what, &shown, bytes)
}

/// The text of a settings file.
pub(crate) fn settings(path: &Path) -> io::Result<Vec<u8>> {
    File::open(path).and_then(|file| bounded(file, MOST_SETTINGS))
}

pub(crate) fn utf8(what: &str, shown: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        Failure::usage(format!(
            "{what} in {shown} is not UTF-8: byte {} is the first that is wrong",
            error.utf8_error().valid_up_to()
        ))
    })
}

fn bounded(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is longer than {most} bytes")));
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
