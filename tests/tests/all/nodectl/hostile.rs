//! Nodes that send text that a terminal would act on.

use crate::nodectl::{
    program::{Home, RunOutput, words},
    raw_server::{RawServer, Reply},
};

/// A window title, a colour, a line that overwrites itself, and text that runs backwards.
const EVIL: &str = "\\u001b]0;owned\\u0007\u{9b}31m\\r\u{202e}\u{2066}\u{200b}\u{feff}";
const WALLET: &str = "0x00000000000000000000000000000000000000a1";
const CONTRACT: &str = "ct00000000000000000000000000000000000000c1";

#[track_caller]
fn harmless(ran: &RunOutput) {
    for character in ran.out.chars().chain(ran.err.chars()) {
        let acts = (character.is_control() && character != '\n')
            || "\u{202e}\u{2066}\u{200b}\u{feff}".contains(character);
        assert!(!acts, "{character:?} in {ran:?}");
    }
}

fn evil_in(body: &str) -> String {
    body.replace("EVIL", EVIL)
}

/// Commands, responses with hostile text, and exit statuses.
const RESPONSES: &str = r#"
0 block 1 | {"index":1,"timestamp":1,"previous_hash":"0","EVIL":"EVIL","text":{"transactions":[{"transaction":{"type":3,"descr":"EVIL","currency":"EVIL","fee":1,"specific_data":{"function":"EVIL","signers":[]}},"signatures":[]}],"previous_block_receipts":[],"EVIL":"EVIL"}}
6 block 1 | {"index":1,"timestamp":1,"previous_hash":"0","status":"EVIL"}
0 balances WALLET | {"balance":[{"token_code":"EVIL","balance":1}]}
6 balances WALLET | {"balance":[{"token_code":1,"balance":"EVIL"}]}
6 holders T | {"balance":[{"wallet":"EVIL","token_code":"T","balance":1}]}
0 state --contract CONTRACT --table t --column c --value v | {"value":["EVIL"]}
0 claim get a --contract CONTRACT | {"value":{"asset_id":"a","asset_type":"EVIL","verifier_address":"WALLET","remarks":"EVIL","EVIL":"EVIL","doc_hash_list":[],"doc_link_list":["EVIL"],"outcome":1,"deletable_after":9}}
6 claim get a --contract CONTRACT | {"value":{"asset_id":"EVIL"}}
6 trust WALLET WALLET | {"trust_score":"EVIL"}
0 docs --html | <html>EVIL</html>"#;

/// Returns each row with this text in place of `EVIL`: the command, the response and the exit status.
fn responses(evil: &str) -> Vec<(String, String, i32)> {
    let text = RESPONSES
        .replace("WALLET", WALLET)
        .replace("CONTRACT", CONTRACT);
    let rows = text.lines().skip(1);
    let row = |row: &str| {
        let (status, rest) = row.split_once(' ')?;
        let (command, body) = rest.split_once(" | ")?;
        Some((
            command.to_owned(),
            body.replace("EVIL", evil),
            status.parse().ok()?,
        ))
    };
    rows.map(|text| row(text).expect("a row")).collect()
}

#[test]
fn what_a_node_sends_reaches_a_terminal_as_text() {
    for (arguments, body, status) in responses(EVIL) {
        let arguments = &words(&arguments)[..];
        let server = RawServer::spawn(move |_| Reply::json("200 OK", &body));
        let home = Home::new();
        harmless(&home.ask(&server.base_url, arguments).ended(status));
        let json = [&["--json"], arguments].concat();
        let ran = home.ask(&server.base_url, &json).ended(status);
        harmless(&ran);
        if status == 0 {
            // Nothing is lost by escaping: a script reads the node's original text.
            let text = ran.json().to_string();
            assert!(text.contains('\u{202e}'), "{text}");
        }
    }
}

#[test]
fn what_a_node_sends_is_no_command_in_a_job_of_github() {
    for evil in [
        "::set-output name=a::b",
        "  ::stop-commands::x",
        "##[error]x",
    ] {
        for (arguments, body, status) in responses(evil) {
            let arguments = &words(&arguments)[..];
            let server = RawServer::spawn(move |_| Reply::json("200 OK", &body));
            for json in [&[][..], &["--json"]] {
                let home = Home::new();
                let target = ["--base-url", &server.base_url, "--network", "devnet"];
                let arguments = [json, arguments, &target].concat();
                let mut command = home.command(&arguments);
                let output = command.env("GITHUB_ACTIONS", "true").output();
                let ran = RunOutput::of(output.expect("the program")).ended(status);
                let commands = ran.out.lines().chain(ran.err.lines());
                let mut commands = commands
                    .filter(|line| line.trim_start().starts_with("::") || line.contains("##["));
                assert_eq!(commands.next(), None, "{ran:?}");
            }
        }
    }
}

#[test]
fn error_messages_are_escaped() {
    for (status, exit) in [("400 Bad Request", 1), ("500 Internal Server Error", 3)] {
        let server =
            RawServer::spawn(move |_| Reply::json(status, &evil_in(r#"{"detail":"EVIL is ill"}"#)));
        for json in [&[][..], &["--json"]] {
            let arguments = [json, &["balance", WALLET, "T"]].concat();
            let ran = Home::new().ask(&server.base_url, &arguments).ended(exit);
            assert!(ran.err.contains("is ill"), "{ran:?}");
            harmless(&ran);
        }
    }
}

#[test]
fn a_watched_node_can_not_act_on_a_terminal() {
    let body = evil_in(r#"{"index":1,"timestamp":1,"previous_hash":"0","EVIL":0}"#);
    let server = RawServer::spawn(move |_| Reply::json("200 OK", &body));
    let watch = ["watch", "--from", "1", "--count", "1"];
    for json in [&[][..], &["--json"]] {
        harmless(
            &Home::new()
                .ask(&server.base_url, &[json, &watch].concat())
                .ended(0),
        );
    }
}
