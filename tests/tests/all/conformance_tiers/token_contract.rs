//! A run finds the contract that makes transfers, or says that it did not.

use std::time::Duration;

use axum::{
    Json,
    body::{Body, to_bytes},
    extract::Request,
    middleware::{Next, from_fn},
    response::IntoResponse as _,
};
use integration_tests::{
    server::Server,
    watch::{check, ids},
};
use nodeproof_conformance::report::{NodeReport, Outcome};
use nodeproof_devnode::{BlockTime, Config, InjectedFault, spawn};
use serde_json::{Value, json};

use crate::conformance_tiers::with_eight_claims;

/// Judges a local node with two blocks, which have no transfer. It may refuse all transfers.
async fn judged(fault: Option<InjectedFault>, takes_transfers: bool) -> NodeReport {
    let every = BlockTime::Every(Duration::from_millis(100));
    let mut config = Config::for_tests().with_block_time(every).with_blocks(2);
    config.fault = fault;
    let node = spawn(config).await.expect("a local node");
    let options = with_eight_claims(&node);
    let refusing = move |request: Request, next: Next| async move {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
        let function = sent.pointer("/transaction/specific_data/function");
        if !takes_transfers && function == Some(&json!("transfer")) {
            return Json(json!({"status": "SUCCESS", "response": {
                "valid": false, "msg": "the contract has no such function", "new_transaction": true,
            }}))
            .into_response();
        }
        next.run(Request::from_parts(parts, Body::from(body))).await
    };
    let router = nodeproof_devnode::router(node.node().clone()).layer(from_fn(refusing));
    let server = Server::spawn(router).await.expect("a server");
    check(&server.base_url(), &options).await
}

#[tokio::test(flavor = "multi_thread")]
async fn transfers_are_judged_although_no_block_shows_one() {
    let fault = Some(InjectedFault::TransferToItself);
    for (fault, takes_transfers, fails, has_note) in [
        (None, true, &[][..], false),
        (fault, true, &["submit-transaction/fee-paid"], false),
        (fault, false, &[], true),
    ] {
        let report = judged(fault, takes_transfers).await;
        assert_eq!(ids(&report, Outcome::Fail), fails, "{takes_transfers}");
        let mut notes = report.notes.iter();
        let is_named = notes.any(|note| note.contains("the node accepted no transfer"));
        assert_eq!(is_named, has_note, "{:?}", report.notes);
    }
}
