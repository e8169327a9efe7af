//! `cargo xtask conformance` as people run it: the real program against real nodes.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

mod baselines;
mod expectations;
mod nodes;
mod one_node;

use std::process::{Command, Stdio};

use integration_tests::built::program;

/// Returns the command with these arguments.
fn conformance(arguments: &[&str]) -> Command {
    let mut command = Command::new(program("xtask").expect("a program"));
    command
        .arg("conformance")
        .args(arguments)
        .stdin(Stdio::null())
        // With one of these variables, insta assumes CI and leaves nothing to review.
        .env_remove("CI")
        .env_remove("TF_BUILD")
        .env_remove("INSTA_UPDATE");
    command
}

/// Runs a command to its end. Returns its exit status, its output, and its messages.
async fn outputs(mut command: Command) -> (i32, String, String) {
    let output = tokio::task::spawn_blocking(move || command.output()).await;
    let output = output.expect("the task ends").expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("an exit status");
    (code, text(output.stdout), text(output.stderr))
}

/// Runs a command to its end. Returns its exit status and all that it prints.
async fn run(command: Command) -> (i32, String) {
    let (code, stdout, stderr) = outputs(command).await;
    (code, stdout + &stderr)
}
