//! Made-up values that do not occur on any chain.

/// Returns a wallet address that does not exist: all of its bits are set.
pub(crate) fn nobody() -> String {
    format!("0x{}", "f".repeat(40))
}

/// A text that a node cannot read as an index. A word such as `latest` may have a meaning.
pub(crate) const NO_INDEX: &str = "no-index-5a5a";

/// The address of a contract that does not exist.
pub(crate) const UNKNOWN_CONTRACT: &str = "ctffffffffffffffffffffffffffffffffffffffff";

/// An asset without a claim.
pub(crate) const UNKNOWN_ASSET: &str = "no-such-asset-5a5a";

/// The asset of the first contract call that a run builds. It is never submitted.
pub(crate) const BUILT: &str = "conformance-check";
