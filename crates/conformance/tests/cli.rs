//! Tests of the binary: its messages about wrong input, and its exit status.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Output},
    thread,
};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nodeproof"))
        .args(arguments)
        .env_remove("NO_COLOR")
        .output()
        .expect("the binary starts")
}

/// Returns the exit status and all output.
fn status_and_output(arguments: &[&str]) -> (i32, String) {
    let output = run(arguments);
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().expect("an exit status"),
        String::from_utf8(text).expect("UTF-8"),
    )
}

#[track_caller]
fn refuses(arguments: &[&str], status: i32, parts: &[&str]) {
    let (code, text) = status_and_output(arguments);
    assert_eq!(code, status, "{arguments:?}: {text}");
    for part in parts {
        assert!(
            text.contains(part),
            "{arguments:?} does not say {part:?}: {text}"
        );
    }
    assert!(
        !text.contains("panicked") && !text.contains("RUST_BACKTRACE"),
        "{text}"
    );
}

/// Starts a server that passes every connection to `respond`.
fn server(respond: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let respond = std::sync::Arc::new(respond);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let respond = std::sync::Arc::clone(&respond);
            thread::spawn(move || {
                let mut request = [0; 4096];
                while matches!(stream.read(&mut request), Ok(1..)) {
                    respond(&mut stream);
                }
            });
        }
    });
    url
}

/// Starts a server that sends the same response to every request.
fn constant(head: &'static str, body: &'static str) -> String {
    server(move |stream| {
        let length = body.len();
        let _ = write!(
            stream,
            "HTTP/1.1 {head}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
    })
}

/// Nobody listens at port 1. Another test could get a port that was free a moment ago.
const DEAD_URL: &str = "http://127.0.0.1:1";

#[test]
fn asks_for_a_url_where_there_is_none() {
    refuses(&[], 2, &["--base-url"]);
}

#[test]
fn explains_a_url_without_a_scheme() {
    refuses(
        &["--base-url", "localhost:8420", "--network", "devnet"],
        2,
        &["localhost:8420", "http://"],
    );
}

#[test]
fn names_the_networks_that_there_are() {
    refuses(
        &["--base-url", "http://localhost", "--network", "betanet"],
        2,
        &["betanet", "devnet, testnet, mainnet"],
    );
}

#[test]
fn asks_for_the_network_where_the_port_does_not_tell() {
    refuses(&["--base-url", "http://localhost:9999"], 2, &["--network"]);
}

#[test]
fn refuses_the_port_of_another_network() {
    refuses(
        &[
            "--base-url",
            "http://localhost:8421",
            "--network",
            "mainnet",
        ],
        2,
        &["8421", "testnet", "mainnet", "8456"],
    );
}

#[test]
fn a_host_that_does_not_resolve_is_unreachable() {
    refuses(
        &[
            "--base-url",
            "http://no-such-host.invalid",
            "--network",
            "devnet",
        ],
        3,
        &["no-such-host.invalid", "unreachable"],
    );
}

#[test]
fn a_port_where_nothing_listens_is_unreachable() {
    refuses(
        &["--base-url", DEAD_URL, "--network", "devnet"],
        3,
        &["unreachable", "refused"],
    );
}

#[test]
fn a_web_server_that_is_no_node_is_named_as_such() {
    let url = constant("200 OK\r\nContent-Type: text/html", "<html>welcome</html>");
    refuses(
        &["--base-url", &url, "--network", "devnet"],
        3,
        &["is not a node", "text/html"],
    );
}

#[test]
fn a_redirect_is_not_followed_and_is_no_node() {
    let url = constant("302 Found\r\nLocation: http://example.org/", "");
    refuses(
        &["--base-url", &url, "--network", "devnet"],
        3,
        &["is not a node", "302"],
    );
}

#[test]
fn a_server_that_never_responds_is_unreachable_in_time() {
    let url = server(|stream| {
        // The server never writes. The connection stays open until the client closes it.
        let _ = stream.read(&mut [0; 1]);
    });
    refuses(
        &[
            "--base-url",
            &url,
            "--network",
            "devnet",
            "--request-timeout",
            "0.2",
        ],
        3,
        &["unreachable", "0.2 s"],
    );
}

#[test]
fn a_server_that_speaks_something_else_is_unreachable() {
    let url = server(|stream| {
        let _ = stream.write_all(b"220 mail ESMTP\r\n");
    });
    refuses(
        &["--base-url", &url, "--network", "devnet"],
        3,
        &["unreachable"],
    );
}

#[test]
fn the_deadline_ends_a_run() {
    let url = server(|stream| {
        let _ = stream.read(&mut [0; 1]);
    });
    refuses(
        &[
            "--base-url",
            &url,
            "--network",
            "devnet",
            "--deadline",
            "0.3",
        ],
        3,
        &["deadline of 0.3 s"],
    );
}

#[test]
fn a_glob_that_matches_nothing_is_an_error() {
    let target = ["--base-url", "http://localhost", "--network", "devnet"];
    let with = |more: &[&'static str]| [&target[..], more].concat();
    refuses(
        &with(&["--only", "get-blok/*"]),
        2,
        &["--only", "get-blok/*", "--list"],
    );
    refuses(&with(&["--skip", "nothing"]), 2, &["--skip", "nothing"]);
    refuses(
        &with(&["--only", "docs/*", "--skip", "docs/*"]),
        2,
        &["no case"],
    );
    refuses(&with(&["--only", "a[b"]), 2, &["not a glob"]);
}

#[test]
fn wrong_numbers_and_files_are_explained() {
    let target = ["--base-url", "http://localhost", "--network", "devnet"];
    let with = |more: &[&'static str]| [&target[..], more].concat();
    refuses(&with(&["--jobs", "0"]), 2, &["--jobs", "1 to 256"]);
    refuses(
        &with(&["--request-timeout", "-1"]),
        2,
        &["number of seconds"],
    );
    refuses(&with(&["--deadline", "nan"]), 2, &["number of seconds"]);
    refuses(
        &with(&["--fixture", "no-such-file.json"]),
        2,
        &["no-such-file.json"],
    );
}

#[test]
fn a_sweep_that_could_not_be_made_is_explained() {
    let target = ["--base-url", "http://localhost", "--network", "devnet"];
    let with = |more: &[&'static str]| [&target[..], more].concat();
    refuses(
        &with(&["--blocks", "7"]),
        2,
        &["--blocks", "5..10 for 5 to 9", "5..=10 for 5 to 10"],
    );
    refuses(&with(&["--blocks", "9..5"]), 2, &["no block is in 9..5"]);
    refuses(
        &with(&["--blocks", "-1..5"]),
        2,
        &["\"-1\" is not an index"],
    );
    refuses(&with(&["--resume"]), 2, &["--blocks"]);
    refuses(&with(&["--state", "a.json"]), 2, &["--blocks"]);
    refuses(
        &with(&["--blocks", "..", "--only", "docs/*"]),
        2,
        &["none of the selected cases is about blocks"],
    );
}

#[test]
fn a_file_that_no_sweep_has_written_is_not_taken_for_its_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "mine").unwrap();
    let path = path.to_str().unwrap();
    let target = ["--base-url", "http://localhost", "--network", "devnet"];
    let sweep = ["--blocks", "..", "--state", path];
    let told = ["notes.txt", "not a sweep's state"];
    refuses(&[target, sweep].concat(), 2, &told);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "mine");
}

#[test]
fn a_dry_run_lists_the_blocks_of_a_sweep() {
    let (code, text) = status_and_output(&["--dry-run", "--blocks", "5..=9"]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("/get-block?block_index=<each block of 5..10>")
            && text.contains("2000 requests in all, plus those for the sweep's blocks"),
        "{text}"
    );
}

#[test]
fn lists_every_case_below_its_requirement_and_sends_nothing() {
    let (code, text) = status_and_output(&["--list"]);
    assert_eq!(code, 0);
    let mut requirement = "";
    let mut listed = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("  ") {
            Some(case) => listed.push((requirement, case.split_whitespace().collect::<Vec<_>>())),
            None => requirement = line.split(' ').next().expect("an ID"),
        }
    }
    for case in nodeproof_conformance::cases::all() {
        let lines: Vec<_> = listed
            .iter()
            .filter(|(_, words)| words[0] == case.id)
            .collect();
        let [(below, words)] = lines[..] else {
            panic!("{} is not listed once", case.id);
        };
        let expected = [
            &[case.id, case.level.name(), case.tier.name()],
            &case.requirements[1..],
        ];
        assert_eq!(
            (*below, words.clone()),
            (case.requirements[0], expected.concat())
        );
    }
    assert!(
        text.contains("BLOCK-4 (documented) `proof` is an integer.\n"),
        "{text}"
    );
    let (_, some) = status_and_output(&["--list", "--only", "docs/*"]);
    let cases: Vec<_> = some.lines().filter(|line| line.starts_with("  ")).collect();
    assert!(
        cases.iter().all(|line| line.starts_with("  docs/")),
        "{some}"
    );
    assert_eq!(cases.len(), 4, "{some}");
}

#[test]
fn every_case_and_every_requirement_is_explained() {
    use nodeproof_conformance::cases;

    for case in cases::all() {
        let (code, text) = status_and_output(&["explain", case.id]);
        assert_eq!(code, 0, "{text}");
        assert!(
            case.requirements
                .iter()
                .all(|id| text.contains(&format!("\n  {id} ("))),
            "{text}"
        );
        for heading in ["Requirements", "What is checked", "Why it matters"] {
            let (_, after) = text
                .split_once(&format!("\n{heading}\n"))
                .expect("a heading");
            let first = after.lines().next().unwrap_or_default();
            assert!(
                first.starts_with("  ") && first.trim().len() > 20,
                "{heading}: {text}"
            );
        }
    }
    for known in nodeproof_openapi::requirements() {
        let (code, text) = status_and_output(&["explain", known.id]);
        assert_eq!(code, 0, "{text}");
        assert!(
            text.starts_with(known.id) && text.contains(known.text),
            "{text}"
        );
        let cited = cases::all()
            .into_iter()
            .filter(|case| case.requirements.contains(&known.id));
        for case in cited {
            assert!(text.contains(case.id), "{text}");
        }
    }
}

#[test]
fn an_explanation_shows_what_an_author_needs() {
    let (_, text) = status_and_output(&["explain", "submit-transaction/half-signed"]);
    for part in [
        "SUBMIT-3",
        "refusal\n",
        "POST /submit-transaction",
        "\"valid\": false",
        "docs/signing.md",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (_, text) = status_and_output(&["explain", "get-block/text"]);
    assert!(
        text.contains("`text`") && text.contains("\"previous_block_receipts\""),
        "{text}"
    );
    let (_, text) = status_and_output(&["explain", "node-2"]);
    assert!(text.contains("No case") && text.contains("8420"), "{text}");
}

#[test]
fn what_can_not_be_explained_has_a_near_match() {
    refuses(
        &["explain", "get-block/txt"],
        2,
        &["get-block/txt", "did you mean get-block/text?"],
    );
    refuses(
        &["explain", "BLOK-3"],
        2,
        &["did you mean BLOCK-3?", "--list"],
    );
    refuses(
        &["explain", "\u{1b}[31m"],
        2,
        &["neither a case nor a requirement"],
    );
}

#[test]
fn help_names_every_exit_status() {
    let (code, text) = status_and_output(&["--help"]);
    assert_eq!(code, 0);
    for status in ["0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "130", "143"] {
        assert!(
            text.lines()
                .any(|line| line.trim_start().starts_with(status)),
            "{text}"
        );
    }
}

#[test]
fn what_a_server_sends_does_not_reach_the_terminal_as_it_is() {
    let url = constant(
        "200 OK\r\nContent-Type: text/plain",
        "\u{1b}[2J\u{202e}gone\u{7}",
    );
    let (code, text) = status_and_output(&["--base-url", &url, "--network", "devnet"]);
    assert_eq!(code, 3);
    assert!(
        text.contains("gone") && !text.contains(['\u{1b}', '\u{202e}', '\u{7}']),
        "{text:?}"
    );
}

#[test]
fn reports_are_written_to_a_folder_that_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let reports = folder.path().join("a/b");
    let (code, _) = status_and_output(&[
        "--base-url",
        DEAD_URL,
        "--network",
        "devnet",
        "--report-dir",
        reports.to_str().expect("UTF-8"),
    ]);
    assert_eq!(code, 3);
    let text = std::fs::read_to_string(reports.join("report.json")).expect("a report");
    let report: nodeproof_conformance::report::Report =
        serde_json::from_str(&text).expect("its form");
    assert_eq!(report.exit_code, 3);
}
