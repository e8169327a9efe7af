//! Runs every program against every hostile server. The results must be correct, memory must stay
//! bounded, and a server's text must not get where it could do harm.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

mod ends;
#[cfg(target_os = "linux")]
mod many_jobs;
mod seeds;

use std::{ffi::OsStr, fs, path::Path, sync::Arc};

use integration_tests::{
    built::program,
    hostile::{Consumer, Hostile, Measured, Programs, Running, Seen, all, measure},
};
use serde_json::Value;
use tokio::{sync::Semaphore, task::JoinSet};

/// The maximum memory of a program, with any server. Without a limit on the values of all responses, it would
/// be 0.5 to 4 GB.
const MAX_MEMORY: u64 = 200_000_000;
/// The same for the most values that a run reads by default. A tree of JSON values takes many times the
/// memory of its text, and more than one part of a run needs it.
const MAX_MEMORY_AT_LIMIT: u64 = 400_000_000;
/// The maximum length of a failure message. Longer server text in it is truncated.
const MAX_FAILURE_TEXT: usize = 4096;
/// The number of servers that are tried at the same time.
const AT_A_TIME: usize = 4;

fn programs() -> Programs {
    let nodectl = program("nodectl").expect("an executable");
    Programs::out_of(env!("CARGO_BIN_EXE_hostile").into(), nodectl)
}

/// Checks each server with this function. Each server is started for its check.
async fn against_all(wrong: fn(&Hostile, &Running) -> Vec<String>) {
    let turns = Arc::new(Semaphore::new(AT_A_TIME));
    let only = std::env::var("HOSTILE_ONLY").ok();
    let mut tries = JoinSet::new();
    for hostile in all() {
        if only.as_deref().is_some_and(|only| only != hostile.name) {
            continue;
        }
        let turns = Arc::clone(&turns);
        tries.spawn(async move {
            let _turn = turns.acquire_owned().await;
            let running = hostile.start().await.expect("a hostile server");
            let tried = tokio::task::spawn_blocking(move || {
                let mut wrong = wrong(&hostile, &running);
                wrong.extend(led_astray(&running));
                wrong
                    .iter()
                    .map(|wrong| format!("{}: {wrong}", hostile.name))
                    .collect::<Vec<_>>()
            });
            tried.await.expect("a try that ends")
        });
    }
    let mut all: Vec<_> = tries.join_all().await.into_iter().flatten().collect();
    all.sort();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Returns the forbidden action that a server caused, if any.
fn led_astray(server: &Running) -> Option<String> {
    if server.visits_elsewhere() > 0 {
        return Some("a redirect was followed".to_owned());
    }
    let heads = server.heads();
    let injected = heads.iter().find(|head| {
        head.lines()
            .any(|line| line.to_ascii_lowercase().starts_with("x-injected"))
    });
    injected.map(|head| format!("a header was injected: {head:?}"))
}

/// Returns the first character in a text that a terminal, a page or a log would act on.
fn harmful(what: &str, text: &str) -> Option<String> {
    let acts = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let at = text.find(acts)?;
    let around: String = text.get(at..)?.chars().take(20).collect();
    Some(format!("{what} has {around:?}"))
}

fn too_much(hostile: &Hostile, measured: &Measured) -> Option<String> {
    let most = match hostile.name {
        "nested-at-limit" => MAX_MEMORY_AT_LIMIT,
        _ => MAX_MEMORY,
    };
    let peak = measured.peak.filter(|peak| *peak >= most)?;
    Some(format!("took {} MB", peak / 1_000_000))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn by_the_client(hostile: &Hostile, server: &Running) -> Vec<String> {
    let measured =
        measure(&programs(), Consumer::Client, hostile, server, &[]).expect("a program that runs");
    let printed = &measured.output.stdout;
    let mut wrong = hostile.expected.of_client(printed);
    let Ok([read, submit]) = serde_json::from_slice::<[Seen; 2]>(printed) else {
        wrong.push(text(&measured.output.stderr));
        return wrong;
    };
    wrong.extend(harmful("the error", &read.text));
    wrong.extend(harmful("the error", &submit.text));
    wrong.extend(too_much(hostile, &measured));
    let posts = server.posts("/submit-transaction");
    if posts > 1 || (posts == 1 && !submit.maybe_sent) {
        wrong.push(format!(
            "{posts} submissions arrived, and {submit:?} was reported"
        ));
    }
    wrong
}

fn by_conformance(hostile: &Hostile, server: &Running) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let more = ["--report-dir".as_ref(), folder.path().as_os_str()];
    let measured = measure(&programs(), Consumer::Conformance, hostile, server, &more)
        .expect("a program that runs");
    let (printed, errors) = (text(&measured.output.stdout), text(&measured.output.stderr));
    let mut wrong = Vec::new();
    wrong.extend(hostile.expected.of_conformance(&measured.output));
    let verdict = verdict(folder.path());
    if verdict.as_deref() != Some(hostile.expected.conformance.verdict) {
        wrong.push(format!("the verdict in the report is {verdict:?}"));
    }
    wrong.extend(harmful("what was printed", &printed));
    wrong.extend(harmful("what was printed", &errors));
    for name in ["report.json", "junit.xml", "report.html", "history.har"] {
        match fs::read_to_string(folder.path().join(name)) {
            Ok(report) => {
                wrong.extend(harmful(name, &report));
                // JSON has no markup. There it is ordinary text.
                let is_markup = !name.ends_with(".json") && !name.ends_with(".har");
                if is_markup && (report.contains("<script>alert") || report.contains("<img src=x"))
                {
                    wrong.push(format!("{name} has markup of the server's"));
                }
            }
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    wrong.extend(too_much(hostile, &measured));
    if server.posts("/submit-transaction") > 0 {
        wrong.push("something was submitted".to_owned());
    }
    wrong
}

fn verdict(folder: &Path) -> Option<String> {
    let report = fs::read(folder.join("report.json")).ok()?;
    let report: Value = serde_json::from_slice(&report).ok()?;
    Some(report.get("verdict")?.as_str()?.to_owned())
}

/// Reads a block and submits a transaction, each with and without `--json`.
fn by_nodectl(hostile: &Hostile, server: &Running) -> Vec<String> {
    let transaction = server.transaction();
    let read: [&OsStr; 2] = ["block".as_ref(), "5".as_ref()];
    let submit: [&OsStr; 2] = ["submit".as_ref(), transaction.as_ref()];
    let expected = &hostile.expected.nodectl;
    let mut wrong = Vec::new();
    for (command, expected, most_posts) in [(read, expected.read, 0), (submit, expected.submit, 1)]
    {
        for json in [false, true] {
            let mut arguments = command.to_vec();
            arguments.extend(json.then_some(OsStr::new("--json")));
            let before = server.posts("/submit-transaction");
            let measured = measure(&programs(), Consumer::Nodectl, hostile, server, &arguments)
                .expect("a program that runs");
            let posts = server.posts("/submit-transaction") - before;
            let differs = match json {
                false => expected.differs(&measured.output),
                true => expected.differs_as_json(&measured.output),
            };
            let mut here: Vec<_> = differs.into_iter().collect();
            here.extend(harmful("standard output", &text(&measured.output.stdout)));
            here.extend(harmful("standard error", &text(&measured.output.stderr)));
            here.extend(too_much(hostile, &measured));
            let length = measured.output.stderr.len();
            if length > MAX_FAILURE_TEXT {
                here.push(format!("{length} bytes on standard error"));
            }
            if posts > most_posts {
                here.push(format!("{posts} submissions came"));
            }
            let command = arguments.first().copied().unwrap_or_default();
            wrong.extend(here.iter().map(|wrong| format!("{command:?} {wrong}")));
        }
    }
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn nodectl_tells_what_happened_and_submits_at_most_once_a_run() {
    against_all(by_nodectl).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_tells_what_happened_and_submits_at_most_once() {
    against_all(by_the_client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conformance_tells_a_network_that_fails_from_a_node_that_does_not_conform() {
    against_all(by_conformance).await;
}
