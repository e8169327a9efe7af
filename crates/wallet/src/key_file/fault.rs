//! Errors of key files.

use std::io;

use nodeproof_primitives::Network;

use crate::private_key::KeyError;

/// A key file could not be read, opened or written. The error never quotes the file. See
/// [`KeyFileFault`] for what to do.
///
/// ```
/// use nodeproof_wallet::{KeyFile, KeyFileFault};
///
/// let text = format!(r#"{{"private": "{}"}}"#, "01".repeat(32));
/// let error = KeyFile::from_text(&text).err().ok_or("the text was accepted")?;
/// assert!(error.to_string().starts_with("the given text names neither address nor public key"));
/// assert!(matches!(error.fault(), KeyFileFault::Invalid(_)));
/// assert!(error.into_fault().to_string().starts_with("names neither address nor public key"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{subject} {fault}")]
pub struct KeyFileError {
    subject: String,
    fault: KeyFileFault,
}

impl KeyFileError {
    pub(super) fn new(subject: &str, fault: KeyFileFault) -> Self {
        Self {
            subject: subject.to_owned(),
            fault,
        }
    }

    /// Returns the reason, without the file's name.
    #[must_use]
    pub const fn fault(&self) -> &KeyFileFault {
        &self.fault
    }

    /// Converts the error into its reason.
    #[must_use]
    pub fn into_fault(self) -> KeyFileFault {
        self.fault
    }
}

/// The reason for a [`KeyFileError`].
///
/// Its text continues a sentence that begins with the file's name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileFault {
    /// The file can't be read. Check its path and permissions.
    #[error("can't be read: {0}")]
    Read(io::Error),
    /// The text is not a key file, or part of it is wrong. The reason names the part. Correct it, or
    /// restore the file from a backup.
    #[error("{0}")]
    Invalid(String),
    /// A private key in PEM has another form than encrypted PKCS#8, or an unsupported encryption, or it
    /// is damaged. Convert it with `openssl pkcs8 -topk8`, or restore it from a backup.
    #[error(
        "holds a private key in another form than encrypted PKCS#8, or is damaged: `openssl pkcs8 \
         -topk8 -in OLD -out NEW` converts it"
    )]
    Unsupported,
    /// The private key is malformed or out of range. Correct it, or restore the file from a backup.
    #[error("has no private key: {0}")]
    Key(#[from] KeyError),
    /// Two parts of the file belong to different wallets. Correct the wrong one, or restore the file
    /// from a backup.
    #[error("has {part} that does not belong to the {other} beside it")]
    Mismatch {
        /// One part, such as "a private key".
        part: &'static str,
        /// The other part, such as "address".
        other: &'static str,
    },
    /// The wallet is for a different network from the one that it should sign for. Use a wallet of
    /// this network.
    #[error(
        "is a wallet of {recorded}, and this is {wanted}: a signature is not bound to a network, so \
         what is signed here could be submitted there; use one wallet for each network"
    )]
    NetworkMismatch {
        /// The network in the file.
        recorded: Network,
        /// The network for which the wallet should sign.
        wanted: Network,
    },
    /// The key is encrypted, and no passphrase was given. Pass it to `KeyFile::key_pair`.
    #[error("is encrypted, and needs its passphrase")]
    PassphraseRequired,
    /// The passphrase does not decrypt the key. Give the right one. If it was right, restore the
    /// file from a backup.
    #[error("is not opened by this passphrase, or it is damaged")]
    WrongPassphrase,
    /// Decrypting would take more memory or time than the limits allow. Encrypt the key again at a
    /// lower cost, with the program that wrote the file.
    #[error(
        "takes {requested} to decrypt, and the limit for a key file is {limit}: the limit keeps a \
         file from blocking this computer"
    )]
    TooCostly {
        /// The requested cost.
        requested: String,
        /// The maximum cost, in the same unit.
        limit: u64,
    },
    /// A file with this name already exists. It was not changed. Choose another name.
    #[error("already exists and is not overwritten: choose another name or move it")]
    Exists,
    /// The file can't be written. Check its folder, the permissions and the free space.
    #[error("can't be written: {0}")]
    Write(io::Error),
    /// The key can't be encrypted: the passphrase is empty, or the operating system did not return
    /// random numbers. Nothing was written.
    #[error("can't be encrypted: {0}")]
    Encrypt(String),
}
