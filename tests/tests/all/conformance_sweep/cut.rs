//! Sweeps that are interrupted and resumed.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use integration_tests::{
    faults::remove,
    proxy::{Fault, Proxy, RecordedRequest, Response},
    watch::{check, ids, run_one},
};
use nodeproof_conformance::{
    Observer, Options, Sweep, SweepProgress, Target,
    cases::Case,
    report::{NodeReport, Outcome},
};
use nodeproof_primitives::Network;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{as_json, devnode, only_blocks};

/// Reports when a sweep has reached a block.
pub(crate) struct At {
    block: u64,
    tell: Mutex<Option<oneshot::Sender<()>>>,
}

impl At {
    pub(crate) fn block(block: u64) -> (Arc<Self>, oneshot::Receiver<()>) {
        let (tell, cut) = oneshot::channel();
        let tell = Mutex::new(Some(tell));
        (Arc::new(Self { block, tell }), cut)
    }
}

impl Observer for At {
    fn sweep(&self, progress: &SweepProgress) {
        let tell = self
            .tell
            .lock()
            .ok()
            .and_then(|mut tell| (progress.next >= self.block).then(|| tell.take()).flatten());
        if let Some(tell) = tell {
            // The receiver may already be closed.
            let _ = tell.send(());
        }
    }
}

pub(crate) fn target(url: &str) -> Target {
    Target::parse(url, Network::Devnet).expect("a base URL")
}

/// Returns a fault: every fifth block is wrong, and the time of block 150 goes back.
fn fault() -> Fault {
    Arc::new(|request: &RecordedRequest, response: Response| {
        let index: u64 = match request.query.strip_prefix("block_index=").map(str::parse) {
            Some(Ok(index)) if response.status == axum::http::StatusCode::OK => index,
            _ => return response,
        };
        match index {
            150 => response.with_json(|block| block["timestamp"] = json!(1_500_000_000_000_i64)),
            _ if index.is_multiple_of(5) => response.with_json(|block| remove(block, "", "proof")),
            _ => response,
        }
    })
}

/// Returns a report without the parts that differ between two runs with the same findings.
pub(crate) fn same(report: &NodeReport) -> Value {
    let mut value = as_json(report);
    for name in [
        "started_at",
        "elapsed_ms",
        "cost",
        "requests",
        "most_requests",
        // A resumed run lists only its own requests.
        "requested",
    ] {
        remove(&mut value, "", name);
    }
    let times = |list: Option<&mut Value>| {
        for entry in list.and_then(Value::as_array_mut).into_iter().flatten() {
            remove(entry, "", "elapsed_ms");
        }
    };
    times(value.get_mut("cases"));
    times(value.get_mut("exchanges"));
    let operations = value.pointer_mut("/coverage/operations");
    for entry in operations
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        remove(entry, "", "requests");
    }
    value
}

pub(crate) fn slow(options: &mut Options) {
    options.limits.rate = Some(400.0);
}

pub(crate) fn resumed(path: &Path, url: &str) -> Options {
    let mut options = only_blocks("..");
    let sweep = Sweep::new("..".parse().expect("a range"));
    let sweep = sweep.resuming(path.to_owned(), &target(url), &selected(&options));
    options.sweep = Some(sweep.expect("a state to resume"));
    options
}

/// Returns the cases that a run with these options has.
pub(crate) fn selected(options: &Options) -> Vec<Case> {
    let cases = options.cases().into_iter();
    cases
        .filter(|case| options.selects(case.id))
        .filter(|case| options.permits(case, Network::Devnet).is_ok())
        .collect()
}

pub(crate) fn kept(path: &Path) -> Options {
    let mut options = only_blocks("..");
    let sweep = options.sweep.take().expect("a sweep");
    options.sweep = Some(sweep.keeping_state(path.to_owned()));
    options
}

pub(crate) fn state() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state.json");
    (folder, path)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_sweep_goes_on_and_tells_what_a_whole_one_tells() {
    let node = devnode(300).await;
    let broken = Proxy::spawn(&node, fault()).await.expect("a proxy");
    let url = broken.server.base_url();
    let whole = check(&url, &only_blocks("..")).await;
    let (_folder, path) = state();
    let mut options = kept(&path);
    // Interrupt twice, so that a resumed sweep is resumed again.
    for block in [100, 200] {
        slow(&mut options);
        let (watch, come) = At::block(block);
        let interrupt = async move { drop(come.await) };
        let report = run_one(target(&url), &options, watch, interrupt).await;
        assert_eq!(report.exit_code, 130, "{:?}", report.reason);
        let sweep = report.sweep.as_ref().expect("a sweep");
        assert!(!sweep.done && sweep.next >= block && sweep.next < 301);
        assert_eq!(sweep.state.as_deref(), path.to_str());
        assert!(ids(&report, Outcome::Fail).contains(&"get-block/proof"));
        // A case without findings so far has not passed yet.
        assert!(ids(&report, Outcome::Inconclusive).contains(&"chain/receipt-signatures"));
        options = resumed(&path, &url);
    }
    let before = broken.requests().len();
    let report = check(&url, &options).await;
    assert!(
        broken.requests().len() - before < 200,
        "it restarted from the beginning"
    );
    assert_eq!(same(&report), same(&whole));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_lost_half_way_leaves_findings_and_a_state() {
    let (_folder, path) = state();
    let node = devnode(300).await;
    let broken = Proxy::spawn(node.base_url(), fault())
        .await
        .expect("a proxy");
    let url = broken.server.base_url();
    let whole = check(&url, &only_blocks("..")).await;
    let mut options = kept(&path);
    slow(&mut options);
    let (watch, come) = At::block(100);
    let run = tokio::spawn({
        let target = target(&url);
        async move { run_one(target, &options, watch, std::future::pending()).await }
    });
    come.await.expect("the sweep comes to the block");
    // The proxy now responds with 502.
    drop(node);
    let report = run.await.expect("the run ends");
    assert_eq!(report.exit_code, 3);
    let reason = report.reason.clone().unwrap_or_default();
    assert!(reason.contains("the node was lost at block"), "{reason}");
    assert!(ids(&report, Outcome::Fail).contains(&"get-block/proof"));
    let sweep = report.sweep.expect("a sweep");
    assert!(!sweep.done && sweep.state.is_some());
    assert_eq!((sweep.unread, sweep.missing), (0, 0));
    assert_eq!(whole.exit_code, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_goes_to_the_tip_that_there_was_in_the_beginning() {
    let node = devnode(100).await;
    let chain = Arc::clone(node.node());
    let growing = move |_: &RecordedRequest, response: Response| {
        chain.make_block();
        response
    };
    let proxy = Proxy::spawn(&node, Arc::new(growing))
        .await
        .expect("a proxy");
    let mut options = only_blocks("..");
    options.selection.skip = vec![
        globset::Glob::new("get-block/unknown-index")
            .expect("a glob")
            .compile_matcher(),
    ];
    let report = check(&proxy.server.base_url(), &options).await;
    assert_eq!(report.exit_code, 0, "{:?}", ids(&report, Outcome::Fail));
    let sweep = report.sweep.expect("a sweep");
    assert!(sweep.done && sweep.to < node.node().height(), "{sweep:?}");
}
