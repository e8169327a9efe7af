//! Keys, addresses, signatures and their verification.
//!
//! The specification does not show the signature algorithm or the signed message. This crate
//! follows what a real node was observed to do. A signature is ECDSA on secp256k1 over the SHA-1
//! digest of a document's [signed message](nodeproof_primitives::signed_message). An address
//! is the last 20 bytes of a public key's Keccak-256.
//!
//! ```
//! use nodeproof_wallet::{KeyPair, sign_transaction, verify_transaction};
//!
//! let wallet = KeyPair::from_hex(&"01".repeat(32))?;
//! let transaction = format!(
//!     r#"{{"fee":1000000,"specific_data":{{"signers":["{}"]}}}}"#,
//!     wallet.address()
//! );
//! let entry = sign_transaction(&wallet, &transaction)?;
//! verify_transaction(&transaction, &[entry])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Private keys leave this crate only through [`PrivateKey::reveal`] and in the files that
//! [`KeyFile::write`] creates.
//!
//! [`sign_with`] takes any [`Signer`]. A [`KeyPair`] is a signer. With the feature `command`,
//! an external program can also be a signer (`CommandSigner`).

#[cfg(feature = "command")]
mod command;
mod core_dumps;
mod digest;
mod exposure;
mod hex;
mod key_file;
mod message;
mod passphrase;
mod platform;
mod private_key;
mod public_key;
mod public_key_cache;
mod receipt;
mod recovery;
mod signature;
mod transaction;
mod votes;

/// Values of wallets and receipts, and what signs.
pub use nodeproof_primitives::{
    Hash256, MessageSignature, Network, ReceiptText, Signer, SignerError, Signing, WalletAddress,
};

#[cfg(feature = "command")]
pub use command::CommandSigner;
pub use core_dumps::forbid_core_dumps;
pub use exposure::{Exposure, exposed_key};
pub use hex::HexError;
pub use key_file::{KeyFile, KeyFileError, KeyFileFault, Protection};
pub use passphrase::{Passphrase, PassphraseError};
pub use private_key::{GenerateError, KeyError, KeyPair, PrivateKey};
pub use public_key::{PublicKey, PublicKeyError};
pub use public_key_cache::PublicKeyCache;
pub use receipt::{ReceiptError, verify_receipt, verify_receipts};
pub use signature::{Signature, SignatureError, SignatureParseError};
pub use transaction::{
    SignTransactionError, SignatureEntry, TransactionError, required_signers, sign_transaction,
    sign_with, verify_signed, verify_transaction,
};
pub use votes::{Votes, votes_in};
