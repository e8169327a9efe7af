//! The basic types of a blockchain node's HTTP API: addresses, hashes, codes, exact numbers,
//! unchanged JSON text, the text that wallets sign, and the [`Signer`] trait.
//!
//! This crate does no input or output and is independent of the endpoints. Every type reads and
//! writes the form that the specification documents. The error for any other form names the
//! expected form.
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
mod backoff;
pub mod canonical_json;
mod constants;
pub mod escape;
mod fixed_hex;
mod hex_text;
mod hidden;
mod holder;
mod integer;
mod json_limits;
mod network;
mod python_json;
mod raw_json;
mod receipt_text;
pub mod redact;
mod signer;
mod timestamp;
mod token_decimals;
mod with_causes;

pub use amount::{Amount, InexactAmountError, ParseAmountError};
pub use backoff::doubled_pause;
pub use fixed_hex::{
    ContractAddress, Hash256, MessageSignature, ParseHexError, TransactionCode, WalletAddress,
};
pub use hex_text::{HexText, ParseHexTextError};
pub use hidden::{Hidden, one_or_several_hidden};
pub use holder::HolderAddress;
pub use integer::{Integer, IntegerRangeError, ParseIntegerError};
pub use json_limits::{JsonLimits, JsonTooLarge};
pub use network::{Network, ParseNetworkError};
pub use python_json::{MessageError, signed_message, sorted_message};
pub use raw_json::RawJson;
pub use receipt_text::ReceiptText;
pub use signer::{Signer, SignerError, Signing};
pub use timestamp::{SystemTimeRangeError, TimestampMs, text::ParseTimestampError};
pub use token_decimals::{ParseTokensError, TokenDecimals};
pub use with_causes::with_causes;
