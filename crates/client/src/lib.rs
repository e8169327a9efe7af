//! A client for the HTTP API of a blockchain node.
//!
//! [`Client`] has a call for each question of the contract, in its words: a block
//! by index, balances, contract state, a verification record, a trust score,
//! building a contract call, and submitting what was signed. Below it lies
//! [`generated`], which is made from the API's description when this crate is
//! built, so that an operation added there is callable at once.
//!
//! ```no_run
//! use nodeproof_client::Client;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let node = Client::new("http://localhost:8420")?;
//! if let Some(block) = node.block(1_u64).await? {
//!     println!("block {} made at {}", block.index()?, block.timestamp()?);
//!     for wallet in block.committee()? {
//!         for held in &node.balances(*wallet).await? {
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
//! Answers are read for what is there: see [`Block`]. What is signed is never
//! rewritten: see [`RawTransaction`], and it is only signed if it is what was asked
//! for: see [`contract_call`]. What goes wrong is told by one type,
//! [`Error`]. How requests travel, and what bounds them, is in [`transport`].

mod balance;
mod base_url;
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
mod newest;
mod node_check;
mod operation;
mod parameter;
mod submit;
mod transaction;
pub mod transport;
mod trust;
mod verification;

pub use balance::{BalanceAnswer, HolderBalance, Listing, TokenBalance};
pub use base_url::{BaseUrl, BaseUrlError};
pub use block::{Block, BlockTransaction, Departure, DepartureKind, PreviousHash, Receipt};
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
/// The HTTP client below this one. Its types are part of this crate's interface.
pub use reqwest;
pub use submit::{BatchAnswer, NotAccepted, SubmitAnswer, UnclearAnswer};
pub use transaction::{
    ContractCallView, RawTransaction, SignatureEntry, SignedTransaction, Transaction,
};
pub use trust::TrustScore;
/// URLs. Its types are part of this crate's interface.
pub use url;
pub use verification::VerificationRecord;
