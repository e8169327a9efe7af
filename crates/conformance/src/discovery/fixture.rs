//! Values that a user knows about a node.

use nodeproof_primitives::{ContractAddress, WalletAddress};
use serde::Deserialize;

/// Values that a user knows about a node, and that a run cannot find or need not search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fixture {
    /// Indexes of blocks to read, in addition to those that are found.
    pub blocks: Vec<u64>,
    /// Wallets to use first.
    pub wallets: Vec<WalletAddress>,
    /// Token codes to use first.
    pub tokens: Vec<String>,
    /// Claims to read first.
    pub assets: Vec<Asset>,
    /// Verification contracts, with or without claims.
    pub contracts: Vec<ContractAddress>,
    /// Pairs of wallets with a trust score.
    pub trust: Vec<(WalletAddress, WalletAddress)>,
}

/// The location of a claim: a contract, and an asset that one of its records is about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asset {
    /// The verification contract.
    pub contract: ContractAddress,
    /// Identifier of the asset.
    pub asset_id: String,
}
