//! The result of a run, with the data for comparing nodes.

use std::sync::Arc;

use nodeproof_report::NodeReport;

use super::verdict::Conclusion;
use crate::{har::Exchanges, http::Node, sweep::ChainBounds};

/// A node that responded to the end, and what the run found on it.
pub(crate) struct ExaminedNode {
    pub(crate) node: Arc<Node>,
    pub(crate) chain: ChainBounds,
    /// Pairs of a wallet and a token that it holds.
    pub(crate) holdings: Vec<(String, String)>,
    /// Claims: pairs of a contract and an asset.
    pub(crate) assets: Vec<(String, String)>,
    /// Pairs of wallets that may have a trust score.
    pub(crate) trust: Vec<(String, String)>,
}

impl ExaminedNode {
    /// Returns the same with new connections. The earlier ones are closed with the original.
    pub(crate) fn renewed(&self) -> Result<Self, nodeproof_client::Error> {
        Ok(Self {
            node: Arc::new(self.node.renewed()?),
            chain: self.chain.clone(),
            holdings: self.holdings.clone(),
            assets: self.assets.clone(),
            trust: self.trust.clone(),
        })
    }
}

/// The result of a run, with the data for comparing nodes.
pub(crate) struct Examined {
    pub(crate) report: NodeReport,
    /// The conclusion from all other cases, if the sweep has no block to check.
    pub(crate) without_sweep: Option<Conclusion>,
    /// The node and its data, if the run was completed.
    pub(crate) node: Option<ExaminedNode>,
    pub(crate) exchanges: Exchanges,
}
