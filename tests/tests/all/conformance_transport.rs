//! Faults of a network or a server at one endpoint, and the correct verdicts. A failed network is not a
//! mismatch. A wrong body is not a failed network. Other cases are decided nevertheless.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    num::NonZeroU8,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    extract::Request,
    http::StatusCode,
    middleware::{Next, from_fn},
    response::IntoResponse as _,
};
use integration_tests::{
    hostile::{
        Start, all,
        front::{Act, Arrival, Do, Door, Good, Seen, behind, front, raw},
    },
    matrix,
    server::Server,
    watch::{check, ids},
};
use nodeproof_conformance::{
    Options, Tier,
    report::{self, Outcome, Style, Verdict},
};
use nodeproof_devnode::{BlockTime, Config, Handle};
use tokio::{net::TcpListener, sync::Semaphore, task::JoinSet};

/// The endpoint with the fault, and the start of the IDs of its cases.
const ENDPOINT: &str = "/get-trustscore-wallets";
const CASES: &str = "get-trustscore-wallets/";

/// How a run must end.
#[derive(Clone, Copy)]
enum Ends {
    /// Exit status 3 without a mismatch.
    Unreachable,
    /// Exit status 1, with exactly this failed case.
    Fails(&'static str),
    /// Exit status 0, with exactly this warning.
    Warns(&'static str),
    /// Exit status 0, and every case passes.
    Passes,
}

use Ends::{Fails, Passes, Unreachable, Warns};

const RESPONDS: Ends = Fails("get-trustscore-wallets/responds");

/// Hostile servers, and the end of a run if only one endpoint does what they do.
const HOSTILE: [(&str, Ends); 25] = [
    ("no-response", Unreachable),
    ("slow-body", Unreachable),
    ("reset-body", Unreachable),
    ("short-body", Unreachable),
    ("long-body", RESPONDS),
    ("endless-1xx", Unreachable),
    ("http-0.9", Unreachable),
    ("not-http", Unreachable),
    ("endless-headers", Unreachable),
    ("endless-body", Unreachable),
    ("bad-chunks", Unreachable),
    ("two-lengths", Unreachable),
    ("redirect-loop", RESPONDS),
    ("redirect-to-host", RESPONDS),
    ("redirect-to-file", RESPONDS),
    ("no-content", RESPONDS),
    ("not-modified", RESPONDS),
    ("wrong-type", Warns("http/content-type")),
    ("gzip-bomb", RESPONDS),
    ("byte-order-mark", RESPONDS),
    ("latin-1", RESPONDS),
    ("nan", RESPONDS),
    ("duplicate-member", RESPONDS),
    ("trailing-data", RESPONDS),
    ("empty", RESPONDS),
];

impl Ends {
    fn case(self) -> Option<&'static str> {
        match self {
            Fails(case) | Warns(case) => Some(case),
            Unreachable | Passes => None,
        }
    }

    const fn verdict(self) -> (u8, Verdict, &'static str) {
        match self {
            Unreachable => (3, Verdict::Unreachable, "unreachable"),
            Fails(_) => (1, Verdict::DoesNotConform, "does-not-conform"),
            Warns(_) | Passes => (0, Verdict::Conforms, "conforms"),
        }
    }
}

/// A fault, and how a run must end.
struct Row {
    what: &'static str,
    act: Do,
    ends: Ends,
    /// Whether the run should wait for a response only briefly.
    short_timeout: bool,
    jobs: usize,
}

/// Applies an action to the successful responses of the endpoint.
fn at_the_endpoint(act: impl Fn(&Seen, &Good) -> Act + Send + Sync + 'static) -> Do {
    Arc::new(move |seen, good| {
        if seen.path == ENDPOINT && good.is_ok() {
            act(seen, good)
        } else {
            Act::Right
        }
    })
}

/// Returns the faults. No redirect may lead to the address.
fn rows(elsewhere: SocketAddr) -> Vec<Row> {
    let all = all();
    let hostile = HOSTILE.map(|(name, ends)| {
        let hostile = all.iter().find(|hostile| hostile.name == name);
        let hostile = hostile.expect("a hostile server");
        let act = match hostile.start.clone() {
            Start::Instead(act) => act(elsewhere),
            Start::OnConnect(act) => Arc::new(move |_: &Seen, _: &Good| act.clone()),
            // Nothing that one endpoint could do. So no run would end as expected.
            Start::NotListening | Start::Tls(_) => Arc::new(|_: &Seen, _: &Good| Act::Right),
        };
        Row {
            what: hostile.what,
            act: at_the_endpoint(move |seen, good| act(seen, good)),
            ends,
            short_timeout: hostile.short_timeout,
            // These runs only wait for timeouts, so many cases can wait at the same time.
            jobs: if hostile.short_timeout { 16 } else { 4 },
        }
    });
    let passes = |what, jobs, act| Row {
        what,
        act,
        ends: Passes,
        short_timeout: false,
        jobs,
    };
    let more = [
        passes(
            "sends extra bytes after a complete body, and closes the connection",
            4,
            at_the_endpoint(|_, good| Act::close([good.whole(), b"more".to_vec()].concat())),
        ),
        // One request after the other, so that the count does not depend on scheduling.
        passes(
            "responds to every third request with 429, at each endpoint",
            1,
            Arc::new(|seen: &Seen, _: &Good| match seen.place % 3 {
                0 => Act::send(raw(
                    "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n",
                    b"",
                )),
                _ => Act::Right,
            }),
        ),
    ];
    hostile.into_iter().chain(more).collect()
}

/// Describes the mismatch in the end of a run behind this fault.
async fn wrong(upstream: String, row: Row) -> Option<String> {
    let front = front(&upstream, row.act).await.expect("a front");
    let mut options = Options::default();
    options.limits.jobs = row.jobs;
    if row.short_timeout {
        // On a busy machine, a good response may also come too late. These runs end the same way anyway.
        options.limits.request_timeout = Duration::from_millis(500);
    }
    let report = check(&format!("http://{}", front.address), &options).await;
    let failed: BTreeSet<_> = [Outcome::Fail, Outcome::Warn]
        .iter()
        .flat_map(|outcome| ids(&report, *outcome))
        .collect();
    let (exit_code, verdict, _) = row.ends.verdict();
    let undecided = ids(&report, Outcome::Inconclusive);
    // With a short timeout, other cases may miss a good response too.
    let others_are_spared = row.short_timeout
        || undecided
            .iter()
            .all(|id| id.starts_with(CASES) || *id == "http/responds");
    let right = report.exit_code == exit_code
        && report.verdict == verdict
        && failed == row.ends.case().into_iter().collect()
        && others_are_spared
        && match row.ends {
            Unreachable => report.reason.is_some(),
            Fails(_) | Warns(_) => true,
            Passes => undecided.is_empty(),
        };
    (!right).then(|| {
        format!(
            "{}: {} {:?} ({:?}), failed {failed:?}, undecided {undecided:?}",
            row.what, report.exit_code, report.verdict, report.reason,
        )
    })
}

async fn good_node() -> Handle {
    let started = nodeproof_devnode::spawn(Config::for_tests()).await;
    started.expect("a node")
}

#[tokio::test(flavor = "multi_thread")]
async fn network_faults_and_findings_get_the_right_verdict() {
    let node = good_node().await;
    // No redirect may lead to this address.
    let elsewhere = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let led = elsewhere.local_addr().expect("an address");
    let turns = Arc::new(Semaphore::new(12));
    let mut runs = JoinSet::new();
    for row in rows(led) {
        let (turns, upstream) = (Arc::clone(&turns), node.base_url().to_string());
        runs.spawn(async move {
            let _turn = turns.acquire_owned().await;
            wrong(upstream, row).await
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
async fn a_node_that_reads_only_some_bodies_is_told() {
    let node = good_node().await;
    let says = "whose body arrives in two pieces";
    refuses_bodies(
        node.base_url(),
        Arrival::InPieces,
        Outcome::Fail,
        "http/equal-requests",
        says,
    )
    .await;
    let says = "with `transfer-encoding: chunked`";
    refuses_bodies(
        node.base_url(),
        Arrival::Chunked,
        Outcome::Warn,
        "http/chunked-body",
        says,
    )
    .await;
}

/// Many small servers are like this. Half of a body keeps them from reading another request.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_handles_one_connection_at_a_time_and_closes_it_conforms() {
    let node = good_node().await;
    let closes = Arc::new(|_: &Seen, good: &Good| {
        let head = format!("{}Connection: close\r\n", good.head);
        let body = good.body.clone();
        Act::close(Good { head, body }.whole())
    });
    let front = behind(node.base_url(), Door::OneByOne(closes)).await;
    let front = front.expect("a front");
    let report = check(&format!("http://{}", front.address), &Options::default()).await;
    assert_eq!(ids(&report, Outcome::Fail), [""; 0]);
    assert_eq!(report.verdict, Verdict::Conforms);
}

async fn refuses_bodies(upstream: &str, arrival: Arrival, outcome: Outcome, id: &str, says: &str) {
    let mut seen = 0;
    // On a busy machine, both pieces may be there when the front reads them.
    for _ in 0..20 {
        let has_come = Arc::new(AtomicBool::new(false));
        let seen_one = Arc::clone(&has_come);
        let refuses = Arc::new(move |seen: &Seen, _: &Good| match seen.arrival == arrival {
            true => {
                seen_one.store(true, Ordering::SeqCst);
                let head =
                    "HTTP/1.1 422 Unprocessable Entity\r\nContent-Type: application/json\r\n";
                Act::send(raw(&format!("{head}Content-Length: 2\r\n"), b"{}"))
            }
            false => Act::Right,
        });
        let front = front(upstream, refuses).await.expect("a front");
        let report = check(&format!("http://{}", front.address), &Options::default()).await;
        if has_come.load(Ordering::SeqCst) {
            seen += 1;
            assert_eq!(ids(&report, outcome), [id]);
            let mut cases = report.cases.iter();
            let case = cases.find(|case| case.id == id);
            let what = &case.expect("the case").findings[0].what;
            assert!(what.contains(says), "{what}");
            break;
        }
    }
    assert_eq!(seen, 1, "no body came like this: {arrival:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_that_loses_requests_and_responses_costs_no_verdict() {
    // On a busy machine, faster blocks come before their requests do.
    let every = BlockTime::Every(Duration::from_millis(300));
    let node = nodeproof_devnode::spawn(Config::for_tests().with_block_time(every))
        .await
        .expect("a node");
    // The node has handled the request. On a new connection, the next one gets its response.
    let loses = Arc::new(|seen: &Seen, _: &Good| match seen.place % 20 {
        0 => Act::reset(""),
        _ => Act::Right,
    });
    let front = front(node.base_url(), loses).await.expect("a front");
    let mut options = Options::default();
    options.selection.allow = Tier::Write;
    options.submitting.claims = NonZeroU8::MIN.saturating_add(3);
    let wallet = |name| Some(node.wallet(name)?.keys().clone().into());
    options.submitting.wallet = wallet("alice");
    options.submitting.co_signer = wallet("bob");
    let report = check(&format!("http://{}", front.address), &options).await;
    let found = [Outcome::Fail, Outcome::Warn, Outcome::Inconclusive];
    let found = found.map(|outcome| ids(&report, outcome));
    let text = report::text(&report.clone().into(), Style::Plain);
    assert_eq!(report.exit_code, 0, "{:?} {found:?}\n{text}", report.reason);
    assert!(found.iter().all(Vec::is_empty), "{found:?}\n{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_gets_no_response_is_a_finding_with_what_was_sent_before() {
    let node = good_node().await;
    let locked = AtomicBool::new(false);
    let is_not_json = |good: &Good| good.text().contains("not one JSON document");
    let rows: [(&str, Do); 2] = [
        // The node waits for the rest of a body that is not JSON.
        (
            "no response, also when it is sent alone",
            Arc::new(move |seen: &Seen, good: &Good| {
                match seen.path == "/submit-transaction" && is_not_json(good) {
                    true => Act::Silence,
                    false => Act::Right,
                }
            }),
        ),
        // The node keeps a lock when it refuses such a body, and gives it up with the next submission.
        (
            "gets a response alone, and none after /submit-transaction with the body",
            Arc::new(move |seen: &Seen, good: &Good| {
                let is_submitted = seen.path == "/submit-transaction";
                match is_submitted && locked.swap(is_not_json(good), Ordering::Relaxed) {
                    true => Act::Silence,
                    false => Act::Right,
                }
            }),
        ),
    ];
    for (says, fault) in rows {
        let front = front(node.base_url(), fault).await.expect("a front");
        let mut options = Options::default();
        options.selection.allow = Tier::Reject;
        options.limits.request_timeout = Duration::from_secs(2);
        let report = check(&format!("http://{}", front.address), &options).await;
        assert_eq!(report.exit_code, 1, "{says}: {:?}", report.reason);
        assert_eq!(ids(&report, Outcome::Fail), ["http/responds"], "{says}");
        let case = report.cases.iter().find(|case| case.id == "http/responds");
        let found = &case.expect("the case").findings[0].what;
        let has_body = found.contains("\\\"transaction\\\":");
        assert!(has_body && found.contains(says), "{found}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_lost_half_way_leaves_what_was_found() {
    let node = good_node().await;
    let lost = Arc::new(|seen: &Seen, good: &Good| {
        if seen.path == ENDPOINT {
            return Act::Gone;
        }
        if seen.path == "/get-block" {
            return Act::send(
                good.changed(good.text().replace("\"status\":1", "\"status\":\"1\"")),
            );
        }
        Act::Right
    });
    let front = front(node.base_url(), lost).await.expect("a front");
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
    let rows = rows(SocketAddr::from(([127, 0, 0, 1], 0)));
    let of = |exit: u8| {
        rows.iter()
            .filter(|row| row.ends.verdict().0 == exit)
            .count()
    };
    let mut text = format!(
        "{} at one endpoint: {} reported as a network fault, {} as a finding, {} tolerated.\n\n\
         | the endpoint | exit status | verdict | failed cases |\n| --- | --- | --- | --- |\n",
        matrix::count(rows.len(), "fault", "faults"),
        of(3),
        of(1),
        of(0),
    );
    for row in &rows {
        let (exit, _, verdict) = row.ends.verdict();
        let name = matrix::cell(row.what);
        let failed = matrix::ids(row.ends.case().as_slice());
        text.push_str(&format!("| {name} | {exit} | {verdict} | {failed} |\n"));
    }
    assert_eq!(matrix::keep_fresh(&[("transport", text)]), Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_finds_nothing_for_the_sixth_query_at_a_time_does_not_conform() {
    let node = good_node().await;
    let queries = Arc::new(Semaphore::new(5));
    let limited = move |request: Request, next: Next| {
        let queries = Arc::clone(&queries);
        async move {
            if request.uri().path() != "/get-balances" {
                return next.run(request).await;
            }
            let Ok(_one) = queries.try_acquire() else {
                return axum::Json(serde_json::json!({"balance": null})).into_response();
            };
            tokio::time::sleep(Duration::from_millis(30)).await;
            next.run(request).await
        }
    };
    let router = nodeproof_devnode::router(Arc::clone(node.node())).layer(from_fn(limited));
    let server = Server::spawn(router).await.expect("a server");
    let report = check(&server.base_url(), &Options::default()).await;
    assert_eq!(ids(&report, Outcome::Fail), ["http/equal-queries"]);
}

#[tokio::test]
async fn a_refused_host_name_is_not_a_lack_of_authentication() {
    for (status, words) in [
        (StatusCode::UNAUTHORIZED, "requires authentication"),
        (StatusCode::FORBIDDEN, "does not serve this host name"),
    ] {
        let router = Router::new().fallback(move || async move { status });
        let server = Server::spawn(router).await.expect("a server");
        let report = check(&server.base_url(), &Options::default()).await;
        assert_eq!(report.exit_code, 3);
        let reason = report.reason.unwrap_or_default();
        assert!(reason.contains(words), "{reason}");
    }
}
