//! `nodeproof judge`: runs that are judged again from their `history.har`, and files of other programs.

mod dapp;

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::http::StatusCode;
use integration_tests::{
    proxy::{Fault, Proxy, Response},
    restart,
};
use nodeproof_devnode::{BlockTime, Config, InjectedFault};
use nodeproof_wallet::{KeyFile, Protection};
use serde_json::{Value, json};

use super::{NODEPROOF, node, node_report, ran, run, waiting};

fn judge(file: &Path) -> Command {
    let mut command = Command::new(&*NODEPROOF);
    command.arg("judge").arg(file);
    command
}

/// Returns the IDs of the cases with a finding.
fn found(report: &Value) -> Vec<String> {
    let cases = report["cases"].as_array().expect("cases");
    let found = cases.iter().filter(|case| !case["findings"].is_null());
    found
        .map(|case| case["id"].as_str().expect("an ID").to_owned())
        .collect()
}

fn passed(report: &Value) -> usize {
    let cases = report["cases"].as_array().expect("cases");
    cases
        .iter()
        .filter(|case| case["outcome"] == "pass")
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_judged_again_from_its_history() {
    for (fault, blocks) in [
        (None, 12),
        (Some(InjectedFault::BlockRows), 12),
        (Some(InjectedFault::BlockSeconds), 12),
        (Some(InjectedFault::BlockChangesLater), 12),
        (Some(InjectedFault::ReceiptKeys), 12),
        (Some(InjectedFault::ParamsAltered), 12),
        // The run read the rest of the chain for its finding.
        (Some(InjectedFault::RemarksCut), 200),
    ] {
        let config = Config::for_tests().with_block_time(BlockTime::Manual);
        let mut config = config.with_blocks(blocks);
        if let Some(fault) = fault {
            config = config.with_fault(fault);
        }
        let node = restart::start(config).await;
        let folder = tempfile::tempdir().expect("a folder");
        let (first, again) = (folder.path().join("run"), folder.path().join("judged"));
        let run_status = ran(run(node.base_url()).arg("--report-dir").arg(&first));
        // Nothing is sent: the node is gone.
        drop(node);
        let history = first.join("history.har");
        let judged_status = ran(judge(&history).arg("--report-dir").arg(&again));
        let (report, judged) = (
            node_report(&first.join("report.json")),
            node_report(&again.join("report.json")),
        );
        assert_eq!(
            found(&judged),
            found(&report),
            "{fault:?}: {judged_status:?}"
        );
        assert_eq!(
            judged_status.0, run_status.0,
            "{fault:?}: {judged_status:?}"
        );
        assert_eq!(judged["requests"].as_u64(), {
            let log: Value = super::json(&history);
            log["log"]["entries"].as_array().map(|all| all.len() as u64)
        });
        // All but the two cases about requests without a response.
        assert!(passed(&judged) >= passed(&report) - 2, "{judged_status:?}");
        assert!(!again.join("history.har").exists());
    }
}

/// Runs with claims against a node with a fault, and judges the run again.
async fn judged_again(fault: Option<InjectedFault>) {
    // A run on a busy machine reads all blocks of a minute.
    let every = BlockTime::Every(Duration::from_millis(300));
    let mut config = Config::for_tests().with_block_time(every);
    if let Some(fault) = fault {
        config = config.with_fault(fault);
    }
    let node = nodeproof_devnode::spawn(config).await.expect("a node");
    let folder = tempfile::tempdir().expect("a folder");
    let wallets = ["alice", "bob"].map(|name| {
        let file = folder.path().join(name);
        let keys = node.node().wallet(name).expect("a wallet").keys().clone();
        KeyFile::write(&file, &keys, Protection::Plain).expect("a key file");
        file
    });
    let (first, again) = (folder.path().join("run"), folder.path().join("judged"));
    let (status, out, _) = waiting(
        run(node.base_url())
            .args(["--allow", "write,probe", "--claims", "4"])
            .args(["--currency", "DEVN", "--settle-timeout", "3"])
            .args(["--contract", &node.contract_address().to_string()])
            .arg("--wallet")
            .arg(&wallets[0])
            .arg("--co-signer")
            .arg(&wallets[1])
            .arg("--report-dir")
            .arg(&first),
    );
    drop(node);
    let judged_status = waiting(
        judge(&first.join("history.har"))
            .arg("--report-dir")
            .arg(&again),
    );
    let (report, judged) = (
        node_report(&first.join("report.json")),
        node_report(&again.join("report.json")),
    );
    assert_eq!(found(&judged), found(&report), "{fault:?}: {out}");
    assert_eq!(judged_status.0, status, "{fault:?}: {judged_status:?}");
    assert!(
        passed(&judged) >= passed(&report) - 2,
        "{fault:?}: {judged_status:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_submits_is_judged_again_with_the_same_findings() {
    let runs = [
        None,
        Some(InjectedFault::NoSignatureCheck),
        Some(InjectedFault::RefusedStored),
        Some(InjectedFault::Overspends),
    ];
    for run in runs.map(|fault| tokio::spawn(judged_again(fault))) {
        run.await.expect("a run that is judged again");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_node_returns_after_the_probes_is_judged_again() {
    let node = node(None).await;
    let is_probed = AtomicBool::new(false);
    let fault: Fault = Arc::new(move |request, response| {
        if request.path == "/get-block" && request.query.contains("%27") {
            is_probed.store(true, Ordering::Relaxed);
        }
        match request.path.as_str() {
            "/get-trustscore-wallets" if is_probed.load(Ordering::Relaxed) => {
                response.with_json(|score| {
                    if score["trust_score"].is_number() {
                        score["trust_score"] = json!(1_000_003);
                    }
                })
            }
            _ => response,
        }
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let folder = tempfile::tempdir().expect("a folder");
    let (first, again) = (folder.path().join("run"), folder.path().join("judged"));
    let (status, out, _) = ran(run(&proxy.server.base_url())
        .args(["--allow", "probe", "--report-dir"])
        .arg(&first));
    assert_eq!(status, 1, "{out}");
    let judged = ran(judge(&first.join("history.har"))
        .arg("--report-dir")
        .arg(&again));
    let found = |folder: &Path| found(&node_report(&folder.join("report.json")));
    let of_run = found(&first);
    assert!(of_run.contains(&"get-trustscore-wallets/repeat-read".to_owned()));
    assert_eq!(found(&again), of_run, "{judged:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_response_for_a_block_is_judged_again() {
    type Answer = fn(Response) -> Response;
    let answers: [(&str, Answer); 3] = [
        ("busy", |response| {
            response.with_status(StatusCode::SERVICE_UNAVAILABLE)
        }),
        ("cut short", |response| response.with_body("{\"index\":")),
        ("too large", |response| {
            response.with_body("[".repeat(9 << 20))
        }),
    ];
    for (what, answer) in answers {
        let node = node(None).await;
        let fault: Fault = Arc::new(move |request, response| match request.query.as_str() {
            "block_index=1" => answer(response),
            _ if request.path == "/get-block" => {
                response.with_json(|block| block["committee"] = json!("nobody"))
            }
            _ => response,
        });
        let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
        let folder = tempfile::tempdir().expect("a folder");
        let (first, again) = (folder.path().join("run"), folder.path().join("judged"));
        let (status, out, _) = ran(run(&proxy.server.base_url())
            .arg("--report-dir")
            .arg(&first));
        assert_eq!(status, 1, "{what}: {out}");
        let judged = ran(judge(&first.join("history.har"))
            .arg("--report-dir")
            .arg(&again));
        assert_eq!(judged.0, 1, "{what}: {judged:?}");
        let found = |folder: &Path| found(&node_report(&folder.join("report.json")));
        assert!(
            found(&first).contains(&"get-block/committee".to_owned()),
            "{what}"
        );
        assert_eq!(found(&again), found(&first), "{what}: {judged:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_blocks_has_no_verdict_when_it_is_judged_again() {
    let node = node(None).await;
    let known = Mutex::new(BTreeSet::new());
    let fault: Fault = Arc::new(move |request, response| {
        let is_new = known
            .lock()
            .expect("no panic")
            .insert(request.query.clone());
        match request.path == "/get-block" && is_new {
            true => response
                .with_status(StatusCode::BAD_REQUEST)
                .with_body("{}"),
            false => response,
        }
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let folder = tempfile::tempdir().expect("a folder");
    let (status, out, _) = ran(run(&proxy.server.base_url())
        .arg("--report-dir")
        .arg(folder.path()));
    assert_eq!(status, 3, "{out}");
    let judged = ran(&mut judge(&folder.path().join("history.har")));
    assert_eq!(judged.0, 3, "{judged:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_that_only_a_sweep_has_read_is_judged_again() {
    let config = Config::for_tests()
        .with_block_time(BlockTime::Manual)
        .with_blocks(60);
    let node = restart::start(config).await;
    let fault: Fault = Arc::new(|request, response| match request.query.as_str() {
        "block_index=30" => {
            response.with_json(|block| block["previous_hash"] = json!("0".repeat(64)))
        }
        _ => response,
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let folder = tempfile::tempdir().expect("a folder");
    let reports = folder.path().join("run");
    let sweep = ["--blocks", "..", "--report-dir"];
    let (status, out, _) = ran(run(&proxy.server.base_url()).args(sweep).arg(&reports));
    assert_eq!(status, 1, "{out}");
    let expected = found(&node_report(&reports.join("report.json")));
    let judged = ran(judge(&reports.join("history.har"))
        .arg("--report-dir")
        .arg(&reports));
    assert_eq!(judged.0, 1, "{judged:?}");
    let found = found(&node_report(&reports.join("report.json")));
    // The cases about samples also see this block.
    assert!(
        !expected.is_empty() && expected.iter().all(|id| found.contains(id)),
        "{found:?}"
    );
}

/// In the form that mitmproxy 11 writes with `hardump`.
const MITMPROXY: &str = include_str!("mitmproxy.har");

#[test]
fn a_file_of_another_program_is_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mitmproxy.har");
    let reports = folder.path().join("reports");
    for (from, to, status, expected) in [
        ("", "", 0, &[][..]),
        // The second of two equal requests, while the next block is absent before and after.
        (
            r#""{\"balance\":70}""#,
            r#""{\"balance\":71}""#,
            1,
            &["get-balances/repeat-read"],
        ),
        (r#"\"proof\":42,"#, "", 1, &["get-block/proof"]),
        (
            r#"{\"detail\":\"Block not found\"}"#,
            r#"{\"detail\":"#,
            1,
            &["http/json"],
        ),
        (
            r#"\"params\":{\"asset_id\":\"lot 9\",\"outcome\":1}},\"is"#,
            r#"\"params\":{\"asset_id\":\"lot 9\",\"outcome\":2}},\"is"#,
            1,
            &["call-sc/echo"],
        ),
        // The latest block for an index that the chain may not have.
        (
            "block_index=2",
            "block_index=9",
            1,
            &["get-block/index-echo"],
        ),
    ] {
        let changed = MITMPROXY.replacen(from, to, 1);
        // A shorter body is one of which only a part was recorded.
        let changed = changed.replace("\"size\"", "\"_size\"");
        fs::write(&file, changed).expect("a file");
        let judged = ran(judge(&file).arg("--report-dir").arg(&reports));
        assert_eq!(judged.0, status, "{from}: {judged:?}");
        let report = node_report(&reports.join("report.json"));
        assert_eq!(found(&report), expected, "{from}: {judged:?}");
        let note = "7 of 9 recorded exchanges were judged; not judged: 1 no response recorded, 1 with another \
                    server, path or method (--base-url http://other.example judges those with that node)";
        assert_eq!(report["notes"][0], note);
    }
    let other =
        ran(judge(&file).args(["--network", "devnet", "--base-url", "http://other.example"]));
    assert_eq!(other.0, 1, "{other:?}");
    assert!(
        other.1.contains("1 of 9 recorded exchanges were judged"),
        "{other:?}"
    );
}

/// Of another program's exchanges, those with blocks show what the record has to be.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_in_a_file_of_another_program_is_compared_with_the_claim() {
    let id = "sc-state/record-matches-claim";
    let node = node(Some(InjectedFault::RemarksCut)).await;
    let folder = tempfile::tempdir().expect("a folder");
    ran(run(node.base_url())
        .args(["--only", id, "--report-dir"])
        .arg(folder.path()));
    let history = folder.path().join("history.har");
    let mut log = super::json(&history);
    // Only this program writes these.
    let strip = |value: &mut Value| {
        let members = value.as_object_mut().expect("an object");
        members.retain(|name, _| !name.starts_with('_'));
    };
    strip(&mut log["log"]);
    let entries = log["log"]["entries"].as_array_mut().expect("entries");
    entries.iter_mut().for_each(strip);
    let whole = entries.clone();
    for (missing, status, findings) in [
        ("no such request", 1, 1),
        // Without this block, another one may have the claim that was stored.
        ("block_index=5", 3, 0),
        // Without this request, the chain may have had more blocks.
        ("block_index=13", 3, 0),
        // Without blocks, nothing shows what the record has to be.
        ("/get-block", 3, 0),
    ] {
        let has_it = |entry: &Value| {
            let url = entry["request"]["url"].as_str().expect("a URL");
            url.contains(missing)
        };
        let left: Vec<_> = whole.iter().filter(|entry| !has_it(entry)).collect();
        assert_eq!(left.len() < whole.len(), findings == 0, "{missing}");
        log["log"]["entries"] = json!(left);
        fs::write(&history, log.to_string()).expect("a file");
        let judged = ran(judge(&history)
            .args(["--network", "devnet", "--only", id, "--report-dir"])
            .arg(folder.path()));
        let report = node_report(&folder.path().join("report.json"));
        assert_eq!(found(&report).len(), findings, "{missing}: {judged:?}");
        assert_eq!(judged.0, status, "{missing}: {judged:?}");
    }
}

#[test]
fn a_file_that_can_not_be_judged_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.har");
    for (from, to, reason) in [
        (MITMPROXY, "", "it is not an HTTP Archive: EOF"),
        (MITMPROXY, "[]", "it is not an HTTP Archive"),
        (MITMPROXY, r#"{"log":{}}"#, "missing field `entries`"),
        (
            MITMPROXY,
            r#"{"log":{"entries":[]}}"#,
            "it has 0 entries, and no request to an endpoint of a node",
        ),
        (
            MITMPROXY,
            r#"{"log":{"entries":[{"time":"\u001b[31m"}]}}"#,
            r#"log.entries[0]: invalid type: string "\u{1b}[31m""#,
        ),
    ] {
        fs::write(&file, MITMPROXY.replacen(from, to, 1)).expect("a file");
        let (status, out, errors) = ran(&mut judge(&file));
        assert_eq!((status, out.as_str()), (2, ""), "{errors}");
        assert!(
            errors.contains(reason) && !errors.contains('\u{1b}'),
            "{reason}: {errors}"
        );
        assert!(errors.starts_with("error: ") && errors.contains("a.har can't be judged: "));
    }
}

#[test]
fn a_hostile_file_takes_neither_long_nor_much() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.har");
    let entry = MITMPROXY.split_once("\"entries\": [").expect("entries").1;
    let end = entry.find("\n      },\n      {\n").expect("an entry");
    let deep = entry[..end].replacen(
        "\"time\"",
        &format!(
            "\"_deep\": {0}, \"time\"",
            "[".repeat(200_000) + &"]".repeat(200_000)
        ),
        1,
    );
    let body = "[".repeat(100_000);
    for (text, status, reason) in [
        (
            format!(r#"{{"log":{{"entries":[{}{{}}]}}}}"#, "{},".repeat(100_000)),
            2,
            "more than 100000 entries",
        ),
        (
            format!("{{\"log\":{}", "[".repeat(1_000_000)),
            2,
            "not an HTTP Archive",
        ),
        (format!(r#"{{"log":{{"entries":[{deep}}}]}}}}"#), 0, ""),
        (
            MITMPROXY.replacen(r#"{\"balance\":70}"#, &body, 1),
            0,
            "6 of 9 recorded exchanges were judged; not judged: 1 nested too deeply",
        ),
    ] {
        fs::write(&file, &text).expect("a file");
        let (ended, out, errors) = ran(&mut judge(&file));
        assert_eq!(ended, status, "{reason}: {out}{errors}");
        assert!(
            out.contains(reason) || errors.contains(reason),
            "{reason}: {out}{errors}"
        );
    }
    // A file that has no end, and one that never begins.
    #[cfg(unix)]
    {
        let fifo = folder.path().join("fifo");
        ran(Command::new("mkfifo").arg(&fifo));
        for path in [Path::new("/dev/zero"), &fifo, folder.path()] {
            let (status, _, errors) = ran(&mut judge(path));
            assert_eq!(status, 2);
            assert!(errors.contains("it is not a regular file"), "{errors}");
        }
    }
}
