//! The cost of a request of the client, compared with bare reqwest and serde on hand-written structs.

use nodeproof_client::{
    BaseUrl, Client,
    transport::{self, TransportOptions},
};
use nodeproof_primitives::WalletAddress;
use serde::{Deserialize, de::DeserializeOwned};
use tokio::runtime::{Builder, Runtime};

use super::{
    BenchError,
    cpu::Pair,
    decode::{PlainBlock, block_of},
    response_server::ResponseServer,
    table::Row,
};

/// The number of requests in a turn. They take some milliseconds, during which a machine's speed
/// stays about the same.
const CALLS: usize = 100;
/// The number of turns in a round. The numbers of a debug build are not used.
const TURNS: u16 = if cfg!(debug_assertions) { 2 } else { 60 };
/// The sizes for which the cost is shown, in receipts of the requested block.
const SIZES: [usize; 3] = [1, 10, 100];
/// The maximum cost of a request, relative to a bare one.
const MAX_RATIO: f64 = 1.15;

#[derive(Deserialize)]
struct PlainBalance {
    balance: i64,
}

/// The node and the data to request.
pub(super) struct Target {
    pub(super) url: String,
    pub(super) wallet: WalletAddress,
    pub(super) token: String,
    /// The index of a block that the node itself made.
    pub(super) block: u64,
}

/// The client, and a bare HTTP client with the same settings. Each has its own connection.
struct Both {
    // Both run on one thread, so the thread's processor time is theirs.
    runtime: Runtime,
    base: BaseUrl,
    client: Client,
    http: reqwest::Client,
}

/// Must be called on its own thread, because it measures the thread's processor time.
pub(super) fn measure(target: &Target, rounds: u16) -> Result<Vec<Row>, BenchError> {
    let node = Both::of(&target.url)?;
    let mut rows = told("a balance", 1, &node.balance(target, rounds)?);
    rows.extend(told(
        "a block of the local node",
        1,
        &node.block(target.block, rounds)?,
    ));
    let bodies = SIZES.map(|receipts| {
        let target = format!("/get-block?block_index={receipts}");
        (target, block_of(receipts))
    });
    let server = ResponseServer::serve(bodies.into())?;
    let both = Both::of(&format!("http://{}", server.address))?;
    for receipts in SIZES {
        let pair = both.block(receipts as u64, rounds)?;
        let what = match receipts {
            1 => "a block of 1 receipt".to_owned(),
            _ => format!("a block of {receipts} receipts"),
        };
        rows.extend(told(&what, receipts, &pair));
    }
    Ok(rows)
}

impl Both {
    fn of(url: &str) -> Result<Self, BenchError> {
        let base: BaseUrl = url.parse()?;
        Ok(Self {
            runtime: Builder::new_current_thread().enable_all().build()?,
            client: Client::new(base.clone())?,
            http: transport::http_client(&base, &TransportOptions::default())?,
            base,
        })
    }

    fn balance(&self, target: &Target, rounds: u16) -> Result<Pair, BenchError> {
        let wallet = target.wallet.to_string();
        let url = self.base.join("get-balances");
        let query = [
            ("balance_type", "TOKEN_IN_WALLET"),
            ("token_code", &target.token),
            ("wallet_address", &wallet),
        ];
        Pair::in_batches(
            rounds,
            TURNS,
            || {
                self.runtime.block_on(async {
                    for _ in 0..CALLS {
                        let response = self.client.token_balance(&target.token, target.wallet);
                        std::hint::black_box(response.await?);
                    }
                    Ok(())
                })
            },
            || {
                self.bare(url.as_str(), &query, |response: PlainBalance| {
                    std::hint::black_box(response.balance);
                })
            },
        )
    }

    fn block(&self, index: u64, rounds: u16) -> Result<Pair, BenchError> {
        let url = self.base.join("get-block");
        let number = index.to_string();
        let query = [("block_index", number.as_str())];
        Pair::in_batches(
            rounds,
            TURNS,
            || {
                self.runtime.block_on(async {
                    for _ in 0..CALLS {
                        let block = self.client.block(index).await?;
                        std::hint::black_box(&block);
                    }
                    Ok(())
                })
            },
            || {
                self.bare(url.as_str(), &query, |response: PlainBlock| {
                    std::hint::black_box(&response);
                })
            },
        )
    }

    fn bare<T: DeserializeOwned>(
        &self,
        url: &str,
        query: &[(&str, &str)],
        take: impl Fn(T),
    ) -> Result<(), BenchError> {
        self.runtime.block_on(async {
            for _ in 0..CALLS {
                let request = self.http.get(url).query(query);
                let response = request.send().await?;
                let response = response.error_for_status()?;
                let body = response.bytes().await?;
                take(serde_json::from_slice(&body)?);
            }
            Ok(())
        })
    }
}

/// Returns the rows of a comparison. Each response contained that many items.
fn told(what: &str, items: usize, pair: &Pair) -> Vec<Row> {
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    let micros = |seconds: &[f64], items: usize| -> Vec<f64> {
        let each = |seconds: &f64| seconds * 1e6 / (CALLS * items) as f64;
        seconds.iter().map(each).collect()
    };
    let ratio = format!("{what} : bare reqwest and serde, CPU");
    let mut rows = vec![
        Row::new(ratio, "x", pair.cost()).at_most(MAX_RATIO),
        Row::new("  a call of the client", "µs", micros(&pair.ours, 1)),
        Row::new("  a bare one", "µs", micros(&pair.bare, 1)),
    ];
    if items > 1 {
        let each = micros(&pair.ours, items);
        rows.push(Row::new("  a receipt, of the client's call", "µs", each));
    }
    rows
}
