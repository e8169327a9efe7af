//! What a run needs to find on a chain.

/// What a run needs to find on a chain, in addition to samples.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Blocks that the user names and that should exist.
    pub(crate) blocks: Vec<u64>,
    /// Whether to find the lowest block.
    pub(crate) lowest: bool,
    /// Whether to find the latest block even if many are missing before it.
    pub(crate) latest: bool,
}
