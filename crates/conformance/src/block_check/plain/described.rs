//! What the description said of a block when the quick way was written.

use serde_json::{Map, Value, json};

use nodeproof_openapi::{Spec, View, pointer};

use crate::sample::Sample;

/// Whether the description says of a block what the quick way was written for: if not, it is not
/// gone.
pub(crate) fn describes(spec: &Spec) -> bool {
    let at = Sample::Blocks.schema(spec, View::Documented);
    at.and_then(|at| said(spec, &at, MOST_DEPTH)) == Some(written_for())
}

/// How deep a schema is followed; one that goes round ends there.
const MOST_DEPTH: usize = 16;

/// Whatever does not tell which values conform.
const WORDS: [&str; 5] = [
    "description",
    "title",
    "example",
    "examples",
    "externalDocs",
];

/// What a schema says, with what it refers to in its place.
fn said(spec: &Spec, at: &str, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let (place, schema) = spec.unwrap(View::Documented, at)?;
    let mut told = Map::new();
    for (keyword, value) in schema.as_object()? {
        let below = pointer::join(&place, keyword);
        let value = match (keyword.as_str(), value) {
            (word, _) if WORDS.contains(&word) || word.starts_with("x-") => continue,
            // The same as not to say it.
            ("additionalProperties", Value::Object(any)) if any.is_empty() => continue,
            ("items", Value::Object(_)) => said(spec, &below, depth)?,
            ("properties", Value::Object(members)) => members
                .keys()
                .map(|name| {
                    Some((
                        name.clone(),
                        said(spec, &pointer::join(&below, name), depth)?,
                    ))
                })
                .collect::<Option<Map<_, _>>>()?
                .into(),
            (_, value) => value.clone(),
        };
        told.insert(keyword.clone(), value);
    }
    Some(Value::Object(told))
}

/// A block, as the quick way takes one.
fn written_for() -> Value {
    let integer = json!({"type": "integer"});
    let text = |pattern: &str| json!({"type": "string", "pattern": pattern});
    let object = |required: &[&str], properties: Value| json!({"type": "object", "required": required, "properties": properties});
    let list = |items: &Value| json!({"type": "array", "items": items});
    let address = text("^0x[0-9a-f]{40}$");
    let hash = text("^[0-9A-Fa-f]{64}$");
    let hex = text("^[0-9A-Fa-f]+$");
    let data = object(
        &[
            "block_index",
            "block_hash",
            "vote",
            "timestamp",
            "wallet_address",
        ],
        json!({
            "block_index": integer,
            "block_hash": hash,
            "vote": integer,
            "timestamp": integer,
            "wallet_address": address,
        }),
    );
    let receipt = object(
        &["data", "public_key", "signature"],
        json!({"data": data, "public_key": hex, "signature": hex}),
    );
    let inside = object(
        &["transactions", "previous_block_receipts"],
        json!({"transactions": list(&json!({})), "previous_block_receipts": list(&receipt)}),
    );
    object(
        &[
            "index",
            "timestamp",
            "proof",
            "status",
            "text",
            "creator_wallet",
            "expected_miner",
            "committee",
            "previous_hash",
        ],
        json!({
            "index": integer,
            "timestamp": integer,
            "proof": integer,
            "status": integer,
            "text": inside,
            "creator_wallet": address,
            "expected_miner": address,
            "committee": list(&address),
            "previous_hash": hash,
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(change: fn(&mut Value)) -> Spec {
        let mut document: Value = serde_json::from_str(nodeproof_openapi::NODE_JSON).unwrap();
        change(&mut document["components"]["schemas"]);
        Spec::from_value(document).unwrap()
    }

    #[test]
    fn the_quick_way_is_gone_with_the_description_that_is_built_in() {
        assert!(describes(&changed(|_| {})));
    }

    #[test]
    fn a_description_that_says_anything_else_of_a_block_ends_the_quick_way() {
        let changes: [fn(&mut Value); 7] = [
            |schemas| schemas["Block"]["required"] = json!(["index"]),
            |schemas| schemas["Block"]["properties"]["hash"] = json!({"type": "string"}),
            |schemas| schemas["Block"]["additionalProperties"] = json!(false),
            |schemas| schemas["Hash256"]["pattern"] = json!("^[0-9a-f]{64}$"),
            |schemas| schemas["ReceiptData"]["properties"]["vote"]["enum"] = json!([1, 9]),
            |schemas| schemas["Receipt"]["minProperties"] = json!(4),
            |schemas| schemas["BlockText"]["properties"]["transactions"]["maxItems"] = json!(9),
        ];
        for (place, change) in changes.into_iter().enumerate() {
            assert!(!describes(&changed(change)), "change {place}");
        }
        let other_words = |schemas: &mut Value| schemas["Block"]["description"] = json!("more");
        assert!(describes(&changed(other_words)));
    }
}
