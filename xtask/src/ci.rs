//! `cargo xtask ci`: every check that must pass before a change is merged.

mod packages;

use std::{
    io,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::platform;

/// One step: its name, and its arguments for cargo.
struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
}

const fn cargo(name: &'static str, arguments: &'static [&'static str]) -> Step {
    Step {
        name,
        arguments,
        variables: &[],
    }
}

const STEPS: &[Step] = &[
    cargo(
        "tests",
        &["test", "--workspace", "--locked", "--no-fail-fast"],
    ),
    cargo("format", &["fmt", "--all", "--check"]),
    cargo(
        "clippy",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "--deny",
            "warnings",
        ],
    ),
    cargo(
        "the local node without features",
        &[
            "clippy",
            "--package",
            "nodeproof-devnode",
            "--no-default-features",
            "--locked",
            "--",
            "--deny",
            "warnings",
        ],
    ),
    cargo(
        "the client and claims without TLS",
        &[
            "clippy",
            "--package",
            "nodeproof-client",
            "--package",
            "nodeproof-claims",
            "--no-default-features",
            "--locked",
            "--",
            "--deny",
            "warnings",
        ],
    ),
    Step {
        name: "docs",
        arguments: &["doc", "--workspace", "--no-deps", "--locked", "--quiet"],
        variables: &[("RUSTDOCFLAGS", "--deny warnings")],
    },
    cargo("spec", &["xtask", "spec"]),
    cargo("dependency directions", &["xtask", "directions"]),
    cargo(
        "conformance of the local node",
        &["xtask", "conformance", "--quiet", "--strict"],
    ),
];

impl Step {
    /// Returns the command. Cargo must run the step, not this program: the tests rebuild it and
    /// replace its file.
    fn command(&self) -> Command {
        let mut command = crate::cargo::cargo();
        command
            .args(self.arguments)
            .envs(self.variables.iter().copied());
        command
    }
}

/// Steps that run only if their tool is installed.
const WITH_TOOLS: &[(&str, &[&str], &[&str])] = &[
    (
        "licences",
        &["cargo-deny", "--version"],
        &[
            "cargo",
            "deny",
            "--offline",
            "check",
            "licenses",
            "bans",
            "sources",
        ],
    ),
    ("spelling", &["typos", "--version"], &["typos"]),
    (
        "public linter of the spec (Redocly)",
        &["redocly", "--version"],
        &[
            "redocly",
            "lint",
            "--config",
            "openapi/redocly.yaml",
            "openapi/node.yaml",
        ],
    ),
    (
        "public validator of the spec",
        &["openapi-spec-validator", "--version"],
        &["openapi-spec-validator", "openapi/node.yaml"],
    ),
];

/// Runs every step, and prints at the end which ones failed.
///
/// # Errors
/// The names of the steps that failed.
pub fn run() -> Result<(), Vec<&'static str>> {
    let mut failed = Vec::new();
    for step in STEPS {
        if !passes(step.name, &mut step.command()) {
            failed.push(step.name);
        }
    }
    if !packages_compile() {
        failed.push("packages");
    }
    for (name, probe, line) in WITH_TOOLS {
        if !is_there(probe) {
            announce(&format!(
                "{name}: left out, {} is not on this machine",
                probe[0]
            ));
            continue;
        }
        if let [program, arguments @ ..] = *line
            && !passes(name, Command::new(program).args(arguments))
        {
            failed.push(name);
        }
    }
    if has_advisories() && is_there(&["cargo-deny", "--version"]) {
        let mut command = Command::new("cargo");
        command.args(["deny", "--offline", "check", "advisories"]);
        if !passes("advisories", &mut command) {
            failed.push("advisories");
        }
    } else {
        announce("advisories: left out, cargo-deny or its database is not on this machine");
    }
    match release_tag().filter(|_| is_there(&["cargo-semver-checks", "--version"])) {
        None => announce(
            "public API: left out, there is no release tag or cargo-semver-checks is not on this \
             machine",
        ),
        Some(tag) => {
            let mut command = Command::new("cargo");
            command.args(["semver-checks", "--baseline-rev", &tag]);
            for library in ["primitives", "wallet", "client", "claims"] {
                command.args(["--package", &format!("nodeproof-{library}")]);
            }
            if !passes("public API", &mut command) {
                failed.push("public API");
            }
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed)
    }
}

/// Returns whether each package compiles from its package file.
fn packages_compile() -> bool {
    timed("packages", || match packages::compile() {
        Ok(()) => "passed",
        Err(error) => {
            announce(&format!("packages: {error}"));
            "FAILED"
        }
    })
}

/// The longest time for a step. A test that waits forever fails its step, and what it printed stays.
const LIMIT: Duration = Duration::from_secs(40 * 60);

fn passes(name: &str, command: &mut Command) -> bool {
    timed(name, || match ended(command.stdin(Stdio::null())) {
        Ok(Some(true)) => "passed",
        Ok(Some(false)) => "FAILED",
        Ok(None) => "FAILED, as it did not end,",
        Err(error) => {
            announce(&format!("{name} can't be started: {error}"));
            "FAILED"
        }
    })
}

/// Runs a step, which returns how it ended, and prints its name, its end and its time.
fn timed(name: &str, step: impl FnOnce() -> &'static str) -> bool {
    announce(name);
    let started = Instant::now();
    let end = step();
    announce(&format!(
        "{name}: {end} after {:.0} s",
        started.elapsed().as_secs_f64()
    ));
    end == "passed"
}

/// Runs a command. Returns whether it succeeded, or `None` if it was ended after the time limit.
fn ended(command: &mut Command) -> io::Result<Option<bool>> {
    // In a terminal, Ctrl-C has to reach the command, so it stays in the group of this program.
    let has_group = !io::IsTerminal::is_terminal(&io::stdin());
    if has_group {
        platform::start_in_own_group(command);
    }
    let mut child = command.spawn()?;
    let started = Instant::now();
    while started.elapsed() < LIMIT {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        thread::sleep(Duration::from_millis(100));
    }
    // Its tests are processes of the same group.
    if has_group {
        platform::kill_group(child.id())?;
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// Whether `cargo deny fetch db` fetched the advisory database.
fn has_advisories() -> bool {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    home.is_some_and(|home| home.join("advisory-dbs").is_dir())
}

/// Returns the tag of the last release, such as `v0.1.0`.
fn release_tag() -> Option<String> {
    let output = Command::new("git")
        .args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let tag = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !tag.is_empty()).then_some(tag)
}

fn is_there(probe: &[&str]) -> bool {
    let [program, arguments @ ..] = probe else {
        return false;
    };
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[expect(clippy::print_stderr, reason = "a task prints its progress to stderr")]
fn announce(text: &str) {
    eprintln!("== {text}");
}
