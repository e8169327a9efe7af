//! Keys, addresses, signatures and their verification.
//!
//! The contract leaves the signature algorithm and the signed message open; what
//! is here is what was observed on a real node: ECDSA on secp256k1 over the SHA-1
//! digest of a document's [signed message](nodeproof_primitives::signed_message), and
//! addresses that are the end of a public key's Keccak-256.
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
//! One module a thing: a [private key and its wallet](KeyPair), a [`PublicKey`],
//! a [`Signature`], a signed transaction, a receipt, a [`KeyFile`]. Private keys do not
//! leave this crate but by [`PrivateKey::reveal`] and in the files that [`KeyFile::write`]
//! makes.
//!
//! Who holds the key is open: [`sign_with`] takes any [`Signer`]. A [`KeyPair`] is one, and
//! with the feature `command` an external program is another (`CommandSigner`).

#[cfg(feature = "command")]
mod command;
mod digest;
mod hex;
mod key_file;
mod known_keys;
mod message;
mod private_key;
mod public_key;
mod receipt;
mod recovery;
mod signature;
mod transaction;

pub use nodeproof_primitives::{MessageSignature, Signer, SignerError, Signing};

#[cfg(feature = "command")]
pub use command::CommandSigner;
pub use hex::HexError;
pub use key_file::{KeyFile, KeyFileError, KeyFileFault, Protection};
pub use known_keys::KnownKeys;
pub use private_key::{GenerateError, KeyError, KeyPair, PrivateKey};
pub use public_key::{PublicKey, PublicKeyError};
pub use receipt::{ReceiptError, verify_receipt};
pub use signature::{Signature, SignatureError, SignatureParseError};
pub use transaction::{
    SignTransactionError, SignatureEntry, TransactionError, required_signers, sign_transaction,
    sign_with, verify_transaction,
};
