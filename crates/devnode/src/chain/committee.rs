//! The wallets that create blocks and vote on them.

use nodeproof_primitives::WalletAddress;
use nodeproof_wallet::KeyPair;

use crate::test_wallet::TestWallet;

/// Number of members of a committee.
pub(crate) const MEMBERS: usize = 3;

/// One member, with its texts in every block.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) keys: KeyPair,
    pub(crate) address: String,
    pub(crate) public_key: String,
}

/// The members. They take turns creating blocks, and all of them vote on each block.
#[derive(Debug)]
pub(crate) struct Committee {
    members: [Member; MEMBERS],
}

impl Committee {
    pub(crate) fn new(wallets: [&TestWallet; MEMBERS]) -> Self {
        Self {
            members: wallets.map(|wallet| Member {
                keys: wallet.keys().clone(),
                address: wallet.address().to_string(),
                public_key: wallet.keys().public_key().to_string(),
            }),
        }
    }

    pub(crate) const fn members(&self) -> &[Member; MEMBERS] {
        &self.members
    }

    /// Returns the position of the member that creates the block at an index.
    pub(crate) const fn turn(index: u64) -> usize {
        // The remainder is less than the number of members, so the cast loses nothing.
        (index % MEMBERS as u64) as usize
    }

    /// Returns the wallet that creates the block at an index.
    pub(crate) fn creator(&self, index: u64) -> WalletAddress {
        self.members[Self::turn(index)].keys.address()
    }
}
