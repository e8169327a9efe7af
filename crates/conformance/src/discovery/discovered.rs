//! The samples that discovery found on a chain.

use std::sync::Arc;

use super::{fixture::Fixture, unknown_index::Unknown};
use crate::http::Exchange;

/// The samples that discovery found on a chain.
#[derive(Debug, Default)]
pub(crate) struct Discovered {
    /// The latest index that was found.
    pub(crate) tip: Option<u64>,
    /// The lowest index of a block that was found. It is the chain's lowest only if the run wanted that.
    pub(crate) lowest: Option<u64>,
    /// The difference between the index in most blocks and the requested one, if blocks have an index.
    pub(crate) offset: Option<i128>,
    /// Responses with a block, in ascending order of the requested index.
    pub(crate) blocks: Vec<(u64, Arc<Exchange>)>,
    /// Responses with another block than the requested one.
    pub(crate) wrong_blocks: Vec<Arc<Exchange>>,
    /// Responses without a block, for indexes at which there should be one.
    pub(crate) without: Vec<Arc<Exchange>>,
    /// The first response that could not be read, with the reason.
    pub(crate) unread: Option<String>,
    /// The node's responses for a block that does not exist, other than "not found".
    pub(crate) unknown: Unknown,
    /// The first response to a block request, whatever it was.
    pub(crate) first_response: Option<Arc<Exchange>>,
    pub(crate) wallets: Vec<String>,
    pub(crate) tokens: Vec<String>,
    /// The lists of balances that were requested here.
    pub(crate) wallet_lists: Vec<Arc<Exchange>>,
    /// Pairs of a wallet and a token that it may hold. The first ones are named by the user, or are
    /// those of earlier findings.
    pub(crate) holdings: Vec<(String, String)>,
    /// Number of the first ones.
    pub(crate) named_holdings: usize,
    pub(crate) contracts: Vec<String>,
    pub(crate) assets: Vec<(String, String)>,
    /// Number of the first claims, which the user named or which earlier findings are about.
    pub(crate) named_assets: usize,
    pub(crate) trust: Vec<(String, String)>,
    /// The values that the user named.
    pub(crate) fixture: Fixture,
}

impl Discovered {
    /// Notes that something was requested and could not be read.
    pub(crate) fn unread(&mut self, what: String, reason: &str) {
        self.unread
            .get_or_insert_with(|| format!("{what} could not be read: {reason}"));
    }
}
