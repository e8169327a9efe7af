//! Nodes that lie about an earlier claim, so that the user pays for a second one about the same asset.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use integration_tests::proxy::{Fault, Proxy};
use nodeproof_devnode::{Config, Handle};
use serde_json::{Value, json};

use crate::nodectl::claims::Verifier;

/// What the node returns for requests for records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// A record that states what the submitted transaction claims, although no block has it.
    Faked,
    /// The same with another outcome.
    Changed,
    /// A record of another verifier.
    OfAnother,
    /// The truth: there is no record.
    Nothing,
}

/// A node that takes transactions into no block, and shows records as it likes.
struct LyingNode {
    proxy: Proxy,
    shown: Arc<Mutex<Shown>>,
    /// Keeps the node running.
    node: Handle,
}

impl LyingNode {
    async fn spawn() -> Self {
        let node = nodeproof_devnode::spawn(Config::for_tests())
            .await
            .expect("a node");
        let shown = Arc::new(Mutex::new(Shown::Nothing));
        let (state, submitted) = (Arc::clone(&shown), Mutex::new(None));
        let fault: Fault = Arc::new(move |request, response| match request.path.as_str() {
            "/submit-transaction" => {
                let body: Value = serde_json::from_slice(&request.body).expect("JSON");
                let first = &mut *submitted.lock().expect("a lock");
                first.get_or_insert(body["transaction"]["specific_data"].clone());
                response
            }
            "/sc-state" => {
                let shown = *state.lock().expect("a lock");
                let record = match &*submitted.lock().expect("a lock") {
                    Some(call) if shown != Shown::Nothing => record(call, shown),
                    _ => Value::Null,
                };
                response.with_body(json!({"status": "SUCCESS", "data": record}).to_string())
            }
            _ => response,
        });
        let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
        Self { proxy, shown, node }
    }

    fn show(&self, shown: Shown) {
        *self.shown.lock().expect("a lock") = shown;
    }

    fn url(&self) -> String {
        self.proxy.server.base_url()
    }

    /// The number of different transactions that were submitted, each of which costs a fee.
    fn paid(&self) -> usize {
        let requests = self.proxy.requests().into_iter();
        let bodies: BTreeSet<_> = requests
            .filter(|request| request.path == "/submit-transaction")
            .map(|request| request.body)
            .collect();
        bodies.len()
    }
}

/// Returns the record that a call would make.
fn record(call: &Value, shown: Shown) -> Value {
    let params = &call["params"];
    let verifier = if shown == Shown::OfAnother {
        json!("0x00000000000000000000000000000000000000b2")
    } else {
        params["verifier_address"].clone()
    };
    let outcome = if shown == Shown::Changed {
        json!(7)
    } else {
        params["outcome"].clone()
    };
    json!([
        call["address"],
        params["asset_id"],
        params["asset_type"],
        verifier,
        outcome,
        params["doc_hash_list"].to_string(),
        params["doc_link_list"].to_string(),
        params["remarks"],
        params["deletable_after"],
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_a_node_shows_and_hides_does_not_permit_a_second_payment() {
    for (later, status, words) in [
        (Shown::Nothing, 6, "no record about the asset"),
        (Shown::Changed, 6, "outcome: expected 1, recorded 7"),
        (Shown::OfAnother, 6, "only records of other verifiers"),
        (Shown::Faked, 2, "already, and it differs from the claim"),
    ] {
        let node = LyingNode::spawn().await;
        let (url, verifier) = (node.url(), Verifier::of(&node.node));
        node.show(Shown::Faked);
        let made = verifier.add_signed(&url, "a", &[]).ended(0);
        let made = made.json();
        let code = made["trans_code"].as_str().expect("a code");

        node.show(later);
        let elsewhere = verifier.home.path("mine.json").display().to_string();
        for more in [
            &["--outcome", "2"][..],
            &["--outcome", "2", "--keep", &elsewhere],
        ] {
            let refused = verifier.add_signed(&url, "a", more).ended(status);
            let error = refused.error();
            let message = error["message"].as_str().unwrap_or_default();
            assert!(message.contains(words), "{later:?}: {message}");
            assert_eq!(error["maybe_sent"], false, "{message}");
            if status == 6 {
                assert!(message.contains(code), "{message}");
                assert!(message.contains("--again"), "{message}");
            }
        }
        assert_eq!(node.paid(), 1, "{later:?}");

        // The same claim submits the same transaction, and reports the contradiction, too.
        let same = verifier.add_signed(&url, "a", &["--wait", "0.2"]);
        let same = same.ended(if later == Shown::Faked { 0 } else { 6 });
        if later != Shown::Faked {
            let error = same.error();
            let message = error["message"].as_str().unwrap_or_default();
            assert!(
                message.contains(words) && message.contains(code),
                "{message}"
            );
            assert_eq!(error["maybe_sent"], true, "{message}");
        }
        assert_eq!(node.paid(), 1, "{later:?}");
    }
}
