//! The vocabulary of a blockchain node's HTTP API: addresses, hashes, codes,
//! exact numbers, untouched JSON text, the text that wallets sign, and who signs it.
//!
//! Nothing here does any input or output, and nothing here knows an endpoint.
//! Every type reads and writes the form that the contract gives it, and refuses
//! every other form with an error that says what would be right.
//!
//! ```
//! use nodeproof_primitives::{Network, WalletAddress};
//!
//! let wallet: WalletAddress = "0x00000000000000000000000000000000000000a1".parse()?;
//! assert_eq!(wallet.to_string(), "0x00000000000000000000000000000000000000a1");
//! assert_eq!(Network::Testnet.port(), 8421);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod amount;
pub mod canonical_json;
pub mod escape;
mod fixed_hex;
mod holder;
mod integer;
mod network;
mod python_json;
mod raw_json;
mod signer;
mod timestamp;

pub use amount::{Amount, InexactAmountError, ParseAmountError};
pub use fixed_hex::{
    ContractAddress, Hash256, MessageSignature, ParseHexError, TransactionCode, WalletAddress,
};
pub use holder::HolderAddress;
pub use integer::{Integer, ParseIntegerError};
pub use network::{Network, ParseNetworkError};
pub use python_json::{MessageError, signed_message, sorted_message};
pub use raw_json::RawJson;
pub use signer::{Signer, SignerError, Signing};
pub use timestamp::TimestampMs;
