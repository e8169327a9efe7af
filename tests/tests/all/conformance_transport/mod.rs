//! Faults of a network or a server during a run, and their correct verdicts. A failed network is not a
//! mismatch. A wrong body is not a failed network. The run waits long enough where it should.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

mod table;

use std::{collections::BTreeSet, net::SocketAddr, sync::Arc, time::Duration};

use integration_tests::{
    hostile::front::{Act, front},
    matrix,
    watch::{check, ids},
};
use nodeproof_conformance::{
    Options,
    report::{Outcome, Verdict},
};
use nodeproof_devnode::Config;
use tokio::{net::TcpListener, sync::Semaphore, task::JoinSet};

use crate::conformance_transport::table::{Ends, Hostile, TRUST, always, hostile};

/// Describes the mismatch in the end of a run behind this fault.
async fn wrong(upstream: String, hostile: Hostile) -> Option<String> {
    let front = front(&upstream, Arc::clone(&hostile.fault.act))
        .await
        .expect("a front");
    let mut options = Options::default();
    options.limits.jobs = hostile.jobs;
    if hostile.short_timeout {
        // On a busy machine, a good response may also come too late. These runs end the same way anyway.
        options.limits.request_timeout = Duration::from_millis(500);
    }
    let report = check(&format!("http://{}", front.address), &options).await;
    let failed: BTreeSet<_> = [Outcome::Fail, Outcome::Warn]
        .iter()
        .flat_map(|outcome| ids(&report, *outcome))
        .collect();
    let (exit_code, verdict, _) = hostile.ends.verdict();
    let undecided = ids(&report, Outcome::Inconclusive);
    // With a short timeout, other cases may miss a good response too.
    let others_are_spared = hostile.short_timeout
        || undecided
            .iter()
            .all(|id| id.starts_with(hostile.fault.about) || *id == "http/responds");
    let right = report.exit_code == exit_code
        && report.verdict == verdict
        && failed == hostile.ends.failed().iter().copied().collect()
        && others_are_spared
        && match hostile.ends {
            Ends::Unreachable => report.reason.is_some(),
            Ends::DoesNotConform(_) | Ends::Warns(_) => true,
            Ends::Passes => undecided.is_empty(),
        };
    (!right).then(|| {
        let undecided: Vec<_> = report
            .cases
            .iter()
            .filter(|case| case.outcome == Outcome::Inconclusive)
            .map(|case| (&case.id, &case.reason))
            .take(3)
            .collect();
        format!(
            "{}: {} {:?} ({:?}), failed {failed:?}, undecided {undecided:?}",
            hostile.name, report.exit_code, report.verdict, report.reason,
        )
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn network_faults_and_findings_get_the_right_verdict() {
    let node = nodeproof_devnode::spawn(Config::for_tests())
        .await
        .expect("a node");
    // No redirect may lead to this address.
    let elsewhere = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let led = elsewhere.local_addr().expect("an address");
    let few = Arc::new(Semaphore::new(12));
    let mut runs = JoinSet::new();
    for hostile in hostile(led) {
        let (few, upstream) = (Arc::clone(&few), node.base_url().to_string());
        runs.spawn(async move {
            let _turn = few.acquire_owned().await;
            wrong(upstream, hostile).await
        });
    }
    let mut all = runs
        .join_all()
        .await
        .into_iter()
        .flatten()
        .collect::<Vec<_>>();
    all.sort();
    assert!(all.is_empty(), "{}", all.join("\n"));
    let visited = tokio::time::timeout(Duration::ZERO, elsewhere.accept()).await;
    assert!(visited.is_err(), "a redirect was followed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_lost_half_way_leaves_what_was_found() {
    let node = nodeproof_devnode::spawn(Config::for_tests())
        .await
        .expect("a node");
    let lost = always(|seen, good| {
        if seen.path == TRUST {
            return Act::Gone;
        }
        if seen.path == "/get-block" {
            return Act::send(
                good.changed(good.text().replace("\"status\":1", "\"status\":\"1\"")),
            );
        }
        Act::Right
    });
    let front = front(node.base_url(), lost.act).await.expect("a front");
    let mut options = Options::default();
    options.limits.jobs = 1;
    let report = check(&format!("http://{}", front.address), &options).await;
    assert_eq!(report.exit_code, 3, "{:?}", report.reason);
    assert_eq!(report.verdict, Verdict::Unreachable);
    let reason = report.reason.as_deref().unwrap_or_default();
    assert!(reason.contains("lost during the run"), "{reason}");
    assert!(ids(&report, Outcome::Fail).contains(&"get-block/status"));
    assert!(!ids(&report, Outcome::Pass).is_empty());
    assert!(!ids(&report, Outcome::Inconclusive).is_empty());
}

#[test]
fn the_fault_matrix_in_the_docs_is_fresh() {
    let rows = hostile(SocketAddr::from(([127, 0, 0, 1], 0)));
    let of = |exit: u8| {
        rows.iter()
            .filter(|row| row.ends.verdict().0 == exit)
            .count()
    };
    let mut text = format!(
        "{}: {} reported as a network fault, {} as a finding, {} tolerated.\n\n\
         | fault | exit status | verdict | failed cases |\n| --- | --- | --- | --- |\n",
        matrix::count(rows.len(), "fault", "faults"),
        of(3),
        of(1),
        of(0),
    );
    for row in &rows {
        let (exit, _, verdict) = row.ends.verdict();
        let name = matrix::cell(row.name);
        let failed = matrix::ids(row.ends.failed());
        text.push_str(&format!("| {name} | {exit} | {verdict} | {failed} |\n"));
    }
    assert_eq!(matrix::keep_fresh(&[("transport", text)]), Ok(()));
}
