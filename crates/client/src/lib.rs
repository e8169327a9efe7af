//! A client for the HTTP API of a blockchain node.
//!
//! [`Client`] has a method for each endpoint of the contract: a block by index, balances,
//! contract state, verification records, trust scores, building a contract call, and submitting
//! signed transactions. The layer below is [`generated`]. The build step makes it from the API's
//! description, so an operation that is added there can be called at once.
//!
//! ```no_run
//! use nodeproof_client::Client;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let node = Client::new("http://localhost:8420")?;
//! if let Some(block) = node.block(1_u64).await? {
//!     println!("block {} made at {}", block.index()?, block.timestamp()?);
//!     for wallet in block.committee()? {
//!         for held in &node.balances(*wallet).await?.unwrap_or_default() {
//!             println!("{wallet} holds {:?} {}", held.balance, held.token_code);
//!         }
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The guide `docs/client.md` in the repository leads from `cargo add` to a claim in a block.
//!
//! Responses are parsed leniently: see [`Block`]. A text that is signed is never rewritten: see
//! [`RawTransaction`]. It is signed only if it is the requested call: see [`contract_call`]. All
//! failures are one type, [`Error`]. [`transport`] describes how requests are sent, and the limits.

mod balance;
mod base_url;
mod batch;
mod block;
mod block_stream;
mod builder;
mod call;
mod calls;
mod client;
pub mod contract_call;
mod contract_state;
mod decode;
mod error;
mod follow;
pub mod generated;
mod hex_text;
mod inclusion;
mod latest;
mod node_check;
mod operation;
mod parameter;
mod submit;
mod transaction;
pub mod transport;
mod trust;
mod verification;

pub use balance::{BalanceResponse, HolderBalance, Listing, TokenBalance};
pub use base_url::{BaseUrl, BaseUrlError};
pub use batch::BatchResponse;
pub use block::{Block, BlockTransaction, Mismatch, MismatchKind, PreviousHash, Receipt};
pub use block_stream::BlockStream;
pub use builder::ClientBuilder;
pub use calls::{AddVerification, ContractCall};
pub use client::Client;
pub use contract_state::ContractState;
pub use decode::{ExtraFields, FieldError, FieldFault};
pub use error::{DecodeError, Error, ErrorKind};
pub use follow::{FollowEvent, FollowOptions};
pub use hex_text::{HexText, ParseHexTextError};
pub use inclusion::{Inclusion, InclusionOptions};
pub use nodeproof_primitives::{self, HolderAddress, contract_address, wallet_address};
pub use parameter::IntegerParameter;
/// The HTTP client that this crate uses. Its types are part of this crate's interface.
pub use reqwest;
pub use submit::{NotAccepted, SubmitResponse, UnclearResponse};
pub use transaction::{
    ContractCallView, RawTransaction, SignatureEntry, SignedTransaction, Transaction,
};
pub use trust::TrustScore;
/// URLs. Its types are part of this crate's interface.
pub use url;
pub use verification::VerificationRecord;
