//! The files in `packaging`: the commands in them start a monitor.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use integration_tests::proxy::Proxy;
use serde::Deserialize as _;
use yaml_serde::Value;

use super::{NODEPROOF, monitor::Monitor, node};

fn file(name: &str) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(tests.join("../packaging").join(name)).expect("a file")
}

/// Returns the value of a key in a unit of systemd.
fn setting<'u>(unit: &'u str, key: &str) -> Option<&'u str> {
    let mut lines = unit.lines();
    lines.find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
}

/// Starts a monitor with these arguments, in which folders and ports of a server become ones of the test.
fn start(arguments: &[String], folder: &Path) -> Monitor {
    let folder = folder.display();
    let replaced = arguments.iter().map(|argument| {
        argument
            .replace("/etc/nodeproof", &format!("{folder}"))
            .replace("/var/lib/nodeproof", &format!("{folder}"))
            .replace("${STATE_DIRECTORY}", &format!("{folder}"))
            .replace("0.0.0.0:9464", "127.0.0.1:0")
    });
    let mut command = Command::new(&*NODEPROOF);
    // With the usual rate, a run takes ten seconds.
    command.args(replaced).args(["--rate", "10000"]);
    if !arguments
        .iter()
        .any(|argument| argument.starts_with("--listen"))
    {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    Monitor::of(command)
}

/// Returns a folder with a file of targets.
fn folder(targets: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("nodes.toml"), targets).expect("a file");
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn the_unit_of_systemd_starts_a_monitor() {
    let node = node(None).await;
    let targets = format!(
        "[[node]]\nbase_url = \"{}\"\nnetwork = \"devnet\"\n",
        node.base_url()
    );
    let folder = folder(&targets);
    let unit = file("nodeproof-monitor.service");
    let line = setting(&unit, "ExecStart").expect("a command");
    let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
    assert_eq!(words[0], "/usr/bin/nodeproof");
    let monitor = start(&words[1..], folder.path());
    assert_eq!(monitor.get("/healthz").await.0, 200);

    // The command that reads the file again.
    let proxy = Proxy::spawn(&node, Arc::new(|_, response| response));
    let proxy = proxy.await.expect("a proxy");
    let second = proxy.server.base_url();
    let more = format!("[[node]]\nbase_url = \"{second}\"\nnetwork = \"devnet\"\n");
    fs::write(folder.path().join("nodes.toml"), targets + &more).expect("a file");
    let line = setting(&unit, "ExecReload").expect("a command");
    let line = line.replace("$MAINPID", &monitor.child.id().to_string());
    let (program, arguments) = line.split_once(' ').expect("arguments");
    let reloaded = Command::new(program).args(arguments.split(' ')).status();
    assert!(reloaded.expect("the command").success());
    let started = Instant::now();
    while !monitor.get("/metrics").await.1.contains(&second) {
        assert!(started.elapsed() < Duration::from_secs(60), "{second}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    // The exit status after which systemd must not try again.
    let rejected = Command::new(&*NODEPROOF)
        .args(["monitor", "--targets", "no-such-file.toml"])
        .output()
        .expect("the program");
    let status = rejected.status.code().map(|status| status.to_string());
    assert_eq!(
        setting(&unit, "RestartPreventExitStatus"),
        status.as_deref()
    );
}

#[test]
fn systemd_accepts_the_unit_and_finds_it_confined() {
    let analyze = |arguments: &[&str], unit: &Path| {
        let mut command = Command::new("systemd-analyze");
        command.args(arguments).arg(unit).output()
    };
    let folder = tempfile::tempdir().expect("a folder");
    let unit = folder.path().join("nodeproof-monitor.service");
    // The program and its manual are not installed here.
    let text = file("nodeproof-monitor.service")
        .replace("/usr/bin/nodeproof", &NODEPROOF.display().to_string())
        .replace("Documentation=man:nodeproof-monitor(1)\n", "");
    fs::write(&unit, text).expect("a file");
    let Ok(verified) = analyze(&["verify", "--man=no"], &unit) else {
        eprintln!("left out: systemd-analyze is not on this machine");
        return;
    };
    let errors = String::from_utf8_lossy(&verified.stderr);
    let about_it = errors.lines().filter(|line| line.contains("nodeproof"));
    assert_eq!(about_it.collect::<Vec<_>>(), Vec::<&str>::new(), "{errors}");
    // 0 is confined completely, and 100 not at all.
    let confined = analyze(&["security", "--offline=true", "--threshold=20"], &unit);
    let confined = confined.expect("systemd-analyze");
    let report = String::from_utf8_lossy(&confined.stdout);
    assert!(confined.status.success(), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_manifest_of_kubernetes_starts_a_monitor() {
    let node = node(None).await;
    let text = file("monitor.kubernetes.yaml");
    let documents: Vec<_> = yaml_serde::Deserializer::from_str(&text)
        .map(|document| Value::deserialize(document).expect("YAML"))
        .collect();
    let of_kind = |kind: &str| {
        let mut found = documents
            .iter()
            .filter(|one| one["kind"].as_str() == Some(kind));
        found.next().expect("a document")
    };
    let targets = of_kind("ConfigMap")["data"]["nodes.toml"]
        .as_str()
        .expect("text");
    let targets = targets.replace("http://node.example.org:8420", node.base_url());
    assert!(targets.contains(node.base_url()));
    let folder = folder(&targets);

    let pod = &of_kind("Deployment")["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    let arguments = container["args"].as_sequence().expect("arguments");
    let arguments: Vec<_> = arguments
        .iter()
        .map(|argument| argument.as_str().expect("text").to_owned())
        .collect();
    let monitor = start(&arguments, folder.path());
    for probe in ["livenessProbe", "readinessProbe"] {
        let path = container[probe]["httpGet"]["path"]
            .as_str()
            .expect("a path");
        let started = Instant::now();
        while monitor.get(path).await.0 != 200 {
            assert!(started.elapsed() < Duration::from_secs(60), "{probe}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    // Each folder in the arguments is a volume of the pod.
    let text = |value: &Value, name: &str| value[name].as_str().map(PathBuf::from);
    let mounts = container["volumeMounts"].as_sequence().expect("mounts");
    let volumes = pod["volumes"].as_sequence().expect("volumes");
    for argument in arguments
        .iter()
        .filter_map(|argument| argument.split_once("=/"))
    {
        let path = Path::new("/").join(argument.1);
        let mount = mounts
            .iter()
            .find(|mount| text(mount, "mountPath").is_some_and(|folder| path.starts_with(folder)));
        let name = text(mount.expect("a mount"), "name");
        assert!(
            volumes.iter().any(|volume| text(volume, "name") == name),
            "{path:?}"
        );
    }
}
