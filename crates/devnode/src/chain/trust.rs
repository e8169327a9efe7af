//! Trust scores between the chain's initial wallets.

use std::collections::HashMap;

use nodeproof_primitives::WalletAddress;

use crate::seed::Seed;

/// A score for each ordered pair of known wallets.
///
/// All scores are different. So a client notices a score of another pair, or of the reversed pair.
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

    /// Returns the trust score from one wallet to another, if both are known.
    pub(crate) fn score(&self, from: WalletAddress, to: WalletAddress) -> Option<u64> {
        let (from, to) = (self.places.get(&from)?, self.places.get(&to)?);
        let count = u64::try_from(self.places.len()).ok()?;
        Some(1 + (from * count + to) * self.step)
    }
}
