//! What a call of the client costs, beside bare reqwest and serde on structs written by hand.

use node_client::{
    BaseUrl, Client,
    transport::{self, TransportOptions},
};
use node_primitives::WalletAddress;
use serde::{Deserialize, de::DeserializeOwned};
use tokio::runtime::{Builder, Runtime};

use super::{BenchError, cpu::Pair, decode::PlainBlock, table::Row};

/// How many calls make a round.
const CALLS: usize = 1_000;

#[derive(Deserialize)]
struct PlainBalance {
    balance: i64,
}

/// Whom to ask, and about what.
pub(super) struct Question {
    pub(super) url: String,
    pub(super) wallet: WalletAddress,
    pub(super) token: String,
    /// The index of a block of the node's own size.
    pub(super) block: u64,
}

/// Has to be called on a thread of its own, as it is that thread's time that is told.
pub(super) fn measure(question: &Question, rounds: u16) -> Result<Vec<Row>, BenchError> {
    // With one thread for all that the client does, its time is that thread's.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let base: BaseUrl = question
        .url
        .parse()
        .map_err(|error: node_client::BaseUrlError| failed(error))?;
    let client = Client::new(base.clone()).map_err(failed)?;
    let http = transport::http_client(&base, &TransportOptions::default()).map_err(failed)?;
    let wallet = question.wallet.to_string();
    let (balance_url, block_url) = (base.join("get-balances"), base.join("get-block"));
    let index = question.block.to_string();

    let balance = Pair::measure(
        rounds,
        || {
            runtime.block_on(async {
                for _ in 0..CALLS {
                    let answer = client.token_balance(&question.token, question.wallet);
                    let held = answer.await.map_err(failed)?;
                    std::hint::black_box(held);
                }
                Ok(())
            })
        },
        || {
            let query = [
                ("balance_type", "TOKEN_IN_WALLET"),
                ("token_code", &question.token),
                ("wallet_address", &wallet),
            ];
            bare::<PlainBalance>(&runtime, &http, balance_url.as_str(), &query, |answer| {
                std::hint::black_box(answer.balance);
            })
        },
    )?;
    let block = Pair::measure(
        rounds,
        || {
            runtime.block_on(async {
                for _ in 0..CALLS {
                    let block = client.block(question.block).await.map_err(failed)?;
                    std::hint::black_box(&block);
                }
                Ok(())
            })
        },
        || {
            let query = [("block_index", index.as_str())];
            bare::<PlainBlock>(&runtime, &http, block_url.as_str(), &query, |answer| {
                std::hint::black_box(&answer);
            })
        },
    )?;
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    let micros = |seconds: &[f64]| -> Vec<f64> {
        let each = |seconds: &f64| seconds * 1e6 / CALLS as f64;
        seconds.iter().map(each).collect()
    };
    Ok(vec![
        Row::new(
            "a balance : bare reqwest and serde, CPU",
            "x",
            balance.cost(),
        )
        .at_most(1.05),
        Row::new("  a call of the client", "µs", micros(&balance.ours)),
        Row::new("  a bare one", "µs", micros(&balance.bare)),
        Row::new("a block : bare reqwest and serde, CPU", "x", block.cost()).at_most(1.05),
        Row::new("  a call of the client", "µs", micros(&block.ours)),
        Row::new("  a bare one", "µs", micros(&block.bare)),
    ])
}

fn failed(error: impl std::fmt::Display) -> BenchError {
    BenchError::Loop(error.to_string())
}

fn bare<T: DeserializeOwned>(
    runtime: &Runtime,
    http: &reqwest::Client,
    url: &str,
    query: &[(&str, &str)],
    take: impl Fn(T),
) -> Result<(), BenchError> {
    runtime.block_on(async {
        for _ in 0..CALLS {
            let request = http.get(url).query(query);
            let answer = request.send().await.map_err(failed)?;
            let answer = answer.error_for_status().map_err(failed)?;
            let body = answer.bytes().await.map_err(failed)?;
            take(serde_json::from_slice(&body).map_err(failed)?);
        }
        Ok(())
    })
}
