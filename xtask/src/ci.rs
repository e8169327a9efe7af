//! `cargo xtask ci`: every check that must pass before a change is merged.

use std::{
    process::{Command, Stdio},
    time::Instant,
};

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
        "the client without TLS",
        &[
            "clippy",
            "--package",
            "nodeproof-client",
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
    cargo(
        "packages",
        &[
            "package",
            "--quiet",
            "--locked",
            "--allow-dirty",
            "--no-verify",
            "--workspace",
            "--exclude",
            "xtask",
            "--exclude",
            "integration-tests",
            "--exclude",
            "changed-spec",
        ],
    ),
];

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
        // Cargo must run the step, not this program: the tests rebuild it and replace its file.
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(program);
        command
            .args(step.arguments)
            .envs(step.variables.iter().copied());
        if !passes(step.name, &mut command) {
            failed.push(step.name);
        }
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
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed)
    }
}

fn passes(name: &str, command: &mut Command) -> bool {
    announce(name);
    let started = Instant::now();
    let passed = match command.stdin(Stdio::null()).status() {
        Ok(status) => status.success(),
        Err(error) => {
            announce(&format!("{name} can't be started: {error}"));
            false
        }
    };
    let word = if passed { "passed" } else { "FAILED" };
    announce(&format!(
        "{name}: {word} after {:.0} s",
        started.elapsed().as_secs_f64()
    ));
    passed
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
