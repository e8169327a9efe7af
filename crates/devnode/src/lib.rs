//! A local node: it keeps the documented contract to the letter, and where that
//! is silent answers as was observed on a real node.
//!
//! Everything is in memory and follows from a [`Config`]: two nodes with the same
//! seed return the same bytes, unless their time is the machine's clock. Receipts and transactions
//! carry real signatures, and wrong ones are refused. Its private keys are derived
//! from the seed, so they are public and worth nothing.
//!
//! ```
//! # async fn example() -> Result<(), nodeproof_devnode::SpawnError> {
//! let node = nodeproof_devnode::spawn(nodeproof_devnode::Config::for_tests()).await?;
//! println!("{} is a {} node", node.base_url(), node.network());
//! node.make_block();
//! node.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! Features, both on by default: `cli` is the command `devnode`, and `swagger-ui` makes the page at
//! `/docs` interactive. A test needs neither: use `default-features = false`.
//!
//! From the outside in: `cli` is the command, [`spawn`] listens and hands out a
//! [`Handle`], [`router`] turns requests into calls of a [`Node`], and the chain
//! behind that knows blocks, balances, claims and pending transactions, and nothing
//! of HTTP.

mod chain;
#[cfg(feature = "cli")]
pub mod cli;
mod config;
mod forms;
mod http;
mod injected_fault;
mod node;
mod seed;
mod server;
mod test_wallet;

pub use chain::LEAST_FEE;
pub use config::{BlockTime, ChainTime, Config, FUNDS, ParseBlockTimeError};
pub use forms::{Forms, ParseFormsError};
pub use http::router;
pub use injected_fault::{InjectedFault, ParseInjectedFaultError};
pub use node::Node;
pub use server::{Handle, SpawnError, spawn};
pub use test_wallet::TestWallet;
