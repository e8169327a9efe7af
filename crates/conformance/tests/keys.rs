//! Tests of keys: the program's own wallet, and keys in the wrong place.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    ffi::OsStr,
    fs,
    net::TcpListener,
    path::Path,
    process::{Command, Output, Stdio},
};

use clap::Args as _;
use nodeproof_conformance::cli::ConformanceArgs;
use nodeproof_primitives::Network;
use nodeproof_wallet::{KeyFile, KeyPair, Protection};

const KEY: &str = "5ec2e7e15ec2e7e15ec2e7e15ec2e7e15ec2e7e15ec2e7e15ec2e7e15ec2e7e1";

fn nodeproof() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nodeproof"));
    command.stdin(Stdio::null());
    command
}

fn printed(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&text).to_lowercase()
}

const CONTRACT: &str = "ct0000000000000000000000000000000000000001";

#[test]
fn a_key_in_the_wrong_argument_is_not_shown() {
    let home = tempfile::tempdir().unwrap();
    let options = ConformanceArgs::augment_args(clap::Command::new("nodeproof"));
    let with_value = options
        .get_arguments()
        .filter(|argument| argument.get_action().takes_values());
    let mut tried = 0;
    for option in with_value.filter_map(clap::Arg::get_long) {
        for value in [
            KEY.to_owned(),
            KEY.to_uppercase(),
            format!("0x{KEY}"),
            format!("{KEY}{KEY}"),
            format!("a/{KEY}.json"),
            format!("http://127.0.0.1:9/{KEY}"),
        ] {
            let mut command = nodeproof();
            command.current_dir(home.path()).env("HOME", home.path());
            if !["base-url", "targets"].contains(&option) {
                command.args(["--base-url", "http://127.0.0.1:9", "--network", "devnet"]);
            }
            command.arg(format!("--{option}")).arg(&value);
            let text = printed(&command.arg("--dry-run").output().unwrap());
            assert!(!text.contains(&KEY[..16]), "--{option} {value}: {text}");
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried}");
    // The key as a positional argument, too.
    let text = printed(&nodeproof().arg(KEY).output().unwrap());
    assert!(text.contains("not shown") && !text.contains(KEY), "{text}");
}

/// Creates a key file that records a network.
fn key_file(folder: &Path, network: Network) -> String {
    let path = folder.join(format!("{network}.json"));
    let keys = KeyPair::from_bytes(&[7; 32]).unwrap();
    KeyFile::write(&path, &keys.for_network(Some(network)), Protection::Plain).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Plans a write run, and stops before the first request to the node.
fn planned(arguments: &[&str]) -> Output {
    nodeproof()
        .args(["--allow", "write", "--currency", "TKN", "--dry-run"])
        .args(["--contract", "ct0123456789012345678901234567890123456789"])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn a_wallet_signs_for_the_network_of_its_key_file_only() {
    let folder = tempfile::tempdir().unwrap();
    let wallet = key_file(folder.path(), Network::Devnet);
    for (port, network, more, status) in [
        ("8420", "devnet", None, 0),
        ("9999", "devnet", None, 0),
        ("8421", "testnet", None, 2),
        ("9999", "testnet", None, 2),
        ("9999", "testnet", Some("--any-network"), 0),
        ("8421", "testnet", Some("--any-network"), 0),
    ] {
        let url = format!("http://127.0.0.1:{port}");
        let given = [
            "--base-url",
            &url,
            "--network",
            network,
            "--wallet",
            &wallet,
        ];
        let output = planned(&[&given[..], more.as_slice()].concat());
        let text = printed(&output);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{port} {network} {more:?}: {text}"
        );
        if status == 2 {
            assert!(
                text.contains("--any-network") && text.contains(network),
                "{text}"
            );
        }
    }
}

#[test]
fn a_fixture_or_a_header_with_the_wallets_key_is_refused_before_a_request() {
    let folder = tempfile::tempdir().unwrap();
    let wallet = key_file(folder.path(), Network::Devnet);
    let key_file = fs::read_to_string(&wallet).unwrap();
    let [fixture, value, nodes] =
        ["fixture.json", "value", "nodes.toml"].map(|name| folder.path().join(name));
    let node = TcpListener::bind("127.0.0.1:0").unwrap();
    node.set_nonblocking(true).unwrap();
    let url = format!("http://{}", node.local_addr().unwrap());
    let key = "07".repeat(32);
    for (asset, found) in [
        (key.clone(), "the private key of 0x"),
        (format!("0x{key}"), "the private key of 0x"),
        (key_file, "a key file"),
    ] {
        let text = serde_json::json!({ "assets": [{ "contract": CONTRACT, "asset_id": asset }] })
            .to_string();
        fs::write(&fixture, text).unwrap();
        fs::write(&value, &asset).unwrap();
        let header = format!("X-Api-Key: @{}", value.display());
        let targets =
            format!("[[node]]\nbase_url = \"{url}\"\nnetwork = \"devnet\"\nheaders = {header:?}\n");
        fs::write(&nodes, targets).unwrap();
        let one = ["--base-url", &url, "--network", "devnet"].map(OsStr::new);
        for given in [
            [&one[..], &["--fixture".as_ref(), fixture.as_os_str()]].concat(),
            [&one[..], &["--header".as_ref(), header.as_ref()]].concat(),
            vec!["--targets".as_ref(), nodes.as_os_str()],
        ] {
            let mut command = nodeproof();
            command.args(["--quiet", "--wallet", &wallet]).args(given);
            let output = command.output().unwrap();
            let text = printed(&output);
            assert_eq!(output.status.code(), Some(2), "{text}");
            assert!(text.contains(found), "{text}");
            assert!(!text.contains(&key[..16]), "{text}");
        }
    }
    assert!(node.accept().is_err(), "a request was sent");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_with_a_wallet_leaves_no_core_dump() {
    let folder = tempfile::tempdir().unwrap();
    let wallet = key_file(folder.path(), Network::Devnet);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    for (with, limit) in [(&["--wallet", &wallet][..], true), (&[], false)] {
        let mut child = nodeproof()
            .args(["--base-url", &url, "--network", "devnet", "--quiet"])
            .args(with)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // By now, the run has sent a request to the node, which never responds.
        let _connection = silent.accept().unwrap();
        let limits = fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
        let line = limits
            .lines()
            .find(|line| line.starts_with("Max core file size"));
        let figures: Vec<_> = line.unwrap().split_whitespace().skip(4).take(2).collect();
        assert_eq!(figures == ["0", "0"], limit, "{limits}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_sweeps_state_is_not_kept_where_others_can_write() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let open = folder.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let output = nodeproof()
        .args([
            "--base-url",
            "http://127.0.0.1:9",
            "--network",
            "devnet",
            "--blocks",
            "..",
        ])
        .arg("--state")
        .arg(open.join("state.json"))
        .output()
        .unwrap();
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.contains("other users can write to the folder"),
        "{text}"
    );
    assert_eq!(fs::read_dir(&open).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn no_report_can_be_written_by_everybody() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let reports = folder.path().join("reports");
    let line =
        "umask 000; exec \"$0\" --base-url http://127.0.0.1:9 --network devnet --report-dir \"$1\"";
    let mut command = Command::new("sh");
    command
        .args(["-c", line, env!("CARGO_BIN_EXE_nodeproof")])
        .arg(&reports);
    assert_eq!(command.output().unwrap().status.code(), Some(3));
    let mut seen = 0;
    for file in fs::read_dir(&reports).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o002, 0, "{mode:o}");
        seen += 1;
    }
    assert_eq!(seen, 4);
}
