//! Missing data, reported in any way: the specification does not show how a node reports it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::http::StatusCode;
use integration_tests::proxy::{Fault, Proxy};
use nodeproof_devnode::Config;
use serde_json::json;

use crate::nodectl::{
    claims::Verifier,
    program::{Home, words},
    raw_server::{RawServer, Reply},
};

/// Ways to report missing data: a status and a JSON body.
const NOTHING: [(&str, &str); 6] = [
    ("400", r#"{"detail":"Block not found"}"#),
    ("400", r#"{"detail":"No such block"}"#),
    ("404", r#"{"error":"nope"}"#),
    ("410", "{}"),
    ("404", "null"),
    ("422", r#"{"detail":"no block 13"}"#),
];

/// Returns the index in a request line.
fn index(line: &str) -> u64 {
    let (_, rest) = line.split_once("block_index=").expect("an index");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

/// Starts a chain of that many blocks. The last block appears after a few requests for it.
fn chain(blocks: u64, status: &'static str, body: &'static str) -> RawServer {
    let looks = AtomicUsize::new(0);
    RawServer::spawn(move |line| {
        let index = index(line);
        let made = index < blocks || (index == blocks && looks.fetch_add(1, Ordering::SeqCst) > 2);
        if made && index > 0 {
            Reply::block(index)
        } else {
            Reply::json(status, body)
        }
    })
}

#[test]
fn the_end_of_the_chain_is_found_however_the_node_says_it() {
    let home = Home::new();
    for (status, body) in NOTHING {
        let node = chain(13, status, body);
        let latest = home.ask(&node.base_url, &["--json", "block", "latest"]);
        assert_eq!(latest.ended(0).json()["index"], 12, "{status} {body}");

        // Block 13 appears while the program watches for it.
        let node = chain(13, status, body);
        let watch = words("watch --from 13 --count 1 --interval 0.01");
        let seen = home.ask(&node.base_url, &watch).ended(0);
        assert!(seen.out.starts_with("13 "), "{status} {body}: {seen:?}");
        assert_eq!(seen.err, "", "{status} {body}");
    }
}

#[test]
fn a_node_without_any_block_is_told_with_its_words() {
    let home = Home::new();
    let refusing = RawServer::spawn(|_| Reply::json("400 Bad Request", r#"{"detail":"ill"}"#));
    let ran = home.ask(&refusing.base_url, &["block", "latest"]).ended(1);
    assert!(
        ran.err.contains("neither a block 1 nor a block 0"),
        "{ran:?}"
    );
    assert!(ran.err.contains("400 Bad Request: ill"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_is_made_at_a_node_that_refuses_to_show_what_is_not_there() {
    let node = Arc::new(nodeproof_devnode::spawn(Config::for_tests()).await.unwrap());
    let verifier = Verifier::of(&node);
    for (asset, status) in [("a", StatusCode::NOT_FOUND), ("b", StatusCode::BAD_REQUEST)] {
        let looks = Arc::new(AtomicUsize::new(0));
        let (counted, maker) = (Arc::clone(&looks), Arc::clone(&node));
        let fault: Fault = Arc::new(move |request, response| {
            if request.path != "/sc-state" {
                return response;
            }
            if !String::from_utf8_lossy(&response.body).contains(r#""data":null"#) {
                return response;
            }
            // There is one such response before signing, and two while the program waits for the record.
            if counted.fetch_add(1, Ordering::SeqCst) == 2 {
                maker.make_block();
            }
            response
                .with_status(status)
                .with_body(r#"{"detail":"nope"}"#)
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let made = verifier
            .add_signed(&proxy.server.base_url(), asset, &[])
            .ended(0)
            .json();
        assert_eq!(made["record"]["asset_id"], json!(asset));
        assert_eq!(looks.load(Ordering::SeqCst), 3);
    }
}
