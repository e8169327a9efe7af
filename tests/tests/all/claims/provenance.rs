//! A whole dapp, which is killed and survives an outage.

use std::{
    fs,
    process::{Command, Stdio},
};

use integration_tests::built;
use nodeproof_devnode::{BlockTime, Outage};

use super::*;

const ASSETS: u64 = 12;
const FEE: i128 = 1_500_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_dapp_that_is_killed_and_survives_an_outage_pays_for_each_asset_once() {
    let every = BlockTime::Every(Duration::from_millis(100));
    let config = Config::for_tests().with_block_time(every);
    let node = nodeproof_devnode::spawn(config).await.unwrap();
    let client = Client::new(node.base_url()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let wallet = |name: &str| node.wallet(name).unwrap().keys().address();
    let (alice, bob) = (wallet("alice"), wallet("bob"));
    // Asset IDs that can't be file names.
    let line = |one: u64| format!("../lot/{one}, \"{one} t\", {bob}, 1.5\n");
    let csv = folder.path().join("assets.csv");
    fs::write(&csv, (0..ASSETS).map(line).collect::<String>()).unwrap();
    let balances = async || {
        let held = async |token, wallet| {
            let balance = client.token_balance(token, wallet).await.unwrap();
            balance.unwrap_or_default().get()
        };
        let (fees, tokens) = (node.native_token(), "GRAIN");
        (held(fees, alice).await, held(tokens, bob).await)
    };
    let example = built::example("provenance").unwrap();
    let start = || {
        let mut command = Command::new(&example);
        let output = folder.path().join("output");
        command.arg(node.base_url()).arg(&csv).arg(&output);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let ended = async |child: std::process::Child| {
        let ended = tokio::task::spawn_blocking(|| child.wait_with_output());
        let output = ended.await.unwrap().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let until = async |is_reached: &dyn Fn() -> bool| {
        while !is_reached() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let before = balances().await;

    // Killed while it submits, and its responses are late.
    let state = node.node();
    state.set_submission_outage(Some(Outage::Delayed(Duration::from_secs(3600))));
    let mut first = start();
    until(&|| node.submissions_received() >= 3).await;
    first.kill().unwrap();
    first.wait().unwrap();
    state.set_submission_outage(None);

    // The node is gone for a while, in the middle of the work.
    let second = start();
    until(&|| node.submissions_received() >= 9).await;
    state.set_outage(Some(Outage::Unavailable));
    let requests = state.requests_received();
    until(&|| state.requests_received() > requests + 20).await;
    state.set_outage(None);
    assert!(ended(second).await.ends_with("paid 12\n"));
    let after = balances().await;
    assert_eq!(before.0 - after.0, 2 * i128::from(ASSETS) * FEE);
    assert_eq!(after.1 - before.1, i128::from(ASSETS) * 1_500_000);

    // Again, it has nothing to pay.
    ended(start()).await;
    let last = balances().await;
    assert_eq!(before.0 - last.0, 2 * i128::from(ASSETS) * FEE);
    assert_eq!(last.1 - before.1, i128::from(ASSETS) * 1_500_000);
    let index = fs::read_to_string(folder.path().join("output/index.jsonl")).unwrap();
    assert_eq!(index.matches("../lot/").count(), 12);
}
