//! Finds samples for requests on the node's own chain.
//!
//! The specification has no endpoint for the latest block, for wallets or for tokens. So `search`
//! finds the latest block by doubling and bisection, and reads blocks at both ends and in between.
//! `mentions` finds everything else in their content. Addresses are recognised at any place, also
//! in a text that holds JSON.

mod blocks;
mod discover;
mod discovered;
mod fixture;
mod mentions;
mod sample_request;
mod search;
mod unknown_index;
mod wanted;

pub(crate) use blocks::BEYOND_EVERY_CHAIN;
pub(crate) use discover::discover;
pub(crate) use discovered::Discovered;
pub(crate) use fixture::{Fixture, KnownBlock, Trust};
pub(crate) use sample_request::samples_of;
pub(crate) use unknown_index::Unknown;
pub(crate) use wanted::Wanted;
