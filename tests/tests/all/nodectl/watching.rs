//! `nodectl watch`.

use std::{
    io::{BufRead, BufReader},
    process::Command,
};

use nodeproof_devnode::Config;
use serde_json::Value;

use crate::nodectl::{
    program::{Home, words},
    raw_server::{RawServer, Reply},
};

fn indexes(out: &str) -> Vec<u64> {
    let read = |line| serde_json::from_str::<Value>(line).expect("a JSON document");
    out.lines()
        .map(|line| read(line)["index"].as_u64().expect("an index"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn shows_each_new_block_on_a_line_of_its_own() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let height = node.node().height();
    let home = Home::new();
    let arguments = format!(
        "--json watch --count 3 --interval 0.05 --base-url {} --network devnet",
        node.base_url()
    );
    let arguments = words(&arguments);
    let mut child = home.command(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut seen = Vec::new();
    for line in lines.by_ref().take(3) {
        seen.extend(indexes(&line.unwrap()));
        node.make_block();
    }
    assert_eq!(seen, [height, height + 1, height + 2]);
    assert!(child.wait().unwrap().success());
}

#[test]
fn passes_over_an_index_that_the_node_does_not_have() {
    let server = RawServer::spawn(|line| {
        if line.contains("block_index=7") || line.contains("block_index=9") {
            let index = if line.contains('7') { 7 } else { 9 };
            Reply::block(index)
        } else {
            Reply::json("400 Bad Request", r#"{"detail":"Block not found"}"#)
        }
    });
    let arguments = words("--json watch --from 7 --interval 0.01 --count 2");
    let ran = Home::new().ask(&server.base_url, &arguments).ended(0);
    assert_eq!(indexes(&ran.out), [7, 9]);
    assert!(ran.err.contains("no block 8"), "{ran:?}");
}

#[test]
fn warns_about_a_node_that_returns_every_block() {
    let every = RawServer::spawn(|line| {
        let digits: String = line
            .split_once("block_index=")
            .map_or("", |(_, rest)| rest)
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        Reply::block(digits)
    });
    let silent = RawServer::spawn(|line| {
        if line.contains("block_index=1 ") {
            Reply::json("200 OK", r#"{"timestamp":1}"#)
        } else {
            Reply::json("400 Bad Request", r#"{"detail":"Block not found"}"#)
        }
    });
    let home = Home::new();
    let (latest, watch) = (&["block", "latest"][..], &["watch", "--count", "1"][..]);
    for command in [latest, watch] {
        let ran = home.ask(&every.base_url, command).ended(0);
        assert!(ran.err.contains("no chain is that long"), "{ran:?}");
    }
    for command in [latest, watch] {
        let ran = home.ask(&silent.base_url, command).ended(6);
        assert!(ran.err.contains("`index` is missing"), "{ran:?}");
    }
}

#[test]
fn a_block_that_does_not_follow_the_one_before_is_told_and_shown() {
    const WHO: &str = "0x00000000000000000000000000000000000000a1";
    let hash = |byte: &str| byte.repeat(32);
    let row = |index: u64, time: u64, link: &str, own: &str| {
        let (link, own) = (hash(link), hash(own));
        format!(
            r#"{{"block_index":{index},"timestamp":{time},"previous_hash":"{link}","hash":"{own}"}}"#
        )
    };
    // This is the specification's form: without its own hash, and with votes on the block before.
    let block = |index: u64, time: u64, link: &str, voted: &str| {
        let (link, voted) = (hash(link), hash(voted));
        format!(
            r#"{{"index":{index},"timestamp":{time},"previous_hash":"{link}","text":{{"transactions":[],"previous_block_receipts":[{{"data":{{"block_index":{},"block_hash":"{voted}","vote":1,"timestamp":1,"wallet_address":"{WHO}"}},"public_key":"ab","signature":"cd"}}]}}}}"#,
            index - 1
        )
    };
    for (first, second, words) in [
        (row(7, 5, "06", "07"), row(8, 6, "07", "08"), None),
        (block(7, 5, "06", "06"), block(8, 5, "07", "07"), None),
        (
            row(7, 5, "06", "07"),
            row(8, 6, "aa", "08"),
            Some("block 8 does not follow block 7"),
        ),
        (
            block(7, 5, "06", "06"),
            block(8, 6, "aa", "07"),
            Some("block 8 does not follow block 7"),
        ),
        (
            block(7, 5, "06", "06"),
            block(8, 6, "06", "06"),
            Some("block 8 repeats block 7"),
        ),
        (
            block(7, 5, "06", "06"),
            block(8, 4, "07", "07"),
            Some("time decreases"),
        ),
    ] {
        let (one, two) = (first.clone(), second.clone());
        let server = RawServer::spawn(move |line| {
            let body = if line.contains("block_index=7") {
                &one
            } else {
                &two
            };
            Reply::json("200 OK", body)
        });
        let watch = ["watch", "--from", "7", "--count", "2", "--interval", "0.01"];
        let home = Home::new();
        let ran = home.ask(&server.base_url, &watch).ended(0);
        assert_eq!(ran.out.lines().count(), 2, "{ran:?}");
        assert_eq!(
            ran.err.matches(words.unwrap_or("warning")).count(),
            usize::from(words.is_some()),
            "{second}: {ran:?}"
        );
        let ran = home
            .ask(&server.base_url, &[&["--json"], &watch[..]].concat())
            .ended(0);
        let last: Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
        let breaks = last["breaks"].as_array().unwrap();
        match words {
            Some(words) => assert!(
                breaks
                    .iter()
                    .any(|warning| warning.as_str().unwrap().contains(words))
            ),
            None => assert!(breaks.is_empty(), "{last}"),
        }
        assert_eq!(ran.err, "");
    }
}

/// Sends SIGINT, like Ctrl-C.
pub(crate) fn interrupt(process: u32) {
    send("INT", process);
}

pub(crate) fn send(signal: &str, process: u32) {
    let sent = Command::new("kill")
        .args(["-s", signal, &process.to_string()])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
}
