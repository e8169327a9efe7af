//! Finds out what this node can be asked about, from its own chain.
//!
//! The contract has no endpoint for the latest block, for wallets or for tokens. So the latest block
//! is found by doubling and bisection (`search`), and everything else in the content of blocks
//! (`mentions`). Addresses are recognised wherever they are, also inside a text that holds JSON.

mod blocks;
mod discover;
mod discovered;
mod fixture;
mod mentions;
mod search;
mod unknown_index;
mod wanted;

pub(crate) use discover::discover;
pub(crate) use discovered::Discovered;
pub(crate) use fixture::Fixture;
pub(crate) use unknown_index::Unknown;
pub(crate) use wanted::Wanted;
