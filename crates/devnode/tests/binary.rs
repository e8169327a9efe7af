//! Tests of the command: its output, and how it ends.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use nodeproof_wallet::{KeyPair, sign_transaction};
use serde_json::{Value, json};

/// Only waiting for other programs takes this long, on any machine. Idle connections stay open for 60 s.
const NEVER: Duration = Duration::from_secs(40);

/// Returns the output of a process that must end by itself.
///
/// Otherwise the process is killed, and has no exit code.
fn ended(mut child: Child) -> Output {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() && begun.elapsed() < NEVER {
        thread::sleep(Duration::from_millis(5));
    }
    let _gone = child.kill();
    child.wait_with_output().unwrap()
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_devnode"));
    command.args(["--network", "devnet", "--port", "0"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A running node, its greeting and its address.
struct Running {
    child: Child,
    greeting: String,
    address: String,
}

impl Running {
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut greeting = String::new();
        while !greeting.ends_with("Ctrl-C ends it.\n") {
            greeting += &lines.next().unwrap().unwrap();
            greeting.push('\n');
        }
        let url = greeting
            .lines()
            .find_map(|line| line.strip_prefix("base URL"))
            .unwrap();
        let address = url.trim().strip_prefix("http://").unwrap().to_owned();
        Self {
            child,
            greeting,
            address,
        }
    }

    /// Returns an open connection that has already been used for one request.
    fn kept_alive(&self) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = "GET /get-block?block_index=1 HTTP/1.1\r\nhost: localhost\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        let mut start = [0; 15];
        stream.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200 OK");
        stream
    }

    /// Returns the body of the response to a GET.
    fn get(&self, path: &str) -> String {
        self.send(&format!("GET {path}"), "")
    }

    /// Returns the body of the response to a request with this method and path, and this body.
    fn send(&self, request: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let request = format!(
            "{request} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// Returns the text of the greeting's line that begins like this, after its start.
    fn greeted(&self, start: &str) -> &str {
        let mut lines = self.greeting.lines();
        lines
            .find_map(|line| line.strip_prefix(start))
            .unwrap()
            .trim()
    }

    fn end(self, signal: &str) -> Option<i32> {
        let (status, errors) = self.end_with_errors(signal);
        assert_eq!(errors, "");
        status
    }

    /// Returns the exit code, and what was written to standard error.
    fn end_with_errors(self, signal: &str) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        let Output { status, stderr, .. } = ended(self.child);
        (status.code(), String::from_utf8_lossy(&stderr).into_owned())
    }
}

#[test]
fn a_wallet_of_ones_own_holds_tokens_for_fees_if_asked_for() {
    let mine = format!("0x{}", "c0ffee0123".repeat(4));
    let mut command = command();
    command.args(["--fund", &mine]);
    let node = Running::start(command);
    let line = format!("{mine} holds 1000000000 DEVN for fees");
    assert!(node.greeting.contains(&line), "{}", node.greeting);
    let path = "/get-balances?balance_type=TOKEN_IN_WALLET&token_code=DEVN&wallet_address=";
    assert_eq!(
        node.get(&format!("{path}{mine}")),
        "{\"balance\":1000000000}"
    );
    assert_eq!(node.end("-TERM"), Some(0));
}

#[test]
fn an_accepted_transaction_that_gets_into_no_block_is_a_warning() {
    let mut command = command();
    command.args(["--block-time", "on-submission"]);
    let node = Running::start(command);
    let (address, key) = node.greeted("alice").split_once("  ").unwrap();
    let key = KeyPair::from_hex(key.trim()).unwrap();
    for code in ["a1".repeat(20), "a2".repeat(20)] {
        let transaction = json!({
            "timestamp": 1_795_000_000_000_i64, "trans_code": code, "type": 3, "currency": "DEVN",
            "fee": 1_000_000, "descr": "", "valid": 1,
            "specific_data": {
                "address": node.greeted("verification contract"),
                "function": "add_verification",
                "signers": [address],
                "params": {
                    "asset_id": "lot-7", "asset_type": "token", "verifier_address": address,
                    "outcome": 1, "doc_hash_list": [], "doc_link_list": [], "remarks": "",
                    "deletable_after": 1,
                },
            },
        });
        let transaction = transaction.to_string();
        let entry = json!(sign_transaction(&key, &transaction).unwrap());
        let body = format!("{{\"transaction\":{transaction},\"signatures\":[{entry}]}}");
        let response = node.send("POST /submit-transaction", &body);
        assert!(response.contains("\"valid\":true"), "{response}");
    }
    let (status, errors) = node.end_with_errors("-INT");
    let second = "a2".repeat(20);
    let expected = format!(
        " WARN accepted transaction {second} is in no block, and costs nothing: this verifier has made a claim \
         about this asset block=14\n"
    );
    assert_eq!((status, errors), (Some(0), expected));
}

#[test]
fn a_killed_node_has_the_same_blocks_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        let mut command = command();
        command.args(["--block-time", "20ms", "--state"]);
        Running::start({
            command.arg(folder.path().join("chain"));
            command
        })
    };
    let mut node = start();
    let mut block = String::new();
    while !block.contains("\"index\":20") {
        block = node.get("/get-block?block_index=20");
    }
    node.child.kill().unwrap();
    node.child.wait().unwrap();
    let node = start();
    assert_eq!(node.get("/get-block?block_index=20"), block);
    assert_eq!(node.end("-TERM"), Some(0));
}

#[test]
fn each_response_takes_at_least_the_latency() {
    let mut slow = command();
    slow.args(["--latency", "300ms"]);
    let node = Running::start(slow);
    let sent = Instant::now();
    node.get("/get-block?block_index=1");
    assert!(sent.elapsed() >= Duration::from_millis(300));
    assert_eq!(node.end("-TERM"), Some(0));

    let mut wrong = command();
    let output = wrong.args(["--latency", "fast"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("such as 200ms"), "{message}");
}

#[test]
fn its_time_is_the_machines_clock_unless_a_start_is_given() {
    let timestamp = |node: &Running, index: u64| -> i64 {
        let block = node.get(&format!("/get-block?block_index={index}"));
        let (_, rest) = block.split_once("\"timestamp\":").unwrap();
        rest.split(',').next().unwrap().parse().unwrap()
    };
    let before = milliseconds_now();
    let mut manual = command();
    manual.args(["--block-time", "manual"]);
    let node = Running::start(manual);
    // The chain starts between the two clock readings, and its last block has that time.
    let latest = timestamp(&node, 12);
    assert!((before..=milliseconds_now()).contains(&latest), "{latest}");
    assert_eq!(timestamp(&node, 1), latest - 11_000);
    assert_eq!(node.end("-TERM"), Some(0));

    let blocks: Vec<_> = (0..2)
        .map(|_| {
            let mut fixed = command();
            fixed.args(["--start-time", "2026-05-04T03:02:01Z"]);
            let node = Running::start(fixed);
            assert_eq!(timestamp(&node, 1), 1_777_863_721_000 + 1_000);
            let latest = node.get("/get-block?block_index=12");
            assert_eq!(node.end("-TERM"), Some(0));
            latest
        })
        .collect();
    assert_eq!(blocks[0], blocks[1]);
}

fn milliseconds_now() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    since_epoch.as_millis().try_into().unwrap()
}

#[test]
fn greets_with_everything_that_a_user_needs() {
    let node = Running::start(command());
    for part in [
        "devnet node",
        &format!("http://{}/docs", node.address),
        "verification contract  ct",
        "TEST KEYS",
        "alice        0x",
    ] {
        assert!(node.greeting.contains(part), "{part}: {}", node.greeting);
    }
    node.end("-INT");
}

/// Returns the names in the first column of the table of fields in README.md.
fn documented_fields() -> Vec<&'static str> {
    let readme = include_str!("../README.md");
    let (_, table) = readme.split_once("| field | type | value |\n").unwrap();
    table
        .lines()
        .skip(1)
        .map_while(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn greets_programs_with_one_line_of_json() {
    let mine = format!("0x{}", "c0ffee0123".repeat(4));
    let mut command = command();
    command.args(["--json", "--fund", &mine, "--seed", "7"]);
    command.args(["--block-time", "manual", "--fault", "fee-twice"]);
    let mut child = command.spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let greeting: Value = serde_json::from_str(&line).unwrap();

    let fields: Vec<_> = greeting.as_object().unwrap().keys().collect();
    assert_eq!(fields, documented_fields());
    let url = greeting["base_url"].as_str().unwrap();
    assert_eq!(url, format!("http://127.0.0.1:{}", greeting["port"]));
    assert_eq!(greeting["docs_url"], format!("{url}/docs"));
    assert_eq!(greeting["pid"], child.id());
    for (field, value) in [
        ("network", json!("devnet")),
        ("currency", json!("DEVN")),
        ("least_fee", json!(1_000_000)),
        ("asset", json!("warehouse-receipt-0001")),
        ("height", json!(12)),
        ("block_time", json!("manual")),
        ("seed", json!(7)),
        ("fault", json!("fee-twice")),
        (
            "funded",
            json!([{"address": mine, "balance": 1_000_000_000}]),
        ),
    ] {
        assert_eq!(greeting[field], value, "{field}");
    }
    let wallets = greeting["wallets"].as_array().unwrap();
    assert_eq!(wallets.len(), 6);
    for wallet in wallets {
        let key = wallet["private_key"].as_str().unwrap();
        let keys = nodeproof_wallet::KeyPair::from_hex(key).unwrap();
        assert_eq!(wallet["address"], keys.address().to_string());
    }

    let node = Running {
        child,
        greeting: String::new(),
        address: url.strip_prefix("http://").unwrap().to_owned(),
    };
    // The node listens at that address, and its contract has a record of that asset.
    let record = node.get(&format!(
        "/sc-state?table_name=verification&contract_address={}&unique_column=asset_id\
         &unique_value={}",
        greeting["contract"].as_str().unwrap(),
        greeting["asset"].as_str().unwrap(),
    ));
    assert!(record.contains("Weighed and sealed"), "{record}");
    assert_eq!(node.end("-TERM"), Some(0));
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[cfg(unix)]
#[test]
fn ends_at_once_and_cleanly_with_a_connection_kept_open() {
    for signal in ["-INT", "-TERM"] {
        let node = Running::start(command());
        let _kept = node.kept_alive();
        assert_eq!(node.end(signal), Some(0), "{signal}");
    }
}

/// Whether a process handles SIGINT, according to the kernel.
#[cfg(target_os = "linux")]
fn catches_interrupts(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let signals = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
    signals & 0b10 != 0
}

#[cfg(target_os = "linux")]
#[test]
fn ends_at_once_while_a_long_chain_is_still_being_made() {
    let mut command = command();
    command.args(["--blocks", "100000000"]);
    let child = command.spawn().unwrap();
    let id = child.id();
    while !catches_interrupts(id) {
        thread::sleep(Duration::from_millis(5));
    }
    let signal = Command::new("kill")
        .args(["-INT", &id.to_string()])
        .status();
    assert!(signal.unwrap().success());
    assert_eq!(ended(child).status.code(), Some(0));
}

#[test]
fn a_port_that_is_taken_is_one_line_and_status_2() {
    let node = Running::start(command());
    let port = node.address.rsplit(':').next().unwrap();
    let mut again = Command::new(env!("CARGO_BIN_EXE_devnode"));
    let output = again.args(["--port", port]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with("error: can't listen on 127.0.0.1:")
            && said.contains("choose another port"),
        "{said}"
    );
    node.end("-INT");
}

#[test]
fn wrong_options_are_status_2() {
    for wrong in [
        ["--network", "nosuch"],
        ["--port", "65536"],
        ["--block-time", "1"],
        ["--blocks", "-1"],
        ["--host", "localhost:1"],
        ["--forms", "rows"],
        ["--fund", "ct4067725761fa19365c94b555e18f5a911f649fa3"],
        ["--start-time", "yesterday"],
        ["--start-time", "2026-01-01"],
        ["--start-time", "1969-12-31T23:59:59Z"],
        ["--start-time", "9999-12-31T23:59:50Z"],
        ["--allow-host", "app.test:8463"],
        ["--allow-host", ""],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_devnode"))
            .args(wrong)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn listens_on_an_address_as_urls_have_it() {
    for host in ["localhost", "[127.0.0.1]"] {
        let mut command = command();
        command.args(["--host", host]);
        let node = Running::start(command);
        assert!(node.address.starts_with("127.0.0.1:"), "{host}");
        node.end("-TERM");
    }
}

#[test]
fn warns_when_others_can_reach_it() {
    let mut command = command();
    command.args(["--host", "0.0.0.0"]);
    let mut node = Running::start(command);
    assert!(node.address.starts_with("127.0.0.1:"));
    let mut warning = String::new();
    let mut stderr = BufReader::new(node.child.stderr.take().unwrap());
    stderr.read_line(&mut warning).unwrap();
    assert!(
        warning.starts_with("warning: 0.0.0.0:") && warning.contains("public"),
        "{warning}"
    );
    Command::new("kill")
        .arg(node.child.id().to_string())
        .status()
        .unwrap();
    node.child.wait().unwrap();
}

#[test]
fn a_key_in_the_wrong_argument_is_not_shown() {
    use clap::Args as _;
    let key = "5ec2e7e1".repeat(8);
    let options = nodeproof_devnode::cli::DevnodeArgs::augment_args(clap::Command::new("devnode"));
    let with_value = |option: &&clap::Arg| option.get_action().takes_values();
    let names = options
        .get_arguments()
        .filter(with_value)
        .filter_map(clap::Arg::get_long);
    // Any text can be a host name, and the output does not repeat it.
    let wrong: Vec<_> = names.filter(|name| *name != "allow-host").collect();
    assert!(wrong.len() >= 8, "{wrong:?}");
    for name in wrong {
        let output = Command::new(env!("CARGO_BIN_EXE_devnode"))
            .arg(format!("--{name}={key}"))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains("not shown") && !said.contains(&key), "{said}");
    }
}
