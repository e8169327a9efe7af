//! The fuzz targets: parsers of untrusted input, and the properties that must always hold.
//!
//! The fuzz targets in `fuzz/` call these functions. Plain tests call them too, with the seeds from
//! that folder. Each function panics if a property does not hold.

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
    BaseUrl, BatchResponse, Block, ContractState, RawTransaction, Receipt, SignedTransaction,
    SubmitResponse, TokenBalance, TrustScore, VerificationRecord, from_json,
    generated::types::{TokenBalances, TokenHolders},
};
use nodeproof_conformance::{Expectations, Options};
use nodeproof_primitives::{Network, escape::excerpt, signed_message, sorted_message};
use serde::de::DeserializeOwned;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// A function that reads untrusted text.
pub type Reads = fn(&[u8]);

/// Every function, with the name of its target.
pub const ALL: [(&str, Reads); 6] = [
    ("decoding", decoding),
    ("base_url", base_url),
    ("expectations", expectations),
    ("fixture", fixture),
    ("signed_message", message),
    ("devnode_body", devnode_body),
];

/// Returns the seeds of a target, by the paths of their files.
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

/// Asserts that a text contains no characters that a terminal acts on.
#[track_caller]
fn harmless(text: &str) {
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(acts), "{text:?}");
}

/// Decodes a response. The error must be safe to print.
fn decoded<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    let read = from_json(body);
    read.map_err(|error| harmless(&error.to_string())).ok()
}

/// Parses a node's responses with every type.
///
/// Errors must be safe to print. Every part of a parsed response must be readable.
pub fn decoding(body: &[u8]) {
    harmless(&excerpt(body, 512));
    if let Some(block) = decoded::<Block>(body) {
        for transaction in block.transactions().unwrap_or_default() {
            let _ = transaction.status();
            if let Err(error) = transaction.signed() {
                harmless(&error.to_string());
            }
        }
    }
    if let Some(state) = decoded::<ContractState>(body) {
        match state.record() {
            Ok(Some(record)) => {
                if let Err(error) = VerificationRecord::all_from_json(record) {
                    harmless(&error.to_string());
                }
            }
            Ok(None) => {}
            Err(error) => harmless(&error.to_string()),
        }
    }
    let _ = decoded::<SubmitResponse>(body);
    let _ = decoded::<BatchResponse>(body);
    let _ = decoded::<TokenBalance>(body);
    let _ = decoded::<TokenBalances>(body);
    let _ = decoded::<TokenHolders>(body);
    let _ = decoded::<TrustScore>(body);
    let _ = decoded::<Receipt>(body);
    let _ = decoded::<SignedTransaction>(body);
    // Text that will be signed is preserved byte for byte.
    if let Some(raw) = decoded::<RawTransaction>(body) {
        let text = std::str::from_utf8(body).unwrap_or_default();
        assert!(text.contains(raw.text().as_str()), "{raw:?}");
    }
}

/// Parses a base URL that a user typed.
///
/// An accepted URL must keep its node when it is parsed again, and requests must stay on its host.
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
            assert_eq!(call.origin(), base.as_ref().origin(), "{base:?}");
            assert!(call.path().ends_with("/get-block"), "{base:?}");
            for network in Network::ALL {
                if let Ok(url) = base.clone().of_network(network) {
                    assert_ne!(url.port(), 0, "{base:?}");
                }
            }
        }
        Err(error) => harmless(&error.to_string()),
    }
}

/// Parses a file of expectations.
pub fn expectations(text: &[u8]) {
    if let Ok(text) = std::str::from_utf8(text)
        && let Err(error) = Expectations::from_toml(text)
    {
        assert!(!error.to_string().is_empty());
    }
}

/// Parses a file of known data about a node.
pub fn fixture(text: &[u8]) {
    let mut options = Options::default();
    if let Ok(known) = serde_json::from_slice(text) {
        options.files.fixture = known;
    }
}

/// Computes the text that wallets sign.
///
/// It must be ASCII, a JSON document, and its own signed text.
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

/// A devnode without a socket, and a runtime for it.
static DEVNODE: LazyLock<Option<(Router, Runtime)>> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_all().build().ok()?;
    let node = nodeproof_devnode::Node::new(&nodeproof_devnode::Config::for_tests());
    Some((nodeproof_devnode::router(Arc::new(node)), runtime))
});

/// Sends a request body to a devnode. The devnode must always respond, and never with a status of 500 or
/// more.
///
/// # Panics
/// When the status is 500 or more, or there is no devnode.
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
        let Ok(response) = runtime.block_on(router.clone().oneshot(request));
        assert!(
            response.status().as_u16() < 500,
            "{path}: {}",
            response.status()
        );
    }
}
