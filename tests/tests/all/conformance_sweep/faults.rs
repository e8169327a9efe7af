//! Single faults in one old block of a long chain. A sweep must find each there, once, and nowhere else.

use std::sync::Arc;

use axum::http::StatusCode;
use integration_tests::{
    faults::remove,
    matrix,
    proxy::{LocalProxy, Proxy, RecordedRequest, Response},
    watch::{check, ids},
};
use nodeproof_conformance::{
    Options,
    report::{Outcome, Style, Verdict},
};
use serde_json::json;

use super::{
    devnode, kinds, only_blocks, sweep, swept,
    table::{BLOCK, BLOCKS, in_block, is_of, rows},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_in_one_place_is_found_there_and_nowhere_else() {
    let node = devnode(BLOCKS).await;
    let mut wrong = Vec::new();
    for row in rows() {
        let broken = LocalProxy::new(&node, row.fault).expect("a proxy");
        let report = broken.check(&only_blocks("..")).await;
        let mut found: Vec<(&str, u64)> = Vec::new();
        let mut elsewhere = Vec::new();
        for (case, count, blocks) in kinds(&report) {
            match found.last_mut() {
                Some((last, sum)) if *last == case => *sum += count,
                _ => found.push((case, count)),
            }
            if blocks != row.places {
                elsewhere.push((case, blocks));
            }
        }
        let sweep = report.sweep.as_ref().expect("a sweep");
        let (ends, unread) = ((sweep.from, sweep.to), sweep.unread);
        let failing = [Outcome::Fail, Outcome::Warn].map(|outcome| ids(&report, outcome).len());
        let curls = report.cases.iter().flat_map(|case| &case.findings);
        let mut curls = curls.map(|finding| finding.curl.as_deref().unwrap_or_default());
        let first = format!("block_index={}'", row.places[0]);
        if found != row.finds
            || !elsewhere.is_empty()
            || ends != (1, BLOCKS + 1)
            || (unread, report.exit_code) != (row.unread, row.exit)
            || failing.iter().sum::<usize>() != row.finds.len()
            || !row.finds.is_empty() && !curls.any(|curl| curl.contains(&first))
        {
            wrong.push(format!(
                "{}: found {found:?}, elsewhere {elsewhere:?}, {unread} unread of {ends:?}, exit {} {:?}",
                row.name, report.exit_code, report.reason
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_fault_matrix_in_the_docs_is_fresh() {
    let rows = rows();
    let mut text = format!(
        "{} in a chain of {BLOCKS} blocks.\n\n\
         | fault | failed cases and findings | first block | exit status |\n| --- | --- | --- | --- |\n",
        matrix::count(rows.len(), "fault", "faults"),
    );
    for row in &rows {
        let finds = row.finds.iter();
        let finds: Vec<_> = finds
            .map(|(case, count)| match count {
                1 => format!("`{case}`"),
                count => format!("`{case}` ×{count}"),
            })
            .collect();
        let found = match row.unread {
            0 => finds.join(", "),
            _ => "– (not read)".to_owned(),
        };
        let places: Vec<_> = row.places.iter().map(ToString::to_string).collect();
        text.push_str(&format!(
            "| {} | {found} | {} | {} |\n",
            matrix::cell(row.name),
            places.join(", "),
            row.exit
        ));
    }
    assert_eq!(matrix::keep_fresh(&[("sweep", text)]), Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_sweep_does_not_see_that_block() {
    // At this length, the block is not among those that a run reads.
    let node = devnode(500).await;
    let fault = in_block(|block| remove(block, "", "proof"));
    let broken = Proxy::spawn(&node, fault).await.expect("a proxy");
    let report = check(&broken.server.base_url(), &Options::default()).await;
    assert_eq!(report.exit_code, 0, "{:?}", ids(&report, Outcome::Fail));
    assert!(report.requests <= 585, "{}", report.requests);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_fault_in_every_block_is_one_finding_with_its_first_places() {
    let every = |request: &RecordedRequest, response: Response| {
        if request.path == "/get-block" && response.status == StatusCode::OK {
            response.with_json(|block| remove(block, "", "proof"))
        } else {
            response
        }
    };
    let report = swept(400, Arc::new(every)).await;
    assert_eq!(
        kinds(&report),
        [("get-block/proof", 400, &[1, 2, 3, 4, 5][..])]
    );
    let case = report
        .cases
        .iter()
        .find(|case| case.id == "get-block/proof");
    let case = case.expect("the case");
    assert_eq!((case.findings.len(), case.more_findings), (5, 395));
    let report = report.into();
    let text = nodeproof_conformance::report::text(&report, Style::Plain);
    assert!(text.contains("1, the first of 400 places"), "{text}");
    assert!(text.len() < 6_000, "{}", text.len());
    let whole = nodeproof_conformance::report::json(&report).expect("JSON");
    assert!(whole.len() < 300_000, "{}", whole.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_chain_passes_every_case_that_a_run_without_a_sweep_passes() {
    let node = devnode(300).await;
    let mut options = Options::default();
    let without = check(node.base_url(), &options).await;
    options.sweep = Some(sweep(".."));
    let with = check(node.base_url(), &options).await;
    assert_eq!(with.exit_code, 0);
    assert_eq!(ids(&with, Outcome::Pass), ids(&without, Outcome::Pass));
    let sweep = with.sweep.expect("a sweep");
    assert_eq!((sweep.from, sweep.to, sweep.judged), (1, 301, 300));
    assert!(sweep.done && sweep.kinds.is_empty());
    assert!(without.requests <= 570, "{}", without.requests);
    assert!(with.requests >= 300, "{}", with.requests);
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_in_the_middle_of_a_chain_are_samples_of_a_sweep() {
    let node = devnode(300).await;
    let without_claims = LocalProxy::new(
        &node,
        Arc::new(|request, response| {
            response.with_json(|body| {
                let index = body["index"].as_u64().unwrap_or_default();
                if request.path == "/get-block" && !(170..180).contains(&index) {
                    body["text"]["transactions"] = json!([]);
                }
            })
        }),
    );
    let mut options = Options::default();
    options.sweep = Some(sweep(".."));
    let report = without_claims.expect("a proxy").check(&options).await;
    assert_eq!(report.exit_code, 0, "{:?}", report.reason);
    assert!(ids(&report, Outcome::Inconclusive).is_empty());
    assert!(report.samples.expect("samples").claims > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_has_the_blocks_that_it_names() {
    let node = devnode(60).await;
    let fault = in_block(|block| remove(block, "", "proof"));
    let broken = Proxy::spawn(&node, fault).await.expect("a proxy");
    let url = broken.server.base_url();
    for (range, judged, code) in [
        ("30..37", 7, 0),
        ("30..=37", 8, 1),
        ("37..", 24, 1),
        ("38..", 23, 0),
        ("..37", 36, 0),
        ("50..1000", 11, 3),
    ] {
        let report = check(&url, &only_blocks(range)).await;
        assert_eq!(report.exit_code, code, "{range}: {:?}", report.reason);
        let sweep = report.sweep.expect("a sweep");
        assert_eq!(sweep.judged, judged, "{range}");
    }
    let report = check(&url, &only_blocks("61..70")).await;
    assert_eq!(
        (report.verdict, report.exit_code),
        (Verdict::Unreachable, 3)
    );
    let reason = report.reason.unwrap_or_default();
    assert!(reason.contains("the chain ends at block 60"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_that_names_a_block_that_is_not_there_is_not_cut_in_silence() {
    let node = devnode(60).await;
    let fault = |request: &RecordedRequest, response: Response| {
        if is_of(request, 60) {
            response.with_status(StatusCode::NOT_FOUND)
        } else {
            response
        }
    };
    let broken = Proxy::spawn(&node, Arc::new(fault)).await.expect("a proxy");
    let url = broken.server.base_url();
    let report = check(&url, &only_blocks("1..=60")).await;
    assert_eq!(report.exit_code, 3, "{:?}", ids(&report, Outcome::Fail));
    let reason = report.reason.unwrap_or_default();
    assert!(
        reason.contains("to block 60") && reason.contains("latest block is 59"),
        "{reason}"
    );
    assert_eq!(check(&url, &only_blocks("1..=59")).await.exit_code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_runs_the_selected_cases_alone() {
    let node = devnode(BLOCKS).await;
    let fault = in_block(|block| {
        remove(block, "", "proof");
        block["timestamp"] = json!(1);
    });
    let broken = Proxy::spawn(&node, fault).await.expect("a proxy");
    let mut options = only_blocks("..");
    options
        .select_only(["chain/time-goes-on", "chain/no-holes"])
        .expect("IDs");
    let report = check(&broken.server.base_url(), &options).await;
    assert_eq!(kinds(&report), [("chain/time-goes-on", 1, &[BLOCK][..])]);
    assert_eq!(ids(&report, Outcome::Pass), ["chain/no-holes"]);
}
