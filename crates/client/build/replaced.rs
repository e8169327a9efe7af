//! The schemas that hand-written types replace.

/// Each schema with the type that replaces it in the generated code.
///
/// Addresses, hashes and numbers are types of `nodeproof-primitives`, which need no regular
/// expression. The types of responses are lenient, because nodes of different versions leave fields
/// out or write them differently. `tests/replaced_schemas.rs` checks that they read every property.
pub(crate) const REPLACED: &[(&str, &str)] = &[
    ("WalletAddress", "::nodeproof_primitives::WalletAddress"),
    ("ContractAddress", "::nodeproof_primitives::ContractAddress"),
    ("HolderAddress", "::nodeproof_primitives::HolderAddress"),
    ("Hash256", "::nodeproof_primitives::Hash256"),
    ("TransactionCode", "::nodeproof_primitives::TransactionCode"),
    ("HexText", "crate::HexText"),
    ("TimestampMs", "::nodeproof_primitives::TimestampMs"),
    ("Amount", "::nodeproof_primitives::Amount"),
    ("SpecificData", "::nodeproof_primitives::RawJson"),
    ("ContractParams", "::nodeproof_primitives::RawJson"),
    ("BlockResponse", "crate::Block"),
    ("BalanceResponse", "crate::BalanceResponse"),
    ("ContractStateResponse", "crate::ContractState"),
    ("TrustScoreResponse", "crate::TrustScore"),
    ("ContractCallRequest", "crate::ContractCall"),
    ("RawTransaction", "crate::RawTransaction"),
    ("SignatureEntry", "crate::SignatureEntry"),
    ("SignedTransaction", "crate::SignedTransaction"),
    ("SubmitResponse", "crate::SubmitResponse"),
    ("BatchResponse", "crate::BatchResponse"),
];
