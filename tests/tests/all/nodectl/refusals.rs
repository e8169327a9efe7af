//! Claims that a node can't be trusted about: a refusal and the current time. Also two runs at the same
//! time.

use std::{fs, process::Command, sync::Arc};

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::proxy::{Fault, Proxy, RecordedRequest};
use nodeproof_devnode::{ChainTime, Config, Handle};
use nodeproof_primitives::TimestampMs;
use serde_json::{Value, json};

use crate::nodectl::{
    claims::Verifier,
    program::{RunOutput, binary},
};

async fn node() -> Handle {
    nodeproof_devnode::spawn(Config::for_tests())
        .await
        .expect("a node")
}

fn is_submission(request: &&RecordedRequest) -> bool {
    request.path == "/submit-transaction"
}

fn submissions(proxy: &Proxy) -> usize {
    proxy.requests().iter().filter(is_submission).count()
}

/// Returns the file of the only saved transaction, and its JSON.
fn kept(verifier: &Verifier) -> (std::path::PathBuf, Value) {
    let folder = fs::read_dir(verifier.home.path(".local/state/nodectl/claims"));
    let paths: Vec<_> = folder.expect("a folder").flatten().collect();
    assert_eq!(paths.len(), 1, "{paths:?}");
    let path = paths[0].path();
    let text = fs::read_to_string(&path).expect("a kept file");
    (path, serde_json::from_str(&text).expect("JSON"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_claim_stays_pending_and_a_changed_one_needs_again() {
    // The transaction is old, so only the refusal keeps it pending.
    let config = Config::for_tests().with_time(ChainTime::FIXED);
    let node = nodeproof_devnode::spawn(config).await.expect("a node");
    for (status, body) in [
        (
            200,
            r#"{"status":"SUCCESS","response":{"valid":false,"msg":"no","new_transaction":true}}"#,
        ),
        (
            200,
            r#"{"status":"SUCCESS","response":{"valid":false,"msg":[],"new_transaction":false}}"#,
        ),
        (400, r#"{"detail":"no"}"#),
        (429, r#"{"error":"too many"}"#),
    ] {
        let fault: Fault = Arc::new(move |request, response| {
            if is_submission(&request) {
                let status = StatusCode::from_u16(status).expect("a status");
                let mut response = response.with_status(status).with_body(body);
                // After 429, a shorter pause would be waited for.
                let long = HeaderValue::from_static("3600");
                response.headers.insert(header::RETRY_AFTER, long);
                return response;
            }
            response
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let (verifier, url) = (Verifier::of(&node), proxy.server.base_url());
        let old = ["--no-wait", "--trust-node-time"];
        let refused = verifier.add_signed(&url, "a", &old);
        assert!(matches!(refused.status, 3 | 4), "{refused:?}");
        assert!(
            refused
                .err
                .contains("anyone with the transaction can still submit it"),
            "{refused:?}"
        );
        let sent = submissions(&proxy);

        // Another claim about the asset is neither signed nor sent, whatever the change.
        let elsewhere = verifier.home.path("mine.json").display().to_string();
        for more in [
            &["--outcome", "2"][..],
            &["--link", "https://example.org/more", "--keep", &elsewhere],
        ] {
            let more = [more, &old].concat();
            let changed = verifier.add_signed(&url, "a", &more).ended(2);
            let message = changed.error()["message"].to_string();
            assert!(message.contains("is pending"), "{status}: {message}");
            assert!(message.contains("a node refused it"), "{message}");
            assert!(message.contains("--again"), "{message}");
        }
        assert_eq!(submissions(&proxy), sent, "{status}");

        // The passage of time changes nothing: the node may still have the transaction. Earlier
        // versions saved the time of the refusal, and let a claim through after a day.
        let (path, mut file) = kept(&verifier);
        assert_eq!(file["state"], "refused");
        file["refused_at"] = json!(TimestampMs::now().as_millis() - 30 * 24 * 60 * 60 * 1000);
        fs::write(&path, file.to_string()).expect("a file");
        let more = [&["--outcome", "2"][..], &old].concat();
        verifier.add_signed(&url, "a", &more).ended(2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_different_claims_at_the_same_time_one_is_sent() {
    const RUNS: usize = 8;

    let node = node().await;
    let verifier = Verifier::of(&node);
    // The responses wait until all runs have requested their call, so all calls are built before any is sent.
    let meeting = Arc::new(std::sync::Barrier::new(RUNS));
    let fault: Fault = Arc::new(move |request, response| {
        if request.path == "/call-sc" {
            tokio::task::block_in_place(|| meeting.wait());
        }
        response
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let url = proxy.server.base_url();
    let wallet = verifier.home.wallet("plain.json", &verifier.keys);
    let runs: Vec<_> = (0..RUNS)
        .map(|number| {
            let mut command = Command::new(binary());
            command
                .args(["--json", "claim", "add", "--asset", "a", "--no-wait"])
                .args(["--deletable-after", "99"])
                .args(["--outcome", &number.to_string()])
                .args(["--contract", &verifier.contract, "--wallet", &wallet])
                .args(["--fee", "1000000", "--currency", "DEVN"])
                .args(["--base-url", &url, "--network", "devnet"])
                .env_clear()
                .env("HOME", verifier.home.folder.path())
                .current_dir(verifier.home.folder.path())
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped());
            // Use different files for half of the runs.
            if number % 2 == 1 {
                command.args(["--keep", &format!("kept-{number}/claim.json")]);
            }
            command.spawn().expect("the program")
        })
        .collect();
    let ended: Vec<_> = tokio::task::spawn_blocking(move || {
        runs.into_iter()
            .map(|run| RunOutput::of(run.wait_with_output().expect("its end")))
            .collect()
    })
    .await
    .unwrap();
    let done = ended
        .iter()
        .filter(|ran: &&RunOutput| ran.status == 0)
        .count();
    assert_eq!((done, submissions(&proxy)), (1, 1), "{ended:?}");
    for ran in ended.iter().filter(|ran| ran.status != 0) {
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.err.contains("is pending"), "{ran:?}");
    }
    kept(&verifier);
    // A later run with a different file sends nothing either.
    let place = verifier.home.path("later/claim.json").display().to_string();
    for more in [&[][..], &["--keep", &place]] {
        let more = [&["--no-wait", "--outcome", "99"], more].concat();
        let ran = verifier.add(node.base_url(), "a", &more).ended(2);
        assert!(ran.err.contains("is pending"), "{ran:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_does_not_vouch_for_its_own_time() {
    let node = node().await;
    for time in [
        100_000_000_000_000_i64,
        4_102_444_800_000,
        1_767_225_612_000,
        0,
    ] {
        // Its blocks have the same time, so the node is consistent with itself.
        let fault: Fault = Arc::new(move |request, response| match request.path.as_str() {
            "/call-sc" => response.with_json(|raw| raw["transaction"]["timestamp"] = time.into()),
            "/get-block" if response.status == StatusCode::OK => {
                response.with_json(|block| block["timestamp"] = time.into())
            }
            _ => response,
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let (verifier, url) = (Verifier::of(&node), proxy.server.base_url());
        let ran = verifier.add_signed(&url, "a", &["--no-wait"]).ended(6);
        let message = ran.error()["message"].to_string();
        assert!(message.contains("nothing was signed"), "{message}");
        assert!(message.contains("--trust-node-time"), "{message}");
        assert!(message.contains(&time.to_string()), "{message}");
        assert!(
            proxy
                .requests()
                .iter()
                .all(|request| request.path != "/get-block")
        );
        assert_eq!(submissions(&proxy), 0);

        // With the option --trust-node-time, the user is shown the time that is signed.
        let ran = verifier.add_signed(&url, "a", &["--no-wait", "--trust-node-time"]);
        if time > 0 {
            let day = ["5138-11-16", "2100-01-01", "2026-01-01"];
            assert!(day.iter().any(|day| ran.err.contains(day)), "{ran:?}");
        }
    }
    // A time that agrees with the clock is signed without that option.
    let fault: Fault = Arc::new(|request, response| match request.path.as_str() {
        "/call-sc" => response.with_json(|raw| {
            let now = TimestampMs::now().as_millis();
            raw["transaction"]["timestamp"] = (now + 23 * 60 * 60 * 1000).into();
        }),
        _ => response,
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let verifier = Verifier::of(&node);
    let ran = verifier.add_signed(&proxy.server.base_url(), "a", &["--no-wait"]);
    ran.ended(0);
    assert_eq!(submissions(&proxy), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_claim_is_named_beside_a_pending_one() {
    let node = node().await;
    let (verifier, url) = (Verifier::of(&node), node.base_url());
    let add = |outcome: &str, more: &[&str]| {
        let claim = ["--no-wait", "--outcome", outcome];
        verifier.add_signed(url, "a", &[&claim[..], more].concat())
    };
    let file = |ran: RunOutput| ran.ended(0).json()["saved_in"].as_str().map(str::to_owned);
    let first = file(add("1", &[])).expect("a file");
    let second = file(add("2", &["--again"])).expect("a file");
    // A block has the first one. The second one stays pending: the node keeps one record.
    node.node().make_block();
    verifier.add_signed(url, "a", &["--outcome", "1"]).ended(0);
    let sent = node.node().submissions_received();
    let refused = add("3", &[]).ended(2);
    let message = refused.error()["message"].as_str().map(str::to_owned);
    let message = message.expect("a message");
    for expected in [
        "is pending: transaction ".to_owned(),
        format!("saved in {second}; another one was recorded, saved in {first}. A node keeps"),
    ] {
        assert!(message.contains(&expected), "{expected}: {message}");
    }
    assert_eq!(node.node().submissions_received(), sent);
}
