//! What a run needs to find on a chain.

use std::time::Duration;

use nodeproof_primitives::WalletAddress;
use serde::{Deserialize, Serialize};

use super::fixture::Fixture;

/// What a run needs to find on a chain, in addition to samples, and what is known before.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Wanted {
    /// Blocks that the user names and that should exist.
    pub(crate) blocks: Vec<u64>,
    /// Whether to find the lowest block.
    pub(crate) lowest: bool,
    /// Whether to find the latest block even if many are missing before it.
    pub(crate) latest: bool,
    /// Number of blocks to read, if the chain has so many.
    pub(crate) sample: u64,
    /// The same if none of these has a claim.
    #[serde(default)]
    pub(crate) sample_without_claim: u64,
    /// Maximum time for reading them. A slow node gets fewer requests.
    pub(crate) sample_time: Duration,
    /// Maximum number of requests at a time.
    pub(crate) jobs: usize,
    /// What the user names.
    pub(crate) fixture: Fixture,
    /// The samples of earlier findings. Unlike those of the fixture, they need not exist.
    pub(crate) earlier: Fixture,
    /// The user's wallet.
    pub(crate) wallet: Option<WalletAddress>,
}

impl Wanted {
    /// Maximum number of blocks to look for in a recorded run.
    const MOST: u64 = 10_000;

    /// Returns the same with numbers that a search can have: nothing in a file is trusted.
    pub(crate) fn bounded(self) -> Self {
        Self {
            sample: self.sample.min(Self::MOST),
            sample_without_claim: self.sample_without_claim.min(Self::MOST),
            jobs: self.jobs.clamp(1, 64),
            ..self
        }
    }
}
