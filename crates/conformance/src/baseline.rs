//! A node as it was: answers pinned by name, so that a later run shows what changed.
//!
//! A baseline is one node's own, and holds what the contract does not say: undocumented fields, the
//! bodies of failures, the forms of lists, and the oldest blocks exactly. It holds nothing that
//! changes between two runs against an idle node: when it is recorded, each question is asked
//! twice, and an answer that differs is pinned by its or not at all.
//!
//! Recording pins what is not pinned yet. Where an answer differs from what is pinned, it leaves a
//! pending snapshot for `cargo insta review`. A run that does not record writes nothing.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    api::{
        block_request, contract_state_request, nobody, reindented, shape_of, token_balance_request,
        token_holders_request, trust_request, wallet_balances_request,
    },
    cases::Case,
    finding::{Finding, Findings},
    http::{Exchange, Obstacle, Request},
    sample::Context,
    snapshot::{Difference, Store},
};

/// Where a baseline is, and what is to be done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// The folder of its snapshots.
    pub folder: PathBuf,
    /// Whether answers are pinned, or only compared.
    pub record: bool,
}

/// Why a baseline can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// Its name would lead out of its folder, or can't be a folder's.
    #[error("{0:?} is no name of a baseline: use letters, digits, '-', '_' and '.', not first")]
    Name(String),
    /// There is no such baseline.
    #[error("there is no baseline {0}: record it first, with --record")]
    Missing(PathBuf),
    /// Its folder can't be made.
    #[error("the baseline {folder} can't be written: {source}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What was in the way.
        source: io::Error,
    },
}

impl Baseline {
    /// The baseline of that name below a folder; made where it is to be recorded.
    ///
    /// # Errors
    /// When the name can't be one, or there is no such baseline and none is recorded.
    pub fn named(name: &str, below: &Path, record: bool) -> Result<Self, BaselineError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) || name.len() > 100
        {
            return Err(BaselineError::Name(name.to_owned()));
        }
        let folder = below.join(name);
        if record {
            fs::create_dir_all(&folder).map_err(|source| BaselineError::Folder {
                folder: folder.clone(),
                source,
            })?;
        } else if !folder.is_dir() {
            return Err(BaselineError::Missing(folder));
        }
        Ok(Self { folder, record })
    }
}

/// How an answer is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pin {
    /// To the letter.
    Exactly,
    /// By its members and the kinds of their values.
    ByShape,
    /// By status and media type.
    ByHead,
}

impl Pin {
    const fn name(self) -> &'static str {
        match self {
            Self::Exactly => "exact",
            Self::ByShape => "shape",
            Self::ByHead => "head",
        }
    }

    fn of(text: &str) -> Option<Self> {
        [Self::Exactly, Self::ByShape, Self::ByHead]
            .into_iter()
            .find(|pin| text.lines().next() == Some(pin.name()))
    }
}

macro_rules! pinned {
    ($($id:literal, $pin:ident, $request:expr;)*) => {
        /// The cases of a run with a baseline.
        pub(crate) const CASES: &[Case] = &[$(
            Case::must($id, "the baseline: what was recorded of this node", |context| {
                Box::pin(check(context, $id, Pin::$pin, $request))
            })
        ),*];
    };
}

const STATE: [&str; 4] = [
    "verification",
    "asset_id",
    "no_such_table",
    "no_such_column",
];

pinned! {
    "baseline/block-first", Exactly, |c| oldest(c, 0);
    "baseline/block-second", Exactly, |c| oldest(c, 1);
    "baseline/block-newest", ByShape, |c| Some(c.material.blocks.last()?.1.request.clone());
    "baseline/block-unknown", Exactly, |_| Some(block_request(1_u64 << 40));
    "baseline/block-index-missing", Exactly, |_| Some(Request::get("/get-block"));
    "baseline/block-index-malformed", Exactly, |_| {
        Some(block_request("newest"))
    };
    "baseline/token-in-wallet", ByShape, |c| {
        let (wallet, token) = c.material.holdings.first()?;
        Some(token_balance_request(wallet, token))
    };
    "baseline/nothing-held", Exactly, |_| Some(token_balance_request(&nobody(), "NOSUCHTOKEN"));
    "baseline/all-tokens-in-wallet", ByShape, |c| {
        Some(wallet_balances_request(c.material.wallets.first()?))
    };
    "baseline/all-wallets-for-token", ByShape, |c| {
        Some(token_holders_request(c.material.tokens.first()?))
    };
    "baseline/balance-type-missing", Exactly, |_| Some(Request::get("/get-balances"));
    "baseline/state", ByShape, |c| {
        let (contract, asset) = c.material.assets.first()?;
        Some(contract_state_request(contract, asset))
    };
    "baseline/state-unknown-value", Exactly, |c| state(c, STATE[0], STATE[1]);
    "baseline/state-unknown-table", Exactly, |c| state(c, STATE[2], STATE[1]);
    "baseline/state-unknown-column", Exactly, |c| state(c, STATE[0], STATE[3]);
    "baseline/state-parameters-missing", Exactly, |_| Some(Request::get("/sc-state"));
    "baseline/trust-score", ByShape, |c| {
        let (from, to) = c.material.trust.first()?;
        Some(trust_request(from, to))
    };
    "baseline/trust-unknown", Exactly, |_| Some(trust_request(&nobody(), &nobody()));
    "baseline/trust-parameters-missing", Exactly, |_| {
        Some(Request::get("/get-trustscore-wallets"))
    };
    "baseline/call", ByShape, |c| Some(c.call_request());
    "baseline/call-empty", Exactly, |_| Some(Request::post("/call-sc", "{}".to_owned()));
    "baseline/call-not-json", Exactly, |_| Some(Request::post("/call-sc", "{".to_owned()));
    "baseline/docs", ByHead, |_| Some(Request::get("/docs"));
}

/// The oldest blocks are history, and stay what they are.
fn oldest(context: &Context, place: usize) -> Option<Request> {
    // The newest block may still be in the making.
    let settled = context.material.blocks.len().saturating_sub(1);
    let blocks = context.material.blocks.get(..settled)?;
    Some(blocks.get(place)?.1.request.clone())
}

fn state(context: &Context, table: &str, column: &str) -> Option<Request> {
    let contract = context.contract();
    Some(
        Request::get("/sc-state")
            .with("table_name", table)
            .with("contract_address", contract)
            .with("unique_column", column)
            .with("unique_value", "no-such-value-5a5a"),
    )
}

async fn check(
    context: &Context,
    id: &'static str,
    pin: Pin,
    request: fn(&Context) -> Option<Request>,
) -> Findings {
    let Some(baseline) = &context.baseline else {
        return Err(Obstacle::NoMaterial("the run has no baseline".to_owned()));
    };
    let Some(request) = request(context) else {
        return Err(Obstacle::NoMaterial(
            "nothing was found on the chain to ask with".to_owned(),
        ));
    };
    let name = id.trim_start_matches("baseline/");
    let file = baseline.folder.join(format!("{name}.snap"));
    let exchange = context.node.send(request.clone()).await?;
    let pinned = fs::read_to_string(&file).ok();
    let Some(pinned) = pinned else {
        if !baseline.record {
            return Err(Obstacle::NoMaterial(format!(
                "the baseline has no {name}; --record pins it"
            )));
        }
        let again = context.node.send(request).await?;
        return record(&file, pin, &exchange, &again);
    };
    // It is compared as it was pinned: what changed by itself then may do so now.
    let body = pinned.splitn(3, "---\n").nth(2).unwrap_or_default();
    let text = described(Pin::of(body).unwrap_or(pin), &exchange);
    let store = if baseline.record {
        Store::reviewable(&baseline.folder)
    } else {
        Store::copy_of(&[(&format!("{name}.snap"), &pinned)])
            .map_err(|error| Obstacle::Harness(format!("no place for a copy: {error}")))?
    };
    match store.compare(name, &text) {
        Ok(()) => Ok(Vec::new()),
        Err(Difference::Other(expected)) => Ok(vec![Finding::new(
            &exchange,
            format!(
                "the answer is not what the baseline has in {}",
                file.display()
            ),
            expected,
            text,
        )]),
        Err(Difference::NoSnapshot) => Err(Obstacle::Harness(format!(
            "the snapshot {} can't be read",
            file.display()
        ))),
    }
}

/// Pins an answer, in the strictest way in which two answers are alike.
fn record(file: &Path, pin: Pin, first: &Exchange, second: &Exchange) -> Findings {
    let strictest = [pin, Pin::ByShape]
        .into_iter()
        .find(|pin| described(*pin, first) == described(*pin, second));
    let Some(pin) = strictest else {
        return Err(Obstacle::NoMaterial(
            "two answers in a row had different shapes, so there is nothing to pin".to_owned(),
        ));
    };
    let text = format!("---\nsource: nodeproof\n---\n{}\n", described(pin, first));
    fs::write(file, text).map_err(|error| {
        Obstacle::Harness(format!("{} can't be written: {error}", file.display()))
    })?;
    Ok(Vec::new())
}

/// An answer as text that is worth a diff: how it is pinned, what was asked, status, type, body.
fn described(pin: Pin, exchange: &Exchange) -> String {
    let request = &exchange.request;
    let method = request.method.name();
    let asked = if pin == Pin::Exactly {
        let query: Vec<_> = request
            .query
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        query.join(" ")
    } else {
        // Other wallets and tokens may be found the next time.
        request
            .query
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let body = match (pin, exchange.json()) {
        (Pin::ByHead, _) => String::new(),
        (_, Err(_)) => format!("\n{}", exchange.excerpt(4096)),
        (Pin::ByShape, Ok(value)) => {
            let shape = shape_of(&[value]);
            format!(
                "\n{}",
                serde_json::to_string_pretty(&shape).unwrap_or_default()
            )
        }
        (Pin::Exactly, Ok(_)) => {
            let text = String::from_utf8_lossy(&exchange.body);
            let lines = reindented(&text);
            let escaped: Vec<_> = lines
                .lines()
                .map(nodeproof_primitives::escape::escaped)
                .collect();
            format!("\n{}", escaped.join("\n"))
        }
    };
    format!(
        "{}\n{method} {} {asked}\n{} {}{body}",
        pin.name(),
        request.path,
        exchange.status,
        nodeproof_primitives::escape::escaped(exchange.content_type.as_deref().unwrap_or("-")),
    )
    .trim_end()
    .to_owned()
}
