//! The schemas that are not generated.

/// Leaf types: one value each, in the form that `nodeproof-primitives` reads exactly.
///
/// The generator would take a `String` with a regular expression, an `i64` or an `f64`.
pub(crate) const LEAVES: &[(&str, &str)] = &[
    ("WalletAddress", "::nodeproof_primitives::WalletAddress"),
    ("ContractAddress", "::nodeproof_primitives::ContractAddress"),
    ("HolderAddress", "::nodeproof_primitives::HolderAddress"),
    ("Hash256", "::nodeproof_primitives::Hash256"),
    ("TransactionCode", "::nodeproof_primitives::TransactionCode"),
    ("HexText", "::nodeproof_primitives::HexText"),
    ("TimestampMs", "::nodeproof_primitives::TimestampMs"),
    ("TransactionType", "::nodeproof_primitives::Integer"),
    ("Amount", "::nodeproof_primitives::Amount"),
    ("SpecificData", "::nodeproof_primitives::RawJson"),
    ("ContractParams", "::nodeproof_primitives::RawJson"),
    ("StoredValue", "::nodeproof_primitives::RawJson"),
    // Its form depends on the parameter `balance_type`, which is not part of the response, and an
    // untagged type rounds integers beyond 64 bits. The client decodes the text as `TokenBalance`,
    // `TokenBalances` or `TokenHolders`, which are generated.
    ("BalanceResponse", "::nodeproof_primitives::RawJson"),
];

/// Each schema that a hand-written type replaces, with the type and the reason.
pub(crate) const WRITTEN_BY_HAND: &[(&str, &str, &str)] = &[
    (
        "BlockResponse",
        "crate::Block",
        "three observed forms are one type for users",
    ),
    (
        "BlockTransaction",
        "crate::BlockTransaction",
        "the specification leaves its shape open, and its text is signed",
    ),
    (
        "RawTransaction",
        "crate::RawTransaction",
        "the specification leaves its shape open, and its text will be signed",
    ),
    (
        "SignedTransaction",
        "crate::SignedTransaction",
        "its text is signed, and submitted byte for byte",
    ),
];

/// Properties whose text is signed, each with the schema of its value. The property has the generated
/// type, and beside it the text.
pub(crate) const EXACT_TEXT: &[(&str, &str)] = &[("Receipt.data", "ReceiptData")];

/// Returns every schema that another type replaces, with this type.
pub(crate) fn replaced() -> impl Iterator<Item = (&'static str, &'static str)> {
    let by_hand = WRITTEN_BY_HAND.iter();
    let by_hand = by_hand.map(|(schema, written, _reason)| (*schema, *written));
    LEAVES.iter().copied().chain(by_hand)
}
