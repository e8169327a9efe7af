//! The claims in the blocks of a sweep, whose records are compared with them afterwards.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

use nodeproof_report::SweptRecords;
use serde::{Deserialize, Serialize};

use crate::{api::claims_in_block, http::Exchange};

/// Maximum number of assets whose claims are kept.
const MAX_ASSETS: usize = 1_000;
/// Maximum number of blocks with claims about one asset.
const MAX_BLOCKS: usize = 8;
/// Maximum length of an asset ID, in bytes.
const MAX_LENGTH: usize = 200;
/// Maximum number of assets that are kept from one block.
const MAX_IN_BLOCK: usize = 200;

/// A contract and an asset, as one text: a contract's address contains no blank.
pub(crate) type ClaimedAsset = String;

/// Returns the assets that a block has claims about: at most [`MAX_IN_BLOCK`], and the number of claims
/// about others.
pub(crate) fn claimed_assets(exchange: &Exchange) -> (Vec<ClaimedAsset>, u64) {
    let mut assets = Vec::new();
    let mut others = 0;
    for claim in exchange
        .success_object()
        .into_iter()
        .flat_map(claims_in_block)
    {
        let asset = format!("{} {}", claim.contract, claim.asset);
        if assets.contains(&asset) {
            continue;
        }
        if asset.len() <= MAX_LENGTH && assets.len() < MAX_IN_BLOCK {
            assets.push(asset);
        } else {
            others += 1;
        }
    }
    (assets, others)
}

/// The claims in the blocks of a sweep, in bounded memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SweptClaims {
    /// The blocks with claims about each asset.
    kept: BTreeMap<ClaimedAsset, Vec<u64>>,
    /// Number of claims that are not kept.
    others: u64,
}

impl SweptClaims {
    /// Adds the claims of a block.
    pub(crate) fn add(&mut self, block: u64, (assets, others): (Vec<ClaimedAsset>, u64)) {
        self.others += others;
        for asset in assets {
            let has_room = self.kept.len() < MAX_ASSETS;
            match self.kept.get_mut(&asset) {
                Some(blocks) if blocks.len() <= MAX_BLOCKS => blocks.push(block),
                None if has_room => {
                    self.kept.insert(asset, vec![block]);
                }
                _ => self.others += 1,
            }
        }
    }
}

/// An asset with the blocks that have claims about it.
pub(crate) struct SweptAsset {
    pub(crate) contract: String,
    pub(crate) asset: String,
    pub(crate) blocks: Vec<u64>,
}

/// The claims of a sweep that is done, and how many of their records were compared.
pub(crate) struct DoneSweep {
    claims: SweptClaims,
    /// The blocks that the sweep read.
    pub(crate) blocks: Range<u64>,
    compared: AtomicU64,
}

impl DoneSweep {
    pub(crate) const fn new(claims: SweptClaims, blocks: Range<u64>) -> Self {
        Self {
            claims,
            blocks,
            compared: AtomicU64::new(0),
        }
    }

    /// Returns the claimed assets. Those with too many claims are left out.
    pub(crate) fn assets(&self) -> Vec<SweptAsset> {
        let few = |(_, blocks): &(_, &Vec<u64>)| blocks.len() <= MAX_BLOCKS;
        let kept = self.claims.kept.iter().filter(few);
        kept.filter_map(|(key, blocks)| {
            let (contract, asset) = key.split_once(' ')?;
            Some(SweptAsset {
                contract: contract.to_owned(),
                asset: asset.to_owned(),
                blocks: blocks.clone(),
            })
        })
        .collect()
    }

    /// Returns the number of requests for the records, and for the blocks with the claims.
    pub(crate) fn requests(&self) -> u64 {
        let assets = self.assets();
        let requests: usize = assets.iter().map(|asset| 1 + asset.blocks.len()).sum();
        u64::try_from(requests).unwrap_or(u64::MAX)
    }

    /// Counts an asset whose record was compared.
    pub(crate) fn count_compared(&self) {
        self.compared.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how much was compared.
    pub(crate) fn report(&self) -> SweptRecords {
        let assets = self.claims.kept.len();
        SweptRecords {
            assets: u64::try_from(assets).unwrap_or(u64::MAX),
            compared: self.compared.load(Ordering::Relaxed),
            other_claims: self.claims.others,
        }
    }
}
