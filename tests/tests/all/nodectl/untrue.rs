//! Responses that contradict themselves, or that are about something else. The program must not present
//! them as true.

use std::{process::Stdio, sync::Arc};

use integration_tests::{
    faults::change_json,
    proxy::{Fault, Proxy},
    table::rows,
};
use nodeproof_devnode::Config;
use nodeproof_primitives::TimestampMs;
use nodeproof_wallet::KeyPair;
use serde_json::{Value, json};

use crate::nodectl::{
    claims::{Verifier, lively},
    program::{Home, call, words},
    raw_server::{RawServer, Reply},
};

const WALLET: &str = "0x00000000000000000000000000000000000000a1";
const CONTRACT: &str = "ct00000000000000000000000000000000000000c1";

/// Checks each body as a response to a command: the body, the exit status, and a part of the output. `WALLET`,
/// `CONTRACT` and `ROW` in a body stand for an address and for a record of the asset `a`.
#[track_caller]
fn table(arguments: &[&str], table: &str) {
    let home = Home::new();
    let row = format!(r#"["{CONTRACT}","a","token","{WALLET}",1,"[]","[]","",9]"#);
    for [body, exit, words] in rows(table) {
        let sent = body.replace("ROW", &row).replace("WALLET", WALLET);
        let node = RawServer::spawn(move |_| Reply::json("200 OK", &sent));
        let exit = exit.parse().expect("a status");
        let ran = home.ask(&node.base_url, arguments).ended(exit);
        let output = if exit == 0 { &ran.out } else { &ran.err };
        let words = words.replace("WALLET", WALLET);
        assert!(output.contains(&words), "{body}: {ran:?}");
        assert_eq!(ran.out.is_empty(), exit != 0, "{body}: {ran:?}");
    }
}

#[test]
fn a_record_of_another_asset_is_not_shown_as_the_one_that_was_asked_for() {
    let state = |table: &str| {
        format!("state --contract {CONTRACT} --table {table} --column asset_id --value a")
    };
    let (mine, unknown) = (state("verification"), state("t"));
    let other = format!(r#"["{CONTRACT}","b","token","{WALLET}",1,"[]","[]","",9]"#);
    let bodies = r#"
        {"status":"SUCCESS","data":ROW}                 | 0 | token
        {"status":"SUCCESS","data":OTHER}               | 6 | but the node returned
        {"status":"SUCCESS","data":[ROW,OTHER]}         | 6 | but the node returned
        {"status":"SUCCESS","data":{"asset_id":"b"}}    | 6 | "b"
        {"status":"SUCCESS","data":{"asset_id":"a"}}    | 0 | asset_id
        {"status":"SUCCESS","data":{"remarks":"b"}}     | 0 | remarks
        {"value":ROW,"data":OTHER}                      | 6 | different records
    "#;
    table(&words(&mine), &bodies.replace("OTHER", &other));
    // The columns of other tables are unknown.
    let row = r#"{"status":"SUCCESS","data":OTHER} | 0 | token"#;
    table(&words(&unknown), &row.replace("OTHER", &other));
}

#[test]
fn what_is_no_page_is_not_called_one() {
    let bodies = "
        {}                                | 6 | not with an HTML page: {}
        no page                           | 6 | no page
        <xml/>                            | 6 | <xml/>
        <!DOCTYPE html> <title>x</title>  | 0 | returns a page
    ";
    table(&["docs"], bodies);
}

/// Makes a claim at a node that changes each record of it. Returns the result.
async fn recorded_as(change: fn(&mut Value)) -> String {
    let node = Arc::new(
        nodeproof_devnode::spawn(Config::for_tests())
            .await
            .expect("a node"),
    );
    let maker = Arc::clone(&node);
    let fault: Fault = Arc::new(move |request, response| match request.path.as_str() {
        "/submit-transaction" => {
            maker.make_block();
            response
        }
        "/sc-state" => response.with_json(|state| {
            for carrier in ["data", "value"] {
                if state[carrier].is_array() {
                    change(&mut state[carrier]);
                }
            }
        }),
        _ => response,
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let ran = Verifier::of(&node)
        .add_signed(&proxy.server.base_url(), "a", &["--wait", "2"])
        .ended(5);
    let error = ran.error();
    assert_eq!(error["maybe_sent"], true);
    error["message"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_was_recorded_badly_is_told_as_that() {
    for (change, words, can_be_read) in [
        (
            (|row| row[4] = json!("1")) as fn(&mut Value),
            &[r#"`outcome`: expected an integer, received the string "1""#][..],
            false,
        ),
        (
            |row| row[8] = json!(98),
            &["deletable_after: expected 99, recorded 98"],
            true,
        ),
        (
            |row| {
                row.as_array_mut()
                    .into_iter()
                    .for_each(|row| row.truncate(7))
            },
            &["`remarks` is missing"],
            false,
        ),
    ] {
        let output = recorded_as(change).await;
        let outcome = if can_be_read {
            &["was recorded, but not as", "had no record"][..]
        } else {
            &["was accepted, but its effect could not be read"]
        };
        for words in words.iter().chain(outcome) {
            assert!(output.contains(words), "{words}: {output}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_is_a_day_older_than_the_latest_block_is_not_signed() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let verifier = Verifier::of(&node);
    let fault = change_json("/call-sc", |_, raw| {
        let built = &mut raw["transaction"]["timestamp"];
        *built = (built.as_i64().expect("a time") - 25 * 3_600_000).into();
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let trusting = ["--trust-node-time"];
    let ran = verifier.add_signed(&proxy.server.base_url(), "a", &trusting);
    let error = ran.ended(6).error();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("latest block"), "{message}");
    assert!(message.ends_with("nothing was signed"), "{message}");
    assert_eq!(node.submissions_received(), 0);
}

#[test]
fn a_document_with_a_member_twice_is_neither_signed_nor_called_right() {
    let (home, keys) = (Home::new(), KeyPair::from_bytes(&[5; 32]).expect("a key"));
    home.wallet("w.json", &keys);
    let signer = keys.address();
    let code = "5a".repeat(20);
    let now = TimestampMs::now().as_millis();
    let text = format!(
        r#"{{"transaction":{{"timestamp":{now},"trans_code":"{code}","type":3,"currency":"DEVN","fee":1000000,"descr":"","valid":1,"specific_data":{{"address":"{CONTRACT}","function":"f","signers":["{signer}"],"params":{{"a":[{{"b":1}}]}}}}}},"signatures":[]}}"#
    );
    let raw = home.file("raw.json", &text);
    let signed = home
        .run(&["sign", "--yes", &raw, "--wallet", "w.json"])
        .ended(0)
        .out;
    let file = home.file("signed.json", &signed);
    home.run(&["verify", &file]).ended(0);
    for (from, to, member) in [
        (
            r#""fee":1000000"#,
            r#""fee":7,"fee":1000000"#,
            "`transaction.fee`",
        ),
        (r#""b":1"#, r#""b":2,"b":1"#, "params.a[0].b`"),
        (
            r#"{"transaction":"#,
            r#"{"transaction":{"fee":7},"transaction":"#,
            "`transaction`",
        ),
        (
            r#""fee":1000000"#,
            r#""\u0066ee":7,"fee":1000000"#,
            "`transaction.fee`",
        ),
    ] {
        let twice = home.file("twice.json", &signed.replacen(from, to, 1));
        let unsigned = home.file("unsigned.json", &text.replacen(from, to, 1));
        for command in [
            &["verify", &twice][..],
            &["sign", "--yes", &unsigned, "--wallet", "w.json"],
            &[
                "submit",
                &twice,
                "--network",
                "devnet",
                "--base-url",
                "http://127.0.0.1:9",
            ],
        ] {
            let ran = home.run(command).ended(2);
            assert!(ran.out.is_empty() && ran.err.contains(member), "{ran:?}");
            assert!(ran.err.contains("more than one"), "{ran:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_can_not_be_written_is_a_failure_in_one_line() {
    let node = RawServer::spawn(|_| {
        Reply::json(
            "200 OK",
            r#"{"index":1,"timestamp":1,"previous_hash":"0","balance":5}"#,
        )
    });
    let home = Home::new();
    for command in [&["block", "1"][..], &["balance", WALLET, "T"], &["man"]] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let target = ["--base-url", &node.base_url, "--network", "devnet"];
        let ended = home
            .command(&[command, &target].concat())
            .stdout(Stdio::from(full))
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        let output = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(output.lines().count(), 1, "{output}");
        assert!(
            output.contains("standard output can't be written"),
            "{output}"
        );
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn unwritable_output_after_a_payment_is_not_a_usage_error() {
    let node = lively().await;
    let verifier = Verifier::of(&node);
    let made = verifier.add_signed(node.base_url(), "first", &["--no-wait"]);
    let kept = made.ended(0).json()["saved_in"]
        .as_str()
        .unwrap()
        .to_owned();
    let target = ["--base-url", node.base_url(), "--network", "devnet"];
    let submit = ["--json", "submit", &kept];
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let ended = verifier
        .home
        .command(&[&submit[..], &target].concat())
        .stdout(Stdio::from(full.unwrap()))
        .output()
        .unwrap();
    let output = crate::nodectl::program::RunOutput::of(ended)
        .ended(5)
        .error();
    assert_eq!(output["maybe_sent"], true);
    let message = output["message"].as_str().unwrap();
    assert!(
        message.contains("the node accepted the transaction"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_there_already_is_not_replaced_by_a_transaction() {
    let node = lively().await;
    let verifier = Verifier::of(&node);
    let params = verifier.home.file("p.json", "{}");
    let signer = verifier.keys.address().to_string();
    let call = call(&verifier.contract, &signer, &params);
    let key = std::fs::read_to_string(&verifier.wallet).unwrap();
    let ran = verifier.home.ask(
        node.base_url(),
        &[&call[..], &["--out", &verifier.wallet]].concat(),
    );
    assert!(ran.ended(2).err.contains("only copy of a key"));
    assert_eq!(std::fs::read_to_string(&verifier.wallet).unwrap(), key);
    for _ in 0..2 {
        let ran = verifier.home.ask(
            node.base_url(),
            &[&call[..], &["--out", "raw.json"]].concat(),
        );
        ran.ended(0);
    }
}
