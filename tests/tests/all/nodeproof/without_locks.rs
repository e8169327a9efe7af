//! State files on a file system without locks. A run pays nothing, so it warns and continues.

use std::{net::TcpListener, path::Path, process::Command};

use integration_tests::without_locks;

use super::{NODEPROOF, node, ran, run};

#[tokio::test(flavor = "multi_thread")]
async fn a_state_without_a_lock_causes_a_warning() {
    let node = node(None).await;
    let folder = tempfile::tempdir().expect("a folder");
    let library = without_locks::library(folder.path());
    let state = folder.path().join("sweep.json");
    let heights = folder.path().join("monitor.json");
    let warning = |path: &Path| {
        let path = path.display();
        format!("warning: the file system of {path} has no locks")
    };
    let sweep = || {
        let mut command = run(node.base_url());
        command.args(["--only", "get-block/*", "--blocks", "..", "--state"]);
        command.arg(&state);
        command
    };
    let (status, _, errors) = ran(&mut sweep());
    assert_eq!(status, 0, "{errors}");
    assert!(!errors.contains("has no locks"), "{errors}");
    let (status, _, errors) = ran(sweep().env("LD_PRELOAD", &library));
    assert_eq!(status, 0, "{errors}");
    assert!(errors.contains(&warning(&state)), "{errors}");

    // This monitor ends before its first run, because its port is taken.
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut monitor = Command::new(&*NODEPROOF);
    monitor.args(["monitor", "--network", "devnet", "--base-url"]);
    monitor.args([node.base_url(), "--listen"]);
    monitor.arg(taken.local_addr().expect("an address").to_string());
    monitor.arg("--state").arg(&heights);
    let (status, _, errors) = ran(&mut monitor);
    assert_eq!(status, 2, "{errors}");
    assert!(!errors.contains("has no locks"), "{errors}");
    let (status, _, errors) = ran(monitor.env("LD_PRELOAD", &library));
    assert_eq!(status, 2, "{errors}");
    assert!(errors.contains(&warning(&heights)), "{errors}");
}
