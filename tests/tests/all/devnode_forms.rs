//! The forms of a local node's responses. The client and `nodectl` read all of them, and conformance
//! checks them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

use integration_tests::{
    built::program,
    observed_node,
    watch::{check, ids},
};
use nodeproof_client::{AddVerification, Client, from_json};
use nodeproof_conformance::{
    Options,
    report::{Outcome, Report},
};
use nodeproof_devnode::{BlockTime, Config, Forms, Handle};
use nodeproof_primitives::escape::escaped_up_to;
use nodeproof_wallet::sign_transaction;
use serde_json::Value;

async fn start(forms: Forms) -> Handle {
    let config = Config::for_tests().with_block_time(BlockTime::OnSubmission);
    nodeproof_devnode::spawn(config.with_forms(forms))
        .await
        .unwrap()
}

#[tokio::test]
async fn the_client_reads_every_form() {
    for forms in Forms::all() {
        let node = start(forms).await;
        let client = Client::new(node.base_url()).unwrap();
        let (contract, verifier) = (node.contract_address(), node.wallet("alice").unwrap());

        let claim = AddVerification {
            doc_hash_list: vec!["ab".repeat(32)],
            remarks: "na\u{ef}ve \"quoted\"".to_owned(),
            ..AddVerification::new("lot-7", verifier.address(), 99)
        };
        let call = claim.call(contract).unwrap();
        let raw = client.build_call(&call).await.unwrap();
        let raw = raw.with_fee(&1_000_000.into()).unwrap();
        let entry = sign_transaction(verifier.keys(), raw.transaction_text().unwrap()).unwrap();
        let signed = raw.with_signatures([entry]).unwrap();
        assert!(
            client.submit(&signed).await.unwrap().is_accepted(),
            "{forms}"
        );

        let record = client.verification(contract, "lot-7").await.unwrap();
        let record = record.unwrap();
        assert_eq!(record.remarks, "na\u{ef}ve \"quoted\"", "{forms}");
        assert_eq!(record.doc_hash_list, ["ab".repeat(32)]);
        assert!(
            client
                .verification(contract, "none")
                .await
                .unwrap()
                .is_none()
        );

        let text = body_of(&node, "/get-block?block_index=13").await;
        let block: nodeproof_client::Block = from_json(text.as_bytes()).unwrap();
        assert_eq!(block.index, 13, "{forms}");
        assert_eq!(block.committee.len(), 3, "{forms}");
        assert_eq!(block.is_row(), forms == Forms::Rows);
        if forms != Forms::Rows {
            let stored = block.transactions().unwrap()[0].signed().unwrap();
            let code = stored.transaction().unwrap().trans_code;
            let sent = signed.transaction().unwrap().trans_code;
            assert_eq!(code, sent, "{forms}");
            assert_eq!(block.receipts().unwrap().len(), 3, "{forms}");
        }
    }
}

async fn body_of(node: &Handle, path: &str) -> String {
    let url = format!("{}{path}", node.base_url());
    let http = nodeproof_client::transport::http_client(
        &node.base_url().parse().unwrap(),
        &nodeproof_client::transport::TransportOptions::default(),
    );
    let response = http.unwrap().get(url).send().await.unwrap();
    response.text().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn nodectl_reads_every_form() {
    let program = program("nodectl").unwrap();
    let home = tempfile::tempdir().unwrap();
    for forms in Forms::all() {
        let node = start(forms).await;
        let ask = |arguments: &[&str]| -> Value {
            let output = Command::new(&program)
                .args([
                    "--base-url",
                    node.base_url(),
                    "--network",
                    "devnet",
                    "--json",
                ])
                .args(arguments)
                .env_clear()
                .env("HOME", home.path())
                .output()
                .unwrap();
            let complaint =
                escaped_up_to(&String::from_utf8_lossy(&output.stderr), 300).to_string();
            assert_eq!(
                output.status.code(),
                Some(0),
                "{forms} {arguments:?}: {complaint}"
            );
            serde_json::from_slice(&output.stdout).unwrap()
        };
        let block = ask(&["block", "2"]);
        assert_eq!(block["index"], 2, "{forms}");
        assert_eq!(block["committee"].as_array().unwrap().len(), 3, "{forms}");
        let contract = node.contract_address().to_string();
        let record = ask(&["claim", "get", "--contract", &contract, "lagerschein-0002"]);
        assert!(
            record.to_string().contains("Gepr\u{fc}ft"),
            "{forms}: {record}"
        );
        let alice = node.wallet("alice").unwrap().address().to_string();
        let balances = ask(&["balances", &alice]).to_string();
        assert!(balances.contains("9007199254740993"), "{forms}: {balances}");
    }
}

/// Returns the cases about blocks and contract state that failed.
fn failed(report: &Report) -> Vec<&str> {
    let about = |id: &&str| id.starts_with("get-block/") || id.starts_with("sc-state/");
    let failed = ids(report, Outcome::Fail).into_iter();
    failed.filter(about).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_judges_rows_as_it_judges_the_observed_node() {
    let observed = observed_node::spawn().await.unwrap();
    let observed = check(&observed.base_url(), &Options::default()).await;
    let rows = start(Forms::Rows).await;
    let rows = check(rows.base_url(), &Options::default()).await;
    assert_eq!(rows.exit_code, 1);
    assert!(failed(&rows).contains(&"get-block/shape"));
    assert_eq!(failed(&rows), failed(&observed));

    let documented = start(Forms::Documented).await;
    let documented = check(documented.base_url(), &Options::default()).await;
    assert_eq!((documented.exit_code, failed(&documented)), (0, vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_fails_contents_of_a_block_that_are_text() {
    let node = start(Forms::Text).await;
    let report = check(node.base_url(), &Options::default()).await;
    assert_eq!(report.exit_code, 1);
    let failed = failed(&report);
    for id in ["get-block/text", "get-block/committee"] {
        assert!(failed.contains(&id), "{failed:?}");
    }
    // The specification does not show the form of a record.
    assert!(
        failed.iter().all(|id| !id.starts_with("sc-state/")),
        "{failed:?}"
    );
}
