//! What a run wants to know of a chain.

/// What a run wants to know of the chain besides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Blocks that the user names, as there should be some.
    pub(crate) blocks: Vec<u64>,
    /// Whether the lowest block is to be found.
    pub(crate) lowest: bool,
    /// Whether the newest one is to be found though many are missing before it.
    pub(crate) newest: bool,
}
