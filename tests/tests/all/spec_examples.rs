//! The spec's examples have the right shape, and a real chain could contain them.
#![expect(
    clippy::expect_used,
    reason = "a test fails by panicking, its functions too"
)]

use nodeproof_openapi::grammar::{self, Kind};
use nodeproof_wallet::{PublicKey, Signature, SignatureEntry, verify_receipt, verify_transaction};
use serde_json::{Value, from_value};

fn document() -> Value {
    serde_json::from_str(nodeproof_openapi::NODE_JSON).expect("JSON")
}

fn example(name: &str) -> Value {
    let document = document();
    let pointer = format!("/components/examples/{name}/value");
    document
        .pointer(&pointer)
        .cloned()
        .expect("an example of that name")
}

fn assert_signed_by_its_signers(signed: &Value) {
    let signatures: Vec<SignatureEntry> =
        from_value(signed["signatures"].clone()).expect("signatures");
    let verified = verify_transaction(&signed["transaction"].to_string(), &signatures);
    assert!(verified.is_ok(), "{verified:?}: {signed}");
}

#[test]
fn example_transactions_are_signed_by_their_signers() {
    assert_signed_by_its_signers(&example("SignedClaim"));
    assert_signed_by_its_signers(&example("SignedTransfer"));
    assert_signed_by_its_signers(&example("BatchRequest")[0]);
    assert_signed_by_its_signers(&example("BlockWithClaim")["text"]["transactions"][0]);
}

#[test]
fn example_receipts_are_signed_by_their_voters() {
    let mut verified = 0;
    for block in ["EmptyBlock", "BlockWithClaim"].map(example) {
        let receipts = block["text"]["previous_block_receipts"].as_array().cloned();
        for receipt in receipts.unwrap_or_default() {
            let key: PublicKey = from_value(receipt["public_key"].clone()).expect("a key");
            let signature: Signature = from_value(receipt["signature"].clone()).expect("hex");
            let outcome = verify_receipt(&receipt["data"].to_string(), &key, &signature);
            assert!(outcome.is_ok(), "{outcome:?}: {receipt}");
            assert_eq!(receipt["data"]["block_hash"], block["previous_hash"]);
            verified += 1;
        }
    }
    assert_eq!(verified, 3);
}

#[test]
fn every_operation_has_a_valid_example_for_each_json_body() {
    // The linter checks that each example is valid. This test checks that there is one.
    let document = document();
    let (mut bodies, mut examples) = (0, 0);
    grammar::visit(&document, &mut |at, kind, node| {
        if kind == Kind::MediaType {
            bodies += 1;
            let several = node
                .get("examples")
                .and_then(Value::as_object)
                .map_or(0, |all| all.len());
            let here = several + usize::from(node.contains_key("example"));
            assert!(here > 0, "no example at {at}");
            examples += here;
        }
    });
    assert!(
        bodies >= 16 && examples >= 30,
        "{examples} examples of {bodies} bodies"
    );
}
