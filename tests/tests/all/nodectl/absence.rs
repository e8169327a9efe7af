//! Missing data, reported in any way: the specification does not show how a node reports it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::http::StatusCode;
use integration_tests::{
    proxy::{Fault, Proxy},
    table::rows,
};
use nodeproof_devnode::Config;
use serde_json::json;

use crate::nodectl::{
    claims::Verifier,
    program::{Home, words},
    raw_server::{RawServer, Reply},
};

const WALLET: &str = "0x00000000000000000000000000000000000000a1";
const CONTRACT: &str = "ct00000000000000000000000000000000000000c1";

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

#[test]
fn a_failure_that_is_no_end_is_not_taken_for_one() {
    let home = Home::new();
    for status in ["401", "403", "429", "500"] {
        let node = chain(13, status, r#"{"detail":"Block not found"}"#);
        home.ask(&node.base_url, &["block", "latest"]).ended(3);
        home.ask(&node.base_url, &["block", "99"]).ended(3);
    }
    home.ask(&chain(13, "405 X", "{}").base_url, &["block", "99"])
        .ended(3);
}

/// The status and the body of a response to a request for block 99, the exit status, and a part of the message.
const NAMED: &str = r#"
    400 | {"detail":"No such block"}          | 1 | 400 Bad Request: No such block
    404 | {}                                  | 1 | 404 Not Found
    410 | "x"                                 | 1 | 410 Gone: x
    422 | {"detail":"index"}                  | 1 | index
    400 |  | 3 | 400 Bad Request
    410 | x                                   | 3 | 410 Gone: x
    416 | {}                                  | 3 | 416
    200 | {"detail":"Block not found"}        | 6 | the node's message: Block not found
    200 | {"status":"FAILURE","msg":"unknown"} | 6 | the node's message: unknown
    200 | {}                                  | 6 | `index` is missing
    200 | {"status":1}                        | 6 | `index` is missing
    200 | null                                | 6 | null
"#;

#[test]
fn a_block_that_was_named_and_is_not_there_is_told_with_the_nodes_words() {
    let home = Home::new();
    for [status, body, exit, words] in rows(NAMED) {
        let node = chain(13, status, body);
        let ran = home.ask(&node.base_url, &["block", "99"]);
        let ran = ran.ended(exit.parse().unwrap());
        assert_eq!(ran.out, "", "{ran:?}");
        assert!(ran.err.contains(words) && ran.err.contains("99"), "{ran:?}");
    }
}

const SCORES: &str = r#"
    400 | {"detail":"No trust"}   | 1 | No trust
    404 | {}                      | 1 | 404
    404 |  | 3 | 404
    422 | {"detail":"unrelated"}  | 1 | unrelated
    403 | {"detail":"not found"}  | 3 | 403
    200 | {"status":"FAILURE","trust_score":5,"msg":"busy"} | 6 | busy
    200 | {"status":"FAILURE","msg":"Trust score not available"} | 6 | not available
    200 | {"trust_score":5}       | 6 | `status` is missing
    200 | {"status":"SUCCESS","trust_score":5} | 0 |
"#;

#[test]
fn a_score_is_only_told_where_the_node_says_that_it_is_one() {
    let home = Home::new();
    for [status, body, exit, words] in rows(SCORES) {
        let node = RawServer::spawn(move |_| Reply::json(status, body));
        let ran = home.ask(&node.base_url, &["trust", WALLET, WALLET]);
        let ran = ran.ended(exit.parse().unwrap());
        assert!(ran.err.contains(words), "{ran:?}");
        assert_eq!(ran.out, if exit == "0" { "5\n" } else { "" }, "{ran:?}");
    }
}

const RECORDS: &str = r#"
    404 | {"detail":"nothing like that"}  | 1 | nothing like that
    400 | {"detail":"No record"}          | 1 | No record
    200 | {"status":"FAILURE","msg":"no record"} | 6 | no record
    200 | {"detail":"database is locked"} | 6 | database is locked
    200 | {"status":"FAILURE","msg":"busy"} | 6 | busy
    500 | {"detail":"no such table"}      | 3 | no such table
    401 | {"detail":"not found"}          | 3 | 401
"#;

#[test]
fn a_record_that_is_not_there_is_told_with_the_nodes_words() {
    let home = Home::new();
    let state = format!("state --contract {CONTRACT} --table t --column c --value v");
    let state = words(&state);
    let get = ["claim", "get", "a", "--contract", CONTRACT];
    for [status, body, exit, words] in rows(RECORDS) {
        let node = RawServer::spawn(move |_| Reply::json(status, body));
        for command in [&state[..], &get] {
            let ran = home
                .ask(&node.base_url, command)
                .ended(exit.parse().unwrap());
            assert!(ran.err.contains(words), "{ran:?}");
        }
    }
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
