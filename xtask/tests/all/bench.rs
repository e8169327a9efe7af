//! The command line of `cargo xtask bench`. The results are not checked here: machines are busy.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::process::Command;

fn bench(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("bench")
        .args(arguments)
        .output()
        .expect("the binary starts");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8(text).expect("UTF-8"),
    )
}

#[cfg(unix)]
#[test]
fn every_figure_is_measured_and_told() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("nodeproof");
    // The script passes the same command line to a program that certainly exists.
    let script = format!(
        "#!/bin/sh\nexec '{}' conformance \"$@\"\n",
        env!("CARGO_BIN_EXE_xtask")
    );
    std::fs::write(&program, script).expect("a script");
    let rights = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&program, rights).expect("rights");
    let (status, text) = bench(&[
        "--as-built",
        "--only",
        "run",
        "--only",
        "sweep",
        "--sweep",
        "40",
        "--runs",
        "1",
        "--binary",
        program.to_str().expect("UTF-8"),
    ]);
    assert_eq!(status, Some(0), "{text}");
    for part in [
        "full run",
        "≤ 1000",
        "first request",
        "≤ 50",
        "peak memory",
        "plain loop",
        "full run : plain loop",
        "A sweep of 40 blocks, 8 connections",
        "A sweep of 40 blocks, 8 connections, 2 ms a response",
        "sweep without signatures",
        "without signatures : plain loop",
        "≥ 0.9",
        "≤ 64",
    ] {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
}

#[test]
fn what_can_not_be_measured_is_said() {
    let (status, text) = bench(&[
        "--as-built",
        "--only",
        "run",
        "--binary",
        "/no/such/program",
    ]);
    assert_eq!(status, Some(2));
    assert!(text.contains("/no/such/program can't be started"), "{text}");
}
