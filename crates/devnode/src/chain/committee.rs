//! The wallets that make blocks and vote on them.

use nodeproof_primitives::WalletAddress;
use nodeproof_wallet::KeyPair;

use crate::test_wallet::TestWallet;

/// How many members a committee has.
pub(crate) const MEMBERS: usize = 3;

/// One member, with the texts that stand in every block.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) keys: KeyPair,
    pub(crate) address: String,
    pub(crate) public_key: String,
}

/// The members, who take turns in making blocks and all vote on each.
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

    /// Whose turn it is to make the block at an index.
    pub(crate) const fn turn(index: u64) -> usize {
        // The remainder is below the number of members, so nothing is cut off.
        (index % MEMBERS as u64) as usize
    }

    /// The wallet that makes the block at an index.
    pub(crate) fn creator(&self, index: u64) -> WalletAddress {
        self.members[Self::turn(index)].keys.address()
    }
}
