//! The examples for CI systems: their steps run in a shell with the variables that these systems set.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
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

/// Returns the PATH with the folder of `nodeproof` first.
fn path_with(folder: &Path) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}", folder.display())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A job on a runner of GitHub.
struct Job {
    folder: tempfile::TempDir,
    inputs: BTreeMap<String, String>,
    /// The server of releases, the repository of the action and its revision.
    source: [String; 3],
    /// The output of its steps.
    out: String,
    /// The first failed step's exit status, or 0.
    status: i32,
    /// The folders that steps upload.
    uploaded: Vec<PathBuf>,
}

impl Job {
    /// Runs the steps of `action.yml`, as it is in this folder. The reports are written to the job's folder.
    fn run(install: bool, inputs: &[(&str, &str)]) -> Self {
        Self::run_from(install, inputs, ["", "", ""])
    }

    /// Runs the steps of an action that is in a repository.
    fn run_from(install: bool, inputs: &[(&str, &str)], source: [&str; 3]) -> Self {
        let action = yaml("action.yml");
        assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
        let declared = action["inputs"].as_mapping().expect("inputs");
        let mut all = BTreeMap::new();
        for (name, input) in declared {
            let name = name.as_str().expect("a name");
            let given = inputs.iter().find(|(given, _)| *given == name);
            let value = given.map(|(_, value)| *value).or(input["default"].as_str());
            assert!(value.is_some(), "{name} is required");
            all.insert(name.to_owned(), value.unwrap_or_default().to_owned());
        }
        assert!(
            inputs.iter().all(|(name, _)| all.contains_key(*name)),
            "{inputs:?}"
        );
        let mut job = Self {
            folder: tempfile::tempdir().expect("a folder"),
            inputs: all,
            source: source.map(str::to_owned),
            out: String::new(),
            status: 0,
            uploaded: Vec::new(),
        };
        for name in ["output", "path", "summary"] {
            fs::write(job.file(name), "").expect("a file");
        }
        if !install {
            let bin = NODEPROOF.parent().expect("a folder");
            fs::write(job.file("path"), format!("{}\n", bin.display())).expect("a file");
        }
        let steps = action["runs"]["steps"].as_sequence().expect("steps");
        for step in &steps[usize::from(!install)..] {
            if job.is_due(step["if"].as_str()) {
                job.step(step);
            }
        }
        job
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn is_due(&self, condition: Option<&str>) -> bool {
        match condition {
            None => self.status == 0,
            Some("${{ always() }}") => true,
            Some("${{ always() && inputs.before != '' }}") => !self.inputs["before"].is_empty(),
            Some(other) => unreachable!("this test does not know {other}"),
        }
    }

    /// Replaces the expressions in a value.
    fn evaluated(&self, value: &Value) -> String {
        let text = value.as_str().expect("text");
        let [_, repository, revision] = &self.source;
        match text {
            "${{ github.action_repository }}" => return repository.clone(),
            "${{ github.action_ref }}" => return revision.clone(),
            _ => {}
        }
        match text
            .strip_prefix("${{ inputs.")
            .and_then(|rest| rest.strip_suffix(" }}"))
        {
            Some(name) => self.inputs[name].clone(),
            None => {
                assert!(!text.contains("${{"), "{text}");
                text.to_owned()
            }
        }
    }

    fn step(&mut self, step: &Value) {
        if let Some(uses) = step["uses"].as_str() {
            assert!(uses.starts_with("actions/upload-artifact@"), "{uses}");
            assert!(!self.evaluated(&step["with"]["name"]).is_empty());
            self.uploaded
                .push(self.file(&self.evaluated(&step["with"]["path"])));
            return;
        }
        let script = step["run"].as_str().expect("a script");
        // An expression in a script would let an input act as a command.
        assert!(!script.contains("${{"), "{script}");
        let file = self.file("script.sh");
        fs::write(&file, script).expect("a file");
        assert_eq!(step["shell"].as_str(), Some("bash"));
        let mut command = Command::new("bash");
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(&file);
        for (name, value) in step["env"].as_mapping().into_iter().flatten() {
            command.env(name.as_str().expect("a name"), self.evaluated(value));
        }
        let target = NODEPROOF.ancestors().nth(2).expect("the target folder");
        let paths = fs::read_to_string(self.file("path")).expect("a file");
        let paths: Vec<_> = paths.lines().map(Path::new).collect();
        command.env(
            "PATH",
            paths
                .first()
                .map_or_else(|| path_with(Path::new("/bin")), |p| path_with(p)),
        );
        // A step may build the program.
        xtask::cargo::forget_package(&mut command);
        let output: Output = command
            .current_dir(self.folder.path())
            .env("GITHUB_ACTION_PATH", &*ROOT)
            .env("GITHUB_SERVER_URL", &self.source[0])
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", "X64")
            .env("RUNNER_TEMP", self.folder.path())
            .env("GITHUB_OUTPUT", self.file("output"))
            .env("GITHUB_PATH", self.file("path"))
            .env("GITHUB_STEP_SUMMARY", self.file("summary"))
            .env("CARGO_TARGET_DIR", target)
            .env("CARGO_NET_OFFLINE", "true")
            .output()
            .expect("bash");
        self.out.push_str(&text(&output.stdout));
        self.out.push_str(&text(&output.stderr));
        if self.status == 0 {
            self.status = output.status.code().expect("an exit status");
        }
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).expect("a file")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_action_installs_runs_annotates_and_uploads() {
    let (good, bad) = (
        node(None).await,
        node(Some(InjectedFault::BlockSeconds)).await,
    );
    let inputs = [
        ("base-url", good.base_url()),
        ("network", "devnet"),
        ("profile", "dev"),
    ];
    let before = Job::run(true, &inputs);
    assert_eq!(before.status, 0, "{}", before.out);
    assert!(before.file("nodeproof/bin/nodeproof").exists());
    assert_eq!(before.read("output"), "exit-status=0\n");
    assert!(
        before.out.contains("\n::notice title=nodeproof::"),
        "{}",
        before.out
    );

    let report = before.uploaded[0].join("report.json");
    let after = Job::run(
        false,
        &[
            ("base-url", bad.base_url()),
            ("network", "devnet"),
            ("arguments", "--only=get-block/*\n--skip=get-block/s*\n"),
            ("before", report.to_str().expect("text")),
        ],
    );
    assert_eq!(after.status, 1, "{}", after.out);
    assert_eq!(after.read("output"), "exit-status=1\n");
    let annotation = "::error title=get-block/timestamp-unit::";
    assert!(after.out.starts_with(annotation), "{}", after.out);
    let summary = after.read("summary");
    assert!(
        summary.contains("### fail: ` get-block/timestamp-unit `"),
        "{summary}"
    );
    assert!(
        summary.contains("## Comparison: worse than before"),
        "{summary}"
    );
    let uploaded = node_report(&after.uploaded[0].join("report.json"));
    let cases = uploaded["cases"].as_array().expect("cases");
    let skipped = cases
        .iter()
        .find(|case| case["id"] == "get-block/shape")
        .expect("it");
    assert_eq!(skipped["reason"], "not selected");
    for name in ["junit.xml", "report.html"] {
        assert!(after.uploaded[0].join(name).exists(), "{name}");
    }
}

/// Serves the files of a release: an archive whose `nodeproof` is the one of this build, and the sums.
async fn release(tag: &str, has_right_sums: bool) -> String {
    let archive = format!("nodeproof-{}-x86_64-unknown-linux-musl", &tag[1..]);
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join(&archive);
    fs::create_dir(&inner).expect("a folder");
    let program = format!("#!/bin/sh\nexec '{}' \"$@\"\n", NODEPROOF.display());
    fs::write(inner.join("nodeproof"), program).expect("a file");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(inner.join("nodeproof"), executable).expect("permissions");
    let mut pack = Command::new("sh");
    pack.args([
        "-ec",
        "tar -czf $1.tar.gz $1 && sha256sum $1.tar.gz > SHA256SUMS",
    ]);
    pack.args(["pack", &archive]).current_dir(folder.path());
    assert!(pack.status().expect("sh").success());
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await;
    let listener = listener.expect("a port");
    let address = listener.local_addr().expect("an address");
    let prefix = format!("/owner/nodeproof/releases/download/{tag}/");
    let folder = std::sync::Arc::new(folder);
    let app = axum::Router::new().fallback(move |uri: axum::http::Uri| {
        let name = uri.path().strip_prefix(&prefix).map(str::to_owned);
        let folder = std::sync::Arc::clone(&folder);
        async move {
            let missing = axum::http::StatusCode::NOT_FOUND;
            let name = name.ok_or(missing)?;
            let mut bytes = fs::read(folder.path().join(&name)).map_err(|_| missing)?;
            if !has_right_sums && name.ends_with(".tar.gz") {
                bytes.extend(b"more");
            }
            Ok::<_, axum::http::StatusCode>(bytes)
        }
    });
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_action_downloads_its_release_and_builds_without_one() {
    let node = node(None).await;
    let inputs = [
        ("base-url", node.base_url()),
        ("network", "devnet"),
        ("profile", "dev"),
        ("arguments", "--only=get-block/*"),
    ];
    let run = |url: &str, revision: &'static str| {
        let (url, inputs) = (url.to_owned(), inputs.map(|(a, b)| (a, b.to_owned())));
        let job = tokio::task::spawn_blocking(move || {
            let inputs = inputs
                .each_ref()
                .map(|(name, value)| (*name, value.as_str()));
            Job::run_from(true, &inputs, [&url, "owner/nodeproof", revision])
        });
        async { job.await.expect("a job that ends") }
    };
    let good = release("v1.22.33", true).await;
    let downloaded = run(&good, "v1.22.33").await;
    assert_eq!(downloaded.status, 0, "{}", downloaded.out);
    let program = downloaded.file("nodeproof/bin/nodeproof");
    assert!(
        fs::read(program)
            .expect("a program")
            .starts_with(b"#!/bin/sh")
    );

    // The archive is not the one that the sums are about.
    let altered = release("v1.22.33", false).await;
    let refused = run(&altered, "v1.22.33").await;
    assert_ne!(refused.status, 0, "{}", refused.out);
    assert!(!refused.file("nodeproof/bin/nodeproof").exists());

    // There is no such release, or the revision is not a tag.
    for revision in ["v1.22.34", "main"] {
        let built = run(&good, revision).await;
        assert_eq!(built.status, 0, "{revision}: {}", built.out);
        let program = built.file("nodeproof/bin/nodeproof");
        assert!(
            fs::read(program)
                .expect("a program")
                .starts_with(b"\x7fELF")
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_action_takes_arguments_on_one_line_and_compares_nothing_on_the_first_run() {
    let node = node(None).await;
    let job = Job::run(
        false,
        &[
            ("base-url", node.base_url()),
            ("network", "devnet"),
            (
                "arguments",
                "--strict --skip=docs/*\n  --only=chain/*  --skip docs/*",
            ),
            ("before", "before/report.json"),
        ],
    );
    assert_eq!(job.status, 0, "{}", job.out);
    assert!(
        job.out
            .contains("::notice title=nodeproof::There is no earlier report")
    );
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

#[test]
fn an_input_of_the_action_is_never_a_command() {
    let hostile = "http://127.0.0.1:1'\"; touch hacked; $(touch hacked) `touch hacked`\n--list";
    for name in ["base-url", "network", "arguments", "reports", "before"] {
        let mut inputs = vec![("base-url", "http://127.0.0.1:1"), ("network", "devnet")];
        inputs.retain(|(given, _)| *given != name);
        inputs.push((name, hostile));
        let job = Job::run(false, &inputs);
        assert!(!job.file("hacked").exists(), "{name}: {}", job.out);
        // There is no node, or the input is wrong.
        assert!(
            [2, 3].contains(&job.status),
            "{name}: {}: {}",
            job.status,
            job.out
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_job_of_gitlab_runs_and_has_a_junit_report() {
    let node = node(Some(InjectedFault::BlockSeconds)).await;
    let job = &yaml("docs/ci/gitlab.yml")["nodeproof"];
    let folder = tempfile::tempdir().expect("a folder");
    // Instead of cloning the repository, this `cargo` records what it should install.
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).expect("a folder");
    let cargo = bin.join("cargo");
    fs::write(
        &cargo,
        "#!/bin/sh\nfor a; do echo \"$a\"; done > installed\n",
    )
    .expect("a file");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("permissions");
    std::os::unix::fs::symlink(&*NODEPROOF, bin.join("nodeproof")).expect("a link");
    let mut script = "set -eo pipefail\n".to_owned();
    for part in ["before_script", "script"] {
        for line in job[part].as_sequence().expect("lines") {
            script.push_str(line.as_str().expect("a line"));
            script.push('\n');
        }
    }
    let mut command = Command::new("bash");
    for (name, value) in job["variables"].as_mapping().expect("variables") {
        command.env(
            name.as_str().expect("a name"),
            value.as_str().expect("text"),
        );
    }
    let output = command
        .env("NODE_URL", node.base_url())
        .env("NODEPROOF_REPOSITORY", "https://example.org/a b.git")
        .env("PATH", path_with(&bin))
        .current_dir(folder.path())
        .args(["-c", &script])
        .output()
        .expect("bash");
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{out}{errors}");
    assert!(
        out.contains("\nfail         get-block/timestamp-unit: "),
        "{out}"
    );
    let installed = fs::read_to_string(folder.path().join("installed")).expect("a file");
    let expected = [
        "install",
        "--locked",
        "--git",
        "https://example.org/a b.git",
        "--branch",
        "main",
        "nodeproof-conformance",
    ];
    assert_eq!(installed.lines().collect::<Vec<_>>(), expected);
    let manifest = fs::read_to_string(ROOT.join("crates/conformance/Cargo.toml")).expect("a file");
    assert!(manifest.contains("name = \"nodeproof-conformance\""));

    let artifacts = &job["artifacts"];
    assert_eq!(artifacts["when"].as_str(), Some("always"));
    let junit = artifacts["reports"]["junit"].as_str().expect("a path");
    let xml = fs::read_to_string(folder.path().join(junit)).expect("the JUnit report");
    assert!(
        quick_junit::Report::deserialize_from_str(&xml).is_ok(),
        "{xml}"
    );
    let kept = artifacts["paths"][0].as_str().expect("a path");
    assert!(folder.path().join(kept).join("report.html").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_shell_example_shows_what_has_changed_since_the_last_time() {
    let (good, bad) = (
        node(None).await,
        node(Some(InjectedFault::BlockSeconds)).await,
    );
    let folder = tempfile::tempdir().expect("a folder");
    let check = |url: &str| {
        let output = Command::new(ROOT.join("docs/ci/check.sh"))
            .args([url, "devnet", "my reports"])
            .env("PATH", path_with(NODEPROOF.parent().expect("a folder")))
            .current_dir(folder.path())
            .output()
            .expect("the script");
        (output.status.code(), text(&output.stdout))
    };
    let (status, out) = check(good.base_url());
    assert!(status == Some(0) && !out.contains("before"), "{out}");
    let (status, out) = check("http://127.0.0.1:1");
    assert!(status == Some(3) && out.contains("no verdict"), "{out}");
    // That run can't be used for comparison.
    let (status, out) = check(bad.base_url());
    assert_eq!(status, Some(1), "{out}");
    assert!(
        out.contains("\nnew\nfail         get-block/timestamp-unit: "),
        "{out}"
    );
    let (status, out) = check(good.base_url());
    assert_eq!(status, Some(0), "{out}");
    assert!(
        out.contains("\nfixed\npass         get-block/timestamp-unit "),
        "{out}"
    );
}

#[test]
fn the_workflow_in_the_documentation_gives_inputs_that_the_action_has() {
    let page = fs::read_to_string(ROOT.join("docs/ci.md")).expect("a file");
    let example = page
        .split("```yaml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let workflow: Value = yaml_serde::from_str(example.expect("an example")).expect("YAML");
    let with = workflow["jobs"]["conformance"]["steps"][0]["with"].as_mapping();
    let action = yaml("action.yml");
    let declared = action["inputs"].as_mapping().expect("inputs");
    let with = with.expect("inputs");
    for (name, _) in with {
        assert!(declared.contains_key(name), "{name:?}");
    }
    for (name, input) in declared {
        let is_required = input["required"].as_bool() == Some(true);
        assert!(!is_required || with.contains_key(name), "{name:?}");
    }
}

#[test]
fn actions_of_others_are_named_by_commit() {
    let texts = ["action.yml", ".github/workflows/release.yml"];
    let texts = texts.map(|path| fs::read_to_string(ROOT.join(path)).expect("a file"));
    let lines = texts.iter().flat_map(|text| text.lines());
    let used = lines.filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: "));
    let mut count = 0;
    for action in used {
        let commit = action.split_once('@').map(|(_, version)| version);
        let commit = commit.and_then(|version| version.split(' ').next());
        let is_commit = commit.is_some_and(|commit| {
            commit.len() == 40 && commit.bytes().all(|one| one.is_ascii_hexdigit())
        });
        assert!(is_commit, "{action}");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn the_action_downloads_archives_that_a_release_has() {
    let release = yaml(".github/workflows/release.yml");
    let matrix = &release["jobs"]["archives"]["strategy"]["matrix"]["include"];
    let mut built: Vec<_> = matrix
        .as_sequence()
        .expect("a matrix")
        .iter()
        .map(|one| one["target"].as_str().expect("a target"))
        .collect();
    let action = fs::read_to_string(ROOT.join("action.yml")).expect("the action");
    let mut downloaded: Vec<_> = action
        .lines()
        .filter_map(|line| line.split_once(") target=")?.1.strip_suffix(" ;;"))
        .filter(|target| !target.is_empty())
        .collect();
    built.sort_unstable();
    downloaded.sort_unstable();
    assert_eq!(built, downloaded);
}
