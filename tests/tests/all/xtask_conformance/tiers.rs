//! The tiers above reading, through the real binary, against a node by its URL.

use std::{path::PathBuf, time::Duration};

use nodeproof_conformance::report::{NodeReport, Outcome, Report};
use nodeproof_devnode::{BlockTime, Config, TestWallet};

use super::{conformance, outputs};

/// The number of submissions that must be refused, of which ten are sent twice, and the correctly signed control.
const REFUSALS: u64 = 185;

async fn devnode() -> nodeproof_devnode::Handle {
    let every = BlockTime::Every(Duration::from_millis(50));
    let config = Config::for_tests().with_seed(11).with_block_time(every);
    nodeproof_devnode::spawn(config)
        .await
        .expect("a local node")
}

fn key_file(wallet: &TestWallet) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wallet.json");
    let keys = wallet.keys();
    let file = serde_json::json!({
        "public": keys.public_key().to_string(),
        "private": keys.private_key().reveal().as_str(),
        "address": keys.address().to_string(),
    });
    std::fs::write(&path, file.to_string()).expect("the file is written");
    (folder, path)
}

/// Checks the node with the task. Returns its exit status and report.
async fn check(node: &nodeproof_devnode::Handle, more: &[&str]) -> (i32, NodeReport) {
    let format = ["--format", "json", "--network", "devnet", "--base-url"];
    let arguments = [&format[..], &[node.base_url()], more].concat();
    let (code, stdout, _) = outputs(conformance(&arguments)).await;
    let mut report: Report = serde_json::from_str(&stdout).expect("a report");
    (code, report.nodes.remove(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wallet_makes_one_claim_and_every_case_passes() {
    let node = devnode().await;
    let (_folder, path) = key_file(node.wallet("bob").expect("a wallet"));
    let path = path.to_str().expect("UTF-8");
    let contract = node.contract_address().to_string();
    let write = ["--allow", "write,probe", "--wallet", path, "--strict"];
    let named = ["--currency", node.native_token(), "--contract", &contract];
    let (code, report) = check(&node, &[&write[..], &named].concat()).await;
    assert_eq!(code, 0, "{report:?}");
    assert_eq!(
        report.count(Outcome::Pass),
        report.cases.len(),
        "{report:?}"
    );
    // In addition to the refusals: the claim with 27 faults, a claim signed with another key, the claim itself three
    // times at one moment beside a changed copy, once more, in 4 other forms, after it is readable, and at the end,
    // another claim with its code, 4 with other codes, and 25 submissions with its code and no signature of its wallet.
    assert_eq!(
        node.submissions_received(),
        REFUSALS + 27 + 1 + 4 + 1 + 4 + 2 + 1 + 4 + 25
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_leaves_nothing_behind() {
    let node = devnode().await;
    let (code, report) = check(&node, &["--allow", "reject,probe"]).await;
    assert_eq!(code, 0, "{report:?}");
    assert_eq!(node.pending(), 0);
    assert_eq!(node.submissions_received(), REFUSALS);
    let claims = |case: &&nodeproof_conformance::report::CaseReport| {
        case.reason.as_deref() == Some("needs --allow write")
    };
    assert_eq!(
        report.cases.iter().filter(claims).count(),
        report.count(Outcome::Skipped)
    );
}
