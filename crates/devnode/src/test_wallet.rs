//! The wallets that a node starts with, whose keys everybody may know.

use nodeproof_primitives::WalletAddress;
use nodeproof_wallet::KeyPair;

use crate::seed::Seed;

/// A wallet with a public private key, for tests and development.
///
/// Never send anything of worth to its address: whoever knows the seed has its key.
#[derive(Clone, Debug)]
pub struct TestWallet {
    name: &'static str,
    keys: KeyPair,
}

impl TestWallet {
    pub(crate) fn new(seed: Seed, name: &'static str) -> Self {
        Self {
            name,
            keys: seed.wallet(name),
        }
    }

    /// What the wallet is called in the node's greeting, such as `alice` or `validator-1`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The wallet's address.
    #[must_use]
    pub const fn address(&self) -> WalletAddress {
        self.keys.address()
    }

    /// The wallet's keys.
    #[must_use]
    pub const fn keys(&self) -> &KeyPair {
        &self.keys
    }
}
