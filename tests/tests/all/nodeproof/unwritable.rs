//! Reports that can't be written, for example because the disk is full.

use std::{
    fs::{self, OpenOptions},
    path::Path,
    process::{Command, Stdio},
};

use nodeproof_devnode::InjectedFault;

use super::{node, node_report, ran, run};

/// Returns a device on which each write fails as on a full disk.
fn full() -> Stdio {
    let device = OpenOptions::new().write(true).open("/dev/full");
    device.expect("a device that is always full").into()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_report_does_not_hide_a_failed_run_and_is_no_success() {
    let (good, bad) = (
        node(None).await,
        node(Some(InjectedFault::RemarksCut)).await,
    );
    let folder = tempfile::tempdir().expect("a folder");
    // A folder that is not empty can't be replaced by a report.
    fs::create_dir_all(folder.path().join("report.json/x")).expect("a folder");
    let run = |url: &str| {
        let mut command = run(url);
        command.args(["--only", "sc-state/record-matches-claim"]);
        command
    };
    for (node, status) in [(&good, 4), (&bad, 1)] {
        let mut command = run(node.base_url());
        command.arg("--report-dir").arg(folder.path());
        let (code, _, errors) = ran(&mut command);
        assert_eq!(code, status, "{errors}");
        assert!(errors.contains("reports can't be written"), "{errors}");
        assert!(folder.path().join("junit.xml").is_file(), "the others are");

        let mut command = run(node.base_url());
        command.args(["--summary", "/dev/full"]);
        let (code, _, errors) = ran(&mut command);
        assert_eq!(code, status, "{errors}");
        assert!(errors.contains("the summary can't be written"), "{errors}");

        let mut command = run(node.base_url());
        let output = command.stdout(full()).output().expect("the program");
        assert_eq!(output.status.code(), Some(status));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("to standard output: No space"), "{errors}");

        let mut command = run(node.base_url());
        command.args([
            "--base-url",
            bad.base_url().replace("127.0.0.1", "localhost").as_str(),
        ]);
        let output = command.stdout(full()).output().expect("the program");
        assert_eq!(output.status.code(), Some(1), "several nodes");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_is_finished_only_if_its_report_was_written() {
    let node = node(None).await;
    let folder = tempfile::tempdir().expect("a folder");
    let obstacle = folder.path().join("report.json");
    fs::create_dir_all(obstacle.join("x")).expect("a folder");
    let sweep = || {
        let mut command = run(node.base_url());
        command.args(["--blocks", "..", "--resume", "--report-dir"]);
        command.arg(folder.path());
        command
    };
    assert_eq!(ran(&mut sweep()).0, 4);
    fs::remove_dir_all(&obstacle).expect("a folder");
    assert_eq!(ran(&mut sweep()).0, 0);
    assert_eq!(node_report(&obstacle)["sweep"]["done"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comparison_that_can_not_be_printed_keeps_its_status() {
    let (good, bad) = (
        node(None).await,
        node(Some(InjectedFault::RemarksCut)).await,
    );
    let folder = tempfile::tempdir().expect("a folder");
    let report = |name: &str| folder.path().join(name).join("report.json");
    for (node, name) in [(&good, "good"), (&bad, "bad")] {
        let mut command = run(node.base_url());
        ran(command.arg("--report-dir").arg(folder.path().join(name)));
    }
    let diff = |before: &Path, after: &Path| {
        let mut command = std::process::Command::new(&*super::NODEPROOF);
        command.arg("diff").args([before, after]).stdout(full());
        command.output().expect("the program").status.code()
    };
    assert_eq!(diff(&report("good"), &report("bad")), Some(1));
    assert_eq!(diff(&report("good"), &report("good")), Some(4));
}

/// Returns a command with limits of the shell's `ulimit`.
#[cfg(unix)]
fn limited(limits: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit {limits} && exec \"$@\""), "sh"]);
    shell.arg(command.get_program()).args(command.get_args());
    shell
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_limit_for_files_loses_reports_and_not_the_run() {
    let node = node(None).await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = run(node.base_url());
    command.args(["--only", "get-block/shape", "--report-dir"]);
    command.arg(folder.path().join("reports"));
    // `report.json` and `report.html` are larger than that.
    let (status, out, errors) = ran(&mut limited("-f 128", &command));
    assert_eq!(status, 4, "{errors}");
    assert!(out.contains("\n1 passed"), "{out}");
    assert!(errors.contains("reports can't be written"), "{errors}");
    let left = fs::read_dir(folder.path().join("reports")).expect("a folder");
    let mut left: Vec<_> = left.map(|file| file.expect("a file").file_name()).collect();
    left.sort();
    assert_eq!(left, ["history.har", "junit.xml"]);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_program_without_files_says_so() {
    let node = node(None).await;
    let (status, _, errors) = ran(&mut limited("-n 8", &run(node.base_url())));
    assert_eq!(status, 4, "{errors}");
    assert!(
        errors.contains("the program can't start: Too many open files"),
        "{errors}"
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_of_a_baseline_is_whole_or_missing() {
    let node = node(None).await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = run(node.base_url());
    command.args([
        "--baseline",
        "one",
        "--record",
        "--only",
        "baseline/*",
        "--baseline-dir",
    ]);
    command.arg(folder.path());
    let (status, _, errors) = ran(&mut limited("-f 0", &command));
    assert_eq!(status, 4, "{errors}");
    let left = fs::read_dir(folder.path().join("one")).expect("a folder");
    assert_eq!(left.count(), 0);
    assert_eq!(ran(&mut command).0, 0);
}
