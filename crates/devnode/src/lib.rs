//! A local node that conforms to the specification. Where the specification is silent, the node
//! behaves like an observed real node.
//!
//! Everything is in memory and follows from a [`Config`]. Two nodes with the same configuration return
//! the same bytes to the same requests, unless their time is the machine's clock. Receipts and
//! transactions have real signatures, and wrong signatures are refused. The private keys are derived from
//! the seed, so they are public and worth nothing.
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
//! Both features are on by default: `cli` is the command `devnode`, and `swagger-ui` makes the page at
//! `/docs` interactive. Tests need neither: use `default-features = false`.
//!
//! The layers, from the outside in: `cli` is the command. [`spawn`] starts the server and returns a
//! [`Handle`]. [`router`] turns requests into method calls of a [`Node`]. The chain has the blocks,
//! balances, claims and pending transactions, and does not depend on HTTP.

mod chain;
#[cfg(feature = "cli")]
pub mod cli;
mod config;
pub mod edit;
mod http;
mod injected_fault;
mod node;
mod outage;
#[cfg(feature = "cli")]
mod platform;
mod seed;
mod server;
mod test_wallet;

pub use chain::MIN_FEE;
pub use config::{BlockTime, ChainTime, Config, FUNDS, ParseBlockTimeError};
pub use http::router;
pub use injected_fault::{InjectedFault, ParseInjectedFaultError};
pub use node::Node;
pub use outage::Outage;
pub use server::{Handle, SpawnError, spawn};
pub use test_wallet::TestWallet;
