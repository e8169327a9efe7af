//! The help of each program and subcommand, as a snapshot.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test that can't go on fails")]

use std::{path::Path, process::Command};

use integration_tests::built::program;

/// Returns the help of a command and of its subcommands.
fn help(program: &Path, words: &[&str]) -> String {
    let output = Command::new(program)
        .args(words)
        .arg("--help")
        .env_clear()
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let name = program.file_name().expect("a name").to_string_lossy();
    let mut all = format!(
        "$ {}\n{text}",
        [&[&*name], words, &["--help"]].concat().join(" ")
    );
    for subcommand in subcommands(&text) {
        all.push('\n');
        all.push_str(&help(program, &[words, &[subcommand]].concat()));
    }
    // The global options are the same everywhere.
    if !words.is_empty()
        && let Some(start) = all.find("\nGlobal options:")
    {
        let end = all[start..]
            .find("\n$ ")
            .map_or(all.len(), |end| start + end);
        all.replace_range(start..end, "");
    }
    all
}

/// Returns the subcommands that a help text lists, except `help`.
fn subcommands(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    lines
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
}

fn check(name: &str) {
    let program = program(name).expect("a program");
    insta::assert_snapshot!(name, help(&program, &[]));
}

#[test]
fn nodectl() {
    check("nodectl");
}

#[test]
fn nodeproof() {
    check("nodeproof");
}

#[test]
fn devnode() {
    check("devnode");
}

#[test]
fn xtask() {
    check("xtask");
}
