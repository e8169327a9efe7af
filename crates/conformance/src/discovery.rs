//! Finding out what this node can be asked about, from its own chain.
//!
//! The contract has no call for the newest block, for wallets or for tokens, so they are found by
//! asking: the newest block by doubling and bisection (`search`), everything else in what the blocks
//! hold (`found`).
//! Nothing is taken for granted about their form: addresses are recognised wherever they stand,
//! also inside a text that holds JSON.

mod blocks;
mod found;
mod search;

use std::sync::Arc;

use nodeproof_primitives::{ContractAddress, WalletAddress};
use serde::Deserialize;
use serde_json::Value;

pub(crate) use blocks::{Unknown, is_a_gateways, says_there_is_none};
use found::Found;

use crate::{
    finding::Obstacle,
    http::{Exchange, Node, Request},
    sweep::Sweep,
};

/// How many wallets are asked for their tokens.
const ASKED_WALLETS: usize = 2;
/// What a user knows of a node, and a run need not or can not find.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fixture {
    /// Indexes of blocks to read, besides those that are found.
    pub blocks: Vec<u64>,
    /// Wallets to ask about first.
    pub wallets: Vec<WalletAddress>,
    /// Codes of tokens to ask about first.
    pub tokens: Vec<String>,
    /// Claims to look up first.
    pub assets: Vec<Asset>,
    /// Pairs of wallets with a trust score.
    pub trust: Vec<(WalletAddress, WalletAddress)>,
}

/// A claim's place: a contract, and an asset that one of its records is about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asset {
    /// The verification contract.
    pub contract: ContractAddress,
    /// Identifier of the asset.
    pub asset_id: String,
}

/// What was found to ask about.
#[derive(Debug, Default)]
pub(crate) struct Material {
    /// The newest index that was found.
    pub(crate) tip: Option<u64>,
    /// The lowest index of a block that was found. It is the chain's lowest only where that was
    /// wanted.
    pub(crate) lowest: Option<u64>,
    /// By how much the index that most blocks say they have differs from the one asked for, if they
    /// say one.
    pub(crate) offset: Option<i128>,
    /// Answers that hold a block, in rising order of the index that was asked for.
    pub(crate) blocks: Vec<(u64, Arc<Exchange>)>,
    /// Answers that hold another block than was asked for, and are no part of the search.
    pub(crate) odd: Vec<Arc<Exchange>>,
    /// Answers without a block, for indexes at which there should be one.
    pub(crate) without: Vec<Arc<Exchange>>,
    /// The first of the blocks that the node had no answer for, and why.
    pub(crate) unread: Option<(u64, String)>,
    /// What it answers for a block that it does not have, if that is not that there is none.
    pub(crate) unknown: Unknown,
    /// The answer to the first question for a block, whatever it was.
    pub(crate) first_answer: Option<Arc<Exchange>>,
    pub(crate) wallets: Vec<String>,
    pub(crate) tokens: Vec<String>,
    /// What wallets were said to hold, as far as it was asked here.
    pub(crate) wallet_lists: Vec<Arc<Exchange>>,
    /// Wallets with a token that each holds, or at least was asked about.
    pub(crate) holdings: Vec<(String, String)>,
    pub(crate) contracts: Vec<String>,
    pub(crate) assets: Vec<(String, String)>,
    pub(crate) trust: Vec<(String, String)>,
}

/// What a run wants to know of the chain besides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Blocks that the user names, as there should be some.
    blocks: Vec<u64>,
    /// Whether the lowest block is to be found.
    lowest: bool,
    /// Whether the newest one is to be found though many are missing before it.
    newest: bool,
}

impl Wanted {
    /// What a sweep that is begun wants to know.
    pub(crate) fn by(sweep: Option<&Sweep>) -> Self {
        let Some(sweep) = sweep.filter(|sweep| sweep.resumed.is_none()) else {
            return Self::default();
        };
        let (first, end) = (sweep.blocks.first(), sweep.blocks.end());
        let last = end.map(|end| end.saturating_sub(1));
        Self {
            blocks: first.into_iter().chain(last).collect(),
            lowest: first.is_none(),
            newest: end.is_none(),
        }
    }
}

/// Asks the node until there is something of every kind, or nothing more to be found.
pub(crate) async fn discover(
    node: &Node,
    fixture: &Fixture,
    wanted: &Wanted,
) -> Result<Material, Obstacle> {
    let mut material = Material::default();
    let mut found = Found::default();
    found.take(fixture);
    search::find_blocks(node, fixture, wanted, &mut material).await?;
    for (_, exchange) in &material.blocks {
        if let Ok(value) = exchange.json() {
            found.walk(value, 0);
        }
    }
    for wallet in found
        .wallets
        .iter()
        .take(ASKED_WALLETS)
        .cloned()
        .collect::<Vec<_>>()
    {
        let request = Request::get("/get-balances")
            .with("balance_type", "ALL_TOKENS_IN_WALLET")
            .with("wallet_address", &wallet);
        let Some(answer) = optional(node.send(request).await)? else {
            continue;
        };
        let mut held = Found::default();
        if let Some(value) = answer.answered_object() {
            held.walk(value, 0);
        }
        material.wallet_lists.push(answer);
        for token in held.tokens {
            material.holdings.push((wallet.clone(), token.clone()));
            found.token(&token);
        }
    }
    // Where no list told, a token of the chain is asked for in a wallet of the chain.
    if material.holdings.is_empty() {
        let pairs = found.wallets.iter().zip(found.tokens.iter().cycle());
        material
            .holdings
            .extend(pairs.take(2).map(|(w, t)| (w.clone(), t.clone())));
    }
    let pairs = found.wallets.iter().zip(found.wallets.iter().skip(1));
    material.trust = fixture
        .trust
        .iter()
        .map(|(a, b)| (a.to_string(), b.to_string()))
        .collect();
    material
        .trust
        .extend(pairs.take(4).map(|(from, to)| (from.clone(), to.clone())));
    material.wallets = found.wallets;
    material.tokens = found.tokens;
    material.contracts = found.contracts;
    material.assets = found.assets;
    Ok(material)
}

/// A single question that fails costs what it would have told, and not the run.
fn optional(answer: Result<Arc<Exchange>, Obstacle>) -> Result<Option<Arc<Exchange>>, Obstacle> {
    match answer {
        Ok(exchange) => Ok(Some(exchange)),
        Err(Obstacle::Limit(reason)) => Err(Obstacle::Limit(reason)),
        Err(_) => Ok(None),
    }
}

pub(crate) fn block_request(index: impl ToString) -> Request {
    Request::get("/get-block").with("block_index", index.to_string())
}

/// The index that an answer says it has, under either name.
pub(crate) fn reported_index(block: &Value) -> Option<i128> {
    ["index", "block_index"]
        .iter()
        .find_map(|name| block.get(name))
        .and_then(|index| {
            index
                .as_i64()
                .map(i128::from)
                .or(index.as_u64().map(i128::from))
        })
}
