//! A shell with the programs of this workspace, in its own folder.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::fs::symlink,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use integration_tests::built;
use tempfile::TempDir;

/// The port of a node in the pages, unless its command has another one.
const PAGE_PORT: &str = "8420";

const PROGRAMS: [&str; 4] = ["nodeproof", "nodectl", "devnode", "xtask"];

pub(crate) struct Session {
    folder: TempDir,
    /// The nodes that run in the background with their addresses, by their port in the pages.
    nodes: BTreeMap<String, (Child, String)>,
}

impl Session {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let programs = folder.path().join("bin");
        fs::create_dir_all(&programs).expect("a folder");
        fs::create_dir_all(folder.path().join("ada")).expect("a folder");
        // A file of the repository that the pages use.
        let expectations = "../crates/conformance/expectations/observed-node.toml";
        let original = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(expectations);
        fs::copy(original, folder.path().join("ada/observed-node.toml")).expect("a file");
        for name in PROGRAMS {
            let program = built::program(name).expect("the program is built");
            symlink(program, programs.join(name)).expect("a link");
        }
        Self {
            folder,
            nodes: BTreeMap::new(),
        }
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
        let mut output = output.replace(&*self.home().to_string_lossy(), "/home/ada");
        for (port, (_, address)) in &self.nodes {
            output = output
                .replace(
                    &address.replace("127.0.0.1", "localhost"),
                    &format!("localhost:{port}"),
                )
                .replace(address.as_str(), &format!("127.0.0.1:{port}"));
        }
        output
    }

    fn run_to_its_end(&self, line: &str) -> String {
        let output = self
            .shell(&format!("exec 2>&1; {}", self.localised(line)))
            .output()
            .expect("a shell");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Starts a node at a free port in place of the previous one with the same port in the page.
    /// Returns its first output.
    fn start_node(&mut self, line: &str) -> String {
        let (line, port) = match line.split_once(" --port ") {
            Some((line, port)) => (line, port.trim()),
            None => (line, PAGE_PORT),
        };
        if let Some(previous) = self.nodes.remove(port) {
            stop(previous);
        }
        assert!(
            line.contains("devnode"),
            "only a node runs in the background: {line}"
        );
        // By default, a node makes a block every second. The blocks that a page shows must not depend on
        // how fast this machine is.
        let blocks = if line.contains("--block-time") {
            ""
        } else {
            "--block-time on-submission"
        };
        let mut child = self
            .shell(&format!("exec {line} {blocks} --port 0"))
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
        self.nodes.insert(port.to_owned(), (child, address));
        greeting.replace("one more for each submission", "one more every 1s")
    }

    /// Returns the page's text with the actual ports of the nodes.
    fn localised(&self, text: &str) -> String {
        let mut text = text.replace("/home/ada", &self.home().to_string_lossy());
        if !self.nodes.is_empty() {
            // A free port does not identify a network, so the network must be named.
            text = text.replace(
                "nodeproof --base-url",
                "nodeproof --network devnet --base-url",
            );
        }
        for (port, (_, address)) in &self.nodes {
            text = text
                .replace(
                    &format!("localhost:{port}"),
                    &address.replace("127.0.0.1", "localhost"),
                )
                .replace(&format!("127.0.0.1:{port}"), address);
        }
        text
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
        if let Some((_, address)) = self.nodes.get(PAGE_PORT) {
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
}

impl Drop for Session {
    fn drop(&mut self) {
        while let Some((_, node)) = self.nodes.pop_first() {
            stop(node);
        }
    }
}

fn stop((mut child, _): (Child, String)) {
    let _ = child.kill();
    let _ = child.wait();
}
