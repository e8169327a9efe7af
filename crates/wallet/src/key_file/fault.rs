//! Errors of key files.

use std::io;

use nodeproof_primitives::Network;

use crate::private_key::{GenerateError, KeyError};

/// A key file could not be read, opened or written. The error never quotes the file.
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
    /// The file can't be read.
    #[error("can't be read: {0}")]
    Read(io::Error),
    /// The file is larger than any key file.
    #[error("holds more than {limit} bytes, so it is not a key file")]
    TooLong {
        /// The maximum size, in bytes.
        limit: usize,
    },
    /// The file has neither of the two forms.
    #[error(
        "is not a key file: a JSON object with the members public, private and address, in \
         hexadecimal, or a private key in PEM is expected"
    )]
    Form,
    /// The file begins as JSON, but is not an object with these members.
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
    /// A plain file has neither an address nor a public key to check its private key with.
    #[error(
        "names neither address nor public key beside its private key, so a typo in the key \
         would go unnoticed: add the member address"
    )]
    Unchecked,
    /// The address or the public key is malformed.
    #[error("has {what} that is not in the form of one")]
    Malformed {
        /// The expected value, such as "an address".
        what: &'static str,
    },
    /// The PEM text is damaged.
    #[error("is damaged: {what}")]
    Damaged {
        /// The damage.
        what: &'static str,
    },
    /// The PEM text holds no private key.
    #[error("holds no private key, but another kind of PEM")]
    NoPrivateKey,
    /// The PEM text holds more than one private key.
    #[error(
        "holds {count} private keys, so it is not clear which one to use: give each one a file"
    )]
    MultipleKeys {
        /// The number of private keys.
        count: usize,
    },
    /// The private key is malformed or out of range.
    #[error("has no private key: {0}")]
    Key(#[from] KeyError),
    /// The private key belongs to another curve than secp256k1.
    #[error("holds a key of another kind: wallets of this network have keys of secp256k1")]
    UnsupportedCurve,
    /// The private key does not belong to the address or the public key.
    #[error("has a private key that does not belong to the {other} beside it")]
    Mismatch {
        /// The other part, such as "address".
        other: &'static str,
    },
    /// The address and the public key above an encrypted key belong to different wallets.
    #[error("has an address that does not belong to the public key beside it")]
    OtherAddress,
    /// The name of the network is unknown.
    #[error("records an unknown network: it is one of devnet, testnet, mainnet")]
    UnknownNetwork,
    /// The wallet is for a different network from the one that it should sign for.
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
    /// The key is encrypted, and no passphrase was given.
    #[error("is encrypted, and needs its passphrase")]
    PassphraseRequired,
    /// The passphrase does not decrypt the key.
    #[error("is not opened by this passphrase, or it is damaged")]
    WrongPassphrase,
    /// The encryption is not supported.
    #[error(
        "uses an unsupported encryption: `openssl pkcs8 -topk8 -in OLD -out NEW` \
         converts it to a supported one"
    )]
    Unsupported,
    /// Decrypting would take more memory or time than the limits allow.
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
    /// An empty passphrase protects nothing.
    #[error("can't be written with an empty passphrase")]
    EmptyPassphrase,
    /// A file with this name already exists.
    #[error("already exists and is not overwritten: choose another name or move it")]
    Exists,
    /// The file can't be written.
    #[error("can't be written: {0}")]
    Write(io::Error),
    /// The operating system did not return random numbers for the encryption.
    #[error("can't be encrypted: {0}")]
    Random(#[from] GenerateError),
    /// The key can't be encrypted.
    #[error("can't be encrypted: {0}")]
    Encrypt(String),
}
