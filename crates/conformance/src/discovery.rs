//! Finding out what this node can be asked about, from its own chain.
//!
//! The contract has no call for the newest block, for wallets or for tokens, so they are found by
//! asking: the newest block by doubling and bisection, everything else in what the blocks hold.
//! Nothing is taken for granted about their form: addresses are recognised wherever they stand,
//! also inside a text that holds JSON.

use std::{collections::BTreeSet, sync::Arc};

use node_primitives::{ContractAddress, WalletAddress};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    exchange::{Exchange, Request, TOO_MUCH},
    node::Node,
    outcome::Obstacle,
};

/// An index that no chain has reached; a node that answers it answers everything.
const BEYOND: u64 = 1 << 40;
/// How many of the newest blocks are read in search of a contract call.
const NEWEST: u64 = 10;
/// A chain of so many blocks is read as a whole.
const SHORT: u64 = 16;
/// When so many bytes of blocks are read, no more are looked for.
const ENOUGH: usize = 8 * 1024 * 1024;
/// When so many blocks were too large, and no other was found, the others are not asked for.
const TRIED_TOO_LARGE: u32 = 3;
/// The longest identifier of an asset that fits into a URL that every server takes.
const LONGEST_ASSET: usize = 200;
/// How many wallets are asked for their tokens.
const ASKED_WALLETS: usize = 2;
/// The most wallets that are kept; a run asks about a few only.
const KEPT_WALLETS: usize = 64;

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
    /// By how much the index that blocks say they have differs from the one asked for, if they do.
    pub(crate) offset: Option<i128>,
    /// Answers that hold a block, in rising order of the index that was asked for.
    pub(crate) blocks: Vec<(u64, Arc<Exchange>)>,
    /// Answers that hold another block than was asked for, and are no part of the search.
    pub(crate) odd: Vec<Arc<Exchange>>,
    /// Answers without a block, for indexes below that of one that there is.
    pub(crate) holes: Vec<Arc<Exchange>>,
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

/// Asks the node until there is something of every kind, or nothing more to be found.
pub(crate) async fn discover(node: &Node, fixture: &Fixture) -> Result<Material, Obstacle> {
    let mut material = Material::default();
    let mut found = Found::default();
    found.take(fixture);
    find_blocks(node, fixture, &mut material).await?;
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
        let Some(answer) = optional(node.ask(request).await)? else {
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

/// Reads blocks one by one, and tells which answers are blocks.
struct Blocks<'a> {
    node: &'a Node,
    material: &'a mut Material,
    /// By how much the first answer's index differs from the one asked for. A node that is off by
    /// one is off everywhere; it is judged for that elsewhere, and searched all the same.
    offset: Option<i128>,
    /// What was answered without a block.
    refused: Vec<(u64, Arc<Exchange>)>,
    /// How many blocks were more than is read.
    too_large: u32,
}

impl Blocks<'_> {
    async fn read(&mut self, index: u64) -> Result<bool, Obstacle> {
        if self
            .material
            .blocks
            .iter()
            .any(|(known, _)| *known == index)
        {
            return Ok(true);
        }
        if self.refused.iter().any(|(known, _)| *known == index) {
            return Ok(false);
        }
        let exchange = match self.node.ask(block_request(index)).await {
            Ok(exchange) => exchange,
            Err(Obstacle::TooLarge(reason)) => return self.go_on_without(reason),
            Err(obstacle) => return Err(obstacle),
        };
        self.material
            .first_answer
            .get_or_insert_with(|| Arc::clone(&exchange));
        if exchange.status == 200
            && let Err(fault) = exchange.json()
            && fault.ends_with(TOO_MUCH)
        {
            let reason = format!("the answer of {} is {fault}", exchange.url());
            return self.go_on_without(reason);
        }
        let Some(block) = exchange.answered_object() else {
            self.refused.push((index, exchange));
            return Ok(false);
        };
        if let Some(reported) = reported_index(block) {
            let offset = reported - i128::from(index);
            if *self.offset.get_or_insert(offset) != offset {
                self.material.odd.push(exchange);
                return Ok(false);
            }
        }
        // What blocks take is not there for anything else; one may be as large as it likes.
        let kept = self.material.blocks.iter().map(|(_, block)| block);
        let kept: usize = kept.map(|block| block.share.bytes()).sum();
        let most = self.node.most_memory() / 2;
        if kept > most / 4 && kept + exchange.share.bytes() > most {
            return Ok(true);
        }
        let blocks = &mut self.material.blocks;
        let place = blocks.partition_point(|(known, _)| *known < index);
        blocks.insert(place, (index, exchange));
        Ok(true)
    }

    /// There is a block; it is only too much for this run, which goes on without it, unless all
    /// blocks are like that.
    fn go_on_without(&mut self, reason: String) -> Result<bool, Obstacle> {
        self.too_large += 1;
        if self.too_large >= TRIED_TOO_LARGE && self.material.blocks.is_empty() {
            return Err(Obstacle::TooLarge(reason));
        }
        Ok(true)
    }
}

async fn find_blocks(
    node: &Node,
    fixture: &Fixture,
    material: &mut Material,
) -> Result<(), Obstacle> {
    let mut blocks = Blocks {
        node,
        material,
        offset: None,
        refused: Vec::new(),
        too_large: 0,
    };
    let newest = search(&mut blocks, fixture).await?;
    let refused = std::mem::take(&mut blocks.refused);
    material.offset = blocks.offset;
    // A block that the user names is there, and so is each below one that there is.
    material.holes = refused
        .into_iter()
        .filter(|(index, _)| {
            fixture.blocks.contains(index)
                || (*index > 1 && newest.is_some_and(|newest| *index < newest))
        })
        .map(|(_, exchange)| exchange)
        .collect();
    Ok(())
}

/// Finds the newest index, and reads blocks that are worth it; hands back the highest one found.
async fn search(blocks: &mut Blocks<'_>, fixture: &Fixture) -> Result<Option<u64>, Obstacle> {
    let mut newest = None;
    // Chains were seen to begin at 1; 0 is as good a beginning.
    for index in [1, 0].into_iter().chain(fixture.blocks.iter().copied()) {
        if newest.is_none() || index > 1 {
            let found = blocks.read(index).await?;
            newest = newest.max(found.then_some(index));
        }
    }
    let Some(mut known) = newest else {
        return Ok(None);
    };
    loop {
        let Some(tip) = last_from(blocks, known).await? else {
            return Ok(Some(known));
        };
        known = tip;
        // Where a block is missing in the middle, the chain goes on behind it.
        let behind = known + 2;
        if !blocks.read(behind).await? {
            break;
        }
        known = behind;
    }
    blocks.material.tip = Some(known);
    let lowest = if known <= SHORT {
        1
    } else {
        known.saturating_sub(NEWEST)
    };
    let mut found = Found::default();
    for index in (lowest..=known).rev() {
        let read: usize = blocks
            .material
            .blocks
            .iter()
            .map(|(_, block)| block.body.len())
            .sum();
        if read > ENOUGH {
            break;
        }
        // Two neighbours are wanted in any case; the others only until there is a contract call.
        if known > SHORT && known - index > 1 && !found.assets.is_empty() {
            break;
        }
        if blocks.read(index).await?
            && let Some((_, exchange)) = blocks.material.blocks.iter().find(|(at, _)| *at == index)
            && let Ok(value) = exchange.json()
        {
            found.walk(value, 0);
        }
    }
    Ok(blocks.material.blocks.last().map(|(index, _)| *index))
}

/// The last index from `known` on, before one that has no block; none if there is no end to them.
async fn last_from(blocks: &mut Blocks<'_>, mut known: u64) -> Result<Option<u64>, Obstacle> {
    let mut step = known.max(1);
    let mut beyond = known + step;
    while blocks.read(beyond).await? {
        known = beyond;
        step *= 2;
        beyond = known + step;
        if beyond > BEYOND {
            return Ok(None);
        }
    }
    while beyond - known > 1 {
        let middle = known + (beyond - known) / 2;
        if blocks.read(middle).await? {
            known = middle;
        } else {
            beyond = middle;
        }
    }
    Ok(Some(known))
}

/// Collects what a document mentions, each thing once and in the order of its appearance.
#[derive(Default)]
struct Found {
    wallets: Vec<String>,
    /// How many of the wallets, from the front, were seen to sign: those are likely to hold things.
    signers: usize,
    tokens: Vec<String>,
    contracts: Vec<String>,
    assets: Vec<(String, String)>,
    seen: BTreeSet<String>,
}

impl Found {
    fn take(&mut self, fixture: &Fixture) {
        for wallet in &fixture.wallets {
            self.text(&wallet.to_string(), 0);
        }
        for token in &fixture.tokens {
            self.token(token);
        }
        for asset in &fixture.assets {
            let contract = asset.contract.to_string();
            self.text(&contract, 0);
            self.assets.push((contract, asset.asset_id.clone()));
        }
    }

    fn token(&mut self, code: &str) {
        if !code.is_empty() && code.len() <= 100 && self.seen.insert(format!("token {code}")) {
            self.tokens.push(code.to_owned());
        }
    }

    fn walk(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(members) => {
                self.claim(value);
                for (name, member) in members {
                    if let ("currency" | "token_code" | "asset_code", Value::String(code)) =
                        (name.as_str(), member)
                    {
                        self.token(code);
                    }
                    self.walk(member, depth + 1);
                    if name == "signers" {
                        self.prefer(member);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.walk(item, depth + 1)),
            Value::String(text) => self.text(text, depth),
            _ => {}
        }
    }

    /// Moves wallets to the front, behind those that are there already.
    fn prefer(&mut self, signers: &Value) {
        for signer in signers
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            let place = self.wallets.iter().position(|wallet| wallet == signer);
            if let Some(place) = place.filter(|place| *place >= self.signers) {
                self.wallets[self.signers..=place].rotate_right(1);
                self.signers += 1;
            }
        }
    }

    /// Type 3 specific data that records a claim.
    fn claim(&mut self, value: &Value) {
        let address = value.get("address").and_then(Value::as_str);
        let asset = value.pointer("/params/asset_id").and_then(Value::as_str);
        if let (Some(address), Some(asset)) = (address, asset)
            && address.parse::<ContractAddress>().is_ok()
            && asset.len() <= LONGEST_ASSET
            && self.seen.insert(format!("asset {address} {asset}"))
        {
            self.assets.push((address.to_owned(), asset.to_owned()));
        }
    }

    fn text(&mut self, text: &str, depth: usize) {
        if text.parse::<WalletAddress>().is_ok() {
            if self.wallets.len() < KEPT_WALLETS && self.seen.insert(text.to_owned()) {
                self.wallets.push(text.to_owned());
            }
        } else if text.parse::<ContractAddress>().is_ok() {
            if self.seen.insert(text.to_owned()) {
                self.contracts.push(text.to_owned());
            }
        } else if depth < 8
            && text.starts_with(['[', '{'])
            && let Ok(inner) = serde_json::from_str::<Value>(text)
        {
            self.walk(&inner, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn wallets_that_sign_come_first() {
        let wallet = |digit: &str| format!("0x{}", digit.repeat(40));
        let mut found = Found::default();
        found.walk(
            &json!({
                "creator": wallet("1"),
                "data": {"signers": [wallet("2"), wallet("3")]},
                "more": {"signers": [wallet("3"), wallet("1")]},
            }),
            0,
        );
        assert_eq!(found.wallets, [wallet("2"), wallet("3"), wallet("1")]);
    }

    #[test]
    fn finds_material_wherever_it_stands() {
        let wallet = "0x00112233445566778899aabbccddeeff00112233";
        let contract = "ct00112233445566778899aabbccddeeff00112233";
        let mut found = Found::default();
        found.walk(
            &json!({
                "committee": format!("[\"{wallet}\"]"),
                "text": {"transactions": [{"transaction": {"currency": "TKN", "specific_data":
                    {"address": contract, "params": {"asset_id": "a-1", "asset_code": "OTHER"}}}}]},
            }),
            0,
        );
        assert_eq!(found.wallets, [wallet]);
        assert_eq!(found.contracts, [contract]);
        assert_eq!(found.tokens, ["TKN", "OTHER"]);
        assert_eq!(found.assets, [(contract.to_owned(), "a-1".to_owned())]);
    }
}
