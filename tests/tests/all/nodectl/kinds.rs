//! Transactions of types other than a contract call.

use nodeproof_primitives::TimestampMs;
use nodeproof_wallet::KeyPair;
use serde_json::{Value, json};

use crate::nodectl::{
    program::{Home, RunOutput},
    raw_server::{RawServer, Reply},
};

const CONTRACT: &str = "ct00000000000000000000000000000000000000c1";

fn keys() -> KeyPair {
    KeyPair::from_bytes(&[5; 32]).expect("a key")
}

fn transaction(kind: u32, fee: &str, specific_data: &Value) -> String {
    let code = "5a".repeat(20);
    let now = TimestampMs::now().as_millis();
    format!(
        r#"{{"transaction":{{"timestamp":{now},"trans_code":"{code}","type":{kind},"currency":"DEVN","fee":{fee},"descr":"","valid":1,"specific_data":{specific_data}}},"signatures":[]}}"#
    )
}

fn sign(home: &Home, text: &str, more: &[&str]) -> RunOutput {
    let wallet = home.path("w.json");
    if !wallet.exists() {
        home.wallet("w.json", &keys());
    }
    let raw = home.file("raw.json", text);
    home.run(&[&["sign", "--yes", &raw, "--wallet", "w.json"], more].concat())
}

#[test]
fn a_transfer_is_signed_verified_and_submitted_with_a_word_on_what_is_not_known() {
    let home = Home::new();
    let data = json!({"sender1": keys().address(), "asset1_number": 7, "wallet2": "0xb0b"});
    for (kind, name) in [(1, "wallet"), (4, "both directions"), (5, "a transfer")] {
        let signed = sign(&home, &transaction(kind, "1000000", &data), &[]).ended(0);
        assert!(signed.err.contains(&format!("type {kind}, ")), "{signed:?}");
        assert!(signed.err.contains(name), "{signed:?}");
        assert!(!signed.err.contains("a call of"), "{signed:?}");
        assert!(signed.err.contains("signers are unknown"), "{signed:?}");

        let file = home.file("signed.json", &signed.out);
        let right = home.run(&["--json", "verify", &file]).ended(0);
        assert!(right.err.contains("signers are unknown"), "{right:?}");
        let output = right.json();
        assert_eq!(output["signed_by"], json!([keys().address()]));
        assert_eq!(output["complete"], Value::Null);

        let server = RawServer::spawn(|_| {
            let response = r#"{"status":"SUCCESS","response":{"valid":true,"msg":"fine"}}"#;
            Reply::json("200 OK", response)
        });
        let sent = home.ask(&server.base_url, &["submit", &file]).ended(0);
        assert!(sent.err.contains("signers are unknown"), "{sent:?}");

        let changed = signed
            .out
            .replace("\"asset1_number\":7", "\"asset1_number\":8");
        assert_ne!(changed, signed.out);
        let file = home.file("changed.json", &changed);
        home.run(&["verify", &file]).ended(1);
        home.ask(&server.base_url, &["submit", &file]).ended(2);
        let file = home.file("nobody.json", &transaction(kind, "1000000", &data));
        home.run(&["verify", &file]).ended(1);
        home.ask(&server.base_url, &["submit", &file]).ended(2);
        assert_eq!(server.requests(), 1);
    }
}

#[test]
fn sign_shows_the_transaction_with_control_characters_escaped() {
    let home = Home::new();
    let data = json!({
        "address": CONTRACT, "function": "transfer\u{1b}[2J", "signers": [keys().address()],
        "params": {"receiver": "0xbad", "amount_to_send": 12345, "asset_code": "T\u{202e}"},
    });
    let signed = sign(&home, &transaction(3, "1000000.5", &data), &[]).ended(0);
    for words in [
        "a call of \"transfer",
        CONTRACT,
        r#""receiver":"0xbad""#,
        r#""amount_to_send":12345"#,
        "fee 1000000.5 DEVN",
    ] {
        assert!(signed.err.contains(words), "{words}: {signed:?}");
    }
    assert!(!signed.err.contains(['\u{1b}', '\u{202e}']), "{signed:?}");

    let long = json!({
        "address": CONTRACT, "function": "f", "signers": [keys().address()],
        "params": {"remarks": "x".repeat(50_000)},
    });
    let signed = sign(&home, &transaction(3, "1000000", &long), &[]).ended(0);
    assert!(signed.err.len() < 3_000, "{}", signed.err.len());
    assert!(signed.err.contains("cut here: --dry-run"), "{}", signed.err);
}

#[test]
fn a_call_that_names_nobody_is_not_signed_just_so() {
    let home = Home::new();
    for signers in [json!(null), json!([]), json!(["0xb0b"]), json!("x")] {
        let data = json!({"address": CONTRACT, "function": "f", "signers": signers, "params": {}});
        let ran = sign(&home, &transaction(3, "1000000", &data), &[]).ended(2);
        assert!(ran.err.contains("sign") && ran.out.is_empty(), "{ran:?}");
    }
}

#[test]
fn a_list_is_not_taken_for_a_transaction() {
    let home = Home::new();
    let file = home.file(
        "receipts.json",
        r#"[{"data":{},"public_key":"","signature":""}]"#,
    );
    let ran = home.run(&["verify", &file]).ended(2);
    assert!(ran.err.contains("one by one"), "{ran:?}");
}
