//! The result of a run, with what a comparison with other nodes needs.

use std::sync::Arc;

use nodeproof_report::Report;

use super::verdict::Conclusion;
use crate::{http::Node, sweep::ChainBounds};

/// A node that was reached, and what was found out of it.
pub(crate) struct Known {
    pub(crate) node: Arc<Node>,
    pub(crate) chain: ChainBounds,
    /// Wallets with a token that each holds.
    pub(crate) holdings: Vec<(String, String)>,
    /// Claims: contracts with assets.
    pub(crate) assets: Vec<(String, String)>,
    /// Pairs of wallets that may have a trust score.
    pub(crate) trust: Vec<(String, String)>,
}

/// The result of a run, with what a comparison with other nodes needs.
pub(crate) struct Examined {
    pub(crate) report: Report,
    /// The conclusion without the sweep, if the chain ends before the sweep's first block.
    pub(crate) without_sweep: Option<Conclusion>,
    /// The node, if the run came to its end.
    pub(crate) known: Option<Known>,
}
