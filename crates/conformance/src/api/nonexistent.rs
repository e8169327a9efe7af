//! Values that occur on no chain.

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

/// The name of a table that does not exist.
pub(crate) const UNKNOWN_TABLE: &str = "no_such_table";

/// Whether a value occurs on no chain.
pub(crate) fn is_nonexistent(value: &str) -> bool {
    let is_high = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b"ef".contains(&b));
    let address = value.strip_prefix("0x").or(value.strip_prefix("ct"));
    let word = value.to_ascii_lowercase().replace('_', "-");
    word.starts_with("no-such-") || address.is_some_and(is_high)
}
