//! Checks that the test vectors in docs/signing-vectors.json match what the wallet computes.
//!
//! `UPDATE_SIGNING_GUIDE=1` updates them.
#![expect(clippy::expect_used, reason = "a test that can't go on fails")]

use std::{fs, path::PathBuf};

use nodeproof_primitives::signed_message;
use nodeproof_wallet::{KeyPair, Signature, verify_receipt};
use serde_json::{Value, json};
use sha1::{Digest, Sha1};

/// Documents that together use every rule of the signed message.
const DOCUMENTS: [&str; 4] = [
    r#"{"fee":1e6,"descr":""}"#,
    r#"{"b":[1,-0,2.50,1E16,0.00001,123456789012345678901234567890],"a":{},"c":[]}"#,
    r#"{"text":"tab\t quote\" slash\/ back\\ del\u007f é € 😀 \u0001","n":null,"t":true}"#,
    r#"{"twice":1,"other":2,"twice":3}"#,
];

fn sha1_hex(message: &[u8]) -> String {
    let digest = Sha1::digest(message);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn file() -> PathBuf {
    [
        env!("CARGO_MANIFEST_DIR"),
        "..",
        "docs",
        "signing-vectors.json",
    ]
    .iter()
    .collect()
}

fn signed(keys: &KeyPair, private: &str, document: &str) -> Value {
    let message = signed_message(document).expect("a document that has a message");
    let signature = keys.sign(message.as_bytes());
    json!({
        "private_key": private,
        "public_key": keys.public_key().to_string(),
        "address": keys.address().to_string(),
        "document": document,
        "message": message,
        "sha1": sha1_hex(message.as_bytes()),
        "signature": signature.to_string(),
    })
}

fn vectors() -> Value {
    let private = "01".repeat(32);
    let keys = KeyPair::from_hex(&private).expect("a private key");
    let voter = "02".repeat(32);
    let voter_keys = KeyPair::from_hex(&voter).expect("a private key");
    let claim = format!(
        r#"{{"timestamp":1795207551000,"trans_code":"{}","type":3,"currency":"TKN","fee":1000000,"descr":"","valid":1,"specific_data":{{"address":"ct{}","function":"add_verification","signers":["{}"],"params":{{"asset_id":"asset-7","asset_type":"token","verifier_address":"{}","outcome":1,"doc_hash_list":[],"doc_link_list":[],"remarks":"größer","deletable_after":1347344}}}}}}"#,
        "c0de".repeat(10),
        "5a".repeat(20),
        keys.address(),
        keys.address(),
    );
    let vote = format!(
        r#"{{"block_index":7,"block_hash":"{}","vote":1,"timestamp":1795207551000,"wallet_address":"{}"}}"#,
        "ab".repeat(32),
        voter_keys.address(),
    );
    let messages: Vec<Value> = DOCUMENTS
        .iter()
        .map(|document| signed(&keys, &private, document))
        .collect();
    json!({
        "messages": messages,
        "transaction": signed(&keys, &private, &claim),
        "receipt_data": signed(&voter_keys, &voter, &vote),
    })
}

#[test]
fn the_vectors_of_the_guide_are_what_the_wallet_computes() {
    let vectors = serde_json::to_string_pretty(&vectors()).expect("JSON");
    let wanted = format!("{vectors}\n");
    if std::env::var_os("UPDATE_SIGNING_GUIDE").is_some() {
        fs::write(file(), &wanted).expect("the file is written");
    }
    let text = fs::read_to_string(file()).expect("the file");
    assert!(
        text == wanted,
        "docs/signing-vectors.json differs: run this test with UPDATE_SIGNING_GUIDE=1"
    );
}

#[test]
fn the_receipt_of_the_guide_verifies() {
    let vectors = vectors();
    let receipt = &vectors["receipt_data"];
    let text = |name: &str| receipt[name].as_str().expect("a text").to_owned();
    let signature: Signature = text("signature").parse().expect("a signature");
    let key = text("public_key").parse().expect("a public key");
    verify_receipt(&text("document"), &key, &signature).expect("a receipt that verifies");
}
