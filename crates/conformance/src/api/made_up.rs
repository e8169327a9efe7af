//! Made-up values that no chain has.

/// A wallet that nobody can have: its address is all ones, so no key leads to it by chance.
pub(crate) fn nobody() -> String {
    format!("0x{}", "f".repeat(40))
}

/// An asset that nobody has made a claim about.
pub(crate) const UNCLAIMED: &str = "no-such-asset-5a5a";

/// The asset of the first call that is built, and never submitted.
pub(crate) const BUILT: &str = "conformance-check";
