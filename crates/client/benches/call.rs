//! Time of a request of the client to a local node, compared with bare reqwest and serde.
#![expect(clippy::expect_used, reason = "a bench that can't go on ends")]

use std::thread;

use criterion::{Criterion, criterion_group, criterion_main};
use nodeproof_client::{
    BaseUrl, Client,
    transport::{self, TransportOptions},
};
use nodeproof_devnode::{Config, Handle};
use serde::Deserialize;
use tokio::runtime::{Builder, Runtime};

#[derive(Deserialize)]
struct PlainBalance {
    balance: i64,
}

fn runtime() -> Runtime {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().build().expect("a runtime")
}

/// Starts a local node on its own thread, which runs until the process ends.
fn node() -> Handle {
    let (ready, is_ready) = std::sync::mpsc::channel();
    thread::spawn(move || {
        runtime().block_on(async {
            let node = nodeproof_devnode::spawn(Config::for_tests()).await;
            ready.send(node.expect("a node")).expect("a receiver");
            std::future::pending::<()>().await;
        });
    });
    is_ready.recv().expect("a node")
}

fn calls(c: &mut Criterion) {
    let (node, runtime) = (node(), runtime());
    let wallet = node.wallet("alice").expect("a wallet").address();
    let token = node.native_token();
    let base: BaseUrl = node.base_url().parse().expect("a base URL");
    let client = Client::new(base.clone()).expect("a client");
    let http = transport::http_client(&base, &TransportOptions::default()).expect("a client");
    let (url, address) = (base.join("get-balances"), wallet.to_string());
    let mut group = c.benchmark_group("balance");
    group.bench_function("client", |b| {
        b.iter(|| runtime.block_on(async { client.token_balance(token, wallet).await }));
    });
    group.bench_function("bare reqwest and serde", |b| {
        b.iter(|| {
            runtime.block_on(async {
                let query = [
                    ("balance_type", "TOKEN_IN_WALLET"),
                    ("token_code", token),
                    ("wallet_address", &address),
                ];
                let response = http.get(url.as_str()).query(&query).send().await?;
                let body = response.error_for_status()?.bytes().await?;
                let read = serde_json::from_slice::<PlainBalance>(&body).expect("a balance");
                Ok::<_, reqwest::Error>(read.balance)
            })
        });
    });
    group.finish();
}

criterion_group!(benches, calls);
criterion_main!(benches);
