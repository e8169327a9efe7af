//! `nodectl claim add` in situations where a claim could be paid twice.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::{
    proxy::{Fault, Proxy},
    restart,
};
use nodeproof_devnode::{ChainTime, Config, Handle};
use nodeproof_primitives::TimestampMs;
use serde_json::{Value, json};

use crate::nodectl::{
    claims::{Verifier, lively},
    program::call,
};

async fn manual() -> Handle {
    restart::start(Config::for_tests()).await
}

fn text(error: &Value) -> &str {
    error["message"].as_str().unwrap_or_default()
}

fn code_in(path: impl AsRef<Path>) -> Value {
    let text = fs::read_to_string(path).expect("a kept file");
    let kept: Value = serde_json::from_str(&text).expect("JSON");
    kept["trans_code"].clone()
}

fn only_kept(verifier: &Verifier) -> std::path::PathBuf {
    let folder = fs::read_dir(verifier.home.path(".local/state/nodectl/claims"));
    let mut paths: Vec<_> = folder
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    assert_eq!(paths.len(), 1, "{paths:?}");
    paths.remove(0)
}

/// Starts a proxy that fails one endpoint with a status while it is switched on.
async fn failing(node: &Handle, path: &'static str, status: u16) -> (Proxy, Arc<AtomicBool>) {
    let on = Arc::new(AtomicBool::new(true));
    let state = Arc::clone(&on);
    let status = StatusCode::from_u16(status).expect("a status");
    let fault: Fault = Arc::new(move |request, response| {
        if request.path == path && state.load(Ordering::SeqCst) {
            response.with_status(status).with_body("{}")
        } else {
            response
        }
    });
    (Proxy::spawn(node, fault).await.expect("a proxy"), on)
}

#[tokio::test(flavor = "multi_thread")]
async fn again_gives_the_earlier_transaction_up_only_for_a_signed_one() {
    let node = manual().await;
    let (proxy, ill) = failing(&node, "/call-sc", 500).await;
    ill.store(false, Ordering::SeqCst);
    let url = proxy.server.base_url();
    let verifier = Verifier::of(&node);
    verifier.add_signed(&url, "a", &["--wait", "0.2"]).ended(5);
    let kept = only_kept(&verifier);
    let before = fs::read(&kept).unwrap();

    ill.store(true, Ordering::SeqCst);
    verifier.add_signed(&url, "a", &["--again"]).ended(3);
    ill.store(false, Ordering::SeqCst);
    let wrong = verifier.home.file("wrong", "no such passphrase");
    verifier
        .add(&url, "a", &["--again", "--passphrase-file", &wrong])
        .ended(2);
    assert_eq!(only_kept(&verifier), kept);
    assert_eq!(fs::read(&kept).unwrap(), before);

    // So the plain command continues with the first transaction, and pays once.
    verifier.add(&url, "a", &["--wait", "0.2"]).ended(5);
    let bodies: BTreeSet<_> = proxy
        .requests()
        .into_iter()
        .filter(|request| request.path == "/submit-transaction")
        .map(|request| request.body)
        .collect();
    assert_eq!(bodies.len(), 1);

    let first = code_in(&kept);
    let more = verifier.add_signed(&url, "a", &["--again", "--no-wait"]);
    let more = more.ended(0).json();
    assert_ne!(more["trans_code"], first);
    assert_eq!(code_in(&kept), more["trans_code"]);
    let aside = format!("{}.1", kept.display());
    assert_eq!(code_in(aside), first, "an earlier one is never thrown away");
}

#[tokio::test(flavor = "multi_thread")]
async fn again_goes_past_a_file_that_is_damaged_or_of_another_claim() {
    let node = manual().await;
    let verifier = Verifier::of(&node);
    let place = verifier.home.file("k.json", r#"{"format":"node-cl"#);
    let keep = ["--no-wait", "--keep", &place];
    let add = |asset: &str, more: &[&str]| {
        verifier.add_signed(node.base_url(), asset, &[&keep[..], more].concat())
    };
    add("a", &[]).ended(2);
    let first = add("a", &["--again"]).ended(0).json();
    assert_eq!(code_in(&place), first["trans_code"]);
    add("b", &[]).ended(2);
    add("b", &["--again"]).ended(0);
    assert_eq!(code_in(format!("{place}.2")), first["trans_code"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn while_one_claim_is_pending_a_second_one_is_not_paid_for() {
    let node = manual().await;
    let verifier = Verifier::of(&node);
    let url = node.base_url();
    let first = verifier
        .add_signed(url, "a", &["--no-wait"])
        .ended(0)
        .json();
    let elsewhere = verifier.home.path("mine.json").display().to_string();
    for more in [
        &["--outcome", "2"][..],
        &["--link", "https://example.org/more"],
        &["--asset-type", "deed", "--keep", &elsewhere],
    ] {
        let refused = verifier.add_signed(url, "a", more).ended(2).error();
        let code = first["trans_code"].as_str().unwrap();
        assert!(text(&refused).contains(code), "{refused}");
        assert!(text(&refused).contains("--again"), "{refused}");
    }
    assert_eq!(node.node().submissions_received(), 1);
    // A claim about another asset is independent. The pending one continues.
    verifier.add_signed(url, "b", &["--no-wait"]).ended(0);
    verifier.add(url, "a", &["--no-wait"]).ended(0);
    // The option --again makes and pays another transaction.
    verifier
        .add_signed(url, "a", &["--outcome", "2", "--again", "--no-wait"])
        .ended(0);
    // A file named with --keep is also found when a second file is used.
    let own = verifier.home.path("own/c.json").display().to_string();
    let other = verifier.home.path("own/d.json").display().to_string();
    let keep = |file: &str, more: &[&str]| {
        let arguments = [&["--no-wait", "--keep", file], more].concat();
        verifier.add_signed(url, "c", &arguments)
    };
    keep(&own, &[]).ended(0);
    keep(&other, &["--outcome", "2"]).ended(2);
}

#[tokio::test(flavor = "multi_thread")]
async fn busy_is_3_and_5_once_the_transaction_may_have_been_taken() {
    let node = manual().await;
    let verifier = Verifier::of(&node);
    let fault: Fault = Arc::new(|request, mut response| {
        if request.path == "/submit-transaction" {
            response = response
                .with_status(StatusCode::TOO_MANY_REQUESTS)
                .with_body(r#"{"error":"too many"}"#);
            let wait = HeaderValue::from_static("3600");
            response.headers.insert(header::RETRY_AFTER, wait);
        }
        response
    });
    let busy = Proxy::spawn(&node, fault).await.unwrap();
    let url = busy.server.base_url();
    let error = verifier.add_signed(&url, "a", &[]).ended(3).error();
    assert_eq!(error["maybe_sent"], false, "{error}");
    let kept = only_kept(&verifier).display().to_string();
    let submit = ["--json", "submit", &kept];
    let error = verifier.home.ask(&url, &submit).ended(3).error();
    assert_eq!(error["maybe_sent"], false, "{error}");

    // The node takes it through the other URL. A busy proxy does not undo that.
    verifier
        .add(node.base_url(), "a", &["--any-node", "--no-wait"])
        .ended(0);
    let error = verifier.add(&url, "a", &[]).ended(5).error();
    assert_eq!(error["maybe_sent"], true, "{error}");
    let error = verifier.home.ask(&url, &submit).ended(5).error();
    assert_eq!(error["maybe_sent"], true, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_was_sent_stays_sent_when_the_node_is_gone() {
    let node = manual().await;
    let verifier = Verifier::of(&node);
    let url = node.base_url().to_owned();
    verifier.add_signed(&url, "a", &["--no-wait"]).ended(0);
    restart::stop(node).await;
    let error = verifier.add(&url, "a", &[]).ended(5).error();
    assert_eq!(error["kind"], "unconfirmed");
    assert!(!text(&error).contains("submitted 4 times"), "{error}");
    let kept = only_kept(&verifier).display().to_string();
    let error = verifier.home.ask(&url, &["--json", "submit", &kept]);
    assert!(text(&error.ended(5).error()).contains("earlier run"));
}

#[tokio::test(flavor = "multi_thread")]
async fn never_advises_deleting_a_saved_transaction() {
    let node = manual().await;
    let fault: Fault = Arc::new(|request, response| match request.path.as_str() {
        "/submit-transaction" => response.with_json(|body| {
            body["response"] = json!({"valid": false, "msg": "not today"});
        }),
        _ => response,
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let verifier = Verifier::of(&node);
    let error = verifier.add_signed(&proxy.server.base_url(), "a", &[]);
    let error = error.ended(4).error();
    assert!(!text(&error).contains("remove"), "{error}");
    assert!(text(&error).contains("--again"), "{error}");

    // A node took it before. A later refusal does not undo that.
    let there = ["--any-node", "--no-wait"];
    verifier.add(node.base_url(), "a", &there).ended(0);
    verifier.add(&proxy.server.base_url(), "a", &[]).ended(5);
    let kept = only_kept(&verifier).display().to_string();
    let submit = ["submit", &kept];
    verifier
        .home
        .ask(&proxy.server.base_url(), &submit)
        .ended(5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contradictory_response_is_not_a_success() {
    let node = manual().await;
    for status in [json!("FAILURE"), json!(""), json!(5), Value::Null] {
        let told = status.clone();
        let fault: Fault = Arc::new(move |request, response| match request.path.as_str() {
            "/submit-transaction" => response.with_json(|body| body["status"] = told.clone()),
            _ => response,
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let verifier = Verifier::of(&node);
        let url = proxy.server.base_url();
        let quick = ["--no-wait"];
        let error = verifier
            .add_signed(&url, &status.to_string(), &quick)
            .ended(5)
            .error();
        assert!(text(&error).contains("status"), "{error}");
        let kept = only_kept(&verifier).display().to_string();
        let error = verifier
            .home
            .ask(&url, &["--json", "submit", &kept])
            .ended(5)
            .error();
        assert!(text(&error).contains("status"), "{error}");
        let taken = ["--json", "submit", &kept, "--any-node"];
        let taken = verifier.home.ask(node.base_url(), &taken).ended(0).json();
        assert_eq!(taken["status"], "SUCCESS");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_fails_does_not_end_the_wait() {
    for body in ["<html>", r#"{"detail":"out of tea"}"#] {
        let node = lively().await;
        let (sent, failed) = (AtomicBool::new(false), AtomicBool::new(false));
        let fault: Fault = Arc::new(move |request, response| match request.path.as_str() {
            "/submit-transaction" => {
                sent.store(true, Ordering::SeqCst);
                response
            }
            // The first request for the record after that fails.
            "/sc-state" if sent.load(Ordering::SeqCst) && !failed.swap(true, Ordering::SeqCst) => {
                let response = response.with_body(body);
                if body.starts_with('<') {
                    response
                } else {
                    response.with_status(StatusCode::NOT_FOUND)
                }
            }
            _ => response,
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let verifier = Verifier::of(&node);
        let made = verifier.add_signed(&proxy.server.base_url(), "a", &[]);
        assert_eq!(made.ended(0).json()["record"]["asset_id"], "a");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_has_no_signed_message_is_refused_before_anything_is_asked() {
    let node = manual().await;
    let verifier = Verifier::of(&node);
    let digits = "9".repeat(10_000);
    let ran = verifier.add_signed(node.base_url(), "a", &["--outcome", &digits]);
    assert!(ran.ended(2).err.contains("digits"));
    let params = verifier
        .home
        .file("p.json", &format!(r#"{{"n":{digits}}}"#));
    let signer = verifier.keys.address().to_string();
    let call = call(&verifier.contract, &signer, &params);
    verifier.home.ask(node.base_url(), &call).ended(2);
    assert_eq!(node.node().requests_received(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_slower_of_two_runs_names_the_transaction_it_submits() {
    let node = manual().await;
    let verifier = Arc::new(Verifier::of(&node));
    let (inner, url, place) = (
        Arc::clone(&verifier),
        node.base_url().to_owned(),
        verifier.home.path("one.json").display().to_string(),
    );
    let (first, kept) = (AtomicBool::new(true), place.clone());
    // Between the call and the signature of this run, another run makes the whole claim.
    let fault: Fault = Arc::new(move |request, response| {
        if request.path == "/call-sc" && first.swap(false, Ordering::SeqCst) {
            let quick = ["--no-wait", "--keep", &kept, "--any-node"];
            tokio::task::block_in_place(|| inner.add_signed(&url, "a", &quick).ended(0));
        }
        response
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let slower = ["--no-wait", "--keep", &place, "--any-node"];
    let ran = verifier
        .add_signed(&proxy.server.base_url(), "a", &slower)
        .ended(0);
    assert!(ran.err.contains("another run was faster"), "{ran:?}");
    assert_eq!(ran.json()["trans_code"], code_in(&place));
    assert_eq!(ran.json()["resumed"], true);
    assert!(!ran.err.contains("signed, and saved to"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_wait_prints_no_waiting_message() {
    let node = manual().await;
    let verifier = Verifier::of(&node);
    let ran = verifier
        .add_signed(node.base_url(), "a", &["--no-wait"])
        .ended(0);
    assert!(ran.err.contains("accepted the transaction"), "{ran:?}");
    assert!(!ran.err.contains("waiting"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_file_can_be_submitted_and_verified_as_it_is() {
    let node = manual().await;
    let verifier = Verifier::of(&node);
    let url = node.base_url();
    verifier.add_signed(url, "a", &["--no-wait"]).ended(0);
    let kept = only_kept(&verifier).display().to_string();
    verifier.home.run(&["verify", &kept]).ended(0);
    let taken = verifier
        .home
        .ask(url, &["--json", "submit", &kept])
        .ended(0)
        .json();
    assert_eq!(taken["trans_code"], code_in(&kept));
    assert_eq!(taken["new_transaction"], false);
    // A node at another base URL may be on another network.
    let other = Proxy::honest(url).await.unwrap();
    let other = other.server.base_url();
    let ran = verifier.home.ask(&other, &["submit", &kept]).ended(2);
    assert!(ran.err.contains("--any-node"), "{ran:?}");
    let text = fs::read_to_string(&kept).unwrap();
    let ran = verifier
        .home
        .run_with_input(&["submit", "-"], &text)
        .ended(2);
    assert!(ran.err.contains("give the path of the file"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_run_left_behind_is_cleared_away_in_time() {
    const OLD: &str = ".saved-old123";
    const NEW: &str = ".saved-new123";
    let node = manual().await;
    let verifier = Verifier::of(&node);
    fs::create_dir_all(verifier.home.path(".local/state/nodectl/claims")).unwrap();
    let claims = |name: &str| format!(".local/state/nodectl/claims/{name}");
    for (name, hours) in [(OLD, 25), (NEW, 23), ("other", 25)] {
        let path = verifier.home.file(&claims(name), "{}");
        let file = fs::File::options().write(true).open(path).unwrap();
        let age = std::time::Duration::from_secs(hours * 3600);
        file.set_modified(std::time::SystemTime::now() - age)
            .unwrap();
    }
    verifier
        .add_signed(node.base_url(), "a", &["--no-wait"])
        .ended(0);
    let there = |name: &str| verifier.home.path(&claims(name)).exists();
    assert!(!there(OLD));
    assert!(there(NEW) && there("other"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_turn_the_reading_order_is_written_out_for_a_person() {
    let node = manual().await;
    let home = crate::nodectl::program::Home::new();
    let wallet = home.wallet("w.json", &crate::nodectl::program::keys(&node, "alice"));
    let contract = node.contract_address().to_string();
    let claim = [
        "claim",
        "add",
        "--asset",
        "\u{202e}a",
        "--deletable-after",
        "9",
        "--contract",
        &contract,
        "--fee",
        "1000000",
        "--currency",
        "DEVN",
        "--wallet",
        &wallet,
        "--dry-run",
    ];
    let shown = home.ask(node.base_url(), &claim).ended(0);
    assert!(!shown.out.contains('\u{202e}'), "{shown:?}");
    assert!(
        shown.out.contains("\\u202e") && shown.out.contains("escapes here"),
        "{shown:?}"
    );
    // Only the place of the saved file depends on the network.
    let url = ["--base-url", node.base_url()];
    home.run(&[&claim[..], &url].concat()).ended(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_claim_is_paid_once_whatever_the_clock_shows_later() {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let now = TimestampMs::now().as_millis();
    // When the claim is resumed, it is older than a day or a year, or it is from the future.
    for signed_at in [now - DAY - DAY / 2, now - 400 * DAY, now + 400 * DAY] {
        let start = ChainTime::From(TimestampMs::from_millis(signed_at));
        let config = Config::for_tests().with_time(start);
        let node = nodeproof_devnode::spawn(config).await.expect("a node");
        let (proxy, ill) = failing(&node, "/submit-transaction", 503).await;
        let (verifier, url) = (Verifier::of(&node), proxy.server.base_url());
        let then = ["--no-wait", "--trust-node-time"];
        verifier.add_signed(&url, "a", &then).ended(5);
        let kept = only_kept(&verifier);
        let code = code_in(&kept);
        let written = UNIX_EPOCH + Duration::from_millis(signed_at.unsigned_abs());
        let file = fs::File::options().write(true).open(&kept);
        file.expect("a file").set_modified(written).expect("a time");
        ill.store(false, Ordering::SeqCst);

        // The same claim is the same transaction. Another one needs --again.
        let other = verifier.add_signed(&url, "a", &["--no-wait", "--outcome", "2"]);
        assert!(other.ended(2).err.contains("is pending"));
        let resumed = verifier.add_signed(&url, "a", &["--no-wait"]).ended(0);
        assert!(
            resumed.err.contains("submitting the same transaction"),
            "{resumed:?}"
        );
        assert_eq!(resumed.json()["trans_code"], code);
        node.node().make_block();
        let recorded = verifier.add_signed(&url, "a", &[]).ended(0).json();
        assert_eq!(recorded["trans_code"], code);
        assert_eq!(only_kept(&verifier), kept);
        let submissions = proxy.requests().into_iter();
        let bodies: BTreeSet<_> = submissions
            .filter(|request| request.path == "/submit-transaction")
            .map(|request| request.body)
            .collect();
        assert_eq!(bodies.len(), 1);
    }
}
