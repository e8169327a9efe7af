//! Trust scores between the wallets that a chain starts with.

use std::collections::HashMap;

use nodeproof_primitives::WalletAddress;

use crate::seed::Seed;

/// A score for each ordered pair of known wallets. No two pairs have the same one,
/// so that an answer about another pair, or about the reverse, can be told.
#[derive(Debug)]
pub(crate) struct TrustScores {
    places: HashMap<WalletAddress, u64>,
    step: u64,
}

impl TrustScores {
    pub(crate) fn new(seed: Seed, wallets: impl Iterator<Item = WalletAddress>) -> Self {
        Self {
            places: wallets.zip(0..).collect(),
            step: 1 + seed.number("trust", 97),
        }
    }

    /// How far one wallet trusts another, if both are known.
    pub(crate) fn score(&self, from: WalletAddress, to: WalletAddress) -> Option<u64> {
        let (from, to) = (self.places.get(&from)?, self.places.get(&to)?);
        let count = u64::try_from(self.places.len()).ok()?;
        Some(1 + (from * count + to) * self.step)
    }
}
