//! What a user knows of a node.

use nodeproof_primitives::{ContractAddress, WalletAddress};
use serde::Deserialize;

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
    /// Verification contracts, also those without a claim.
    pub contracts: Vec<ContractAddress>,
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
