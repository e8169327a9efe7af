//! Documents that support a claim, and their hashes.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use nodeproof_primitives::{Hash256, escape::escaped};
use sha2::{Digest, Sha256};

/// The number of bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// A supporting document of a claim: its hash, or a file to be hashed.
///
/// A claim sends only the hashes, never the documents.
///
/// ```
/// use nodeproof_claims::Document;
/// use nodeproof_client::Hash256;
/// use std::path::Path;
///
/// let from_a_file = Document::from(Path::new("inspection.pdf"));
/// let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// let known = Document::from(hash.parse::<Hash256>()?);
/// # let _ = (from_a_file, known);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Document {
    /// The SHA-256 of a document.
    Hash(Hash256),
    /// A file on this machine.
    File(PathBuf),
}

impl From<Hash256> for Document {
    fn from(hash: Hash256) -> Self {
        Self::Hash(hash)
    }
}

impl From<PathBuf> for Document {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&Path> for Document {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

/// A document that can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file can't be opened, or reading it failed. Check its path and permissions, or give its
    /// hash.
    #[error("the document {} can't be read: {source}", escaped(&path.to_string_lossy()))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The path is a folder. Give the files in it one by one.
    #[error(
        "the document {} is a folder; name the files in it one by one",
        escaped(&path.to_string_lossy())
    )]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The path is a device, a pipe or a socket. Copy its content to a file, or give its
    /// SHA-256.
    #[error("the document {} is not a regular file", escaped(&path.to_string_lossy()))]
    NoRegularFile {
        /// The path.
        path: PathBuf,
    },
}

/// The progress of hashing a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HashProgress {
    /// The number of bytes read so far.
    pub bytes: u64,
    /// The length of the file when it was opened, in bytes.
    pub total: u64,
}

impl Document {
    /// Returns its SHA-256. A file is read in pieces, so it may be large.
    ///
    /// This blocks the calling thread. It calls `on_progress` after every piece, and stops when that
    /// returns false.
    ///
    /// # Errors
    /// If the path is not a readable regular file.
    pub(crate) fn hash(
        &self,
        mut on_progress: impl FnMut(HashProgress) -> bool,
    ) -> Result<Hash256, DocumentError> {
        let path = match self {
            Self::Hash(hash) => return Ok(*hash),
            Self::File(path) => path,
        };
        let unreadable = |source| DocumentError::Unreadable {
            path: path.clone(),
            source,
        };
        // Check before opening: opening a pipe waits for a writer.
        let kind = fs::metadata(path).map_err(unreadable)?;
        if kind.is_dir() {
            return Err(DocumentError::Folder { path: path.clone() });
        }
        if !kind.is_file() {
            return Err(DocumentError::NoRegularFile { path: path.clone() });
        }
        let file = File::open(path).map_err(unreadable)?;
        let total = file.metadata().map_err(unreadable)?.len();
        hash_while(file, |bytes| on_progress(HashProgress { bytes, total })).map_err(unreadable)
    }
}

/// Returns the SHA-256 of everything in a reader. It is read in pieces, until `on_progress` returns false.
fn hash_while(
    mut reader: impl Read,
    mut on_progress: impl FnMut(u64) -> bool,
) -> io::Result<Hash256> {
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut bytes = 0_u64;
    loop {
        let count = match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(piece.get(..count).unwrap_or_default());
        bytes = bytes.saturating_add(count as u64);
        if !on_progress(bytes) {
            return Err(io::Error::other("hashing was cancelled"));
        }
    }
    Ok(Hash256::from_bytes(hasher.finalize().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_hashed_piece_by_piece_and_its_progress_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, vec![b'a'; 1_000_000]).unwrap();
        let mut steps = Vec::new();
        let hash = Document::from(path.as_path())
            .hash(|progress| {
                steps.push(progress);
                true
            })
            .unwrap();
        // This is the third example of FIPS 180-2.
        assert_eq!(
            hash.to_string(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
        assert!(steps.len() > 1);
        assert!(steps.windows(2).all(|pair| pair[0].bytes < pair[1].bytes));
        let end = steps.last().unwrap();
        assert_eq!((end.bytes, end.total), (1_000_000, 1_000_000));
    }

    #[test]
    fn a_ready_hash_is_taken_as_it_is() {
        let hash = Hash256::from_bytes([7; 32]);
        assert_eq!(Document::from(hash).hash(|_| true).unwrap(), hash);
    }

    #[test]
    fn what_is_no_readable_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = Document::from(folder.path()).hash(|_| true).unwrap_err();
        assert!(matches!(error, DocumentError::Folder { .. }));
        let missing = folder.path().join("no\u{1b}where");
        let error = Document::from(missing).hash(|_| true).unwrap_err();
        assert!(matches!(error, DocumentError::Unreadable { .. }));
        assert!(error.to_string().contains("no\\u{1b}where can't be read"));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_no_document() {
        let error = Document::from(Path::new("/dev/zero"))
            .hash(|_| true)
            .unwrap_err();
        assert!(matches!(error, DocumentError::NoRegularFile { .. }));
    }

    #[test]
    fn a_reader_that_fails_yields_no_hash() {
        struct FailingReader(u8);
        impl Read for FailingReader {
            fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                match self.0 {
                    1 => Err(io::ErrorKind::Interrupted.into()),
                    2 => {
                        piece[0] = b'a';
                        Ok(1)
                    }
                    _ => Err(io::ErrorKind::UnexpectedEof.into()),
                }
            }
        }
        let mut read = 0;
        let outcome = hash_while(FailingReader(0), |bytes| {
            read = bytes;
            true
        });
        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(read, 1);
    }
}
