//! The time of a transaction, which the node sets.

use clap::Args;
use nodeproof_client::contract_call::Clock;

/// How a transaction's time is checked.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TimeArgs {
    /// Accept a transaction time that differs from this computer's clock by more than a day, if it
    /// is within a day of the node's latest block. The node sets both times. Only test networks
    /// need this
    #[arg(long)]
    pub(crate) trust_node_time: bool,
}

impl TimeArgs {
    pub(crate) const fn clock(self) -> Clock {
        if self.trust_node_time {
            Clock::LocalOrNode
        } else {
            Clock::Local
        }
    }
}
