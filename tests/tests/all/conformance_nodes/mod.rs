//! Several nodes are checked at the same time and compared with each other.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

mod growing;
mod table;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use axum::http::StatusCode;
use integration_tests::{
    faults::{change_json, set},
    proxy::{Fault, Proxy, RecordedRequest, Response},
    watch::Silent,
};
use nodeproof_conformance::{
    NodeToCheck, Options, Sweep, Target,
    report::{CaseReport, FindingReport, Outcome, Report, Verdict},
    run,
};
use nodeproof_devnode::{ChainTime, Config};
use nodeproof_primitives::Network;
use serde_json::{Value, json};

async fn devnode(seed: u64, blocks: u64) -> nodeproof_devnode::Handle {
    // Two nodes with one seed have the same chain.
    let config = Config::for_tests()
        .with_seed(seed)
        .with_blocks(blocks)
        .with_time(ChainTime::FIXED);
    nodeproof_devnode::spawn(config)
        .await
        .expect("a local node")
}

async fn proxy(node: &nodeproof_devnode::Handle, fault: Fault) -> Proxy {
    Proxy::spawn(node, fault).await.expect("a proxy")
}

async fn check(urls: &[&str], options: &Options) -> Report {
    let node = |url: &&str| -> NodeToCheck {
        let target = Target::parse(url, Network::Devnet).expect("a base URL");
        (target, options.clone(), Arc::new(Silent))
    };
    run(urls.iter().map(node).collect(), std::future::pending()).await
}

fn cross<'r>(report: &'r Report, id: &str) -> &'r CaseReport {
    let id = format!("cross-check/{id}");
    let found = report.cross_check.iter().find(|check| check.id == id);
    found.expect("a cross-check")
}

fn outcomes(report: &Report) -> Vec<(&str, Outcome)> {
    let checks = report.cross_check.iter();
    checks
        .map(|check| (check.id.trim_start_matches("cross-check/"), check.outcome))
        .collect()
}

fn heights(report: &Report) -> Vec<u64> {
    report.nodes.iter().filter_map(|node| node.height).collect()
}

fn compared(report: &Report, id: &str) -> u64 {
    cross(report, id).compared.expect("a number")
}

/// Returns the place of each difference, with the number of places that have it.
fn places(check: &CaseReport) -> Vec<(&str, u64)> {
    let findings = check.findings.iter();
    findings
        .map(|one| {
            (
                one.place.as_deref().expect("a place"),
                one.count.expect("a number"),
            )
        })
        .collect()
}

/// Returns the base URL as reports show it.
fn shown_url(url: &str) -> String {
    Target::parse(url, Network::Devnet)
        .expect("a base URL")
        .base_url
        .to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_of_one_chain_agree() {
    let (one, other) = (devnode(7, 40).await, devnode(7, 40).await);
    let report = check(&[one.base_url(), other.base_url()], &Options::default()).await;
    assert_eq!(
        outcomes(&report),
        [
            ("height", Outcome::Pass),
            ("blocks", Outcome::Pass),
            ("balances", Outcome::Pass),
            ("contract-state", Outcome::Pass),
            ("trust-scores", Outcome::Pass),
        ],
        "{:?}",
        report.cross_check
    );
    assert!(compared(&report, "blocks") >= 16);
    assert!(compared(&report, "balances") >= 2);
    assert!(compared(&report, "contract-state") >= 1);
    assert_eq!((report.verdict, report.exit_code), (Verdict::Conforms, 0));
    assert_eq!(report.nodes.len(), 2);
    assert_eq!(heights(&report), [40, 40]);
    // These are the requests of the read tier and those of the comparison.
    for node in [one, other] {
        let requests = node.node().requests_received();
        assert!(requests < 550, "{requests}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_behind_is_told_from_one_that_disagrees() {
    let (ahead, behind) = (devnode(7, 40).await, devnode(7, 31).await);
    let report = check(&[ahead.base_url(), behind.base_url()], &Options::default()).await;
    let height = cross(&report, "height");
    assert_eq!(height.outcome, Outcome::Info);
    let reason = height.reason.clone().unwrap_or_default();
    assert_eq!(
        reason,
        format!("{} lags by 9 blocks", shown_url(behind.base_url()))
    );
    assert_eq!(heights(&report), [40, 31]);
    assert_eq!(cross(&report, "blocks").outcome, Outcome::Pass);
    // The nodes are not at the same block, so balances can't be compared.
    let balances = cross(&report, "balances");
    assert_eq!(balances.outcome, Outcome::Inconclusive);
    assert!(
        balances
            .reason
            .as_ref()
            .is_some_and(|why| why.contains("is at block 31"))
    );
    assert_eq!(report.exit_code, 0);

    let other = devnode(8, 31).await;
    let report = check(&[ahead.base_url(), other.base_url()], &Options::default()).await;
    assert_eq!(cross(&report, "blocks").outcome, Outcome::Fail);
    assert_eq!(
        (report.verdict, report.exit_code),
        (Verdict::DoesNotConform, 1)
    );
}

/// Adds one to every balance above zero.
fn more_held() -> Fault {
    change_json("/get-balances", |_, value| {
        fn more(value: &mut Value) {
            match value {
                Value::Number(number) => {
                    if let Some(held) = number.as_u64().filter(|held| *held > 0) {
                        *value = json!(held + 1);
                    }
                }
                Value::Array(items) => items.iter_mut().for_each(more),
                Value::Object(members) => members.values_mut().for_each(more),
                _ => {}
            }
        }
        more(value);
    })
}

/// Changes the remarks of every record.
fn other_record() -> Fault {
    change_json("/sc-state", |_, value| {
        for place in ["/value", "/data"] {
            set(value, &format!("{place}/remarks"), json!("changed"));
            set(value, &format!("{place}/7"), json!("changed"));
        }
    })
}

/// Returns blocks in the form that real nodes were seen to use: rows with fewer members.
fn rows() -> Fault {
    change_json("/get-block", |_, block| {
        let committee = block["committee"].to_string();
        *block = json!({"block_index": block["index"], "timestamp": block["timestamp"],
            "proof": block["proof"], "status": null, "previous_hash": block["previous_hash"],
            "creator_wallet": null, "expected_miner": block["expected_miner"],
            "committee": committee, "hash": "ab".repeat(32)});
    })
}

/// Changes the proof of one block.
fn other_proof(query: &'static str) -> Fault {
    Arc::new(move |request: &RecordedRequest, response: Response| {
        if request.query == query {
            response.with_json(|block| block["proof"] = json!(4_711))
        } else {
            response
        }
    })
}

fn sweep(range: &str) -> Options {
    let mut options = Options::default();
    options.sweep = Some(Sweep::new(range.parse().expect("a range")));
    options
}

#[tokio::test(flavor = "multi_thread")]
async fn a_latest_block_that_keeps_changing_is_no_disagreement() {
    let (one, two) = (devnode(7, 60).await, devnode(7, 60).await);
    let asked_before = AtomicU64::new(5_000);
    let fault: Fault = Arc::new(move |request: &RecordedRequest, response: Response| {
        if request.query == "block_index=60" {
            let ever_other = asked_before.fetch_add(1, Ordering::Relaxed);
            response.with_json(|block| block["proof"] = json!(ever_other))
        } else {
            response
        }
    });
    let moving = proxy(&two, fault).await;
    let urls = [one.base_url(), &moving.server.base_url()];
    let report = check(&urls, &sweep("1..")).await;
    let blocks = cross(&report, "blocks");
    assert_eq!((blocks.outcome, blocks.compared), (Outcome::Pass, Some(59)));
    assert_eq!(blocks.reason, None);
    let note = blocks.note.as_deref().unwrap_or_default();
    assert!(
        note.contains("block 60: the latest block changed repeatedly"),
        "{note}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_behind_hides_no_fork_above_it() {
    let (one, two, behind) = (
        devnode(7, 60).await,
        devnode(7, 60).await,
        devnode(7, 40).await,
    );
    let wrong = proxy(&two, other_proof("block_index=50")).await;
    let wrong_url = wrong.server.base_url();
    let report = check(
        &[one.base_url(), &wrong_url, behind.base_url()],
        &sweep(".."),
    )
    .await;
    assert_eq!(cross(&report, "height").outcome, Outcome::Info);
    let blocks = cross(&report, "blocks");
    assert_eq!(blocks.compared, Some(60));
    assert_eq!(blocks.findings.len(), 1, "{:?}", blocks.findings);
    let finding = &blocks.findings[0];
    assert_eq!(places(blocks), [("block 50", 1)]);
    assert_eq!(finding.what, "proof: the nodes disagree");
    assert_eq!(
        (report.verdict, report.exit_code),
        (Verdict::DoesNotConform, 1)
    );

    // The blocks of the lagging node are compared with those of the others.
    let wrong = proxy(&behind, other_proof("block_index=40")).await;
    let wrong_url = wrong.server.base_url();
    let report = check(
        &[one.base_url(), two.base_url(), &wrong_url],
        &Options::default(),
    )
    .await;
    let blocks = cross(&report, "blocks");
    assert_eq!(blocks.findings.len(), 1, "{:?}", blocks.findings);
    assert_eq!(places(blocks)[0].0, "block 40");
    assert_eq!(blocks.findings[0].differs, [shown_url(&wrong_url)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_without_the_blocks_of_a_sweep_is_behind_and_hides_no_fork() {
    let (one, two, behind) = (
        devnode(7, 60).await,
        devnode(7, 60).await,
        devnode(7, 40).await,
    );
    let options = sweep("45..55");
    let urls = [one.base_url(), two.base_url(), behind.base_url()];
    let report = check(&urls, &options).await;
    let codes: Vec<_> = report.nodes.iter().map(|node| node.exit_code).collect();
    assert_eq!(codes, [0, 0, 0]);
    let reason = report.nodes[2].reason.as_deref().unwrap_or_default();
    assert!(reason.contains("the chain ends at block 40"), "{reason}");
    assert_eq!(cross(&report, "height").outcome, Outcome::Info);
    assert_eq!(compared(&report, "blocks"), 10);
    assert_eq!(report.exit_code, 0);

    let wrong = proxy(&two, other_proof("block_index=50")).await;
    let urls = [one.base_url(), &wrong.server.base_url(), behind.base_url()];
    let report = check(&urls, &options).await;
    assert_eq!(places(cross(&report, "blocks"))[0].0, "block 50");
    assert_eq!(
        (report.verdict, report.exit_code),
        (Verdict::DoesNotConform, 1)
    );

    // A lagging node that also does not conform still fails.
    let wrong = proxy(
        &behind,
        change_json("/get-balances", |_, value| *value = json!(1)),
    )
    .await;
    let urls = [one.base_url(), two.base_url(), &wrong.server.base_url()];
    let report = check(&urls, &options).await;
    assert_eq!((report.nodes[2].exit_code, report.exit_code), (1, 1));

    // If no node has the blocks, there is no verdict.
    let report = check(&urls[..2], &sweep("70..")).await;
    let codes: Vec<_> = report.nodes.iter().map(|node| node.exit_code).collect();
    assert_eq!((codes, report.exit_code), (vec![3, 3], 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_malformed_at_one_node_differs_from_what_the_others_have() {
    let (one, two, three) = (
        devnode(7, 40).await,
        devnode(7, 40).await,
        devnode(7, 40).await,
    );
    let fault = change_json("/get-block", |_, block| {
        block["creator_wallet"] = json!("<img src=x onerror=alert(1)>");
        block["committee"][0] = json!(7);
        block["text"]["previous_block_receipts"] = json!("none");
    });
    let wrong = proxy(&two, fault).await;
    let wrong_url = wrong.server.base_url();
    let urls = [one.base_url(), &wrong_url, three.base_url()];
    let report = check(&urls, &Options::default()).await;
    let blocks = cross(&report, "blocks");
    for member in ["creator_wallet", "committee", "previous_block_receipts"] {
        let found = |finding: &&FindingReport| {
            finding.what.starts_with(&format!("{member}:"))
                && finding.differs == [shown_url(&wrong_url)]
        };
        let findings: Vec<_> = blocks.findings.iter().filter(found).collect();
        assert_eq!(findings.len(), 1, "{member}: {:?}", blocks.findings);
        assert_eq!(findings[0].count, blocks.compared, "{member}");
    }
    assert_eq!(
        (report.verdict, report.exit_code),
        (Verdict::DoesNotConform, 1)
    );
}

/// Faults of the second of two nodes: the cross-check that finds it, its number, its first place, and its values.
#[tokio::test(flavor = "multi_thread")]
async fn a_difference_between_two_nodes_is_one_finding_with_its_place_and_values() {
    let changed = |query: &'static str, change: fn(Response) -> Response| -> Fault {
        Arc::new(
            move |request, response| match request.query.contains(query) {
                true => change(response),
                false => response,
            },
        )
    };
    let fewer_holders = |response: Response| {
        response.with_json(|value| drop(value["balance"].as_array_mut().map(Vec::pop)))
    };
    let no_block = |response: Response| {
        response
            .with_status(StatusCode::BAD_REQUEST)
            .with_body("{}")
    };
    let trust = change_json("/get-trustscore-wallets", |_, value| {
        if let Some(score) = value["trust_score"].as_i64() {
            value["trust_score"] = json!(score + 1);
        }
    });
    let (one, two) = (devnode(7, 40).await, devnode(7, 40).await);
    for (id, fault, what, place, value) in [
        (
            "balances",
            changed("ALL_WALLETS_FOR_TOKEN", fewer_holders),
            "",
            "as listed for the token",
            "0",
        ),
        ("trust-scores", trust, "trust_score", "", ""),
        (
            "blocks",
            changed("block_index=3", no_block),
            "",
            "block 3",
            "missing",
        ),
        (
            "blocks",
            other_proof("block_index=3"),
            "proof: the nodes disagree",
            "block 3",
            "4711",
        ),
    ] {
        let wrong = proxy(&two, fault).await;
        let urls = [one.base_url(), &wrong.server.base_url()];
        let report = check(&urls, &Options::default()).await;
        let found = cross(&report, id);
        assert_eq!(
            (found.outcome, report.exit_code),
            (Outcome::Fail, 1),
            "{found:?}"
        );
        let finding = &found.findings[0];
        assert!(finding.what.contains(what), "{finding:?}");
        assert!(places(found)[0].0.contains(place), "{finding:?}");
        let has_value = finding.values.iter().any(|one| one.value == value);
        assert!(value.is_empty() || has_value, "{finding:?}");
        // Of two nodes, neither is the one that differs.
        assert!(finding.differs.is_empty(), "{finding:?}");
        assert_eq!(report.nodes[0].exit_code, 0);
    }
}
