//! Running the binary in its own home.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

use integration_tests::built::program;
use nodeproof_devnode::Handle;
use nodeproof_wallet::{KeyFile, KeyPair, Protection};
use serde_json::Value;
use tempfile::TempDir;

/// Returns the path of the binary.
pub(crate) fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| program("nodectl").expect("an executable"))
}

/// A home for the program, without any files of this machine's user.
pub(crate) struct Home {
    pub(crate) folder: TempDir,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct RunOutput {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file with that name, and returns its path as text.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).expect("a file");
        path.display().to_string()
    }

    /// Writes a plain key file of a wallet, and returns its path.
    pub(crate) fn wallet(&self, name: &str, keys: &KeyPair) -> String {
        let path = self.path(name);
        KeyFile::write(&path, keys, Protection::Plain).expect("a key file");
        path.display().to_string()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // A library that replaces functions of the system, for faults that a disk seldom has.
        let preload = self.path("preload.so");
        if preload.exists() {
            command.env("LD_PRELOAD", preload);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> RunOutput {
        RunOutput::of(self.command(arguments).output().expect("the program"))
    }

    /// Runs it against a node.
    pub(crate) fn ask(&self, base_url: &str, arguments: &[&str]) -> RunOutput {
        let target = ["--base-url", base_url, "--network", "devnet"];
        self.run(&[arguments, &target].concat())
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> RunOutput {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .expect("the program");
        let mut stdin = child.stdin.take().expect("its input");
        stdin.write_all(input.as_bytes()).expect("input");
        drop(stdin);
        RunOutput::of(child.wait_with_output().expect("its end"))
    }

    /// Returns the texts of all files in the home.
    pub(crate) fn everything_written(&self) -> String {
        fn walk(folder: &Path, all: &mut String) {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    walk(&path, all);
                } else if path.is_file() {
                    all.push_str(&String::from_utf8_lossy(&fs::read(&path).expect("a file")));
                }
            }
        }
        let mut all = String::new();
        walk(self.folder.path(), &mut all);
        all
    }
}

impl RunOutput {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Asserts the exit status. If it differs, the message shows everything.
    #[track_caller]
    pub(crate) fn ended(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// Returns the only JSON document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.out.matches('\n').count(), 1, "{self:?}");
        serde_json::from_str(&self.out).expect("a JSON document")
    }

    /// Returns the error of a run with `--json`. Standard output must be empty.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        assert_eq!(self.out, "", "{self:?}");
        let last = self.err.lines().last().unwrap_or_default();
        let error: Value = serde_json::from_str(last).expect("a JSON error");
        assert_eq!(error["error"]["status"], self.status, "{self:?}");
        error["error"].clone()
    }
}

/// Splits a command line at its blanks.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Returns the keys of one of the local node's wallets.
pub(crate) fn keys(node: &Handle, name: &str) -> KeyPair {
    node.node().wallet(name).expect("a wallet").keys().clone()
}

/// Returns the arguments of `call` for a function `f`, with a fee.
pub(crate) fn call<'a>(contract: &'a str, signer: &'a str, params: &'a str) -> [&'a str; 13] {
    [
        "call",
        "--contract",
        contract,
        "--function",
        "f",
        "--signer",
        signer,
        "--params",
        params,
        "--fee",
        "1000000",
        "--currency",
        "DEVN",
    ]
}
