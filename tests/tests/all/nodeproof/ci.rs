//! The examples for CI systems: their scripts run with the variables that these systems set.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::LazyLock,
};

use integration_tests::{faults::change_json, proxy::Proxy};
use nodeproof_devnode::InjectedFault;
use yaml_serde::Value;

use super::{NODEPROOF, node, node_report};

/// The folder of the workspace.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the workspace").to_owned()
});

fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(ROOT.join(path)).expect("a file");
    yaml_serde::from_str(&text).expect("YAML")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn write_program(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}\n")).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}

/// A folder in which scripts run. They find `nodeproof`, and a `cargo` that records its arguments.
struct Job {
    folder: tempfile::TempDir,
}

impl Job {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).expect("a folder");
        fs::create_dir(folder.path().join("action")).expect("a folder");
        symlink(&*NODEPROOF, bin.join("nodeproof")).expect("a link");
        write_program(&bin.join("cargo"), "echo \"$@\" > installed");
        Self { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).expect("a file")
    }

    fn run(&self, script: &str, variables: &[(&str, &str)]) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(self.folder.path())
            .env("PATH", format!("{}:{path}", self.file("bin").display()))
            .envs(variables.iter().copied())
            .output()
            .expect("bash")
    }

    /// Runs a step of `action.yml`, as a runner of GitHub does.
    fn step(&self, name: &str, inputs: &[(&str, &str)]) -> Output {
        let action = yaml("action.yml");
        let steps = action["runs"]["steps"].as_sequence().expect("steps");
        let step = steps
            .iter()
            .find(|step| step["name"].as_str() == Some(name));
        let script = step.expect("the step")["run"].as_str().expect("a script");
        // An expression in a script would let an input act as a command.
        assert!(!script.contains("${{"), "{script}");
        let folder = self.folder.path().to_str().expect("UTF-8");
        let [output, path, summary] = ["output", "path", "summary"].map(|name| self.file(name));
        let runner = [
            ("GITHUB_ACTION_PATH", "action"),
            ("RUNNER_OS", "Linux"),
            ("RUNNER_ARCH", "X64"),
            ("RUNNER_TEMP", folder),
            ("GITHUB_OUTPUT", output.to_str().expect("UTF-8")),
            ("GITHUB_PATH", path.to_str().expect("UTF-8")),
            ("GITHUB_STEP_SUMMARY", summary.to_str().expect("UTF-8")),
        ];
        self.run(script, &[&runner, inputs].concat())
    }

    fn check(&self, base_url: &str, arguments: &str, reports: &str) -> (Option<i32>, String) {
        let output = self.step(
            "Check the node",
            &[
                ("BASE_URL", base_url),
                ("NETWORK", "devnet"),
                ("ARGUMENTS", arguments),
                ("REPORTS", reports),
            ],
        );
        let all = text(&output.stdout) + &text(&output.stderr);
        (output.status.code(), all)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_action_checks_annotates_and_compares() {
    let (good, bad) = (
        node(None).await,
        node(Some(InjectedFault::BlockSeconds)).await,
    );
    let job = Job::new();
    let compare = |before| {
        let inputs = [("BEFORE", before), ("REPORTS", "now")];
        let output = job.step("Compare with an earlier run", &inputs);
        assert!(output.status.code().is_some());
        text(&output.stdout)
    };
    let arguments = "--strict --skip=docs/*\n  --only=get-block/*  --skip get-block/s*\n";
    let (status, out) = job.check(good.base_url(), arguments, "before");
    assert_eq!(
        (status, job.read("output").as_str()),
        (Some(0), "exit-status=0\n")
    );
    assert!(out.starts_with("::notice title=nodeproof::"), "{out}");
    assert!(compare("none").contains("There is no earlier report"));

    let (status, out) = job.check(bad.base_url(), arguments, "now");
    assert_eq!(status, Some(1), "{out}");
    assert!(job.read("output").ends_with("exit-status=1\n"));
    let annotation = "::error title=get-block/timestamp-unit::";
    assert!(out.starts_with(annotation), "{out}");
    compare("before/report.json");
    let summary = job.read("summary");
    for part in [
        "### fail: ` get-block/timestamp-unit `",
        "## Comparison: worse than before",
    ] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    let report = node_report(&job.file("now/report.json"));
    let cases = report["cases"].as_array().expect("cases");
    let skipped = cases.iter().find(|case| case["id"] == "get-block/shape");
    assert_eq!(skipped.expect("it")["reason"], "not selected");

    let hostile = "'\"; touch hacked; $(touch hacked) `touch hacked`\n--list";
    for inputs in [
        [hostile, "", "r"],
        ["http://127.0.0.1:1", hostile, "r"],
        ["http://127.0.0.1:1", "", hostile],
    ] {
        let (status, out) = job.check(inputs[0], inputs[1], inputs[2]);
        assert!(matches!(status, Some(2 | 3)), "{out}");
    }
    compare(hostile);
    assert!(!job.file("hacked").exists());
}

#[test]
fn the_token_of_a_release_is_in_a_step_that_builds_nothing() {
    let release = yaml(".github/workflows/release.yml");
    let jobs = release["jobs"].as_mapping().expect("jobs");
    let steps = jobs.values().filter_map(|job| job["steps"].as_sequence());
    let with_token = steps.flatten().filter(|step| {
        let variables = step["env"].as_mapping();
        variables.is_some_and(|all| all.contains_key("CARGO_REGISTRY_TOKEN"))
    });
    let scripts: Vec<_> = with_token.map(|step| step["run"].as_str()).collect();
    let is_harmless = |script: &str| script.starts_with("cargo publish --no-verify ");
    assert!(
        matches!(scripts[..], [Some(script)] if is_harmless(script)),
        "{scripts:?}"
    );
}

/// Makes a release with a `nodeproof` and its sums. Returns its folder, which has the paths of a server.
fn release(has_right_sums: bool) -> tempfile::TempDir {
    let server = tempfile::tempdir().expect("a folder");
    let folder = server
        .path()
        .join("owner/nodeproof/releases/download/v1.22.33");
    let archive = "nodeproof-1.22.33-x86_64-unknown-linux-musl";
    fs::create_dir_all(folder.join(archive)).expect("a folder");
    write_program(&folder.join(archive).join("nodeproof"), "echo released");
    let after = if has_right_sums {
        "true"
    } else {
        "echo more | tee -a *.gz"
    };
    let pack = format!("tar -czf {archive}.tar.gz {archive}; sha256sum *.gz > SHA256SUMS; {after}");
    let packed = Command::new("sh")
        .args(["-ec", &pack])
        .current_dir(folder)
        .status();
    assert!(packed.expect("sh").success());
    server
}

#[test]
fn the_action_downloads_its_release_and_builds_without_one() {
    for (revision, has_right_sums, status) in [
        ("v1.22.33", true, 0),
        // The archive is not the one that the sums are about.
        ("v1.22.33", false, 1),
        // There is no such release, or the revision is not a tag.
        ("v1.22.34", true, 0),
        ("main", true, 0),
    ] {
        let server = release(has_right_sums);
        let url = format!("file://{}", server.path().display());
        let job = Job::new();
        let inputs = [
            ("PROFILE", "release"),
            ("REPOSITORY", "owner/nodeproof"),
            ("REF", revision),
            ("GITHUB_SERVER_URL", &*url),
        ];
        let output = job.step("Install nodeproof", &inputs);
        assert_eq!(output.status.code(), Some(status), "{revision}: {output:?}");
        let is_released = (revision, has_right_sums) == ("v1.22.33", true);
        assert_eq!(job.file("nodeproof/bin/nodeproof").exists(), is_released);
        // A rust-toolchain.toml of the user's folder does not choose the compiler.
        assert!(!job.file("installed").exists());
        let is_built = job.file("action/installed").exists();
        assert_eq!(is_built, status == 0 && !is_released);
    }
}

#[test]
fn invalid_usage_in_a_job_of_github_gives_an_annotation() {
    let usage = |arguments: &[&str]| {
        let mut command = Command::new(&*NODEPROOF);
        command.env("GITHUB_ACTIONS", "true").args(arguments);
        let output = command.output().expect("the program");
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    for arguments in [&["--only", "##[error]x"][..], &["--jobs", "##[error]x"]] {
        let errors = usage(arguments);
        let annotations = errors
            .lines()
            .filter(|line| line.starts_with("::error title=nodeproof::"));
        assert_eq!(annotations.count(), 1, "{errors}");
        assert!(!errors.contains("##["), "{errors}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn text_from_a_node_is_no_command_of_the_older_form_in_any_format() {
    let node = node(None).await;
    let fault = change_json("/get-block", |_, block| {
        block["creator_wallet"] = serde_json::json!("##[error]hidden");
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let output = |format: &str, github: &str| {
        let mut command = super::run(&proxy.server.base_url());
        command.args(["--format", format, "--only", "get-block/*"]);
        let output = command.env("GITHUB_ACTIONS", github).output();
        let output = output.expect("the program");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        (text(&output.stdout), text(&output.stderr))
    };
    for format in ["pretty", "compact", "json", "github"] {
        let (out, errors) = output(format, "true");
        // The compact form does not show values.
        let shows = format == "compact" || out.contains("error]hidden");
        assert!(shows, "{format}: {out}");
        assert!(
            !out.contains("##[") && !errors.contains("##["),
            "{format}: {out}{errors}"
        );
        if format == "json" {
            let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
            assert!(report.to_string().contains("##[error]hidden"));
        }
    }
    assert!(output("pretty", "").0.contains("##[error]hidden"));
}

/// Runs the public linter of workflows, if it is installed.
#[test]
fn the_workflows_are_valid() {
    let mut lint = Command::new("actionlint");
    match lint.arg("-shellcheck=").current_dir(&*ROOT).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: actionlint is not installed");
        }
        output => {
            let output = output.expect("actionlint");
            assert!(output.status.success(), "{}", text(&output.stdout));
        }
    }
}

#[test]
fn actions_of_others_are_named_by_commit() {
    let mut count = 0;
    for path in ["action.yml", ".github/workflows/release.yml"] {
        let text = fs::read_to_string(ROOT.join(path)).expect("a file");
        for action in text.lines().filter_map(|line| line.split_once("uses: ")) {
            let commit = action
                .1
                .split_once('@')
                .map(|(_, version)| version.split(' ').next());
            let is_commit = |commit: &str| commit.len() == 40 && !commit.contains('.');
            assert!(commit.flatten().is_some_and(is_commit), "{action:?}");
            count += 1;
        }
    }
    assert!(count > 0);
}
