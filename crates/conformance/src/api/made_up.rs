//! Made-up values that no chain has.

/// Returns the address of a wallet that nobody has: all of its bits are set.
pub(crate) fn nobody() -> String {
    format!("0x{}", "f".repeat(40))
}

/// A text that no node takes for an index. A word such as `newest` may have a meaning.
pub(crate) const NO_INDEX: &str = "no-index-5a5a";

/// An asset that nobody has made a claim about.
pub(crate) const UNCLAIMED: &str = "no-such-asset-5a5a";

/// The asset of the first contract call that is built. It is never submitted.
pub(crate) const BUILT: &str = "conformance-check";
