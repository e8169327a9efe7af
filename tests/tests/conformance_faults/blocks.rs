//! Parts of the responses of `/get-block`.

use serde_json::Value;

pub(crate) const BLOCK: &str = "/get-block";

pub(crate) fn receipts(block: &mut Value) -> &mut [Value] {
    list(block, "/text/previous_block_receipts")
}

pub(crate) fn transactions(block: &mut Value) -> &mut [Value] {
    list(block, "/text/transactions")
}

fn list<'v>(block: &'v mut Value, place: &str) -> &'v mut [Value] {
    block
        .pointer_mut(place)
        .and_then(Value::as_array_mut)
        .map_or(&mut [], Vec::as_mut_slice)
}
