//! Findings about signatures: the signed bytes, their digest, and the command that verifies them.

use std::{fs, path::Path, process::Command};

use integration_tests::{
    faults::{change_json, set},
    proxy::{Fault, Proxy},
};
use nodeproof_devnode::InjectedFault;
use serde_json::{Value, json};
use sha1::{Digest, Sha1};

use super::{NODECTL, node, node_report, ran, run};

/// Runs a command as a user would paste it, with `nodectl` in the path.
fn pasted(command: &str) -> (i32, String, String) {
    let folder = NODECTL.parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    ran(Command::new("sh")
        .args(["-c", command])
        .env("PATH", format!("{}:{path}", folder.display())))
}

/// Returns the rest of the line of a case's finding that begins with a label.
fn shown<'t>(text: &'t str, case: &str, label: &str) -> &'t str {
    let start = text.find(&format!(" {case}\n")).expect("the case");
    let line = text[start..]
        .lines()
        .find_map(|line| line.strip_prefix(label));
    line.expect("the line").trim_start()
}

/// Checks a node, and tests the finding of a case like a user.
fn check(mut command: Command, case: &str, wrong: &str, folder: &Path) {
    let command = command.arg("--report-dir").arg(folder);
    let temporary = tempfile::tempdir().expect("a folder");
    let (status, out, _) = ran(command.env("TMPDIR", temporary.path()));
    assert!([0, 1].contains(&status), "{out}");
    // Nobody removes files from the temporary folder.
    let left = fs::read_dir(temporary.path()).expect("a folder").count();
    assert_eq!(left, 0, "{case}: {out}");
    let report = node_report(&folder.join("report.json"));
    let cases = report["cases"].as_array().expect("cases");
    let finding = cases.iter().find(|found| found["id"] == case);
    let finding = &finding.expect("the case")["findings"][0];
    let signed = &finding["signed"];
    let text = |name: &str| signed[name].as_str().expect("text").to_owned();
    let (message, digest, verify) = (text("message"), text("digest"), text("verify"));

    let sha1: String = Sha1::digest(&message)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    assert_eq!(digest, sha1, "{case}");
    assert_eq!(
        signed["message_bytes"].as_u64(),
        u64::try_from(message.len()).ok()
    );
    assert!(
        message.is_ascii() && serde_json::from_str::<Value>(&message).is_ok(),
        "{message}"
    );

    // The terminal shows the same, or names the place of what is too long.
    let shown_text = shown(&out, case, "  signed ");
    let is_named = shown_text.contains(" bytes: `signed` in report.json");
    assert!(
        shown_text == message || (is_named && message.len() > 1_000),
        "{case}: {shown_text}"
    );
    assert_eq!(shown(&out, case, "  digest "), format!("SHA-1 {digest}"));
    let shown_text = shown(&out, case, "  verify ");
    let is_named = shown_text.contains(" bytes: `verify` in report.json");
    assert!(!is_named || verify.len() > 900, "{case}: {shown_text}");
    let shown_text = if is_named { &verify } else { shown_text };
    for command in [verify.as_str(), shown_text] {
        let (status, out, errors) = pasted(command);
        assert_eq!(
            (status, out.as_str()),
            (1, ""),
            "{case}: {command}\n{errors}"
        );
        assert!(errors.contains(wrong), "{case}: {errors}");
    }
    for file in ["report.html", "junit.xml"] {
        let text = fs::read_to_string(folder.join(file)).expect("a report");
        assert!(text.contains(&digest), "{case}: {file}");
    }
}

fn blocks(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Fault {
    change_json("/get-block", move |_, block| change(block))
}

fn each<'b>(block: &'b mut Value, list: &str) -> impl Iterator<Item = &'b mut Value> {
    let list = block.pointer_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_a_rewriting_node_returns_can_be_verified_by_hand() {
    let receipts = "/text/previous_block_receipts";
    let transactions = "/text/transactions";
    let table: [(&str, &str, &str, Fault); 5] = [
        (
            "a vote is changed after signing",
            "chain/receipt-signatures",
            "the receipt is not valid",
            blocks(move |block| {
                each(block, receipts)
                    .take(1)
                    .for_each(|r| set(r, "/data/vote", json!(5)));
            }),
        ),
        (
            "every vote was changed",
            "chain/receipt-signatures",
            "the receipt is not valid",
            blocks(move |block| {
                each(block, receipts).for_each(|r| set(r, "/data/vote", json!(5)));
            }),
        ),
        (
            "a receipt contains text that a shell or a terminal would interpret",
            "chain/receipt-signatures",
            "the receipt is not valid",
            blocks(move |block| {
                let hostile =
                    "'; touch hacked #$(touch hacked)`touch hacked`\\'\n\u{1b}[2J\u{202e}é";
                each(block, receipts)
                    .take(1)
                    .for_each(|r| r["data"]["note"] = json!(hostile));
            }),
        ),
        (
            "a fee was changed after it was signed",
            "chain/transaction-signatures",
            "the transaction is not valid",
            blocks(move |block| {
                each(block, transactions).for_each(|t| set(t, "/transaction/fee", json!(7)));
            }),
        ),
        (
            "a transaction is long",
            "chain/transaction-signatures",
            "the transaction is not valid",
            blocks(move |block| {
                let long = "it's long ".repeat(300);
                each(block, transactions).for_each(|t| t["transaction"]["descr"] = json!(long));
            }),
        ),
    ];
    let node = node(None).await;
    for (name, case, wrong, fault) in table {
        let folder = tempfile::tempdir().expect("a folder");
        let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
        let url = proxy.server.base_url();
        check(run(&url), case, wrong, folder.path());
        assert!(!Path::new("hacked").exists(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_wrongly_signed_submission_that_is_accepted_can_be_verified_by_hand() {
    let node = node(Some(InjectedFault::NoSignatureCheck)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let case = "submit-transaction/another-wallets-key";
    let wallet = folder.path().join("wallet.json");
    let keys = node.wallets().first().expect("a wallet").keys();
    let file = json!({
        "public": keys.public_key().to_string(),
        "private": keys.private_key().reveal().to_string(),
        "address": keys.address().to_string(),
    });
    fs::write(&wallet, file.to_string()).expect("a file");
    let mut command = run(node.base_url());
    command.args(["--allow", "reject", "--wallet"]).arg(&wallet);
    check(command, case, "the transaction is not valid", folder.path());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_verdict_says_if_no_vote_could_be_verified() {
    let node = node(Some(InjectedFault::ReceiptKeys)).await;
    let headline = "conforms; no signature of a vote could be verified";
    let (status, out, _) = ran(&mut run(node.base_url()));
    assert!(status == 0 && out.contains(headline), "{out}");
    let (status, out, _) = ran(run(node.base_url()).arg("--strict"));
    assert!(status == 1 && out.contains("does not conform"), "{out}");
}
