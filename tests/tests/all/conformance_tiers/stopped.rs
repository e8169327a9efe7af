//! Runs of the write tier that are stopped.

use std::sync::{Arc, Mutex};

use integration_tests::{
    proxy::{Fault, Proxy},
    submissions::{SUBMIT, is_for_a_claim, kind_of_submission, options},
    watch::{Silent, run_one},
};
use nodeproof_conformance::{
    Target, Tier,
    report::{self, Style},
};
use nodeproof_primitives::Network;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::conformance_tiers::local;

/// A run that ends too soon may have cost fees.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_tells_what_was_accepted() {
    let node = local().await;
    let (stop, stopped) = oneshot::channel::<()>();
    // The code of the first claim, and what stops the run when it looks for the record.
    let claim = Arc::new(Mutex::new((None::<String>, Some(stop))));
    let seen = Arc::clone(&claim);
    let watch: Fault = Arc::new(move |request, response| {
        let (code, stop) = &mut *seen.lock().expect("a lock");
        if request.path == SUBMIT && kind_of_submission(request) == "claim" && code.is_none() {
            let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            *code = body["transaction"]["trans_code"]
                .as_str()
                .map(ToOwned::to_owned);
        } else if code.is_some() && is_for_a_claim(request) {
            drop(stop.take());
        }
        response
    });
    let proxy = Proxy::spawn(&node, watch).await.expect("a proxy");
    let target = Target::parse(&proxy.server.base_url(), Network::Devnet).expect("a base URL");
    let interrupt = async move { drop(stopped.await) };
    let mut options = options(&node, Tier::Write);
    options.submitting.public_wallet = None;
    let report = run_one(target, &options, Arc::new(Silent), interrupt).await;
    assert_eq!(report.exit_code, 130);
    let (code, _) = &*claim.lock().expect("a lock");
    let code = code.as_deref().expect("a claim");
    let text = report::text(&report.into(), Style::Plain);
    let mut notes = text
        .lines()
        .filter(|line| line.starts_with("note: before the run ended, "));
    assert!(notes.any(|note| note.contains(code)), "{code}: {text}");
}
