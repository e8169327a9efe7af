//! Memory during many concurrent responses that never end.

use std::{fs, process::Command, sync::Arc, time::Duration};

use integration_tests::hostile::front::{Act, Good, Seen, front, raw};
use nodeproof_devnode::Config;

use super::MAX_MEMORY;

/// Sends blanks forever, without a length.
fn endless(good: &Good) -> Act {
    let head = format!("{}Connection: close\r\n", good.head);
    let blanks = vec![b' '; 256 * 1024];
    Act::endless(raw(&head, b""), blanks, Duration::ZERO)
}

async fn peak(act: impl Fn(&Seen, &Good) -> Act + Send + Sync + 'static, more: &[&str]) -> u64 {
    let node = nodeproof_devnode::spawn(Config::for_tests().with_blocks(400)).await;
    let node = node.expect("a node");
    let front = front(node.base_url(), Arc::new(act))
        .await
        .expect("a front");
    let told = tempfile::NamedTempFile::new().expect("a file");
    let this = env!("CARGO_BIN_EXE_hostile");
    let mut command = Command::new(this);
    command.arg("measured").arg(told.path()).arg(this);
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
    assert_eq!(output.status.code(), Some(3), "{text}");
    let told = fs::read_to_string(told.path()).expect("what was measured");
    let peak = told.split_whitespace().nth(1).expect("a peak");
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
    let run = peak(after_some, &["--jobs", "32"]).await;
    assert!(run <= MAX_MEMORY, "a run: {run} bytes");
    for jobs in ["32", "128"] {
        let sweep = peak(of_blocks, &["--jobs", jobs, "--blocks", ".."]).await;
        assert!(
            sweep <= MAX_MEMORY,
            "a sweep with {jobs} jobs: {sweep} bytes"
        );
    }
}
