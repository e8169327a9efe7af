//! Tests of `--report-dir`.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// Runs against a port where nothing listens.
fn run(report_dir: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nodeproof"))
        .args([
            "--base-url",
            "http://127.0.0.1:1",
            "--network",
            "devnet",
            "--report-dir",
        ])
        .arg(report_dir)
        .output()
        .expect("the binary starts")
}

#[test]
fn all_reports_are_written_even_of_a_run_that_reached_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let reports = folder.path().join("not").join("there");
    assert_eq!(run(&reports).status.code(), Some(3));
    let mut names: Vec<_> = fs::read_dir(&reports)
        .expect("the folder was made")
        .map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["history.har", "junit.xml", "report.html", "report.json"]
    );
    for name in NAMES {
        assert!(fs::metadata(reports.join(name)).expect("a file").len() > 500);
    }
}

#[test]
fn reports_replace_those_of_the_last_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("report.html");
    fs::write(&page, "old").expect("a file");
    assert_eq!(run(folder.path()).status.code(), Some(3));
    assert!(
        fs::read_to_string(&page)
            .expect("a page")
            .starts_with("<!DOCTYPE html>")
    );
}

#[test]
fn a_report_dir_that_is_none_is_refused_before_anything_is_asked() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    for path in [file.path().to_owned(), file.path().join("below")] {
        let output = run(&path);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).expect("text");
        let path = path.display();
        assert!(
            message.contains(&format!("error: reports can't be written to {path}: ")),
            "{message}"
        );
        assert!(!message.contains("looking for samples") && output.stdout.is_empty());
    }
}

const NAMES: [&str; 3] = ["junit.xml", "report.html", "report.json"];

fn wrong(reports: &Path, more: &[&str]) -> Option<i32> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nodeproof"));
    command.args(["--base-url", "http://127.0.0.1:1", "--network", "devnet"]);
    command.arg("--report-dir").arg(reports).args(more);
    command.output().expect("the binary starts").status.code()
}

#[test]
fn a_run_that_could_not_begin_leaves_no_verdict_of_an_earlier_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let there = || NAMES.map(|name| folder.path().join(name).is_file());
    let history = || folder.path().join("history.har").is_file();
    fs::write(folder.path().join("report.txt"), "mine").expect("a file");
    let several = ["--base-url", "http://127.0.0.1:2"];
    for (earlier, more) in [
        (&[][..], &["--only", "nothing"][..]),
        (&[], &["--jobs", "0"]),
        (&[], &["--no-such-flag"]),
        (&[], &["--fixture", "no-such-file.json"]),
        (&several, &["--base-url", "http://127.0.0.1:1"]),
        (
            &several,
            &["--baseline", "a", "--base-url", "http://127.0.0.1:2"],
        ),
    ] {
        assert_eq!(wrong(folder.path(), earlier), Some(3));
        assert_eq!((there(), history()), ([true; 3], true));
        assert_eq!(wrong(folder.path(), more), Some(2), "{more:?}");
        assert_eq!(there(), [false; 3], "{more:?}");
    }
    assert!(folder.path().join("report.txt").is_file());
}

#[test]
fn what_makes_no_verdict_leaves_the_reports_and_what_is_no_report_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts = || NAMES.map(|name| fs::read_to_string(folder.path().join(name)).expect("a file"));
    assert_eq!(wrong(folder.path(), &[]), Some(3));
    let before = texts();
    for more in ["--list", "--dry-run", "--help"] {
        assert_eq!(wrong(folder.path(), &[more]), Some(0), "{more}");
        assert_eq!(texts(), before, "{more}");
    }
    for name in NAMES {
        fs::write(folder.path().join(name), "{\"version\": 1}").expect("a file");
    }
    assert_eq!(wrong(folder.path(), &["--jobs", "0"]), Some(2));
    assert_eq!(wrong(folder.path(), &["--only", "nothing"]), Some(2));
    assert_eq!(texts(), ["{\"version\": 1}"; 3]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_can_not_be_printed_is_told_and_the_files_are_written_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    for format in ["pretty", "json"] {
        let full = fs::File::create("/dev/full").expect("a device that is always full");
        let output = Command::new(env!("CARGO_BIN_EXE_nodeproof"))
            .args(["--base-url", "http://127.0.0.1:1", "--network", "devnet"])
            .args(["--format", format, "--report-dir"])
            .arg(folder.path())
            .stdout(full)
            .output()
            .expect("the binary starts");
        assert_eq!(output.status.code(), Some(3), "the run's own status");
        let message = String::from_utf8_lossy(&output.stderr);
        let line = message.lines().last().unwrap_or_default();
        assert!(line.contains("to standard output"), "{message}");
        assert!(folder.path().join("report.json").exists());
    }
}
