//! Exit statuses that scripts can distinguish, and the message with each.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use integration_tests::table::rows;
use nodeproof_devnode::Config;
use nodeproof_wallet::KeyPair;

use crate::nodectl::{
    program::{Home, RunOutput, call, keys, words},
    raw_server::{RawServer, Reply},
    watching::send,
};

const WALLET: &str = "0x00000000000000000000000000000000000000a1";
const CONTRACT: &str = "ct00000000000000000000000000000000000000c1";

fn against(reply: impl Fn(&str) -> Reply + Send + Sync + 'static, arguments: &[&str]) -> RunOutput {
    let server = RawServer::spawn(reply);
    Home::new().ask(&server.base_url, arguments)
}

#[test]
fn wrong_usage_is_2_and_nothing_is_asked() {
    let server = RawServer::spawn(|_| Reply::json("200 OK", "{}"));
    let home = Home::new();
    let table = "
        balance CONTRACT T                 | this is a contract address
        balance UPPER T                    | written in lower case
        balance 0x12 T                     | 40 hexadecimal digits
        trust WALLET 0x                    | 40 hexadecimal digits
        block -1                           | unexpected argument
        block 1.5                          | whole number
        block                              | INDEX|latest
        claim get a --contract WALLET      | this is a wallet address
        claim get a                        | --contract
        watch --count 0                    | 0
        --request-timeout 0 block 1        | number of seconds
        nonsense                           | nonsense
        sign no-such-file                  | no-such-file
    ";
    let table = table
        .replace("CONTRACT", CONTRACT)
        .replace("WALLET", WALLET);
    let table = table.replace("UPPER", &WALLET.replace('a', "A"));
    // An error names the file in which it is.
    let files = [
        ("cut.json", "{\"transaction\":"),
        ("empty.json", ""),
        ("array.json", "[]"),
    ];
    let files = files.map(|(name, text)| home.file(name, text));
    let of_files = files.iter().flat_map(|file| {
        ["sign --yes", "submit", "submit --unverified", "verify"]
            .map(|command| format!("{command} {file} | {file}: "))
    });
    let table = of_files.fold(table, |table, row| format!("{table}\n{row}"));
    for [arguments, expected] in rows(&table) {
        let arguments = words(arguments);
        let ran = home.ask(&server.base_url, &arguments).ended(2);
        assert!(ran.err.contains(expected), "{arguments:?}: {ran:?}");
        let json = home.ask(&server.base_url, &[&["--json"], &arguments[..]].concat());
        assert_eq!(json.ended(2).error()["kind"], "usage", "{arguments:?}");
    }
    assert_eq!(server.requests(), 0);
}

#[test]
fn a_response_from_something_else_is_6() {
    let block = ["--json", "block", "3"];
    for body in ["<html>", "[]", r#"{"index":4}"#] {
        let ran = against(move |_| Reply::json("200 OK", body), &block).ended(6);
        assert_eq!(ran.error()["kind"], "unexpected", "{body}");
    }
    let long = || {
        Reply::json(
            "200 OK",
            &format!(
                r#"{{"index":3,"timestamp":1,"previous_hash":"0","x":"{}"}}"#,
                "x".repeat(5000)
            ),
        )
    };
    against(move |_| long(), &["--max-body", "4000", "block", "3"]).ended(6);
    against(move |_| long(), &["--max-body", "9000", "block", "3"]).ended(0);
    let trust = ["trust", WALLET, WALLET];
    against(|_| Reply::json("200 OK", r#"{"trust_score":"x"}"#), &trust).ended(6);
}

/// Returns a transaction with the signatures of all its signers, and a fee that no node accepts.
fn signed(home: &Home) -> String {
    let keys = nodeproof_wallet::KeyPair::from_bytes(&[5; 32]).expect("a key");
    let transaction = format!(
        r#"{{"timestamp":1767225600000,"trans_code":"{}","type":3,"currency":"DEVN","fee":1,"descr":"","valid":1,"specific_data":{{"address":"{CONTRACT}","function":"f","signers":["{}"],"params":{{}}}}}}"#,
        "5a".repeat(20),
        keys.address()
    );
    let entry = nodeproof_wallet::sign_transaction(&keys, &transaction).expect("a signature");
    let entry = serde_json::to_string(&entry).expect("JSON");
    home.file(
        "signed.json",
        &format!(r#"{{"transaction":{transaction},"signatures":[{entry}]}}"#),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_the_node_refuses_is_4_with_its_words() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let home = Home::new();
    let file = signed(&home);
    let ran = home
        .ask(node.base_url(), &["--json", "submit", &file])
        .ended(4);
    let error = ran.error();
    assert_eq!(
        (&error["kind"], &error["maybe_sent"]),
        (&"refused".into(), &true.into())
    );
    assert!(
        error["node_messages"][0]
            .as_str()
            .unwrap()
            .to_lowercase()
            .contains("fee")
    );
    assert_eq!(node.node().submissions_received(), 1);
}

#[test]
fn a_submission_without_a_clear_response_is_5_and_names_the_next_step() {
    let home = Home::new();
    let file = signed(&home);
    let replies: [fn() -> Reply; 4] = [
        || Reply::Nothing,
        || Reply::json("500 Internal Server Error", "{}"),
        || Reply::json("200 OK", "<html>"),
        || Reply::json("200 OK", r#"{"status":"SUCCESS","response":"NODE_BUSY"}"#),
    ];
    for reply in replies {
        let server = RawServer::spawn(move |_| reply());
        let ran = home
            .ask(&server.base_url, &["--json", "submit", &file])
            .ended(5);
        let error = ran.error();
        assert_eq!(error["maybe_sent"], true, "{error}");
        let words = error["message"].as_str().unwrap();
        assert!(words.contains("same file again is safe"), "{error}");
        assert_eq!(server.requests(), 1, "sent more than once");
    }
}

#[test]
fn a_node_that_takes_nothing_now_is_3_and_a_client_error_4() {
    let home = Home::new();
    let file = signed(&home);
    for (status, ends) in [
        ("429 Too Many Requests", 3),
        // The node may have received the transaction before it failed.
        ("503 Service Unavailable", 5),
        // The URL does not belong to a node.
        ("404 Not Found", 3),
        ("405 Method Not Allowed", 3),
        ("400 Bad Request", 4),
        ("422 Unprocessable Entity", 4),
    ] {
        let server = RawServer::spawn(move |_| Reply::json(status, r#"{"detail":"no"}"#));
        let ran = home.ask(&server.base_url, &["submit", &file]).ended(ends);
        assert_eq!(
            ran.err.contains("this base URL"),
            status.starts_with("40") && ends == 3
        );
    }
}

#[test]
fn a_success_without_what_was_asked_for_is_6() {
    let home = Home::new();
    let params = home.file("p.json", "{}");
    let call = call(CONTRACT, WALLET, &params);
    for status in ["201 Created", "204 No Content", "206 Partial Content"] {
        let server = RawServer::spawn(move |_| Reply::json(status, ""));
        home.ask(&server.base_url, &call).ended(6);
    }
}

#[test]
fn a_signal_is_a_status_and_says_what_is_known() {
    let server = RawServer::spawn(|line| {
        if line.starts_with("POST") {
            Reply::Silence
        } else if line.contains("block_index=1 ") {
            Reply::block(1)
        } else {
            Reply::json("400 Bad Request", r#"{"detail":"Block not found"}"#)
        }
    });
    let home = Home::new();
    let file = signed(&home);
    let target = ["--base-url", &server.base_url, "--network", "devnet"];
    let wallet = home.wallet("payer.json", &KeyPair::from_hex(&"5e".repeat(32)).unwrap());
    for (signal, status, what) in [
        ("INT", 130, "interrupted"),
        #[cfg(unix)]
        ("TERM", 143, "terminated"),
    ] {
        let earlier = server.requests();
        let child = home
            .command(&[&["submit", &file][..], &target].concat())
            .spawn()
            .unwrap();
        server.wait_for(earlier + 1);
        send(signal, child.id());
        let ran = RunOutput::of(child.wait_with_output().unwrap()).ended(status);
        let said = ran.err.contains(what) && ran.err.contains("same file again is safe");
        assert!(said, "{ran:?}");

        // Its call is not built yet.
        let earlier = server.requests();
        let transfer = format!(
            "transfer --token T --amount 1 --to {WALLET} --token-contract {CONTRACT} --fee 1000000 --currency T"
        );
        let keep = home.path("kept.json").display().to_string();
        let transfer = [
            &words(&transfer)[..],
            &["--wallet", &wallet, "--keep", &keep],
        ]
        .concat();
        let child = home.command(&[&transfer[..], &target].concat()).spawn();
        let child = child.unwrap();
        server.wait_for(earlier + 1);
        send(signal, child.id());
        let ran = RunOutput::of(child.wait_with_output().unwrap()).ended(status);
        assert_eq!(ran.err, format!("error: {what}; no transaction was sent\n"));

        let mut child = home
            .command(&[&["watch", "--from", "1", "--interval", "100"][..], &target].concat())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        send(signal, child.id());
        let ran = RunOutput::of(child.wait_with_output().unwrap()).ended(status);
        assert_eq!(ran.err, format!("error: {what}; no transaction was sent\n"));
    }
}

#[test]
fn a_reader_that_has_gone_away_is_no_failure() {
    let home = Home::new();
    for arguments in [&["completions", "bash"][..], &["--help"], &["man"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child = home
            .command(arguments)
            .stdout(Stdio::from(writer))
            .spawn()
            .unwrap();
        let ran = RunOutput::of(child.wait_with_output().unwrap()).ended(0);
        assert_eq!(ran.err, "", "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mainnet_is_asked_freely_and_sent_to_only_with_that_word() {
    let node =
        nodeproof_devnode::spawn(Config::new(nodeproof_client::Network::Mainnet).with_port(0))
            .await
            .unwrap();
    let home = Home::new();
    let file = signed(&home);
    let wallet = home.wallet("w.json", &keys(&node, "alice"));
    let contract = node.contract_address().to_string();
    let target = ["--base-url", node.base_url(), "--network", "mainnet"];
    let run = |arguments: &[&str]| home.run(&[arguments, &target].concat());
    let claim = format!(
        "claim add --asset a --deletable-after 1 --fee 1000000 --currency DEVN --contract \
             {contract} --wallet {wallet} --no-wait"
    );
    let claim = words(&claim);
    run(&["block", "1"]).ended(0);
    assert!(
        run(&["submit", &file])
            .ended(2)
            .err
            .contains("--allow-mainnet")
    );
    assert!(run(&claim).ended(2).err.contains("--allow-mainnet"));
    run(&[&claim[..], &["--dry-run"]].concat()).ended(0);
    assert_eq!(node.node().submissions_received(), 0);
    run(&[&claim[..], &["--allow-mainnet"]].concat()).ended(0);
    assert_eq!(node.node().submissions_received(), 1);
}
