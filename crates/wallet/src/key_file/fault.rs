//! What can be wrong with a key file.

use std::io;

use crate::{GenerateError, KeyError};

/// Why a key file could not be read, opened or written. It never says what the file holds.
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

    /// What is wrong, without the file's name.
    #[must_use]
    pub const fn fault(&self) -> &KeyFileFault {
        &self.fault
    }

    /// What is wrong, to be kept.
    #[must_use]
    pub fn into_fault(self) -> KeyFileFault {
        self.fault
    }
}

/// What is wrong with a key file, said of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileFault {
    /// The file can't be read.
    #[error("can't be read: {0}")]
    Read(io::Error),
    /// The file holds more than any key file does.
    #[error("holds more than {limit} bytes, so it is no key file")]
    TooLong {
        /// The most bytes that are read.
        limit: usize,
    },
    /// The file is something else.
    #[error(
        "is no key file: a JSON object with the members public, private and address, in \
         hexadecimal, or a private key in PEM is wanted"
    )]
    Form,
    /// The file begins as JSON, but is no such object.
    #[error(
        "is no key file: a JSON object with the members public, private and address, in \
         hexadecimal, is wanted (line {line}, column {column})"
    )]
    Json {
        /// The line of the place, counted from 1.
        line: usize,
        /// The column of the place, counted from 1.
        column: usize,
    },
    /// A plain file says nothing by which its key could be checked.
    #[error(
        "names neither address nor public key beside its private key, so a slip in the key \
         would go unnoticed: add the member address"
    )]
    Unchecked,
    /// Something beside the key is not in its form.
    #[error("has {what} that is not in the form of one")]
    Malformed {
        /// What it should be.
        what: &'static str,
    },
    /// The PEM text is damaged.
    #[error("is damaged: {what}")]
    Damaged {
        /// In which respect.
        what: &'static str,
    },
    /// The PEM text holds no private key.
    #[error("holds no private key, but another kind of PEM")]
    NoPrivateKey,
    /// The PEM text holds more than one private key.
    #[error("holds {count} private keys, and which one is meant can't be told: give each a file")]
    SeveralKeys {
        /// How many there are.
        count: usize,
    },
    /// The private key is none.
    #[error("has no private key: {0}")]
    Key(#[from] KeyError),
    /// The private key is not one of secp256k1.
    #[error("holds a key of another kind: wallets of this network have keys of secp256k1")]
    OtherCurve,
    /// The parts don't belong together.
    #[error("has a private key that does not belong to the {other} beside it")]
    Mismatch {
        /// The part that it does not belong to.
        other: &'static str,
    },
    /// The address and the public key above an encrypted key belong to different wallets.
    #[error("has an address that does not belong to the public key beside it")]
    OtherAddress,
    /// The key is encrypted, and no passphrase was given.
    #[error("is encrypted, and needs its passphrase")]
    PassphraseNeeded,
    /// The passphrase does not decrypt the key.
    #[error("is not opened by this passphrase, or it is damaged")]
    WrongPassphrase,
    /// The key is encrypted in a way that is not read.
    #[error(
        "is encrypted in a way that is not read here: `openssl pkcs8 -topk8 -in OLD -out NEW` \
         turns it into one that is"
    )]
    Unsupported,
    /// Decrypting it would take more memory or time than a key file is worth.
    #[error(
        "asks for {asked} to be decrypted, and no more than {limit} is spent on a key file: \
         somebody may want to keep this computer busy"
    )]
    TooCostly {
        /// What it asks for.
        asked: String,
        /// What is spent at most.
        limit: &'static str,
    },
    /// An empty passphrase protects nothing.
    #[error("can't be written with an empty passphrase")]
    EmptyPassphrase,
    /// There is something of that name already.
    #[error("is there already, and stays as it is: choose another name or move it away")]
    Exists,
    /// The file can't be written.
    #[error("can't be written: {0}")]
    Write(io::Error),
    /// There are no random numbers to encrypt with.
    #[error("can't be encrypted: {0}")]
    Random(#[from] GenerateError),
    /// The key can't be brought into its encrypted form.
    #[error("can't be encrypted: {0}")]
    Encrypt(String),
}
