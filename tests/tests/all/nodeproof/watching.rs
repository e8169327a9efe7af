//! `nodeproof --watch`.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
};

use integration_tests::restart::{start_at, stop};
use nodeproof_devnode::{BlockTime, Config, Handle, InjectedFault};

use super::{node, ran, run};

/// A run that continues until it is ended, and its output.
struct Watch {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

impl Watch {
    fn start(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("the program");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self {
            input: child.stdin.take(),
            child,
            output,
        }
    }

    /// Returns the output up to a line that contains a text.
    fn until(&mut self, part: &str) -> String {
        let mut text = String::new();
        loop {
            let before = text.len();
            let read = self.output.read_line(&mut text).expect("text");
            assert!(read > 0, "no {part:?} in {text}");
            if text[before..].contains(part) {
                return text;
            }
        }
    }

    fn enter(&mut self) {
        let input = self.input.as_mut().expect("its input");
        input.write_all(b"\n").expect("it reads");
    }

    #[cfg(unix)]
    fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([name, &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill").success());
    }

    fn status(&mut self) -> Option<i32> {
        self.child.wait().expect("its end").code()
    }
}

/// Starts a node at the port of a previous one.
async fn at(port: u16, fault: Option<InjectedFault>) -> Handle {
    let mut config = Config::for_tests().with_block_time(BlockTime::Manual);
    config.fault = fault;
    start_at(port, config).await
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_run_shows_what_is_new_and_fixed_also_after_the_node_was_down() {
    let first = node(None).await;
    let mut command = run(first.base_url());
    command.args(["--watch", "--format", "compact"]);
    let mut watch = Watch::start(command);
    let text = watch.until("load on the node");
    assert!(text.contains(" conforms"), "{text}");

    let port = stop(first).await;
    watch.enter();
    let text = watch.until("than before");
    assert!(
        text.contains("no verdict") && text.ends_with("\nworse than before\n"),
        "{text}"
    );

    // The run is compared with the last run that had a verdict.
    let second = at(port, Some(InjectedFault::BlockSeconds)).await;
    watch.enter();
    let text = watch.until("than before");
    let new = "\nnew\nfail         get-block/timestamp-unit\n  requires  FORM-1";
    assert!(
        text.contains(new) && text.ends_with("\nworse than before\n"),
        "{text}"
    );
    for part in ["\n  found ", "\n  expected ", "\n  actual ", "\n  try "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("checked now"), "{text}");
    watch.enter();
    let text = watch.until("as before");
    assert!(
        text.contains("\nstill failing\n  get-block/timestamp-unit\n"),
        "{text}"
    );

    stop(second).await;
    let third = at(port, None).await;
    watch.enter();
    let text = watch.until("than before");
    assert!(
        text.contains("\nfixed\npass         get-block/timestamp-unit\n  was fail"),
        "{text}"
    );
    assert!(text.ends_with("\nnothing is worse than before\n"), "{text}");

    watch.signal("-INT");
    assert_eq!(watch.status(), Some(0));
    drop(third);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn watch_repeats_the_run_and_exits_with_its_last_status() {
    for signal in ["-INT", "-TERM"] {
        let node = node(Some(InjectedFault::BlockSeconds)).await;
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = run(node.base_url());
        command
            .args(["--only", "get-block/*", "--watch=0.05", "--report-dir"])
            .arg(folder.path());
        let mut watch = Watch::start(command);
        // Without input, the timer still starts runs.
        watch.input = None;
        watch.until("does not conform");
        watch.until("the same as before");
        watch.until("the same as before");
        watch.signal(signal);
        assert_eq!(watch.status(), Some(1), "{signal}");
        assert!(folder.path().join("report.json").exists());
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_signal_during_the_first_run_ends_it_like_any_run() {
    let node = node(None).await;
    let mut command = run(node.base_url());
    // The run takes about a minute.
    command.args(["--watch", "--rate", "1", "--verbose"]);
    let watch = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = watch.spawn().expect("the program");
    let mut errors = BufReader::new(child.stderr.take().expect("its errors"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    assert!(line.contains("connecting"), "{line}");
    let drain = thread::spawn(move || errors.lines().map_while(Result::ok).count());
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
    assert_eq!(child.wait().expect("its end").code(), Some(130));
    drain.join().expect("all read");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_end_of_the_input_ends_it() {
    let node = node(None).await;
    let mut watch = run(node.base_url());
    let (status, out, _) = ran(watch.arg("--watch").stdin(Stdio::null()));
    assert!(status == 0 && out.contains(" conforms"), "{out}");
}

#[test]
fn what_must_not_be_repeated_is_refused() {
    for (arguments, part) in [
        (
            &["--allow", "write"][..],
            "each run would make a claim and pay its fee",
        ),
        (&["--format", "json"], "give --format pretty or compact"),
        (&["--format", "github"], "give --format pretty or compact"),
        (
            &["--base-url", "http://127.0.0.1:2"],
            "--watch is for one node alone",
        ),
        (&["--blocks", ".."], "cannot be used with '--blocks <A..B>'"),
        (
            &["--summary", "s.md"],
            "cannot be used with '--summary <FILE>'",
        ),
    ] {
        let mut command = run("http://127.0.0.1:1");
        let (status, out, errors) = ran(command.arg("--watch").args(arguments));
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}: {errors}");
        assert!(errors.contains(part), "{arguments:?}: {errors}");
    }
    for wrong in ["--watch=0", "--watch=-1", "--watch=soon"] {
        let (status, _, errors) = ran(run("http://127.0.0.1:1").arg(wrong));
        assert!(
            status == 2 && errors.contains("is not a number of seconds"),
            "{errors}"
        );
    }
}
