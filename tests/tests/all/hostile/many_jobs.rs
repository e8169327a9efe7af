//! Memory during many concurrent responses that never end, or have very many values.

use std::{
    fs,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use integration_tests::{
    built::program,
    hostile::front::{Act, Front, Good, Seen, front, raw},
};
use nodeproof_devnode::{Config, Handle};

use super::MAX_MEMORY;

/// Sends blanks forever, without a length.
fn endless(good: &Good) -> Act {
    let head = format!("{}Connection: close\r\n", good.head);
    let blanks = vec![b' '; 256 * 1024];
    Act::endless(raw(&head, b""), blanks, Duration::ZERO)
}

/// Returns a block with more than this many values: nested arrays of one element.
fn nested(block: &str, values: usize) -> String {
    let one = format!("{}{}", "[".repeat(99), "]".repeat(99));
    let all = vec![one; values / 100].join(",");
    let start = block.strip_suffix('}').expect("an object");
    format!("{start},\"more\":[{all}]}}")
}

async fn served(act: impl Fn(&Seen, &Good) -> Act + Send + Sync + 'static) -> (Handle, Front) {
    let node = nodeproof_devnode::spawn(Config::for_tests().with_blocks(400)).await;
    let node = node.expect("a node");
    let front = front(node.base_url(), Arc::new(act))
        .await
        .expect("a front");
    (node, front)
}

async fn peak(front: &Front, more: &[&str]) -> u64 {
    let result = tempfile::NamedTempFile::new().expect("a file");
    let this = env!("CARGO_BIN_EXE_hostile");
    let mut command = Command::new(this);
    command.arg("measured").arg(result.path()).arg(this);
    command.args([
        "conformance",
        "--network",
        "devnet",
        "--request-timeout",
        "60",
    ]);
    command.args(["--base-url", &format!("http://{}", front.address)]);
    command.args(more);
    let run = tokio::task::spawn_blocking(move || command.output());
    let output = run.await.expect("a thread").expect("a program that runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{text}");
    let result = fs::read_to_string(result.path()).expect("what was measured");
    let peak = result.split_whitespace().nth(1).expect("a peak");
    peak.parse().expect("bytes")
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_bounded_with_many_endless_responses_at_a_time() {
    let after_some = |seen: &Seen, good: &Good| {
        if seen.place > 40 {
            endless(good)
        } else {
            Act::Right
        }
    };
    // The search for the latest block requests none of these blocks.
    let of_blocks = |seen: &Seen, good: &Good| {
        let index = seen.query.strip_prefix("block_index=");
        match index.map(str::parse::<u64>) {
            Some(Ok(index @ 257..384)) if index % 16 != 0 => endless(good),
            _ => Act::Right,
        }
    };
    let (_node, front) = served(after_some).await;
    let run = peak(&front, &["--jobs", "32"]).await;
    assert!(run <= MAX_MEMORY, "a run: {run} bytes");
    let (_node, front) = served(of_blocks).await;
    let sweep = peak(&front, &["--jobs", "128", "--blocks", ".."]).await;
    assert!(sweep <= MAX_MEMORY, "a sweep: {sweep} bytes");
}

/// Returns the peak memory of a monitor after some runs.
async fn peak_of_monitor(front: &Front) -> u64 {
    let mut monitor = Command::new(program("nodeproof").expect("an executable"))
        .args(["monitor", "--network", "devnet", "--listen", "127.0.0.1:0"])
        .args(["--interval", "0.2", "--run-interval", "0.2"])
        .args(["--rate", "10000", "--jobs", "16"])
        .args(["--base-url", &format!("http://{}", front.address)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program that runs");
    let before = front.heads().len();
    let checked = async {
        while front.heads().len() <= before + 200 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(120), checked).await;
    let status = fs::read_to_string(format!("/proc/{}/status", monitor.id()));
    monitor.kill().expect("an end");
    monitor.wait().expect("an end");
    in_time.expect("200 requests of the monitor");
    let status = status.expect("a running program");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|peak| peak.split_whitespace().next());
    peak.and_then(|kib| kib.parse::<u64>().ok())
        .expect("a number")
        * 1024
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_bounded_with_blocks_of_many_small_values() {
    // Nothing above the limit is parsed.
    const VALUES: usize = 470_000;
    let (_node, front) = served(|seen: &Seen, good: &Good| {
        if seen.path == "/get-block" && good.is_ok() {
            Act::send(good.changed(nested(&good.text(), VALUES)))
        } else {
            Act::Right
        }
    })
    .await;
    for (program, peak) in [
        ("a run", peak(&front, &["--jobs", "16"]).await),
        (
            "a sweep",
            peak(&front, &["--jobs", "16", "--blocks", ".."]).await,
        ),
        ("a monitor", peak_of_monitor(&front).await),
    ] {
        assert!(peak <= MAX_MEMORY, "{program}: {peak} bytes");
    }
}
