//! The shipped alert rules and dashboard, with Prometheus and its tools where they are installed.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use integration_tests::{
    proxy::{Fault, Proxy},
    restart,
};
use nodeproof_devnode::InjectedFault;
use serde_json::Value;

use super::{
    NODEPROOF,
    monitor::{Monitor, PATIENCE, get, label},
    node,
};

#[expect(clippy::print_stderr, reason = "a skipped test prints a note")]
pub(super) fn is_installed(program: &str) -> bool {
    let probe = Command::new(program).arg("--version").output();
    let there = probe.is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("SKIPPED: {program} is not installed");
    }
    there
}

fn docs(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/monitor")
        .join(file)
}

/// A program that ends with the test.
struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn prometheus_stores_the_metrics_and_fires_the_alert() {
    if !is_installed("prometheus") {
        return;
    }
    let node = node(Some(InjectedFault::RemarksCut)).await;
    let mut command = Command::new(&*NODEPROOF);
    command.args(["monitor", "--network", "devnet", "--log", "json"]);
    // One run is enough.
    command.args(["--listen", "127.0.0.1:0", "--interval", "1"]);
    let mut monitor = Monitor::of({
        command.args(["--base-url", node.base_url()]);
        command
    });
    let folder = tempfile::tempdir().expect("a folder");
    let configuration = folder.path().join("prometheus.yml");
    let text = format!(
        "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: ['{}']\nscrape_configs:\n  - \
         job_name: nodeproof\n    static_configs: [{{targets: ['{}']}}]\n",
        docs("alerts.yml").display(),
        monitor.address
    );
    fs::write(&configuration, text).expect("a file");
    let address = format!("127.0.0.1:{}", restart::port());
    let started = Command::new("prometheus")
        .arg(format!("--config.file={}", configuration.display()))
        .arg(format!(
            "--storage.tsdb.path={}",
            folder.path().join("data").display()
        ))
        .arg(format!("--web.listen-address={address}"))
        .stderr(Stdio::null())
        .spawn();
    let _prometheus = Background(started.expect("prometheus"));
    let query = |expression: &str| format!("http://{address}/api/v1/query?query={expression}");
    let started = [
        ("nodeproof_verdict{verdict=\"does-not-conform\"}", "1"),
        ("nodeproof_cases{outcome=\"fail\"}", "1"),
        // A pending alert is one whose condition holds.
        ("count(ALERTS{alertname=\"NodeDoesNotConform\"})", "1"),
    ];
    let killed = ("count(ALERTS{alertname=\"MonitorStopped\"})", "1");
    for (expression, value) in started.into_iter().chain([killed]) {
        if (expression, value) == killed {
            monitor.child.kill().expect("a monitor that runs");
        }
        let url = query(
            &expression
                .replace('{', "%7B")
                .replace('}', "%7D")
                .replace('"', "%22"),
        );
        let started = Instant::now();
        loop {
            let (_, body) = get(&url).await.unwrap_or_default();
            let stored: Value = serde_json::from_str(&body).unwrap_or_default();
            if stored["data"]["result"][0]["value"][1] == value {
                break;
            }
            assert!(started.elapsed() < PATIENCE, "{expression}: {stored}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

#[test]
fn promtool_accepts_the_alert_rules_and_their_tests_pass() {
    if !is_installed("promtool") {
        return;
    }
    for (command, file) in [("check", "alerts.yml"), ("test", "alerts.test.yml")] {
        let output = Command::new("promtool")
            .args([command, "rules"])
            .arg(docs(file))
            .output()
            .expect("promtool");
        assert!(output.status.success(), "{output:?}");
    }
}

/// Metrics that exist only after an event. Other tests check them.
const EVENTS: [&str; 2] = [
    "nodeproof_case_warned",
    "nodeproof_chain_event_timestamp_seconds",
];

/// The rules and the dashboard must name only existing metrics.
#[tokio::test(flavor = "multi_thread")]
async fn rules_and_dashboard_use_metrics_that_exist() {
    let node = node(None).await;
    let same: Fault = Arc::new(|_, response| response);
    let proxy = Proxy::spawn(&node, same).await.expect("a proxy");
    let same = proxy.server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state.json");
    let state = ["--state", state.to_str().expect("UTF-8")];
    let nodes = [node.base_url(), &same];
    let monitor = Monitor::start_with(Command::new(&*NODEPROOF), &nodes, &state);
    // Nodes are compared after their first runs, so this is the last metric to appear.
    monitor
        .reaches(&label("blocks_differ", &same, ""), 0.0)
        .await;
    let metrics = monitor.metrics().await;
    let names: Vec<&str> = metrics
        .keys()
        .filter_map(|name| name.split('{').next())
        .collect();
    let dashboard = fs::read_to_string(docs("dashboard.json")).expect("the dashboard");
    let parsed: Value = serde_json::from_str(&dashboard).expect("JSON");
    assert!(
        parsed["panels"]
            .as_array()
            .is_some_and(|panels| panels.len() > 3)
    );
    let rules = fs::read_to_string(docs("alerts.yml")).expect("the rules");
    let mut used = 0;
    for text in [dashboard, rules] {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        for word in words.filter(|word| word.starts_with("nodeproof_")) {
            used += 1;
            assert!(
                names.contains(&word) || EVENTS.contains(&word),
                "there is no metric {word}: {names:?}"
            );
        }
    }
    assert!(used > 8, "{used}");
}
