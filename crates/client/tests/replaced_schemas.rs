//! The types that replace generated ones read every property in the description.
//!
//! The generator does not read a replaced schema. Without this test, a new field in the description
//! would go unnoticed.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, its functions too"
)]

#[path = "../build/replaced.rs"]
mod replaced;

use std::collections::{BTreeMap, BTreeSet};

use nodeproof_client::{
    AddVerification, BalanceResponse, BatchResponse, Block, ContractCall, ContractState,
    ExtraFields, Receipt, SignatureEntry, SubmitResponse, Transaction, TrustScore,
};
use replaced::REPLACED;
use serde_json::{Map, Value, json};

const WALLET: &str = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";
const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";

/// Properties that the types leave to the caller, in `extra`.
const LEFT_IN_EXTRA: &[(&str, &str)] = &[("Transaction", "is_child_txn")];

#[test]
fn every_property_of_a_replaced_schema_is_read() {
    let document: Value = serde_json::from_str(nodeproof_openapi::NODE_JSON).unwrap();
    let schemas = &document["components"]["schemas"];
    let mut found = BTreeMap::new();
    for (name, replacement) in REPLACED {
        // `RawJson` stores the whole text. Its typed views are below.
        if !replacement.ends_with("::RawJson") {
            collect(schemas, name, &schemas[name], &mut found);
        }
    }
    for name in ["ContractCallData", "AddVerificationParams"] {
        collect(schemas, name, &schemas[name], &mut found);
    }
    let mut unread = Vec::new();
    for (schema, properties) in &found {
        for name in unread_by(schema, properties) {
            if !LEFT_IN_EXTRA.contains(&(schema, &name)) {
                unread.push(format!("{schema}.{name}"));
            }
        }
    }
    assert!(found.len() >= 18, "{:?}", found.keys());
    assert_eq!(unread, [""; 0], "no type reads these properties");
}

/// Collects the properties of a schema, and of the schemas that it consists of.
///
/// Schemas without a name count as part of the one that contains them.
fn collect<'s>(
    schemas: &'s Value,
    name: &'s str,
    schema: &'s Value,
    found: &mut BTreeMap<&'s str, BTreeSet<&'s str>>,
) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = reference.strip_prefix("#/components/schemas/").unwrap();
        let is_replaced = REPLACED.iter().any(|(name, _)| *name == target);
        if !is_replaced && !found.contains_key(target) {
            collect(schemas, target, &schemas[target], found);
        }
        return;
    }
    for (property, inner) in schema["properties"].as_object().into_iter().flatten() {
        found.entry(name).or_default().insert(property);
        collect(schemas, name, inner, found);
    }
    for choice in ["allOf", "anyOf", "oneOf"] {
        for branch in schema[choice].as_array().into_iter().flatten() {
            collect(schemas, name, branch, found);
        }
    }
    if schema["items"].is_object() {
        collect(schemas, name, &schema["items"], found);
    }
}

/// Returns the properties that the type for `schema` does not read.
fn unread_by(schema: &str, properties: &BTreeSet<&str>) -> Vec<String> {
    let nulls = || {
        properties
            .iter()
            .map(|name| ((*name).to_owned(), Value::Null))
    };
    let object = Value::Object(nulls().collect());
    // An object with the given members, and null for all other properties.
    let with = |given: Value| {
        let mut members: Map<String, Value> = nulls().collect();
        members.extend(given.as_object().cloned().unwrap_or_default());
        Value::Object(members)
    };
    let bytes = |value: &Value| value.to_string().into_bytes();
    let other_than = |read: &[&str]| {
        let others = properties.iter().filter(|name| !read.contains(name));
        others.map(|name| (*name).to_owned()).collect()
    };
    match schema {
        "Block" | "BlockRow" => extra(Block::from_slice(&bytes(&object)).unwrap().extra()),
        "BlockText" => {
            let block = Block::from_slice(&bytes(&json!({ "text": object }))).unwrap();
            extra(block.text_extra())
        }
        "Receipt" => extra(Receipt::from_text(&object.to_string()).unwrap().extra()),
        "ReceiptData" => {
            // The signed text is stored. Each field that is read reports that it is null.
            let receipt = Receipt::from_text(&json!({ "data": object }).to_string()).unwrap();
            let faults = receipt.faults();
            let read: Vec<&str> = faults
                .iter()
                .filter_map(|fault| fault.field().strip_prefix("data."))
                .collect();
            other_than(&read)
        }
        "Transaction" => extra(Transaction::from_text(&object.to_string()).unwrap().extra()),
        "ContractCallData" => {
            let text = json!({ "specific_data": object }).to_string();
            let transaction = Transaction::from_text(&text).unwrap();
            extra(transaction.contract_call().unwrap().extra())
        }
        "TokenBalance" | "TokenBalances" | "TokenHolders" => extra(
            BalanceResponse::from_slice(&bytes(&object))
                .unwrap()
                .extra(),
        ),
        "TokenHolding" => {
            let entry = with(json!({ "token_code": "T" }));
            let response =
                BalanceResponse::from_slice(&bytes(&json!({ "balance": [entry] }))).unwrap();
            extra(&response.tokens().unwrap()[0].extra)
        }
        "TokenHolder" => {
            let entry = with(json!({ "wallet": WALLET }));
            let response =
                BalanceResponse::from_slice(&bytes(&json!({ "balance": [entry] }))).unwrap();
            extra(&response.holders().unwrap()[0].extra)
        }
        "ContractStateResponse" => {
            extra(ContractState::from_slice(&bytes(&object)).unwrap().extra())
        }
        "TrustScoreResponse" => extra(TrustScore::from_slice(&bytes(&object)).unwrap().extra()),
        "SubmitResponse" => extra(SubmitResponse::from_slice(&bytes(&object)).unwrap().extra()),
        "BatchResponse" => extra(BatchResponse::from_slice(&bytes(&object)).unwrap().extra()),
        "ContractCallRequest" => {
            let call = with(json!({
                "sc_address": CONTRACT, "function_called": "f", "signers": [], "params": {},
            }));
            extra(&serde_json::from_value::<ContractCall>(call).unwrap().extra)
        }
        "SignatureEntry" => {
            let entry = with(json!({ "wallet_address": WALLET, "msgsign": "ab" }));
            let entry: SignatureEntry = serde_json::from_value(entry).unwrap();
            other_than(&names(&serde_json::to_value(entry).unwrap()))
        }
        "AddVerificationParams" => {
            let claim = AddVerification::new("asset", WALLET.parse().unwrap(), 1);
            other_than(&names(&serde_json::to_value(claim).unwrap()))
        }
        // These store the whole text. Their accessors read the following members.
        "RawTransaction" | "SignedTransaction" => other_than(&["transaction", "signatures"]),
        "BlockTransaction" => other_than(&["transaction", "signatures", "status"]),
        "SubmitResult" => other_than(&["valid", "msg", "new_transaction"]),
        "BatchResult" => other_than(&["accepted_transactions", "failed_transactions"]),
        _ => panic!("no type of this test reads {schema}: add one, with the fields that it reads"),
    }
}

fn extra(fields: &ExtraFields) -> Vec<String> {
    fields.iter().map(|(name, _)| name.to_owned()).collect()
}

fn names(object: &Value) -> Vec<&str> {
    let members = object.as_object().unwrap();
    members.keys().map(String::as_str).collect()
}
