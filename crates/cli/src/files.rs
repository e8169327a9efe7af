//! Reading what a person names, within bounds, and writing it whole or not at all.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

use clap::builder::{OsStringValueParser, TypedValueParser};
use nodeproof_claims::SavedTransaction;
use nodeproof_client::SignedTransaction;
use nodeproof_files::Access;

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

/// Refuses before anything is signed what [`write_transaction`] would refuse after it.
pub(crate) fn check_out(out: Option<&Path>) -> Result<(), Failure> {
    out.map_or(Ok(()), |path| place(path).map(drop))
}

/// Writes a transaction to a file, whole: whoever reads it sees what was there before, or all of
/// this. What is there already is replaced only where it is another transaction.
pub(crate) fn write_transaction(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error| cannot_write(path, &error);
    match place(path)? {
        Place::File(path) => {
            nodeproof_files::replace(&path, text.as_bytes(), Access::Owner).map_err(failed)
        }
        Place::Device => {
            let mut file = File::options().write(true).open(path).map_err(failed)?;
            file.write_all(text.as_bytes()).map_err(failed)
        }
    }
}

/// What is to be written to.
enum Place {
    /// A file that may be replaced, or is not there yet.
    File(PathBuf),
    /// A terminal, a pipe or the like, which takes what comes.
    Device,
}

fn place(path: &Path) -> Result<Place, Failure> {
    let failed = |error| cannot_write(path, &error);
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return match fs::symlink_metadata(path) {
                Ok(_) => Err(failed(io::Error::other("it is a link to nothing"))),
                Err(_) => Ok(Place::File(path.to_owned())),
            };
        }
        Err(error) => return Err(failed(error)),
    };
    if found.is_dir() {
        return Err(failed(ErrorKind::IsADirectory.into()));
    }
    if !found.is_file() {
        return Ok(Place::Device);
    }
    // The file itself, and not the link to it, is replaced.
    let path = fs::canonicalize(path).map_err(failed)?;
    let bytes = File::open(&path).and_then(|file| bounded(file, MOST));
    let there = String::from_utf8(bytes.map_err(failed)?).unwrap_or_default();
    let is_saved = SavedTransaction::open(&path).is_ok_and(|saved| saved.is_some());
    if found.len() > 0 && (is_saved || SignedTransaction::from_text(&there).is_err()) {
        return Err(failed(io::Error::other(
            "there is a file already that is no transaction; it may be the only copy of a key or \
             of a claim: name another one, or remove it first",
        )));
    }
    Ok(Place::File(path))
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{} can't be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRANSACTION: &str = r#"{"transaction":{},"signatures":[]}"#;

    #[test]
    fn only_a_transaction_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let key = r#"{"public":"a","private":"b","address":"c"}"#;
        for other in [key, "notes", "{}", "\u{ff}"] {
            fs::write(at("other"), other).unwrap();
            check_out(Some(&at("other"))).unwrap_err();
            let refused = write_transaction(&at("other"), TRANSACTION).unwrap_err();
            assert!(refused.message.contains("no transaction"), "{refused:?}");
            assert_eq!(fs::read_to_string(at("other")).unwrap(), other);
        }
        for there in ["", TRANSACTION] {
            fs::write(at("t"), there).unwrap();
            write_transaction(&at("t"), "new").unwrap();
            assert_eq!(fs::read_to_string(at("t")).unwrap(), "new");
        }
        write_transaction(&at("not-yet"), "new").unwrap();
        assert_eq!(fs::read_to_string(at("not-yet")).unwrap(), "new");
        write_transaction(folder.path(), "new").unwrap_err();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one_and_a_device_stays_what_it_is() {
        use std::os::unix::fs::{FileTypeExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        symlink(&target, &link).unwrap();
        let refused = write_transaction(&link, "new").unwrap_err();
        assert!(refused.message.contains("link to nothing"), "{refused:?}");
        fs::write(&target, TRANSACTION).unwrap();
        write_transaction(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        let null = folder.path().join("null");
        symlink("/dev/null", &null).unwrap();
        write_transaction(&null, "new").unwrap();
        assert!(
            fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
    }
}
