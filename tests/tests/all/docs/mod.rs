//! Runs the commands in README.md and in the pages of `docs/`, and compares their output with the pages.
//!
//! A block of the language `console` is run: each line that begins with `$ ` is a command, and the lines
//! after it are its output. `…` alone on a line stands for any lines, and within a line for any text. A
//! block such as `toml nodes.toml` writes that file. `devnode … --port N &` starts a node at a free port, which the page shows
//! as port N. Each page has its own folder and home.
//! `UPDATE_DOCS=1` writes the actual output into blocks that differ.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test that can't go on fails")]

mod compare;
mod examples;
mod files;
mod language;
mod links;
mod page;
mod session;

use std::{fs, path::PathBuf};

use compare::Volatile;
use page::{Block, Page};
use session::Session;

fn check(name: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", name].iter().collect();
    let text = fs::read_to_string(&path).expect("the page can be read");
    let page = Page::parse(&text);
    assert!(page.commands() > 0, "{name} has no command to run");
    let mut session = Session::start();
    let mut volatile = Volatile::new();
    let mut differences = Vec::new();
    let mut updated = text.clone();
    for block in &page.blocks {
        match block {
            Block::File { name, content } => session.write(name, content),
            Block::Console { text, commands } => {
                let mut printed = String::new();
                let mut differs = false;
                for command in commands {
                    let output = session.run(&command.line);
                    if let Err(difference) = volatile.compare(&command.output, &output) {
                        differs = true;
                        differences.push(format!("$ {}\n{difference}", command.line));
                        let output = volatile.as_shown(&output);
                        printed.push_str(&format!("$ {}\n{output}", command.line));
                    } else {
                        printed.push_str(&format!("$ {}\n{}", command.line, command.output));
                    }
                }
                if differs {
                    updated = updated.replacen(text.as_str(), &printed, 1);
                }
            }
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, updated).expect("the page can be written");
        return;
    }
    assert!(
        differences.is_empty(),
        "{name} is out of date (UPDATE_DOCS=1 writes what was printed):\n\n{}",
        differences.join("\n")
    );
}

#[test]
fn readme() {
    check("README.md");
}

#[test]
fn check_a_node() {
    check("docs/check-a-node.md");
}

#[test]
fn sweep() {
    check("docs/sweep.md");
}

#[test]
fn several_nodes() {
    check("docs/several-nodes.md");
}

#[test]
fn monitor() {
    check("docs/monitor.md");
}

#[test]
fn claims() {
    check("docs/claims.md");
}

#[test]
fn devnode() {
    check("docs/devnode.md");
}

#[test]
fn exit_status() {
    check("docs/exit-status.md");
}
