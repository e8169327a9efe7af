//! A client for the HTTP API of a blockchain node.
//!
//! [`Client`] has a method for each endpoint of the specification: a block by index, balances,
//! contract state, verification records, trust scores, building a contract call, and submitting
//! signed transactions. The types of requests and responses are generated from the API's
//! description, and so is the layer below the methods: [`generated`]. An operation or a field that is
//! added to the description can be used at once.
//!
//! ```no_run
//! use nodeproof_client::Client;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let node = Client::new("http://localhost:8420")?;
//! if let Some(block) = node.block(1_u64).await? {
//!     println!("block {} made at {}", block.index, block.timestamp);
//!     for wallet in block.committee {
//!         for held in node.balances(wallet).await? {
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
//! A field that every stated form of a response guarantees is a value, and any other field is an
//! `Option`. Undocumented members are kept in `extra`. A response in no stated form is an [`Error`]
//! that names the first wrong place. A text that is signed is never rewritten: see
//! [`RawTransaction`]. It is signed only if it is the requested call: see [`contract_call`].
//! [`transport`] describes how requests are sent, and the limits.
//!
//! There are three kinds of errors: [`Error`] for a request, [`SubmitError`] for a submission, and
//! [`InputError`] for input of your own. Each shows its own message, and returns the cause as its
//! source.

mod base_url;
mod block;
mod block_claim;
mod block_hash;
mod block_stream;
mod block_transaction;
mod call;
mod call_error_kind;
mod call_sc;
mod client;
mod client_options;
pub mod contract_call;
mod docs;
mod error;
mod exact_text;
mod follow;
mod from_json;
pub mod generated;
mod get_balances;
mod get_block;
mod get_trustscore_wallets;
mod inclusion;
mod input_error;
mod json_text;
mod node_check;
mod parameter;
mod refusal;
mod sc_state;
mod shortage;
mod submit_error;
mod submit_transaction;
mod transaction;
pub mod transport;
mod verification_record;

pub use base_url::BaseUrl;
pub use block::{Block, PreviousHash};
pub use block_claim::BlockClaim;
pub use block_stream::BlockStream;
pub use block_transaction::BlockTransaction;
pub use call_error_kind::CallErrorKind;
pub use client::Client;
pub use client_options::ClientOptions;
pub use contract_call::{
    AcceptedCall, BuiltCallMismatch, CallOptions, CheckedTransaction, Clock, ContractFunction, Fee,
    SubmitPolicy, Submitted,
};
pub use error::{Error, ErrorKind};
pub use exact_text::ExactText;
pub use follow::{FollowEvent, FollowOptions};
pub use from_json::from_json;
pub use generated::types::{
    AddVerification, BalanceType, BatchOutcome, BatchResponse, BatchResult, BlockText,
    ContractCall, ContractCallData, ContractState, Receipt, ReceiptData, SignatureEntry,
    SubmitMessages, SubmitResponse, SubmitResult, TokenBalance, TokenHolder, TokenHolding,
    Transaction, Transfer, TrustScore,
};
pub use inclusion::{Inclusion, InclusionOptions};
pub use input_error::InputError;
/// Values of requests and responses, and what signs.
pub use nodeproof_primitives::{
    Amount, ContractAddress, Hash256, HexText, HolderAddress, Integer, MessageSignature, Network,
    RawJson, Signer, SignerError, Signing, TimestampMs, TokenDecimals, TransactionCode,
    WalletAddress, contract_address, signed_message, wallet_address,
};
pub use parameter::IntegerParameter;
pub use refusal::Refusal;
/// The status of a response.
pub use reqwest::StatusCode;
pub use submit_error::SubmitError;
pub use transaction::{RawTransaction, SignedTransaction};
pub use verification_record::VerificationRecord;
