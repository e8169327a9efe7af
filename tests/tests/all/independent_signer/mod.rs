//! Checks transactions that an independent implementation signed, and has that implementation check ours.
//! It shares no code with this workspace.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use nodeproof_client::{
    AddVerification, CallErrorKind, Client, Clock, ContractCall, Fee, SignedTransaction,
    SubmitPolicy,
};
use nodeproof_devnode::{Config, Handle};
use nodeproof_primitives::Amount;
use nodeproof_wallet::{KeyPair, SignatureEntry, sign_transaction, verify_transaction};

/// A claim signed by `independent.py` with the key of a devnode's alice, which follows from the
/// seed 0. None of our programs would write its text in this form.
const SIGNED_ELSEWHERE: &str = include_str!("submission.json");

async fn node() -> (Handle, Client) {
    let node = nodeproof_devnode::spawn(Config::for_tests())
        .await
        .expect("a node");
    let client = Client::new(node.base_url()).expect("a client");
    (node, client)
}

fn alice(node: &Handle) -> KeyPair {
    node.wallet("alice").expect("alice").keys().clone()
}

/// Returns the output of the other implementation, or `None` if Python is not installed.
fn elsewhere(arguments: &[&str], input: &str) -> Option<Output> {
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/independent_signer/independent.py");
    let started = Command::new("python3")
        .arg(script)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        #[expect(clippy::print_stderr, reason = "a skipped test prints a note")]
        {
            eprintln!("skipped: there is no python3");
        }
        return None;
    };
    let mut stdin = child.stdin.take().expect("its standard input");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    Some(child.wait_with_output().expect("it ends"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn verified(submission: &SignedTransaction) {
    let entries: Vec<SignatureEntry> = submission
        .signatures()
        .expect("signatures")
        .iter()
        .map(|entry| SignatureEntry {
            wallet_address: entry.wallet_address,
            msgsign: entry.msgsign.as_str().parse().expect("a signature"),
        })
        .collect();
    verify_transaction(submission.transaction_text(), &entries).expect("every signature is right");
}

#[tokio::test]
async fn a_claim_signed_elsewhere_is_accepted_and_read_back() {
    let (node, client) = node().await;
    let submission = SignedTransaction::from_json(SIGNED_ELSEWHERE.trim()).expect("a submission");
    verified(&submission);
    let submitted = client.submit(&submission, &SubmitPolicy::ONCE).await;
    let response = submitted.expect("it is accepted").response.response;
    assert_eq!(response.new_transaction, Some(true));
    node.make_block();
    let record = client
        .verification(node.contract_address(), "signed-elsewhere-1")
        .await
        .expect("a response")
        .expect("a record");
    assert_eq!(record.verifier_address, alice(&node).address());
    assert_eq!(record.remarks, "geprüft \u{7f} \u{1f600} / ✓");
}

#[tokio::test]
async fn a_claim_signed_elsewhere_and_changed_on_the_way_is_refused() {
    let (_node, client) = node().await;
    let changed = SIGNED_ELSEWHERE.trim().replace("1.5E6", "1500001.0");
    assert_ne!(changed, SIGNED_ELSEWHERE.trim());
    let submission = SignedTransaction::from_json(&changed).expect("a submission");
    let submitted = client.submit(&submission, &SubmitPolicy::ONCE).await;
    let error = submitted.expect_err("it is refused");
    assert_eq!(error.kind(), CallErrorKind::Refused, "{error}");
}

/// Returns a claim as the node builds it. Python writes its fee in a different form.
async fn built(node: &Handle, client: &Client, asset: &str) -> String {
    let claim = AddVerification {
        doc_hash_list: vec!["09".repeat(32)],
        remarks: "\u{e9}\u{7f}\u{10348} \"\\\" \u{2028}".to_owned(),
        ..AddVerification::new(asset, alice(node).address(), 2_600_000_u64)
    };
    let call = ContractCall::of(node.contract_address(), &claim).expect("a call");
    let call = call.signers([claim.verifier_address]);
    let fee: Amount = "1.25e6".parse().expect("a fee");
    let fee = Fee::new(fee, node.native_token()).expect("a fee");
    let built = client.build_call(&call, &fee, Clock::Local).await;
    built.expect("a transaction").transaction_text().to_owned()
}

#[tokio::test]
async fn what_is_signed_elsewhere_now_is_accepted() {
    let (node, client) = node().await;
    let transaction = built(&node, &client, "signed-elsewhere-2").await;
    let key = alice(&node).private_key().reveal();
    let Some(output) = elsewhere(&["sign", &key], &transaction) else {
        return;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    let submission = SignedTransaction::from_json(&text(&output.stdout)).expect("a submission");
    assert_eq!(submission.transaction_text(), transaction);
    verified(&submission);
    let submitted = client.submit(&submission, &SubmitPolicy::ONCE).await;
    submitted.expect("it is accepted");
}

#[tokio::test]
async fn other_implementations_verify_only_our_signatures() {
    let (node, client) = node().await;
    let transaction = built(&node, &client, "signed-here").await;
    let wallet = KeyPair::generate().expect("a wallet");
    let entry = sign_transaction(&wallet, &transaction).expect("a signature");
    let entry = serde_json::to_string(&entry).expect("an entry");
    let submission = format!("{{\"transaction\":{transaction},\"signatures\":[{entry}]}}");
    let Some(output) = elsewhere(&["verify"], &submission) else {
        return;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), wallet.address().to_string());
    let changed = submission.replace("signed-here", "signed-where");
    let output = elsewhere(&["verify"], &changed).expect("it was there before");
    assert!(!output.status.success(), "{}", text(&output.stdout));
    let key = wallet.private_key().reveal();
    let output = elsewhere(&["address", &key], "").expect("it was there before");
    assert_eq!(text(&output.stdout), wallet.address().to_string());
}
