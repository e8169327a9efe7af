//! Runs against nodes without a fault, and against nodes that can't be checked as a whole.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::{
    faults::{change_json, change_response, set, stateful},
    proxy::{Fault, Proxy, RecordedRequest},
    watch::{caught, check, ids},
};
use libtest_mimic::{Failed, Trial};
use nodeproof_conformance::{
    Options, Tier, cases,
    report::{NodeReport, Outcome},
};
use nodeproof_devnode::Config;
use serde_json::json;

use crate::{
    blocks::BLOCK,
    claim_values,
    listing::{DOCUMENT, SWAGGER, moved},
    records::{STATE, rows_of},
    setup::{Setup, run},
};

pub(crate) fn trials(setup: &Arc<Setup>) -> Vec<Trial> {
    vec![
        setup.trial(
            "a_good_node_fails_no_case_at_any_number_of_jobs",
            a_good_node_fails_no_case_at_any_number_of_jobs,
        ),
        setup.trial(
            "a_record_is_compared_with_a_claim_far_below_the_latest_block",
            a_record_is_compared_with_a_claim_far_below_the_latest_block,
        ),
        setup.trial(
            "reading_a_short_chain_takes_at_most_450_requests",
            reading_a_short_chain_takes_at_most_450_requests,
        ),
        setup.trial(
            "what_a_request_gets_when_sent_again_is_told_beside_its_finding",
            what_a_request_gets_when_sent_again_is_told_beside_its_finding,
        ),
        setup.trial("an_empty_object_is_no_block", an_empty_object_is_no_block),
        setup.trial(
            "blocks_that_are_more_than_is_read_leave_no_verdict",
            blocks_that_are_more_than_is_read_leave_no_verdict,
        ),
        setup.trial(
            "a_listing_may_move_within_the_node_and_be_made_of_its_document",
            a_listing_may_move_within_the_node_and_be_made_of_its_document,
        ),
        setup.trial(
            "what_only_scripts_show_is_not_a_finding",
            what_only_scripts_show_is_not_a_finding,
        ),
    ]
}

async fn a_good_node_fails_no_case_at_any_number_of_jobs(setup: Arc<Setup>) -> Result<(), Failed> {
    let node = &setup.node;
    for jobs in [1, 4, 16].into_iter().cycle().take(12) {
        let mut options = Options::default();
        options.limits.jobs = jobs;
        let report = check(node.base_url(), &options).await;
        assert_eq!(
            ids(&report, Outcome::Pass).len(),
            cases::all()
                .iter()
                .filter(|case| case.tier == Tier::Read)
                .count(),
            "{:?}",
            report.cases
        );
        assert_eq!(report.exit_code, 0);
    }
    Ok(())
}

/// Before a record is reported as wrong, the missing blocks of a partly read chain are read.
async fn a_record_is_compared_with_a_claim_far_below_the_latest_block(
    _: Arc<Setup>,
) -> Result<(), Failed> {
    let node = nodeproof_devnode::spawn(Config::for_tests().with_blocks(40));
    let node = node.await.expect("a local node");
    let right: Fault = Arc::new(|_, response| response);
    assert_eq!(caught(&run(&node, right).await), [""; 0]);
    let wrong = change_json(STATE, |_, response| {
        rows_of(response, |mut row| {
            set(&mut row, "/7", json!("Weighed"));
            row
        });
    });
    assert_eq!(
        caught(&run(&node, wrong).await),
        ["sc-state/columns", "sc-state/record-matches-claim"]
    );
    Ok(())
}

/// A run on a short chain sends at most 400 requests, because other users share the node.
async fn reading_a_short_chain_takes_at_most_450_requests(setup: Arc<Setup>) -> Result<(), Failed> {
    let node = &setup.node;
    let proxy = Proxy::honest(node).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), &Options::default()).await;
    assert_eq!(report.exit_code, 0);
    let requests = proxy.requests();
    let all: Vec<_> = requests
        .iter()
        .map(|a| format!("{} {}?{}", a.method, a.path, a.query))
        .collect();
    assert!(all.len() <= 450, "{}:\n{}", all.len(), all.join("\n"));
    assert_eq!(u64::try_from(all.len()).ok(), Some(report.requests));
    // A call may also be sent to a path that takes none.
    let paths = ["/call-sc", "/get-block", "/no-such-path-5a5a"];
    let reads =
        |request: &RecordedRequest| request.method == "GET" || paths.contains(&&*request.path);
    assert!(requests.iter().all(reads), "{}", all.join("\n"));
    Ok(())
}

/// A finding shows what its request gets alone, or in other words, if that is another response.
async fn what_a_request_gets_when_sent_again_is_told_beside_its_finding(
    setup: Arc<Setup>,
) -> Result<(), Failed> {
    let state = |wrong: fn(&RecordedRequest, u32) -> bool| -> Fault {
        stateful(0, move |count, request, response| {
            *count += 1;
            match request.path == STATE && wrong(request, *count) {
                true => response.with_body("[]"),
                false => response,
            }
        })
    };
    let alone = "sent again alone, at the end of the run: 200 {";
    let in_other_words = "sent with %20 for each blank: 200 {";
    let run = async |fault| run(&setup.node, fault).await;
    let always = again(&run(state(|_, _| true)).await);
    assert!(
        !always.is_empty() && always.iter().all(Option::is_none),
        "{always:?}"
    );
    let at_first = again(&run(state(|_, count| count < 200)).await);
    let starts_with = |again: &Option<String>, start| {
        again.as_ref().is_some_and(|again| again.starts_with(start))
    };
    assert!(
        !at_first.is_empty() && at_first.iter().all(|one| starts_with(one, alone)),
        "{at_first:?}"
    );
    let with_plus = state(|request, _| request.query.contains('+'));
    let with_plus = again(&claim_values::run(with_plus).await);
    assert!(
        with_plus.iter().any(|one| starts_with(one, in_other_words)),
        "{with_plus:?}"
    );
    Ok(())
}

/// Returns the note `again` of the first finding of each case.
fn again(report: &NodeReport) -> Vec<Option<String>> {
    let cases = report
        .cases
        .iter()
        .filter(|case| case.outcome.has_findings());
    let first = cases.filter_map(|case| case.findings.first());
    first.map(|finding| finding.again.clone()).collect()
}

/// A chain does not seem longer if its node returns an empty object for a missing block.
async fn an_empty_object_is_no_block(setup: Arc<Setup>) -> Result<(), Failed> {
    let empty = change_response(BLOCK, |_, response| match response.status {
        StatusCode::OK => response,
        _ => response.with_status(StatusCode::OK).with_body("{}"),
    });
    let report = run(&setup.node, empty).await;
    assert_eq!(report.exit_code, 0, "{:?}", ids(&report, Outcome::Fail));
    let heights = report.samples.and_then(|samples| samples.heights);
    assert!(
        heights.is_some_and(|(_, highest)| highest < 100),
        "{heights:?}"
    );
    Ok(())
}

/// A response beyond the reading limits is neither a mismatch nor a good response.
async fn blocks_that_are_more_than_is_read_leave_no_verdict(
    setup: Arc<Setup>,
) -> Result<(), Failed> {
    let deep = change_response(BLOCK, |_, response| {
        let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let text = String::from_utf8_lossy(&response.body).replacen('{', "{\"x\":NESTED,", 1);
        response.with_body(text.replace("NESTED", &nested))
    });
    let many = change_response(BLOCK, |_, response| {
        let text = String::from_utf8_lossy(&response.body).replacen('{', "{\"x\":[MANY0],", 1);
        response.with_body(text.replace("MANY", &"0,".repeat(600_000)))
    });
    for (fault, words) in [(deep, "127 levels deep"), (many, "more than 250000 values")] {
        let report = run(&setup.node, fault).await;
        assert_eq!(report.exit_code, 3, "{:?}", report.reason);
        assert_eq!(ids(&report, Outcome::Fail), [""; 0]);
        let reason = report.reason.unwrap_or_default();
        assert!(reason.contains(words), "{reason}");
    }
    Ok(())
}

async fn a_listing_may_move_within_the_node_and_be_made_of_its_document(
    setup: Arc<Setup>,
) -> Result<(), Failed> {
    for place in ["/docs/", "docs/", "/docs/?from=docs"] {
        let fault: Fault = Arc::new(move |request, response| match request.path.as_str() {
            "/docs" => moved(response, place),
            "/docs/" => {
                let mut response = response.with_body(SWAGGER);
                let page = HeaderValue::from_static("application/xhtml+xml");
                response.headers.insert(header::CONTENT_TYPE, page);
                response
            }
            _ => response,
        });
        assert_eq!(caught(&run(&setup.node, fault).await), [""; 0], "{place}");
    }
    Ok(())
}

async fn what_only_scripts_show_is_not_a_finding(setup: Arc<Setup>) -> Result<(), Failed> {
    for page in [
        "<html><script src='app.js'></script></html>",
        "<html><script>show({ url: '/v2/swagger.json' })</script></html>",
    ] {
        let fault: Fault = Arc::new(move |request, response| match request.path.as_str() {
            "/docs" => response.with_body(page),
            DOCUMENT => response.with_status(StatusCode::NOT_FOUND),
            _ => response,
        });
        let report = run(&setup.node, fault).await;
        assert_eq!(
            ids(&report, Outcome::Inconclusive),
            ["docs/lists-calls", "docs/parameters"]
        );
    }
    Ok(())
}
