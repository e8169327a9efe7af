//! Key files: a wallet on disk, plain or encrypted with a passphrase.
//!
//! Two forms are written, and both are read:
//!
//! - **Plain**, as the other tools of the network have it: a JSON object with the members
//!   `public`, `private` and `address`, in hexadecimal.
//! - **Encrypted**: PKCS#8 in PEM (RFC 5958, RFC 7468) under PBES2 with scrypt and
//!   AES-256-CBC, which `openssl pkey` reads too. Address and public key stand above it as
//!   text, so that a wallet can be shown without its passphrase; whoever decrypts the key
//!   learns whether they are right.
//!
//! Read as well, so that keys can be imported: `PRIVATE KEY` and `EC PRIVATE KEY` in PEM
//! without encryption, and PKCS#8 that `openssl` encrypted.

mod cost;
mod fault;
mod pem;
mod plain;

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
};

use nodeproof_files::Access;
use nodeproof_primitives::WalletAddress;
use zeroize::Zeroizing;

use crate::{KeyPair, PublicKey};

pub use fault::{KeyFileError, KeyFileFault};
use pem::Sealed;

/// The most that a key file may hold, in bytes. Those that are written have some hundreds.
const MOST: usize = 64 * 1024;

/// How a key file keeps its key.
///
/// Its `Debug` text shows no passphrase.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Protection<'a> {
    /// Nothing but the file's permissions: whoever reads the file has the key.
    Plain,
    /// Encrypted with this passphrase, of which the UTF-8 bytes count. It must not be empty.
    Passphrase(&'a str),
}

impl fmt::Debug for Protection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "Plain",
            Self::Passphrase(_) => "Passphrase(not shown)",
        })
    }
}

/// A key file that was read.
///
/// ```
/// use nodeproof_wallet::{KeyFile, KeyPair, Protection};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("wallet.pem");
/// let wallet = KeyPair::generate()?;
/// KeyFile::write(&path, &wallet, Protection::Passphrase("correct horse"))?;
///
/// let file = KeyFile::read(&path)?;
/// assert_eq!(file.address(), Some(wallet.address()));
/// assert!(file.key_pair(Some("wrong horse")).is_err());
/// let unlocked = file.key_pair(Some("correct horse"))?;
/// assert_eq!(unlocked.address(), wallet.address());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KeyFile {
    /// How errors call it.
    subject: String,
    content: Content,
    others_can_read: bool,
}

/// What a key file holds.
enum Content {
    Open(KeyPair),
    Sealed(Sealed),
}

impl KeyFile {
    /// Reads a key file.
    ///
    /// In a plain file, the parts are checked against one another. `0x` before the private or
    /// the public key is passed over, and either case is read. One of `address` and `public`
    /// may be missing, but not both: a slip in a private key would go unnoticed otherwise.
    ///
    /// # Errors
    /// When the file can't be read, holds more than 64 KiB, has no key in a known form, has
    /// parts that don't belong together, or asks for more than 256 MiB or some seconds of
    /// work to be decrypted. No error quotes what the file holds.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, KeyFileError> {
        let path = path.as_ref();
        let subject = subject_of(path);
        let with_subject = |fault| KeyFileError::new(&subject, fault);
        let (bytes, others_can_read) = bytes_of(path).map_err(with_subject)?;
        let content = content_of(&bytes).map_err(with_subject)?;
        Ok(Self {
            subject,
            content,
            others_can_read,
        })
    }

    /// Reads the text of a key file that came by another way, such as standard input.
    ///
    /// # Errors
    /// As [`KeyFile::read`].
    pub fn from_text(text: &str) -> Result<Self, KeyFileError> {
        let subject = "the given text".to_owned();
        let content =
            content_of(text.as_bytes()).map_err(|fault| KeyFileError::new(&subject, fault))?;
        Ok(Self {
            subject,
            content,
            others_can_read: false,
        })
    }

    /// Writes a new key file, which only its owner can read (mode 600 where there are modes).
    ///
    /// The file is there as a whole or not at all, and on the disk when this returns. A file
    /// that is there already stays as it is.
    ///
    /// With a passphrase, this takes some tenths of a second of one processor.
    ///
    /// # Errors
    /// When something of that name is there already, the folder can't be written to, or the
    /// passphrase is empty.
    pub fn write(
        path: impl AsRef<Path>,
        wallet: &KeyPair,
        protection: Protection<'_>,
    ) -> Result<(), KeyFileError> {
        let path = path.as_ref();
        let written = match protection {
            Protection::Plain => Ok(plain::text_of(wallet)),
            Protection::Passphrase(passphrase) => pem::seal(wallet, passphrase),
        }
        .and_then(|text| {
            nodeproof_files::create(path, text.as_bytes(), Access::Owner).map_err(|error| {
                match error.kind() {
                    io::ErrorKind::AlreadyExists => KeyFileFault::Exists,
                    _ => KeyFileFault::Write(error),
                }
            })
        });
        written.map_err(|fault| KeyFileError::new(&subject_of(path), fault))
    }

    /// The wallet's address. Of an encrypted file it is what the text above the key says, and
    /// not known where there is none.
    #[must_use]
    pub fn address(&self) -> Option<WalletAddress> {
        match &self.content {
            Content::Open(wallet) => Some(wallet.address()),
            Content::Sealed(sealed) => sealed.claimed.address,
        }
    }

    /// The wallet's public key, with the same reservation as [`KeyFile::address`].
    #[must_use]
    pub fn public_key(&self) -> Option<PublicKey> {
        match &self.content {
            Content::Open(wallet) => Some(*wallet.public_key()),
            Content::Sealed(sealed) => sealed.claimed.public,
        }
    }

    /// Whether a passphrase is needed for the key.
    #[must_use]
    pub const fn is_encrypted(&self) -> bool {
        matches!(self.content, Content::Sealed(_))
    }

    /// Whether others than the file's owner could read it when it was read, which is worth a
    /// warning. Always `false` where files have no such permissions.
    #[must_use]
    pub const fn others_can_read(&self) -> bool {
        self.others_can_read
    }

    /// The wallet. The passphrase of a file that needs none is not looked at.
    ///
    /// With a passphrase, this works for some tenths of a second, and up to some seconds for
    /// files of other programs: keep it away from the threads of an async runtime.
    ///
    /// # Errors
    /// When the passphrase is missing or wrong, or what was encrypted is no key of this
    /// network or belongs to another wallet than the text above it says.
    pub fn key_pair(&self, passphrase: Option<&str>) -> Result<KeyPair, KeyFileError> {
        match &self.content {
            Content::Open(wallet) => Ok(wallet.clone()),
            Content::Sealed(sealed) => passphrase
                .ok_or(KeyFileFault::PassphraseNeeded)
                .and_then(|passphrase| sealed.open(passphrase))
                .map_err(|fault| KeyFileError::new(&self.subject, fault)),
        }
    }
}

impl fmt::Debug for KeyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyFile")
            .field("address", &self.address())
            .field("is_encrypted", &self.is_encrypted())
            .finish_non_exhaustive()
    }
}

/// What is said of a key's wallet beside the key.
#[derive(Default)]
struct Claimed {
    address: Option<WalletAddress>,
    public: Option<PublicKey>,
}

impl Claimed {
    /// Holds what is said against the key itself.
    fn check(&self, wallet: &KeyPair) -> Result<(), KeyFileFault> {
        if self
            .address
            .is_some_and(|address| address != wallet.address())
        {
            return Err(KeyFileFault::Mismatch { other: "address" });
        }
        if self.public.is_some_and(|key| key != *wallet.public_key()) {
            return Err(KeyFileFault::Mismatch {
                other: "public key",
            });
        }
        Ok(())
    }
}

fn subject_of(path: &Path) -> String {
    format!("the key file {}", path.display())
}

fn bytes_of(path: &Path) -> Result<(Zeroizing<Vec<u8>>, bool), KeyFileFault> {
    let file = File::open(path).map_err(KeyFileFault::Read)?;
    let others_can_read = others_can_read(&file);
    // With room for all of it from the start, no copy is left behind by growing.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MOST + 1));
    let most = u64::try_from(MOST + 1).unwrap_or(u64::MAX);
    file.take(most)
        .read_to_end(&mut bytes)
        .map_err(KeyFileFault::Read)?;
    Ok((bytes, others_can_read))
}

fn content_of(bytes: &[u8]) -> Result<Content, KeyFileFault> {
    if bytes.len() > MOST {
        return Err(KeyFileFault::TooLong { limit: MOST });
    }
    let text = std::str::from_utf8(bytes).map_err(|_| KeyFileFault::Form)?;
    // Some editors put a byte order mark before everything.
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with('{') {
        plain::read(text).map(Content::Open)
    } else {
        pem::read(text)
    }
}

/// Whether somebody but the owner can read an open file.
#[cfg(unix)]
fn others_can_read(file: &File) -> bool {
    use std::os::unix::fs::PermissionsExt;
    // Pipes have modes too, but nobody else can open them.
    file.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o044 != 0)
}

/// Whether somebody but the owner can read an open file: not known here.
#[cfg(not(unix))]
fn others_can_read(_: &File) -> bool {
    false
}
