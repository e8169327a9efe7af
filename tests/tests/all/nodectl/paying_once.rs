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

use axum::http::StatusCode;
use integration_tests::{
    proxy::{Fault, Proxy},
    restart,
};
use nodeproof_devnode::{ChainTime, Config, Handle};
use nodeproof_primitives::TimestampMs;
use serde_json::Value;

use crate::nodectl::claims::Verifier;

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

/// The state folder has a link to each claim that is kept elsewhere, also while its volume is not mounted. What
/// else is not the file of a claim is in the tests of `saved` in `crates/claims`.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn an_earlier_claim_that_can_not_be_read_is_an_earlier_claim() {
    let node = manual().await;
    let url = node.base_url();
    type Change = fn(&Path, &str);
    let changes: [(&str, Change); 5] = [
        ("removed", |file, _| fs::remove_file(file).unwrap()),
        ("of a volume that is not mounted", |file, _| {
            fs::remove_dir_all(file.parent().unwrap()).unwrap();
        }),
        ("of a newer version", |file, text| {
            fs::write(file, text.replace("\"version\": 1", "\"version\": 2")).unwrap();
        }),
        ("cut short", |file, text| {
            fs::write(file, &text[..100]).unwrap()
        }),
        ("a pipe", |file, _| {
            fs::remove_file(file).unwrap();
            let made = std::process::Command::new("mkfifo").arg(file).status();
            assert!(made.unwrap().success());
        }),
    ];
    for (what, change) in changes {
        let verifier = Verifier::of(&node);
        let file = verifier.home.path("volume/c.json");
        let other = verifier.home.path("other/d.json");
        let [same, other] = [&file, &other].map(|path| path.display().to_string());
        fs::create_dir(verifier.home.path("volume")).unwrap();
        let add = |asset: &str, file: &str, more: &[&str]| {
            let arguments = [&["--no-wait", "--keep", file][..], more].concat();
            verifier.add_signed(url, asset, &arguments)
        };
        add(what, &same, &[]).ended(0);
        change(&file, &fs::read_to_string(&file).unwrap());
        let sent = node.node().submissions_received();
        add(what, &same, &[]).ended(2);
        for more in [&[][..], &["--outcome", "2"]] {
            let refused = add(what, &other, more).ended(2).error();
            for part in ["an earlier claim", "volume/c.json", "--again"] {
                assert!(text(&refused).contains(part), "{what}: {refused}");
            }
        }
        assert_eq!(node.node().submissions_received(), sent, "{what}");
        // The link is of this asset only.
        add("another asset", &other, &[]).ended(0);
    }
}

/// Where the user names no file, its name tells which asset it is about.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_in_the_folder_of_claims_is_an_earlier_claim_about_its_asset() {
    let node = manual().await;
    let url = node.base_url();
    type Damaged = fn(&str) -> Option<String>;
    let damages: [(&str, Damaged); 9] = [
        ("empty", |_| Some(String::new())),
        ("blanks", |_| Some("  \n".to_owned())),
        ("zeros", |text| Some("\0".repeat(text.len()))),
        ("first byte", |text| Some(text[..1].to_owned())),
        ("cut", |text| Some(text[..40].to_owned())),
        ("null", |_| Some("null".to_owned())),
        ("object", |_| Some("{}".to_owned())),
        ("long", |_| Some(" ".repeat(9 << 20))),
        // A folder is in its place.
        ("folder", |_| None),
    ];
    for (what, damaged) in damages {
        let verifier = Verifier::of(&node);
        let add = |asset: &str, outcome: &str| {
            verifier.add_signed(url, asset, &["--no-wait", "--outcome", outcome])
        };
        add(what, "1").ended(0);
        let file = only_kept(&verifier);
        let text = fs::read_to_string(&file).unwrap();
        fs::remove_file(&file).unwrap();
        match damaged(&text) {
            Some(text) => fs::write(&file, text).unwrap(),
            None => fs::create_dir(&file).unwrap(),
        }
        let sent = node.node().submissions_received();
        add(what, "1").ended(2);
        let refused = add(what, "2").ended(2);
        assert!(refused.err.contains("--again"), "{what}: {refused:?}");
        assert_eq!(node.node().submissions_received(), sent, "{what}");
        add("another asset", "1").ended(0);
    }
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
    // When the claim is resumed, it is older than a year, or it is from the future.
    for signed_at in [now - 400 * DAY, now + 400 * DAY] {
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
            resumed.err.contains("continuing with its transaction"),
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
