//! The samples that discovery found on a chain.

use std::{collections::BTreeMap, sync::Arc};

use super::{fixture::Fixture, unknown_index::Unknown};
use crate::{
    api::{is_nothing, reported_index, requested_index},
    http::{Exchange, InconclusiveReason},
};

/// The samples that discovery found on a chain.
///
/// It has a field for each kind of sample, because a case needs only one or two of them.
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
    pub(crate) unread: Option<InconclusiveReason>,
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
    /// Replaces the samples of blocks by those in recorded responses. Of several for one index, the first one counts.
    pub(crate) fn with_blocks(self, responses: impl IntoIterator<Item = Arc<Exchange>>) -> Self {
        let mut by_index = BTreeMap::new();
        for exchange in responses {
            if let Some(index) = requested_index(&exchange.request) {
                by_index.entry(index).or_insert(exchange);
            }
        }
        let difference = |index: u64, exchange: &Exchange| {
            let reported = exchange.success_object().and_then(reported_index)?;
            Some(reported - i128::from(index))
        };
        let mut counts: BTreeMap<i128, usize> = BTreeMap::new();
        for (index, exchange) in &by_index {
            if let Some(difference) = difference(*index, exchange) {
                *counts.entry(difference).or_default() += 1;
            }
        }
        let most = |(difference, count): &(&i128, &usize)| (**count, **difference == 0);
        let offset = counts.iter().max_by_key(most).map(|(known, _)| *known);
        let mut discovered = Self {
            offset,
            first_response: by_index.values().next().cloned(),
            tip: None,
            blocks: Vec::new(),
            wrong_blocks: Vec::new(),
            without: Vec::new(),
            ..self
        };
        for (index, exchange) in by_index {
            let found = difference(index, &exchange);
            let body = exchange.success_object();
            if body.is_none_or(is_nothing) {
                discovered.without.push(exchange);
            } else if found.is_none() || found == offset {
                discovered.tip = Some(index);
                discovered.blocks.push((index, exchange));
            } else {
                discovered.wrong_blocks.push(exchange);
            }
        }
        // Beyond the last block, there may be no block to return.
        let tip = discovered.tip;
        discovered
            .without
            .retain(|exchange| is_within(tip, exchange));
        discovered
    }

    /// Leaves out other blocks than those requested beyond the last block, which another case is about.
    pub(crate) fn without_wrong_blocks_beyond(mut self) -> Self {
        let tip = self.tip;
        self.wrong_blocks
            .retain(|exchange| is_within(tip, exchange));
        self
    }

    /// Notes that something was requested and could not be read.
    pub(crate) fn unread(
        &mut self,
        what: &str,
        reason: &str,
        kind: fn(String) -> InconclusiveReason,
    ) {
        let reason = || kind(format!("{what} could not be read: {reason}"));
        self.unread.get_or_insert_with(reason);
    }
}

/// Whether a request for a block was for one below the latest one, if that is known.
fn is_within(tip: Option<u64>, exchange: &Exchange) -> bool {
    tip.is_none_or(|tip| requested_index(&exchange.request) < Some(tip))
}
