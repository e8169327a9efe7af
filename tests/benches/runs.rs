//! Time of whole runs and sweeps, each beside a plain loop that sends as many requests to the same node and checks
//! nothing, and of the start of a local node.
#![expect(clippy::expect_used, reason = "a bench that can't go on ends")]

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use integration_tests::watch::check;
use nodeproof_client::transport::{self, TransportOptions};
use nodeproof_conformance::{Options, Sweep, cases, report::NodeReport};
use nodeproof_devnode::{BlockTime, Config, Handle, Outage};
use tokio::{runtime::Runtime, task::JoinSet};

/// The blocks of a sweep.
const BLOCKS: u64 = 1_000;
/// The number of connections of a sweep and of its plain loop.
const CONNECTIONS: usize = 8;

async fn node(blocks: u64) -> Handle {
    let config = Config::for_tests().with_blocks(blocks);
    let node = nodeproof_devnode::spawn(config.with_block_time(BlockTime::Manual)).await;
    node.expect("a local node")
}

/// Gets these URLs of a node over a number of connections, and ignores the responses.
async fn plain_loop(node: &Handle, urls: &[String], connections: usize) {
    let base = node.base_url().parse().expect("a base URL");
    let http = transport::http_client(&base, &TransportOptions::default()).expect("a client");
    let mut workers = JoinSet::new();
    for part in urls.chunks(urls.len().div_ceil(connections)) {
        let (http, part) = (http.clone(), part.to_vec());
        workers.spawn(async move {
            for url in part {
                let response = http.get(url).send().await.expect("a response");
                response.bytes().await.expect("a body");
            }
        });
    }
    workers.join_all().await;
}

/// Checks a node, which must conform.
async fn run(node: &Handle, options: &Options) -> NodeReport {
    let report = check(node.base_url(), options).await;
    assert_eq!(report.exit_code, 0, "the node conforms");
    report
}

fn runs(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let node = runtime.block_on(node(12));
    let options = Options::default();
    let requests = runtime.block_on(run(&node, &options)).requests;
    let block = format!("{}/get-block?block_index=1", node.base_url());
    let urls = vec![block; requests.try_into().expect("a number of requests")];
    let mut group = c.benchmark_group("run of the read tier");
    group.throughput(Throughput::Elements(requests));
    group.bench_function("run", |b| {
        b.iter(|| runtime.block_on(run(&node, &options)));
    });
    group.bench_function("plain loop", |b| {
        b.iter(|| runtime.block_on(plain_loop(&node, &urls, options.limits.jobs)));
    });
    group.finish();
}

fn sweeps(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let node = runtime.block_on(node(BLOCKS));
    let url = |block| format!("{}/get-block?block_index={block}", node.base_url());
    let urls: Vec<_> = (1..=BLOCKS).map(url).collect();
    let sweep = |with_signatures: bool| {
        let is_selected = |id: &&str| {
            (id.starts_with("get-block/") || id.starts_with("chain/"))
                && (with_signatures || !id.contains("signature"))
        };
        let mut options = Options::default();
        let ids = cases::all().into_iter().map(|case| case.id);
        options
            .select_only(ids.filter(is_selected))
            .expect("IDs of cases");
        let blocks = format!("1..={BLOCKS}").parse().expect("a range");
        options.sweep = Some(Sweep::new(blocks));
        options.limits.jobs = CONNECTIONS;
        options
    };
    let (signed, unsigned) = (sweep(true), sweep(false));
    // A distant or busy node shows whether a sweep keeps its connections as busy as the loop does.
    for (name, delay) in [
        ("sweep", None),
        ("sweep, 2 ms a response", Some(Duration::from_millis(2))),
    ] {
        node.node().set_outage(delay.map(Outage::Delayed));
        let mut group = c.benchmark_group(name);
        group
            .sample_size(10)
            .throughput(Throughput::Elements(BLOCKS));
        for (name, options) in [
            ("with signatures", &signed),
            ("without signatures", &unsigned),
        ] {
            group.bench_function(name, |b| {
                b.iter(|| runtime.block_on(run(&node, options)));
            });
        }
        group.bench_function("plain loop", |b| {
            b.iter(|| runtime.block_on(plain_loop(&node, &urls, CONNECTIONS)));
        });
        group.finish();
    }
}

fn local_node(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    c.bench_function("start of a local node with 12 blocks", |b| {
        b.iter(|| runtime.block_on(node(12)));
    });
}

criterion_group!(benches, runs, sweeps, local_node);
criterion_main!(benches);
