//! A running `nodeproof monitor`, its log and its metrics.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::NODEPROOF;

/// How long a test waits for an expected event.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Sends a GET, and returns the status and the body.
pub(super) async fn get(url: &str) -> Option<(u16, String)> {
    // Only the first call has an effect.
    let _installed = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
    let response = reqwest::get(url).await.ok()?;
    Some((response.status().as_u16(), response.text().await.ok()?))
}

/// A running monitor.
pub(super) struct Monitor {
    pub(super) child: Child,
    log: mpsc::Receiver<String>,
    pub(super) address: String,
}

impl Drop for Monitor {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

impl Monitor {
    pub(super) fn start(nodes: &[&str]) -> Self {
        Self::start_by(Command::new(&*NODEPROOF), nodes)
    }

    /// Starts a monitor with a command that has the same arguments as the program. Its runs have few cases.
    pub(super) fn start_by(command: Command, nodes: &[&str]) -> Self {
        let cases = [
            "get-block/*",
            "get-trustscore-wallets/status",
            "sc-state/record-matches-claim",
        ];
        let only = cases.map(|case| ["--only", case]);
        Self::start_with(command, nodes, only.as_flattened())
    }

    pub(super) fn start_with(mut command: Command, nodes: &[&str], more: &[&str]) -> Self {
        command.args(["monitor", "--network", "devnet", "--log", "json"]);
        command.args([
            "--listen",
            "127.0.0.1:0",
            "--interval",
            "0.2",
            "--run-interval",
            "0.2",
            "--rate",
            "10000",
        ]);
        for node in nodes {
            command.args(["--base-url", node]);
        }
        command.args(more);
        Self::of(command)
    }

    /// Starts a monitor with this complete command.
    pub(super) fn of(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let lines = BufReader::new(child.stdout.take().expect("its log")).lines();
        let (sender, log) = mpsc::channel();
        thread::spawn(move || {
            for line in lines {
                // The test may have ended before the log.
                let _sent = sender.send(line.expect("text"));
            }
        });
        let mut greeting = String::new();
        let mut notes = BufReader::new(child.stderr.take().expect("its notes"));
        notes.read_line(&mut greeting).expect("text");
        let address = greeting
            .trim()
            .strip_suffix("/metrics")
            .and_then(|line| line.rsplit_once("http://"));
        let address = address.expect("an address").1.to_owned();
        Self {
            child,
            log,
            address,
        }
    }

    /// Returns the next change in the log.
    pub(super) fn any_change(&mut self) -> Value {
        let line = self.log.recv_timeout(PATIENCE).expect("a line in the log");
        serde_json::from_str(&line).expect("a line of JSON")
    }

    /// Returns the next change of a run or of the comparison.
    pub(super) fn change(&mut self) -> Value {
        loop {
            let change = self.any_change();
            if change["about"] != "probe" {
                return change;
            }
        }
    }

    /// Returns the next change as the case or the verdict, and the result.
    pub(super) fn result(&mut self) -> (String, String) {
        let change = self.change();
        let text = |name: &str| change[name].as_str().expect("text").to_owned();
        (text("about"), text("result"))
    }

    pub(super) async fn get(&self, path: &str) -> (u16, String) {
        let response = get(&format!("http://{}{path}", self.address)).await;
        response.expect("a response")
    }

    /// Returns the metrics by name and labels.
    pub(super) async fn metrics(&self) -> BTreeMap<String, f64> {
        let (status, text) = self.get("/metrics").await;
        assert_eq!(status, 200);
        assert!(text.ends_with("# EOF\n"), "{text}");
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        samples
            .map(|line| {
                let (name, value) = line.rsplit_once(' ').expect("a sample");
                (name.to_owned(), value.parse().expect("a number"))
            })
            .collect()
    }

    /// Waits until a metric has at least this value.
    pub(super) async fn reaches(&self, metric: &str, value: f64) {
        let started = Instant::now();
        while self
            .metrics()
            .await
            .get(metric)
            .is_none_or(|is| *is < value)
        {
            assert!(
                started.elapsed() < PATIENCE,
                "{metric} does not reach {value}"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until a metric has this value, or until it has no series.
    pub(super) async fn becomes(&self, metric: &str, value: Option<f64>) {
        let started = Instant::now();
        while self.metrics().await.get(metric).copied() != value {
            assert!(
                started.elapsed() < PATIENCE,
                "{metric} does not become {value:?}"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(super) fn signal(&self, signal: &str) {
        let sent = Command::new("kill")
            .args(["-s", signal, &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill").success());
    }

    /// Ends it by SIGTERM, and returns the exit status and the rest of the log.
    pub(super) fn end(mut self) -> (Option<i32>, String) {
        self.signal("TERM");
        let rest = self.log.iter().collect::<Vec<_>>().join("\n");
        (self.child.wait().expect("a status").code(), rest)
    }
}

pub(super) fn label(name: &str, node: &str, more: &str) -> String {
    let host = node.trim_start_matches("http://");
    format!("nodeproof_{name}{{node=\"{node}\",network=\"devnet\",name=\"{host}\"{more}}}")
}

pub(super) fn pair(about: &str, result: &str) -> (String, String) {
    (about.to_owned(), result.to_owned())
}
