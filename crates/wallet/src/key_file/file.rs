//! Reading, writing and unlocking a key file.

use std::{
    fmt,
    io::{self, Read},
    path::Path,
};

use nodeproof_files::{Access, is_readable_by_others, open_regular};
use nodeproof_primitives::{Network, Signer as _, WalletAddress};
use zeroize::Zeroizing;

use super::{
    fault::{KeyFileError, KeyFileFault},
    pem::{self, EncryptedKey},
    plain,
};
use crate::{private_key::KeyPair, public_key::PublicKey};

/// The maximum size of a key file, in bytes. The files written here have a few hundred bytes.
const MAX_SIZE: usize = 64 * 1024;

/// How a key file protects its key.
///
/// `Debug` does not show the passphrase.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Protection<'a> {
    /// Only by the file's permissions: everyone who can read the file has the key.
    Plain,
    /// Encrypted with the UTF-8 bytes of this passphrase. It must not be empty.
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
/// assert!(file.is_encrypted() && !file.is_readable_by_others());
/// assert_eq!(file.address(), Some(wallet.address()));
/// assert!(file.key_pair(Some("wrong horse")).is_err());
/// let unlocked = file.key_pair(Some("correct horse"))?;
/// assert_eq!(unlocked.address(), wallet.address());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KeyFile {
    /// The file's name in errors.
    subject: String,
    content: Content,
    is_readable_by_others: bool,
}

enum Content {
    Plain(KeyPair),
    Encrypted(EncryptedKey),
}

impl KeyFile {
    /// Reads a key file.
    ///
    /// In a plain file, the private key, the public key and the address must belong together.
    /// A `0x` before the private or the public key is ignored. Upper and lower case are accepted.
    /// One of `address` and `public` may be missing. Without both, a typing error in the private
    /// key would not be noticed.
    ///
    /// # Errors
    /// If the file can't be read, is larger than 64 KiB, has no key in a known form, or has parts
    /// that do not belong together. Also if decrypting it needs more than 256 MiB or some seconds
    /// of work. No error quotes the file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, KeyFileError> {
        let path = path.as_ref();
        let subject = subject_of(path);
        let with_subject = |fault| KeyFileError::new(&subject, fault);
        let (bytes, is_readable_by_others) = bytes_of(path).map_err(with_subject)?;
        let content = content_of(&bytes).map_err(with_subject)?;
        Ok(Self {
            subject,
            content,
            is_readable_by_others,
        })
    }

    /// Parses the text of a key file that has another source, such as standard input.
    ///
    /// ```
    /// use nodeproof_wallet::{KeyFile, KeyPair};
    ///
    /// let wallet = KeyPair::from_bytes(&[1; 32])?;
    /// let key = "01".repeat(32);
    /// let text = format!(r#"{{"private": "{key}", "address": "{}"}}"#, wallet.address());
    /// let file = KeyFile::from_text(&text)?;
    /// assert!(!file.is_encrypted());
    /// assert_eq!(file.key_pair(None)?.address(), wallet.address());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`KeyFile::read`].
    pub fn from_text(text: &str) -> Result<Self, KeyFileError> {
        let subject = "the given text".to_owned();
        let content =
            content_of(text.as_bytes()).map_err(|fault| KeyFileError::new(&subject, fault))?;
        Ok(Self {
            subject,
            content,
            is_readable_by_others: false,
        })
    }

    /// Writes a new key file that only its owner can read (mode 600 on Unix). It records the wallet's
    /// [network](KeyPair::for_network), if the wallet is bound to one.
    ///
    /// Signatures are not bound to a network: a transaction that was signed for one network can be
    /// submitted on another. So use each wallet on only one network.
    ///
    /// The file is written completely or not at all. When this returns, it is on disk. An existing
    /// file is never overwritten. With a passphrase, this takes some tenths of a second of processor
    /// time.
    ///
    /// ```
    /// use nodeproof_primitives::Network;
    /// use nodeproof_wallet::{KeyFile, KeyPair, Protection};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("wallet.json");
    /// let wallet = KeyPair::generate()?.for_network(Some(Network::Testnet));
    /// KeyFile::write(&path, &wallet, Protection::Plain)?;
    ///
    /// let file = KeyFile::read(&path)?;
    /// assert_eq!(file.network(), Some(Network::Testnet));
    /// assert!(file.check_network(Network::Testnet).is_ok());
    /// assert!(file.check_network(Network::Mainnet).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a file with this name exists, the folder can't be written to, or the passphrase is empty.
    pub fn write(
        path: impl AsRef<Path>,
        wallet: &KeyPair,
        protection: Protection<'_>,
    ) -> Result<(), KeyFileError> {
        let path = path.as_ref();
        let written = match protection {
            Protection::Plain => Ok(plain::text_of(wallet)),
            Protection::Passphrase(passphrase) => pem::text_of(wallet, passphrase),
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

    /// Returns the wallet's address. For an encrypted file it comes from the text above the key,
    /// unchecked, and is `None` if there is no such text.
    #[must_use]
    pub fn address(&self) -> Option<WalletAddress> {
        match &self.content {
            Content::Plain(wallet) => Some(wallet.address()),
            Content::Encrypted(key) => key.claimed.address,
        }
    }

    /// Returns the wallet's public key, with the same restriction as [`KeyFile::address`].
    #[must_use]
    pub fn public_key(&self) -> Option<PublicKey> {
        match &self.content {
            Content::Plain(wallet) => Some(*wallet.public_key()),
            Content::Encrypted(key) => key.claimed.public,
        }
    }

    /// Returns the network that the file records, or `None` if it records none. Older files and those
    /// of other programs record none. In an encrypted file, the network is above the key, where the
    /// passphrase does not protect it.
    #[must_use]
    pub fn network(&self) -> Option<Network> {
        match &self.content {
            Content::Plain(wallet) => wallet.network(),
            Content::Encrypted(key) => key.claimed.network,
        }
    }

    /// Checks that the wallet may sign for a network. A wallet whose file records a network may sign
    /// only for that network.
    ///
    /// # Errors
    /// [`KeyFileFault::NetworkMismatch`] if the file records another network.
    pub fn check_network(&self, wanted: Network) -> Result<(), KeyFileError> {
        match self.network() {
            Some(recorded) if recorded != wanted => Err(KeyFileError::new(
                &self.subject,
                KeyFileFault::NetworkMismatch { recorded, wanted },
            )),
            _ => Ok(()),
        }
    }

    /// Returns whether the key needs a passphrase.
    #[must_use]
    pub const fn is_encrypted(&self) -> bool {
        matches!(self.content, Content::Encrypted(_))
    }

    /// Returns whether users other than the owner had permission to read the file. Warn the user
    /// if so. Always `false` on systems without such permissions.
    #[must_use]
    pub const fn is_readable_by_others(&self) -> bool {
        self.is_readable_by_others
    }

    /// Returns the wallet, bound to the network that the file records. The passphrase is ignored if the
    /// file does not need one.
    ///
    /// Decrypting takes some tenths of a second of processor time, and up to some seconds for
    /// files of other programs. Without optimisation, it takes as many seconds: set `opt-level = 3` for the
    /// packages `scrypt`, `salsa20`, `pbkdf2` and `sha2` in the profile `dev`. Do not call this on a thread of an async runtime.
    ///
    /// # Errors
    /// If the passphrase is missing or wrong, if the decrypted data is not a key of this network,
    /// or if the key does not belong to the address or the public key above it.
    pub fn key_pair(&self, passphrase: Option<&str>) -> Result<KeyPair, KeyFileError> {
        match &self.content {
            Content::Plain(wallet) => Ok(wallet.clone()),
            Content::Encrypted(key) => passphrase
                .ok_or(KeyFileFault::PassphraseRequired)
                .and_then(|passphrase| key.decrypt(passphrase))
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

fn subject_of(path: &Path) -> String {
    format!("the key file {}", path.display())
}

fn bytes_of(path: &Path) -> Result<(Zeroizing<Vec<u8>>, bool), KeyFileFault> {
    let file = open_regular(path).map_err(KeyFileFault::Read)?;
    let is_readable_by_others = is_readable_by_others(&file);
    // The capacity is sufficient from the start. Growing would leave a copy behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_SIZE + 1));
    let most = u64::try_from(MAX_SIZE + 1).unwrap_or(u64::MAX);
    file.take(most)
        .read_to_end(&mut bytes)
        .map_err(KeyFileFault::Read)?;
    Ok((bytes, is_readable_by_others))
}

fn content_of(bytes: &[u8]) -> Result<Content, KeyFileFault> {
    if bytes.len() > MAX_SIZE {
        return Err(KeyFileFault::Invalid(format!(
            "holds more than {MAX_SIZE} bytes, so it is not a key file"
        )));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| KeyFileFault::Invalid("is not a key file: it is not UTF-8".to_owned()))?;
    // Some editors write a byte order mark first.
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with('{') {
        plain::read(text).map(Content::Plain)
    } else {
        pem::read(text).map(Content::Encrypted)
    }
}
