//! What is fuzzed: every place where text of others is read, and what has to hold whatever it is.
//!
//! The fuzz targets in `fuzz/` call these, and so do plain tests, with the seeds that lie there. Each
//! panics where something does not hold.

use std::{
    collections::BTreeMap,
    fs, io,
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use axum::{
    Router,
    body::Body,
    http::{Method, Request, header},
};
use nodeproof_client::{
    BalanceAnswer, BaseUrl, BatchAnswer, Block, ContractState, RawTransaction, Receipt,
    SignedTransaction, SubmitAnswer, TrustScore,
};
use nodeproof_conformance::{Expectations, Options};
use nodeproof_primitives::{Network, escape::excerpt, signed_message, sorted_message};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// A place where text of others is read.
pub type Reads = fn(&[u8]);

/// Every one by the name of its target.
pub const ALL: [(&str, Reads); 6] = [
    ("decoding", decoding),
    ("base_url", base_url),
    ("expectations", expectations),
    ("fixture", fixture),
    ("signed_message", message),
    ("devnode_body", devnode_body),
];

/// The seeds of a target, by the names of their files.
///
/// # Errors
/// When its folder can't be read.
pub fn seeds(target: &str) -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "fuzz", "seeds", target]
        .iter()
        .collect();
    let files = fs::read_dir(folder)?;
    files
        .map(|file| {
            let path = file?.path();
            let bytes = fs::read(&path)?;
            Ok((path, bytes))
        })
        .collect()
}

/// Asserts that a text has nothing in it that a terminal acts on.
#[track_caller]
fn harmless(text: &str) {
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(acts), "{text:?}");
}

/// Answers of a node, by every type that reads one.
///
/// What can't be read says so in harmless words, and what is read can be looked at.
pub fn decoding(body: &[u8]) {
    harmless(&excerpt(body, 512));
    match Block::from_slice(body) {
        Ok(block) => {
            for departure in block.departures() {
                harmless(&departure.to_string());
            }
            for fault in block.committee_faults() {
                harmless(&fault.to_string());
            }
            for receipt in block.receipts().into_iter().flatten() {
                for fault in receipt.faults() {
                    harmless(&fault.to_string());
                }
            }
            for transaction in block.transactions().into_iter().flatten() {
                let _ = transaction.status();
                if let Err(error) = transaction.signed() {
                    harmless(&error.to_string());
                }
            }
        }
        Err(error) => harmless(&error.to_string()),
    }
    match BalanceAnswer::from_slice(body) {
        Ok(answer) => {
            let faults = [
                answer.amount().err(),
                answer.tokens().err(),
                answer.holders().err(),
            ];
            for fault in faults.into_iter().flatten() {
                harmless(&fault.to_string());
            }
        }
        Err(error) => harmless(&error.to_string()),
    }
    match ContractState::from_slice(body) {
        Ok(state) => {
            if let Err(fault) = state.verification() {
                harmless(&fault.to_string());
            }
        }
        Err(error) => harmless(&error.to_string()),
    }
    let read = [
        TrustScore::from_slice(body).err(),
        SubmitAnswer::from_slice(body).err(),
        BatchAnswer::from_slice(body).err(),
    ];
    for error in read.into_iter().flatten() {
        harmless(&error.to_string());
    }
    // What is signed is kept to the byte.
    if let Ok(raw) = RawTransaction::from_slice(body) {
        let text = std::str::from_utf8(body).unwrap_or_default();
        assert!(text.contains(raw.text().as_str()), "{raw:?}");
    }
    if let Ok(text) = std::str::from_utf8(body) {
        let _ = Receipt::from_text(text);
        if let Err(error) = SignedTransaction::from_text(text) {
            harmless(&error.to_string());
        }
    }
}

/// A base URL as somebody types it.
///
/// One that is taken names the same node when it is read again, and calls stay on its host.
pub fn base_url(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    match text.parse::<BaseUrl>() {
        Ok(base) => {
            harmless(base.as_str());
            let again: Result<BaseUrl, _> = base.as_str().parse();
            assert!(
                again.is_ok_and(|again| again.as_str() == base.as_str()),
                "{base:?}"
            );
            let call = base.join("/get-block");
            assert_eq!(call.origin(), base.as_url().origin(), "{base:?}");
            assert!(call.path().ends_with("/get-block"), "{base:?}");
            for network in Network::ALL {
                assert_ne!(
                    base.clone().with_network_port(network).port(),
                    0,
                    "{base:?}"
                );
            }
        }
        Err(error) => harmless(&error.to_string()),
    }
}

/// A file of expectations.
pub fn expectations(text: &[u8]) {
    if let Ok(text) = std::str::from_utf8(text)
        && let Err(error) = Expectations::from_toml(text)
    {
        assert!(!error.to_string().is_empty());
    }
}

/// A file of what is known of a node.
pub fn fixture(text: &[u8]) {
    let mut options = Options::default();
    if let Ok(known) = serde_json::from_slice(text) {
        options.files.fixture = known;
    }
}

/// The text that wallets sign.
///
/// It is ASCII, a JSON document, and its own signed text.
pub fn message(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    if let Ok(message) = signed_message(text) {
        assert!(message.is_ascii(), "{message:?}");
        assert_eq!(signed_message(&message).as_ref(), Ok(&message));
    }
    if let Ok(message) = sorted_message(text) {
        assert_eq!(sorted_message(&message).as_ref(), Ok(&message));
    }
}

/// A devnode without a socket, and somewhere to run it.
static DEVNODE: LazyLock<Option<(Router, Runtime)>> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_all().build().ok()?;
    let node = nodeproof_devnode::Node::new(&nodeproof_devnode::Config::for_tests());
    Some((nodeproof_devnode::router(Arc::new(node)), runtime))
});

/// The body of a request to a devnode: it answers each, and never that the fault is its own.
///
/// # Panics
/// When it fails, or there is no devnode.
pub fn devnode_body(body: &[u8]) {
    assert!(DEVNODE.is_some(), "there is no devnode");
    let Some((router, runtime)) = &*DEVNODE else {
        return;
    };
    for path in [
        "/call-sc",
        "/submit-transaction",
        "/submit-transaction-batch",
    ] {
        let request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_vec()));
        let Ok(request) = request else { continue };
        let Ok(answer) = runtime.block_on(router.clone().oneshot(request));
        assert!(
            answer.status().as_u16() < 500,
            "{path}: {}",
            answer.status()
        );
    }
}
