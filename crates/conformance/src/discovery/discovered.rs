//! What discovery has found on a chain.

use std::sync::Arc;

use super::{fixture::Fixture, unknown_index::Unknown};
use crate::http::Exchange;

/// What was found to ask about.
#[derive(Debug, Default)]
pub(crate) struct Discovered {
    /// The newest index that was found.
    pub(crate) tip: Option<u64>,
    /// The lowest index of a block that was found. It is the chain's lowest only where that was
    /// wanted.
    pub(crate) lowest: Option<u64>,
    /// By how much the index that most blocks say they have differs from the one asked for, if they
    /// say one.
    pub(crate) offset: Option<i128>,
    /// Answers that hold a block, in rising order of the index that was asked for.
    pub(crate) blocks: Vec<(u64, Arc<Exchange>)>,
    /// Answers that hold another block than was asked for, and are no part of the search.
    pub(crate) odd: Vec<Arc<Exchange>>,
    /// Answers without a block, for indexes at which there should be one.
    pub(crate) without: Vec<Arc<Exchange>>,
    /// The first of the blocks that the node had no answer for, and why.
    pub(crate) unread: Option<(u64, String)>,
    /// What it answers for a block that it does not have, if that is not that there is none.
    pub(crate) unknown: Unknown,
    /// The answer to the first question for a block, whatever it was.
    pub(crate) first_answer: Option<Arc<Exchange>>,
    pub(crate) wallets: Vec<String>,
    pub(crate) tokens: Vec<String>,
    /// What wallets were said to hold, as far as it was asked here.
    pub(crate) wallet_lists: Vec<Arc<Exchange>>,
    /// Wallets with a token that each holds, or at least was asked about.
    pub(crate) holdings: Vec<(String, String)>,
    pub(crate) contracts: Vec<String>,
    pub(crate) assets: Vec<(String, String)>,
    pub(crate) trust: Vec<(String, String)>,
    /// What the user named.
    pub(crate) fixture: Fixture,
}
