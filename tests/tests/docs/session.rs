//! A shell with the programs of this workspace, in its own folder.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::fs::symlink,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use integration_tests::built;
use tempfile::TempDir;

/// The port in the pages.
const PAGE_PORT: &str = "localhost:8420";

const PROGRAMS: [&str; 4] = ["nodeproof", "nodectl", "devnode", "xtask"];

pub(crate) struct Session {
    folder: TempDir,
    /// The node that runs in the background, and its address.
    node: Option<(Child, String)>,
}

impl Session {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let programs = folder.path().join("bin");
        fs::create_dir_all(&programs).expect("a folder");
        fs::create_dir_all(folder.path().join("ada")).expect("a folder");
        for name in PROGRAMS {
            let program = built::program(name).expect("the program is built");
            symlink(program, programs.join(name)).expect("a link");
        }
        Self { folder, node: None }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("ada")
    }

    /// Writes a file of the page. `~/` is the home, where the commands run too.
    pub(crate) fn write(&mut self, name: &str, content: &str) {
        let path = self.home().join(name.trim_start_matches("~/"));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, self.localised(content)).expect("the file can be written");
    }

    /// Runs a command, and returns its output.
    pub(crate) fn run(&mut self, line: &str) -> String {
        let output = match line.strip_suffix('&') {
            Some(background) => self.start_node(background),
            None => self.run_to_its_end(line),
        };
        let output = output.replace(&*self.home().to_string_lossy(), "/home/ada");
        match &self.node {
            Some((_, address)) => output
                .replace(&address.replace("127.0.0.1", "localhost"), PAGE_PORT)
                .replace(address.as_str(), "127.0.0.1:8420"),
            None => output,
        }
    }

    fn run_to_its_end(&self, line: &str) -> String {
        let output = self
            .shell(&format!("exec 2>&1; {}", self.localised(line)))
            .output()
            .expect("a shell");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Starts a node at a free port in place of the previous one. Returns its first output.
    fn start_node(&mut self, line: &str) -> String {
        self.stop_node();
        assert!(
            line.contains("devnode"),
            "only a node runs in the background: {line}"
        );
        let mut child = self
            .shell(&format!("exec {line} --port 0"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let mut greeting = String::new();
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
        while !greeting.ends_with("Ctrl-C ends it.\n") {
            let read = lines.read_line(&mut greeting).expect("UTF-8");
            assert!(read > 0, "the node ended after {greeting:?}");
        }
        // Later output must not block the node.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        let address = greeting
            .split_once("http://")
            .and_then(|(_, rest)| rest.split_whitespace().next())
            .expect("the base URL")
            .to_owned();
        self.node = Some((child, address));
        greeting
    }

    /// Returns the page's text with the actual port of the node.
    fn localised(&self, text: &str) -> String {
        let text = text.replace("/home/ada", &self.home().to_string_lossy());
        match &self.node {
            // A free port does not identify a network, so the network must be named.
            Some((_, address)) => text
                .replace(
                    "nodeproof --base-url",
                    "nodeproof --network devnet --base-url",
                )
                .replace(PAGE_PORT, &address.replace("127.0.0.1", "localhost"))
                .replace("127.0.0.1:8420", address),
            None => text,
        }
    }

    fn shell(&self, line: &str) -> Command {
        let programs = self.folder.path().join("bin");
        // Replace `cargo xtask` with the built program that cargo would run.
        let line = line.replace("cargo xtask", "xtask");
        let inherited = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command
            .args(["-c", &line])
            .current_dir(self.home())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", format!("{}:{inherited}", programs.display()))
            .stdin(Stdio::null());
        if let Some((_, address)) = &self.node {
            // This replaces the default, http://127.0.0.1:8420.
            command.env("NODECTL_BASE_URL", format!("http://{address}"));
            command.env("NODECTL_NETWORK", "devnet");
        }
        for name in ["CARGO_HOME", "RUSTUP_HOME", "TMPDIR"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    fn stop_node(&mut self) {
        if let Some((mut child, _)) = self.node.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop_node();
    }
}
