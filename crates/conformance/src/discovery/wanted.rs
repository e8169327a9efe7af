//! What a run needs to find on a chain.

use std::time::Duration;

/// What a run needs to find on a chain, in addition to samples.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Blocks that the user names and that should exist.
    pub(crate) blocks: Vec<u64>,
    /// Whether to find the lowest block.
    pub(crate) lowest: bool,
    /// Whether to find the latest block even if many are missing before it.
    pub(crate) latest: bool,
    /// Number of blocks to read, if the chain has so many.
    pub(crate) sample: u64,
    /// Maximum time for reading them. A slow node gets fewer requests.
    pub(crate) sample_time: Duration,
    /// Maximum number of requests at a time.
    pub(crate) jobs: usize,
}
