//! Errors of key files.

use std::io;

use nodeproof_primitives::Network;

use crate::private_key::{GenerateError, KeyError};

/// A key file could not be read, opened or written. The error never quotes the file. See
/// [`KeyFileFault`] for what to do.
///
/// ```
/// use nodeproof_wallet::{KeyFile, KeyFileFault};
///
/// let text = format!(r#"{{"private": "{}"}}"#, "01".repeat(32));
/// let error = KeyFile::from_text(&text).err().ok_or("the text was accepted")?;
/// assert!(error.to_string().starts_with("the given text names neither address nor public key"));
/// assert!(matches!(error.fault(), KeyFileFault::Unchecked));
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
    /// The file is larger than any key file. Give another file.
    #[error("holds more than {limit} bytes, so it is not a key file")]
    TooLong {
        /// The maximum size, in bytes.
        limit: usize,
    },
    /// The file has neither of the two forms. Check that the path is that of a key file.
    #[error(
        "is not a key file: a JSON object with the members public, private and address, in \
         hexadecimal, or a private key in PEM is expected"
    )]
    Form,
    /// The file begins as JSON, but is not an object with these members. Correct it at this place,
    /// or restore it from a backup.
    #[error(
        "is not a key file: a JSON object with the members public, private and address, in \
         hexadecimal, is expected (line {line}, column {column})"
    )]
    Json {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
    },
    /// A plain file has neither an address nor a public key to check its private key with. Add the
    /// member `address`.
    #[error(
        "names neither address nor public key beside its private key, so a typo in the key \
         would go unnoticed: add the member address"
    )]
    Unchecked,
    /// The address or the public key is malformed. Correct it, or restore the file from a backup.
    #[error("has {what} that is not in the form of one")]
    Malformed {
        /// The expected value, such as "an address".
        what: &'static str,
    },
    /// The PEM text is damaged. Restore the file from a backup.
    #[error("is damaged: {what}")]
    Damaged {
        /// The damage.
        what: &'static str,
    },
    /// The PEM text holds no private key. Give the file that has it.
    #[error("holds no private key, but another kind of PEM")]
    NoPrivateKey,
    /// The PEM text holds more than one private key. Write each key to its own file.
    #[error(
        "holds {count} private keys, so it is not clear which one to use: give each one a file"
    )]
    MultipleKeys {
        /// The number of private keys.
        count: usize,
    },
    /// The private key is malformed or out of range. Correct it, or restore the file from a backup.
    #[error("has no private key: {0}")]
    Key(#[from] KeyError),
    /// The private key belongs to another curve than secp256k1. Use another key file.
    #[error("holds a key of another kind: wallets of this network have keys of secp256k1")]
    UnsupportedCurve,
    /// The private key does not belong to the address or the public key. Correct the wrong one, or
    /// restore the file from a backup.
    #[error("has a private key that does not belong to the {other} beside it")]
    Mismatch {
        /// The other part, such as "address".
        other: &'static str,
    },
    /// The address and the public key above an encrypted key belong to different wallets. Correct
    /// the wrong one, or restore the file from a backup.
    #[error("has an address that does not belong to the public key beside it")]
    OtherAddress,
    /// The name of the network is unknown. Change it to `devnet`, `testnet` or `mainnet`.
    #[error("records an unknown network: it is one of devnet, testnet, mainnet")]
    UnknownNetwork,
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
    /// The encryption is not supported. Convert the file with `openssl pkcs8 -topk8`.
    #[error(
        "uses an unsupported encryption: `openssl pkcs8 -topk8 -in OLD -out NEW` \
         converts it to a supported one"
    )]
    Unsupported,
    /// Decrypting would take more memory or time than the limits allow. Encrypt the key again at a
    /// lower cost, with the program that wrote the file.
    #[error(
        "takes {requested} to decrypt, and the limit for a key file is {limit}: the limit keeps a \
         file from blocking this computer"
    )]
    TooCostly {
        /// The requested cost.
        requested: String,
        /// The maximum cost.
        limit: &'static str,
    },
    /// An empty passphrase protects nothing. Give another one, or use `Protection::Plain`.
    #[error("can't be written with an empty passphrase")]
    EmptyPassphrase,
    /// A file with this name already exists. It was not changed. Choose another name.
    #[error("already exists and is not overwritten: choose another name or move it")]
    Exists,
    /// The file can't be written. Check its folder, the permissions and the free space.
    #[error("can't be written: {0}")]
    Write(io::Error),
    /// The operating system did not return random numbers for the encryption. Nothing was written.
    /// Try again, or use another machine.
    #[error("can't be encrypted: {0}")]
    Random(#[from] GenerateError),
    /// The key can't be encrypted. Nothing was written. This is a bug in this crate: report it.
    #[error("can't be encrypted: {0}")]
    Encrypt(String),
}
