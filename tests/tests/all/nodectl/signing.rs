//! From a call to a submission, step by step: `call`, `sign`, `verify`, `submit`.

use std::fs;

use nodeproof_client::{RawTransaction, SignedTransaction, signed_message};
use nodeproof_devnode::{Config, Handle};
use serde_json::json;

use crate::nodectl::program::{Home, RunOutput, keys, words};

const FEE: [&str; 4] = ["--fee", "1000000", "--currency", "DEVN"];

async fn node() -> Handle {
    nodeproof_devnode::spawn(Config::for_tests())
        .await
        .expect("a node")
}

/// Builds the call of a claim that two wallets sign.
fn call(home: &Home, node: &Handle, url: &str, more: &[&str]) -> RunOutput {
    let (alice, bob) = (keys(node, "alice"), keys(node, "bob"));
    let params = json!({
        "asset_id": "two hands \u{e9}", "asset_type": "token", "verifier_address": alice.address(),
        "outcome": 1, "doc_hash_list": [], "doc_link_list": [], "remarks": "\u{1f600}",
        "deletable_after": 12_345_678_901_234_567_890_u64,
    });
    let params = home.file("params.json", &params.to_string());
    let contract = node.contract_address().to_string();
    let (alice, bob) = (alice.address().to_string(), bob.address().to_string());
    let arguments = format!(
        "call --contract {contract} --function add_verification --signer {alice} --signer \
             {bob} --params {params}"
    );
    let arguments = words(&arguments);
    home.ask(url, &[&arguments[..], more].concat())
}

/// Builds that call, and writes it to `raw.json`.
fn build(home: &Home, node: &Handle) {
    let arguments = [&FEE[..], &["--out", "raw.json"]].concat();
    call(home, node, node.base_url(), &arguments).ended(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_sign_one_after_another_and_the_text_stays_to_the_byte() {
    let node = node().await;
    let (home, url) = (Home::new(), node.base_url());
    let raw = call(&home, &node, url, &FEE).ended(0).out;
    let text = RawTransaction::from_json(&raw).unwrap();
    let text = text.transaction_text().unwrap().to_owned();
    assert!(text.contains(r#""fee":1000000,"#) && text.contains("12345678901234567890"));

    let raw = home.file("raw.json", &raw);
    let (alice, bob) = (keys(&node, "alice"), keys(&node, "bob"));
    let wallet = home.wallet("alice.json", &alice);
    let half = home
        .run(&["sign", "--yes", &raw, "--wallet", &wallet])
        .ended(0);
    assert!(
        half.err
            .contains(&format!("still to be signed by {}", bob.address())),
        "{half:?}"
    );
    let half = home.file("half.json", &half.out);

    let refused = home.ask(url, &["submit", &half]).ended(2);
    assert!(
        refused
            .err
            .contains(&format!("the signature of {} is missing", bob.address()))
    );
    assert_eq!(node.node().submissions_received(), 0);
    home.run(&["verify", &half]).ended(1);

    let wallet = home.wallet("bob.json", &bob);
    home.run(&[
        "sign",
        "--yes",
        &half,
        "--wallet",
        &wallet,
        "--out",
        "whole.json",
    ])
    .ended(0);
    let whole = fs::read_to_string(home.path("whole.json")).unwrap();
    let signed = SignedTransaction::from_json(whole.trim()).unwrap();
    assert_eq!(signed.transaction_text(), text);
    home.run(&["verify", "whole.json"]).ended(0);

    let taken = home
        .ask(url, &["--json", "submit", "whole.json"])
        .ended(0)
        .json();
    assert_eq!(
        (&taken["valid"], &taken["new_transaction"]),
        (&json!(true), &json!(true))
    );
    let again = home
        .ask(url, &["--json", "submit", "whole.json"])
        .ended(0)
        .json();
    assert_eq!(again["new_transaction"], false);
    node.node().make_block();
    let contract = node.contract_address().to_string();
    home.ask(
        url,
        &["claim", "get", "two hands \u{e9}", "--contract", &contract],
    )
    .ended(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_can_sign_in_one_run_and_signing_again_changes_nothing() {
    let node = node().await;
    let home = Home::new();
    build(&home, &node);
    let alice = home.wallet("alice.json", &keys(&node, "alice"));
    let bob = home.wallet("bob.json", &keys(&node, "bob"));
    let sign = ["--wallet", &bob, "--wallet", &alice];
    let once = home
        .run(&[&["sign", "--yes", "raw.json"][..], &sign].concat())
        .ended(0);
    home.file("once.json", &once.out);
    let twice = home
        .run(&[&["sign", "--yes", "once.json"][..], &sign].concat())
        .ended(0);
    assert_eq!(once.out, twice.out);
    assert!(twice.err.contains("has signed it already"), "{twice:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_tampered_with_is_neither_verified_nor_signed_nor_sent() {
    let node = node().await;
    let (home, url) = (Home::new(), node.base_url());
    call(
        &home,
        &node,
        url,
        &[&FEE[..], &["--out", "raw.json"]].concat(),
    )
    .ended(0);
    let alice = home.wallet("alice.json", &keys(&node, "alice"));
    let bob = home.wallet("bob.json", &keys(&node, "bob"));
    let signed = home
        .run(&[
            "sign", "--yes", "raw.json", "--wallet", &alice, "--wallet", &bob,
        ])
        .ended(0)
        .out;
    let tampered = signed.replacen("\"outcome\":1", "\"outcome\":2", 1);
    assert_ne!(tampered, signed);
    let file = home.file("tampered.json", &tampered);
    let ran = home.run(&["verify", &file]).ended(1);
    assert!(ran.err.contains("is not valid"), "{ran:?}");
    home.run(&["sign", "--yes", &file, "--wallet", &alice])
        .ended(2);
    home.ask(url, &["submit", &file]).ended(2);
    assert_eq!(node.node().submissions_received(), 0);
    home.ask(url, &["submit", &file, "--unverified"]).ended(4);
    assert_eq!(node.node().submissions_received(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fee_is_chosen_by_hand_and_exact() {
    let node = node().await;
    let home = Home::new();
    for (fee, words) in [
        (&[][..], "which fee?"),
        (&["--fee", "1"], "in which token"),
        (&["--fee", "-1", "--currency", "DEVN"], "below zero"),
        (
            &["--fee", "1000000.00000000001", "--currency", "DEVN"],
            "more digits than a JSON number keeps",
        ),
        (&["--fee", "1,5", "--currency", "DEVN"], "1,5"),
    ] {
        let ran = call(&home, &node, node.base_url(), fee).ended(2);
        assert!(ran.err.contains(words), "{fee:?}: {ran:?}");
    }
    assert_eq!(node.node().requests_received(), 0);
    let file = home.file("c.toml", "fee = \"1500000.25\"\ncurrency = \"DEVN\"\n");
    let ran = call(&home, &node, node.base_url(), &["--config", &file]).ended(0);
    assert!(ran.out.contains(r#""fee":1500000.25,"#), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_parameters_are_refused_before_anything_is_asked() {
    let node = node().await;
    let home = Home::new();
    let contract = node.contract_address().to_string();
    let alice = keys(&node, "alice").address().to_string();
    for (params, expected) in [("[1]", "object"), ("{", "JSON"), ("", "JSON")] {
        let file = home.file("p.json", params);
        let arguments =
            format!("call --contract {contract} --function f --signer {alice} --params {file}");
        let arguments = words(&arguments);
        let ran = home
            .ask(node.base_url(), &[&arguments[..], &FEE].concat())
            .ended(2);
        assert!(ran.err.contains(expected), "{ran:?}");
    }
    assert_eq!(node.node().requests_received(), 0);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_signer_command_replaces_a_key_file() {
    let node = node().await;
    let home = Home::new();
    build(&home, &node);
    let alice = keys(&node, "alice");
    let raw = fs::read_to_string(home.path("raw.json")).unwrap();
    let raw = RawTransaction::from_json(&raw).unwrap();
    let message = signed_message(raw.transaction_text().unwrap()).unwrap();
    let signature = alice.sign(message.as_bytes());
    // The script saves its input for the test.
    home.file(
        "device.sh",
        "cat > \"$1\"; printf %s \"$NODE_WALLET_ADDRESS\" > address; cat signature",
    );
    home.file(
        "signature",
        &nodeproof_client::HexText::from_bytes(&signature.to_bytes())
            .unwrap()
            .to_string(),
    );
    let address = alice.address().to_string();
    let sign = [
        "sign",
        "--yes",
        "raw.json",
        "--signer",
        &address,
        "--signer-command",
    ];
    let ran = home
        .run(&[&sign[..], &["sh device.sh 'a file'"]].concat())
        .ended(0);
    assert_eq!(fs::read_to_string(home.path("a file")).unwrap(), message);
    assert_eq!(fs::read_to_string(home.path("address")).unwrap(), address);
    assert!(ran.out.contains(&address));

    // A signature of another wallet is detected.
    let other = keys(&node, "bob").sign(message.as_bytes());
    home.file(
        "signature",
        &nodeproof_client::HexText::from_bytes(&other.to_bytes())
            .unwrap()
            .to_string(),
    );
    let ran = home
        .run(&[&sign[..], &["sh device.sh x"]].concat())
        .ended(2);
    assert_eq!(ran.out, "");
    let ran = home
        .run(&[&sign[..], &["sh -c 'echo not today >&2; exit 3'"]].concat())
        .ended(2);
    assert!(ran.err.contains("not today"), "{ran:?}");
    home.run(&[&sign[..], &["sh 'unclosed"]].concat()).ended(2);
    home.run(&["sign", "--yes", "raw.json", "--signer", &address])
        .ended(2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_every_byte_and_signs_nothing() {
    let node = node().await;
    let home = Home::new();
    build(&home, &node);
    let wallet = home.wallet("alice.json", &keys(&node, "alice"));
    let shown = home
        .run(&[
            "--json",
            "sign",
            "raw.json",
            "--wallet",
            &wallet,
            "--dry-run",
        ])
        .ended(0);
    let raw = fs::read_to_string(home.path("raw.json")).unwrap();
    let raw = RawTransaction::from_json(&raw).unwrap();
    let message = signed_message(raw.transaction_text().unwrap()).unwrap();
    assert_eq!(shown.json()["message"], message.as_str());
    assert!(!shown.out.contains("msgsign"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_verifies_until_it_is_changed() {
    let node = node().await;
    let home = Home::new();
    let block = home
        .ask(node.base_url(), &["--json", "block", "3"])
        .ended(0)
        .json();
    let receipt = block["receipts"][0].to_string();
    let file = home.file("receipt.json", &receipt);
    let right = home.run(&["--json", "verify", &file]).ended(0).json();
    assert_eq!(
        right["signed_by"][0],
        block["receipts"][0]["data"]["wallet_address"]
    );
    let changed = receipt.replacen("\"block_index\":2", "\"block_index\":1", 1);
    assert_ne!(changed, receipt);
    let file = home.file("changed.json", &changed);
    home.run(&["verify", &file]).ended(1);
    let file = home.file("other.json", r#"{"data":{}}"#);
    home.run(&["verify", &file]).ended(2);
}
