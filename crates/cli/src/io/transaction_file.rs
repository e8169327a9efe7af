//! Writes transactions to files, completely or not at all.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use nodeproof_claims::SavedTransaction;
use nodeproof_client::SignedTransaction;
use nodeproof_files::Access;

use super::input::{MAX_BYTES, bounded};
use crate::failure::Failure;

/// Rejects a path that [`write()`] would reject, before anything is signed.
pub(crate) fn check(out: Option<&Path>) -> Result<(), Failure> {
    out.map_or(Ok(()), |path| place(path).map(drop))
}

/// Writes a transaction to a file. Readers see the old or the new content, never a part.
///
/// An existing file is replaced only if it is empty or contains a transaction. The file of a claim is
/// never replaced.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
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

/// The target of a write.
enum Place {
    /// A file that does not exist, or may be replaced.
    File(PathBuf),
    /// A terminal, a pipe or another device.
    Device,
}

fn place(path: &Path) -> Result<Place, Failure> {
    let failed = |error| cannot_write(path, &error);
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return match fs::symlink_metadata(path) {
                Ok(_) => Err(failed(io::Error::other("it is a dangling symbolic link"))),
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
    // Replace the file itself, and not a symbolic link to it.
    let path = fs::canonicalize(path).map_err(failed)?;
    let bytes = File::open(&path).and_then(|file| bounded(file, MAX_BYTES));
    let there = String::from_utf8(bytes.map_err(failed)?).unwrap_or_default();
    let is_saved = SavedTransaction::open(&path).is_ok_and(|saved| saved.is_some());
    if found.len() > 0 && (is_saved || SignedTransaction::from_json(&there).is_err()) {
        return Err(failed(io::Error::other(
            "the file exists and is not a transaction; it may be the only copy of a key or of \
             a saved transaction: give another name, or remove it first",
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
            check(Some(&at("other"))).unwrap_err();
            let refused = write(&at("other"), TRANSACTION).unwrap_err();
            assert!(refused.message.contains("not a transaction"), "{refused:?}");
            assert_eq!(fs::read_to_string(at("other")).unwrap(), other);
        }
        for there in ["", TRANSACTION] {
            fs::write(at("t"), there).unwrap();
            write(&at("t"), "new").unwrap();
            assert_eq!(fs::read_to_string(at("t")).unwrap(), "new");
        }
        write(&at("not-yet"), "new").unwrap();
        assert_eq!(fs::read_to_string(at("not-yet")).unwrap(), "new");
        write(folder.path(), "new").unwrap_err();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one_and_a_device_stays_what_it_is() {
        use std::os::unix::fs::{FileTypeExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        symlink(&target, &link).unwrap();
        let refused = write(&link, "new").unwrap_err();
        assert!(
            refused.message.contains("dangling symbolic link"),
            "{refused:?}"
        );
        fs::write(&target, TRANSACTION).unwrap();
        write(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        let null = folder.path().join("null");
        symlink("/dev/null", &null).unwrap();
        write(&null, "new").unwrap();
        assert!(
            fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
    }
}
