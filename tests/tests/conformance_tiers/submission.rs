//! What is wrong with a submission, as the node sees it.

use integration_tests::proxy::Asked;
use node_primitives::signed_message;
use node_wallet::{KeyPair, SignatureEntry, verify_transaction};
use serde_json::Value;

pub(crate) const SUBMIT: &str = "/submit-transaction";

/// The wallet whose key everybody can know, and that signs what others should have.
pub(crate) fn stranger() -> KeyPair {
    KeyPair::from_bytes(&[0xa5; 32]).expect("a key")
}

/// What is wrong with a submission, as the ID of its case; `claim` for the one that is right.
pub(crate) fn kind_of_submission(asked: &Asked) -> &'static str {
    let Ok(body) = serde_json::from_slice::<Value>(&asked.body) else {
        return "body-not-json";
    };
    let transaction = &body["transaction"];
    let entries = body["signatures"].as_array().map_or(&[][..], Vec::as_slice);
    let signers = &transaction["specific_data"]["signers"];
    let Some(entry) = entries.first() else {
        return match &body {
            Value::Array(_) => "body-array",
            Value::String(_) => "body-text",
            Value::Object(members) if members.is_empty() => "empty-object",
            Value::Object(members) if members.contains_key("signatures") => "unsigned",
            _ => "signatures-required",
        };
    };
    if transaction.is_null() {
        return "transaction-required";
    }
    if asked.body.len() > 10_000 {
        return "oversized";
    }
    let text = transaction.to_string();
    let entries: Result<Vec<SignatureEntry>, _> =
        serde_json::from_value(body["signatures"].clone());
    let Ok(entries) = entries else {
        return "signature-not-hex";
    };
    if verify_transaction(&text, &entries).is_ok() {
        return "claim";
    }
    let message = signed_message(&text).expect("a message");
    let by_stranger = entries[0]
        .msgsign
        .verify_by_address(message.as_bytes(), stranger().address())
        .is_ok();
    if signers.as_array().is_some_and(|signers| signers.len() == 2) {
        "half-signed"
    } else if signers[0] != entry["wallet_address"] {
        "unlisted-signer"
    } else if by_stranger {
        "another-wallets-key"
    } else if text.contains("to be taken") {
        "params-altered"
    } else if transaction["fee"] == 2_000_000 {
        "fee-altered"
    } else {
        "signature-altered"
    }
}
