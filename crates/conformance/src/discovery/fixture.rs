//! Values that a user knows about a node.

use nodeproof_primitives::{ContractAddress, Hash256, Integer, WalletAddress};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Values that a user knows about a node, and that a run cannot find or need not search.
///
/// An entry can state values that the node has to return. If it returns others, the case
/// `fixture/values` fails.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fixture {
    /// Blocks to read, in addition to those that are found.
    pub blocks: Vec<KnownBlock>,
    /// Wallets to use first.
    pub wallets: Vec<WalletAddress>,
    /// Token codes to use first.
    pub tokens: Vec<String>,
    /// Balances to request first.
    pub balances: Vec<Balance>,
    /// Claims to read first.
    pub assets: Vec<Asset>,
    /// Verification contracts, with or without claims.
    pub contracts: Vec<ContractAddress>,
    /// Pairs of wallets with a trust score.
    pub trust: Vec<Trust>,
}

/// A block: its index, or an object with the index and values that the block has.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "a block is its index, or an object with `index` and, optionally, `hash` and `members`"
)]
pub enum KnownBlock {
    /// Its index.
    Index(u64),
    /// Its index and values.
    Values(BlockValues),
}

/// Values of a block.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BlockValues {
    /// Its index.
    pub index: u64,
    /// Its hash, which the next block has as `previous_hash`.
    #[serde(default)]
    pub hash: Option<Hash256>,
    /// Members of the response, by name.
    #[serde(default)]
    pub members: Map<String, Value>,
}

/// A wallet and a token, with or without the balance.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    /// The wallet.
    pub wallet: WalletAddress,
    /// The token's code.
    pub token: String,
    /// The balance, in the token's smallest unit.
    #[serde(default)]
    pub balance: Option<Integer>,
}

/// A claim: a contract, and an asset that one of its records is about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Asset {
    /// The verification contract.
    pub contract: ContractAddress,
    /// Identifier of the asset.
    pub asset_id: String,
    /// Fields of a record about the asset, by name, such as `outcome`.
    #[serde(default)]
    pub record: Map<String, Value>,
}

/// Two wallets: a pair of source and destination, or an object with the score.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "an entry of `trust` is a pair of addresses, source and destination, or an object with `source`, `destination` and `trust_score`"
)]
pub enum Trust {
    /// Source and destination.
    Pair(WalletAddress, WalletAddress),
    /// Source, destination and score.
    Score(TrustValue),
}

/// A trust score.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TrustValue {
    /// The wallet that trusts.
    pub source: WalletAddress,
    /// The wallet that is trusted.
    pub destination: WalletAddress,
    /// The score.
    pub trust_score: i64,
}

impl Fixture {
    /// Adds the entries of another fixture.
    #[must_use]
    pub(crate) fn with(mut self, mut other: Self) -> Self {
        self.blocks.append(&mut other.blocks);
        self.wallets.append(&mut other.wallets);
        self.tokens.append(&mut other.tokens);
        self.balances.append(&mut other.balances);
        self.assets.append(&mut other.assets);
        self.contracts.append(&mut other.contracts);
        self.trust.append(&mut other.trust);
        self
    }
}

impl KnownBlock {
    /// Returns the block's index.
    pub(crate) const fn index(&self) -> u64 {
        match self {
            Self::Index(index) => *index,
            Self::Values(values) => values.index,
        }
    }
}

impl Trust {
    /// Returns source and destination.
    pub(crate) const fn pair(&self) -> (&WalletAddress, &WalletAddress) {
        match self {
            Self::Pair(source, destination) => (source, destination),
            Self::Score(score) => (&score.source, &score.destination),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_values_or_none() {
        let wallet = format!("0x{}", "5a".repeat(20));
        let text = format!(
            r#"{{"blocks": [7, {{"index": 8, "members": {{"proof": 42}}}}],
                "balances": [{{"wallet": "{wallet}", "token": "DEVN", "balance": 18446744073709551616}}],
                "trust": [["{wallet}", "{wallet}"],
                    {{"source": "{wallet}", "destination": "{wallet}", "trust_score": -1}}]}}"#
        );
        let fixture: Fixture = serde_json::from_str(&text).unwrap();
        let indexes: Vec<_> = fixture.blocks.iter().map(KnownBlock::index).collect();
        assert_eq!(indexes, [7, 8]);
        let balance = fixture.balances[0].balance.as_ref().unwrap();
        assert_eq!(balance.to_string(), "18446744073709551616");
        assert_eq!(fixture.trust.len(), 2);
    }

    #[test]
    fn a_wrong_entry_says_what_would_be_right() {
        for (text, expected) in [
            (r#"{"blocks": ["7"]}"#, "a block is its index"),
            (
                r#"{"blocks": [{"index": 7, "hsh": 1}]}"#,
                "a block is its index",
            ),
            (r#"{"trust": [[]]}"#, "source and destination"),
            (r#"{"balances": [{"wallet": 7}]}"#, "0x followed by 40"),
        ] {
            let error = serde_json::from_str::<Fixture>(text)
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
