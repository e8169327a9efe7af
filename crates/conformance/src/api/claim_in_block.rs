//! The claims in a block: calls of `add_verification`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::transaction_in_block::is_listed_as_failed;

/// A claim in a block.
#[derive(Clone)]
pub(crate) struct ClaimInBlock<'v> {
    pub(crate) contract: &'v str,
    pub(crate) asset: &'v str,
    /// The signers, and the verifier that the params name.
    pub(crate) verifiers: BTreeSet<&'v str>,
    pub(crate) params: &'v Map<String, Value>,
    /// Whether the block shows that it was executed.
    pub(crate) is_executed: bool,
}

/// Returns the claims in a block, in order, without those that failed.
pub(crate) fn claims_in_block(block: &Value) -> impl Iterator<Item = ClaimInBlock<'_>> {
    let listed = block.pointer("/text/transactions");
    let entries = listed.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(|entry| {
        if is_listed_as_failed(entry) {
            return None;
        }
        let call = entry.pointer("/transaction/specific_data")?;
        let params = call["params"].as_object()?;
        if call["function"].as_str() != Some("add_verification") {
            return None;
        }
        let signers = call["signers"].as_array().into_iter().flatten();
        let named = params.get("verifier_address");
        Some(ClaimInBlock {
            contract: call["address"].as_str()?,
            asset: params.get("asset_id")?.as_str()?,
            verifiers: signers.chain(named).filter_map(Value::as_str).collect(),
            params,
            is_executed: entry["status"] == 1,
        })
    })
}
