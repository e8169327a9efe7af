//! No case passes if its endpoint sends nothing that the case could check.

use axum::http::{StatusCode, header};
use integration_tests::{
    faults::change_response,
    proxy::{Fault, LocalProxy, Response},
    submissions::options,
    watch::caught,
};
use nodeproof_conformance::{
    Tier, cases,
    report::{NodeReport, Outcome},
};
use serde_json::{Value, json};

use crate::conformance_tiers::local;

/// The endpoints, and the operations whose cases check their responses.
const ENDPOINTS: [(&str, &[&str]); 7] = [
    ("/get-block", &["get-block", "chain"]),
    ("/get-balances", &["get-balances"]),
    ("/sc-state", &["sc-state"]),
    ("/get-trustscore-wallets", &["get-trustscore-wallets"]),
    ("/docs", &["docs"]),
    ("/call-sc", &["call-sc"]),
    ("/submit-transaction", &["submit-transaction"]),
];

/// A replacement for a response, and its name.
type Ruin = (&'static str, fn(Response) -> Response);
/// A change of a body, its name, and the cases that may still pass.
type ValueRuin = (&'static str, fn(&mut Value), &'static [&'static str]);

const UNUSABLE: [Ruin; 6] = [
    ("404", |response| {
        let detail = json!({"detail": "Not Found"}).to_string();
        response
            .with_status(StatusCode::NOT_FOUND)
            .with_body(detail)
    }),
    ("500", |response| {
        response
            .with_status(StatusCode::INTERNAL_SERVER_ERROR)
            .with_body("")
    }),
    ("an empty body", |response| ok(response, "")),
    ("an empty object", |response| ok(response, "{}")),
    ("an empty array", |response| ok(response, "[]")),
    ("a body that is not JSON", |response| {
        ok(response, "It works!")
    }),
];

/// The cases that do not check the responses of the endpoint in their name.
const OF_OTHERS: [&str; 4] = [
    // It checks only the status.
    "docs/responds",
    // It checks `/openapi.json`.
    "docs/parameters",
    // It checks `/submit-transaction-batch`.
    "submit-transaction/batch",
    // It checks `/call-sc`.
    "submit-transaction/claim-built",
];

fn ok(response: Response, body: &'static str) -> Response {
    response.with_status(StatusCode::OK).with_body(body)
}

/// Runs the cases of these operations.
async fn run(operations: &[&str], fault: Fault) -> NodeReport {
    let node = local().await;
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    let mut options = options(&node, Tier::Write);
    let all = cases::all().into_iter().map(|case| case.id);
    let own = all.filter(|id| operations.contains(&operation(id)));
    options.select_only(own).expect("IDs");
    options.submitting.settle_timeout = std::time::Duration::from_millis(200);
    proxy.check(&options).await
}

fn operation(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_case_passes_on_unusable_responses_of_its_endpoint() {
    let known: Vec<_> = ENDPOINTS.iter().flat_map(|(_, of)| of.iter()).collect();
    // The cases of `http` apply to all endpoints.
    for case in cases::all()
        .iter()
        .filter(|case| operation(case.id) != "http")
    {
        assert!(known.contains(&&operation(case.id)), "{}", case.id);
    }
    let mut wrong = Vec::new();
    for (path, operations) in ENDPOINTS {
        // What can't be signed is noticed when the run makes its claim.
        let claims = (path == "/call-sc").then_some("submit-transaction");
        let run_too: Vec<_> = operations.iter().copied().chain(claims).collect();
        for (what, ruin) in UNUSABLE {
            let fault = change_response(path, move |_, mut response| {
                response.headers.remove(header::CONTENT_TYPE);
                ruin(response)
            });
            let report = run(&run_too, fault).await;
            // The form of the listing is open, so some faults of it are only warnings.
            let is_noticed =
                report.exit_code != 0 || path == "/docs" && !caught(&report).is_empty();
            assert!(is_noticed, "{path} responds with {what}");
            for case in &report.cases {
                let is_own = operations.contains(&operation(&case.id))
                    && !OF_OTHERS.contains(&case.id.as_str());
                if is_own && case.outcome == Outcome::Pass {
                    wrong.push(format!("{} passes if {path} responds with {what}", case.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Replaces each number, word and truth value, but leaves objects and arrays as they are.
fn garble(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(garble),
        Value::Object(members) => members.values_mut().for_each(garble),
        Value::Null => {}
        other => *other = json!("?"),
    }
}

/// Empties each array.
fn empty(value: &mut Value) {
    match value {
        Value::Array(items) => items.clear(),
        Value::Object(members) => members.values_mut().for_each(empty),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_case_about_values_passes_where_there_are_none() {
    let ruins: [ValueRuin; 2] = [
        (
            "garbled values",
            garble,
            &[
                // These cases check objects and arrays, which are intact, or refusals.
                "get-block/shape",
                "get-block/text",
                "get-block/transactions",
                "get-block/previous-block-receipts",
                "get-block/receipt-data",
                "get-block/near",
                "get-block/block-index-malformed",
                "get-block/unknown-index",
                "get-block/index-zero",
                "get-block/responds",
                "chain/repeat-read",
                "chain/no-holes",
            ],
        ),
        (
            "empty arrays",
            empty,
            &[
                "get-block/shape",
                "get-block/index",
                "get-block/index-echo",
                "get-block/timestamp",
                "get-block/timestamp-unit",
                "get-block/proof",
                "get-block/status",
                "get-block/text",
                "get-block/transactions",
                "get-block/previous-block-receipts",
                "get-block/creator-wallet",
                "get-block/expected-miner",
                "get-block/committee",
                "get-block/previous-hash",
                "get-block/snapshot",
                "get-block/near",
                "get-block/block-index-malformed",
                "get-block/unknown-index",
                "get-block/index-zero",
                "get-block/responds",
                "chain/repeat-read",
                "chain/no-holes",
                "chain/distinct-blocks",
                "chain/time-goes-on",
            ],
        ),
    ];
    for (what, ruin, may_pass) in ruins {
        let fault = change_response("/get-block", move |_, response| {
            match response.status == StatusCode::OK {
                true => response.with_json(ruin),
                false => response,
            }
        });
        let report = run(ENDPOINTS[0].1, fault).await;
        let passed = report.cases.iter().filter(|case| {
            case.outcome == Outcome::Pass && ["get-block", "chain"].contains(&operation(&case.id))
        });
        let passed: Vec<_> = passed.map(|case| case.id.as_str()).collect();
        let wrong: Vec<_> = passed.iter().filter(|id| !may_pass.contains(id)).collect();
        assert!(wrong.is_empty(), "{what}: {wrong:?}");
    }
}
