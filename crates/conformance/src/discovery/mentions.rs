//! Wallets, tokens, contracts and assets that documents mention, at any depth.

use std::collections::{BTreeMap, BTreeSet};

use nodeproof_primitives::{ContractAddress, WalletAddress};
use serde_json::{Map, Value};

use super::fixture::Fixture;
use crate::api::{inner_json, wallet_members};

/// Maximum length of an asset's identifier that fits into a URL for every server.
const MAX_ASSET_LENGTH: usize = 200;
/// Maximum number of wallets to keep. A run uses only a few.
const KEPT_WALLETS: usize = 64;

/// Maximum number of pairs of wallets of one kind, and of kinds.
const PAIRS_OF_A_KIND: usize = 3;
const KINDS_OF_PAIRS: usize = 4;

/// Collects what documents mention: each item once, in order of appearance.
#[derive(Default)]
pub(crate) struct Mentions {
    pub(crate) wallets: Vec<String>,
    /// Number of wallets at the front that were seen to sign. They are likely to hold tokens.
    signers: usize,
    pub(crate) tokens: Vec<String>,
    pub(crate) contracts: Vec<String>,
    pub(crate) assets: Vec<(String, String)>,
    /// Two wallets that one object in a block names, such as an update of their trust score.
    pub(crate) pairs: Vec<(String, String)>,
    /// The number of pairs by the names of their members.
    kinds_of_pairs: BTreeMap<String, usize>,
    seen: BTreeSet<String>,
}

impl Mentions {
    pub(crate) fn take(&mut self, fixture: &Fixture) {
        for wallet in &fixture.wallets {
            self.text(&wallet.to_string(), 0);
        }
        for token in &fixture.tokens {
            self.token(token);
        }
        for held in &fixture.balances {
            self.text(&held.wallet.to_string(), 0);
            self.token(&held.token);
        }
        for contract in &fixture.contracts {
            self.text(&contract.to_string(), 0);
        }
        for asset in &fixture.assets {
            let contract = asset.contract.to_string();
            self.text(&contract, 0);
            self.assets.push((contract, asset.asset_id.clone()));
        }
    }

    pub(crate) fn token(&mut self, code: &str) {
        if !code.is_empty() && code.len() <= 100 && self.seen.insert(format!("token {code}")) {
            self.tokens.push(code.to_owned());
        }
    }

    pub(crate) fn walk(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(members) => {
                self.claim(value);
                // A block itself names its creator and others.
                if depth > 0 {
                    self.pair(members);
                }
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

    /// Adds the first two wallets among the values of an object, unless there are enough of that kind.
    fn pair(&mut self, members: &Map<String, Value>) {
        let mut wallets = wallet_members(members);
        let (Some((name, one)), Some((other_name, other))) = (wallets.next(), wallets.next())
        else {
            return;
        };
        let kinds = self.kinds_of_pairs.len();
        let kind = format!("{name} {other_name}");
        if kinds < KINDS_OF_PAIRS || self.kinds_of_pairs.contains_key(&kind) {
            let count = self.kinds_of_pairs.entry(kind).or_default();
            let pair = format!("pair {one} {other}");
            if one != other && *count < PAIRS_OF_A_KIND && self.seen.insert(pair) {
                *count += 1;
                self.pairs.push((one.to_owned(), other.to_owned()));
            }
        }
    }

    /// Moves wallets to the front, behind those that were moved before.
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

    /// Adds a claim from the specific data of a contract call (type 3).
    fn claim(&mut self, value: &Value) {
        let address = value.get("address").and_then(Value::as_str);
        let asset = value.pointer("/params/asset_id").and_then(Value::as_str);
        if let (Some(address), Some(asset)) = (address, asset)
            && address.parse::<ContractAddress>().is_ok()
            && asset.len() <= MAX_ASSET_LENGTH
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
            && let Some(inner) = inner_json(text)
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
        let mut found = Mentions::default();
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
    fn two_wallets_of_one_object_are_a_pair() {
        let wallet = |digit: &str| format!("0x{}", digit.repeat(40));
        let mut found = Mentions::default();
        let of = |one, other| json!({"address1": wallet(one), "address2": wallet(other)});
        let block = json!({
            "creator_wallet": wallet("1"),
            "expected_miner": wallet("2"),
            "transactions": [of("3", "4"), of("3", "4"), of("4", "3"), of("5", "5"), {"to": wallet("6")}],
        });
        found.walk(&block, 0);
        let pairs = [("3", "4"), ("4", "3")].map(|(one, other)| (wallet(one), wallet(other)));
        assert_eq!(found.pairs, pairs);
    }

    #[test]
    fn finds_material_wherever_it_stands() {
        let wallet = "0x00112233445566778899aabbccddeeff00112233";
        let contract = "ct00112233445566778899aabbccddeeff00112233";
        let mut found = Mentions::default();
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
