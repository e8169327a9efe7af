//! The claims in the blocks of a sweep, whose records are compared with them afterwards.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

use nodeproof_report::SweptRecords;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{api::claims_in_block, http::Exchange};

/// Maximum number of assets whose claims are kept.
const MAX_ASSETS: usize = 1_000;
/// Maximum number of blocks with claims about one asset.
const MAX_BLOCKS: usize = 8;
/// Maximum length of an asset ID, in bytes.
const MAX_LENGTH: usize = 200;
/// A digest, a contract and an asset, as one text: a contract's address contains no blank.
///
/// The assets with the lowest digests are kept. So the choice does not depend on the order of the claims,
/// and all claims about an asset are kept, or none.
type ClaimedAsset = String;

/// The assets that a block has claims about, and the number of claims that are not kept.
pub(crate) type ClaimedAssets = (BTreeSet<ClaimedAsset>, u64);

/// Returns the assets that a block has claims about: at most [`MAX_ASSETS`], and the number of claims
/// about others.
pub(crate) fn claimed_assets(exchange: &Exchange) -> ClaimedAssets {
    let mut assets = BTreeSet::new();
    let mut others = 0;
    for claim in exchange
        .success_object()
        .into_iter()
        .flat_map(claims_in_block)
    {
        let asset = format!("{} {}", claim.contract, claim.asset);
        if asset.len() > MAX_LENGTH {
            others += 1;
        } else if assets.insert(with_digest(&asset)) && assets.len() > MAX_ASSETS {
            assets.pop_last();
            others += 1;
        }
    }
    (assets, others)
}

fn with_digest(asset: &str) -> ClaimedAsset {
    let digest = Sha256::digest(asset);
    let digest = digest
        .iter()
        .take(8)
        .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{digest:016x} {asset}")
}

/// The claims in the blocks of a sweep, in bounded memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SweptClaims {
    /// The blocks with claims about each asset, at most [`MAX_ASSETS`].
    kept: BTreeMap<ClaimedAsset, Vec<u64>>,
    /// Number of claims that are not kept.
    others: u64,
}

impl SweptClaims {
    /// Adds the claims of a block.
    pub(crate) fn add(&mut self, block: u64, (assets, others): ClaimedAssets) {
        let kept = assets.into_iter().map(|asset| (asset, vec![block]));
        self.append(Self {
            kept: kept.collect(),
            others,
        });
    }

    /// Adds the claims of later blocks.
    pub(crate) fn append(&mut self, later: Self) {
        self.others += later.others;
        for (asset, blocks) in later.kept {
            let known = self.kept.entry(asset).or_default();
            for block in blocks {
                if known.len() <= MAX_BLOCKS {
                    known.push(block);
                } else {
                    self.others += 1;
                }
            }
            if self.kept.len() > MAX_ASSETS
                && let Some((_, blocks)) = self.kept.pop_last()
            {
                self.others += u64::try_from(blocks.len()).unwrap_or(u64::MAX);
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
        let has_room = |(_, blocks): &(_, &Vec<u64>)| blocks.len() <= MAX_BLOCKS;
        let kept = self.claims.kept.iter().filter(has_room);
        let assets = kept.filter_map(|(key, blocks)| {
            let (_, asset) = key.split_once(' ')?;
            let (contract, asset) = asset.split_once(' ')?;
            Some(SweptAsset {
                contract: contract.to_owned(),
                asset: asset.to_owned(),
                blocks: blocks.clone(),
            })
        });
        let mut assets: Vec<_> = assets.collect();
        assets.sort_by(|one, other| {
            (&one.contract, &one.asset).cmp(&(&other.contract, &other.asset))
        });
        assets
    }

    /// Returns the number of requests for the records, twice, and for the blocks with the claims.
    pub(crate) fn requests(&self) -> u64 {
        let assets = self.assets();
        let requests: usize = assets.iter().map(|asset| 2 + asset.blocks.len()).sum();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the claims of a block: some assets are claimed in many blocks.
    fn of_block(block: u64) -> ClaimedAssets {
        let numbers = [block, block % 700, block / 5, block % 3];
        let assets = numbers.map(|number| with_digest(&format!("ct asset-{number}")));
        (
            assets.into_iter().collect(),
            u64::from(block.is_multiple_of(11)),
        )
    }

    fn of_blocks(blocks: Range<u64>) -> SweptClaims {
        let mut claims = SweptClaims::default();
        blocks.for_each(|block| claims.add(block, of_block(block)));
        claims
    }

    #[test]
    fn parts_of_a_chain_have_the_claims_of_the_whole_chain() {
        let whole = of_blocks(0..6_000);
        assert_eq!(whole.kept.len(), MAX_ASSETS);
        assert!(whole.others > 1_000);
        for seams in [[2_000, 4_000], [1, 5_999], [700, 702]] {
            let mut merged = of_blocks(0..seams[0]);
            merged.append(of_blocks(seams[0]..seams[1]));
            merged.append(of_blocks(seams[1]..6_000));
            assert_eq!(merged.kept, whole.kept, "{seams:?}");
            assert_eq!(merged.others, whole.others, "{seams:?}");
        }
    }

    #[test]
    fn all_claims_about_a_kept_asset_are_kept() {
        let claims = of_blocks(0..6_000);
        for (asset, blocks) in claims.kept.iter().step_by(50) {
            let made = (0..6_000).filter(|block| of_block(*block).0.contains(asset));
            let made: Vec<_> = made.take(MAX_BLOCKS + 1).collect();
            assert_eq!(*blocks, made, "{asset}");
        }
    }
}
