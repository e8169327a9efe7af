//! Tests of the binary: its messages about wrong input, and its exit status.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::process::{Command, Output};

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

/// Wrong arguments, and parts of the message. `AT` stands for the URL and the network of a node,
/// `TWO` for those of two.
const WRONG: &str = "
     | --base-url
    --base-url localhost:8420 --network devnet | localhost:8420, http://
    --base-url http://localhost --network betanet | betanet, devnet, testnet, mainnet
    --base-url http://localhost:9999 | --network
    --base-url http://localhost:8421 --network mainnet | 8421, testnet, mainnet, 8456
    AT --only get-blok/* | --only, get-blok/*, --list
    AT --skip nothing | --skip, nothing
    AT --only docs/* --skip docs/* | no case
    AT --only a[b | not a glob
    AT --jobs 0 | --jobs, 1 to 256
    AT --request-timeout -1 | number of seconds
    AT --deadline nan | number of seconds
    AT --fixture no-such-file.json | no-such-file.json
    AT --blocks 7 | --blocks, 5..10 for 5 to 9, 5..=10 for 5 to 10
    AT --blocks 9..5 | no block is in 9..5
    AT --blocks -1..5 | \"-1\" is not an index
    AT --resume | --blocks
    AT --state a.json | --blocks
    AT --blocks .. --only docs/* | none of the selected cases is about blocks
    TWO --allow reject | is for one node alone
    TWO --baseline a | --baseline is for one node alone
    TWO --blocks .. --state s | --state is for one node alone
    TWO --targets x | cannot be used with
    AT --base-url http://localhost/ | is listed twice
    --base-url http://a:8420 --base-url http://b:8421 | of different networks, devnet and testnet
    --targets /no/such/file | the nodes in /no/such/file can't be used
    explain get-block/txt | get-block/txt, did you mean get-block/text?
    explain BLOK-3 | did you mean BLOCK-3?, --list
    explain \u{1b}[31m | neither a case nor a requirement
";

#[test]
fn wrong_arguments_are_explained() {
    for row in WRONG.lines().skip(1) {
        let (arguments, parts) = row.split_once(" | ").expect("two cells");
        let arguments = arguments.replace("TWO", "AT --base-url http://127.0.0.1:1");
        let arguments = arguments.replace("AT", "--base-url http://localhost --network devnet");
        let arguments: Vec<_> = arguments.split_whitespace().collect();
        refuses(&arguments, 2, &parts.split(", ").collect::<Vec<_>>());
    }
}

#[test]
fn a_file_that_no_sweep_has_written_is_not_taken_for_its_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "mine").unwrap();
    let path = path.to_str().unwrap();
    let target = ["--base-url", "http://localhost", "--network", "devnet"];
    let sweep = ["--blocks", "..", "--state", path];
    let expected = ["notes.txt", "not a sweep's state"];
    refuses(&[target, sweep].concat(), 2, &expected);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "mine");
}

#[test]
fn a_dry_run_lists_the_blocks_of_a_sweep() {
    let (code, text) = status_and_output(&["--dry-run", "--blocks", "5..=9"]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("/get-block?block_index=<each block of 5..10>")
            && text.contains("5000 requests in all, plus those for the sweep's blocks"),
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
    let (_, list) = status_and_output(&["--list", "--only", "docs/*"]);
    let cases: Vec<_> = list.lines().filter(|line| line.starts_with("  ")).collect();
    assert!(
        cases.iter().all(|line| line.starts_with("  docs/")),
        "{list}"
    );
    assert_eq!(cases.len(), 4, "{list}");
}

#[test]
fn every_case_and_every_requirement_is_explained() {
    use nodeproof_conformance::cases;

    for id in ["fixture/found", "baseline/block-first"] {
        let (code, text) = status_and_output(&["explain", id]);
        assert_eq!(code, 0, "{text}");
        assert!(text.starts_with(id), "{text}");
    }

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
    for compared in [
        "height",
        "blocks",
        "balances",
        "contract-state",
        "trust-scores",
    ] {
        let id = format!("cross-check/{compared}");
        let (code, text) = status_and_output(&["explain", &id]);
        assert!(code == 0 && text.starts_with(&id), "{text}");
    }
    let (_, text) = status_and_output(&["explain", "node-2"]);
    assert!(text.contains("No case") && text.contains("8420"), "{text}");
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
