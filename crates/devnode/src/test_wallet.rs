//! The initial wallets of a node. Their keys are public.

use nodeproof_primitives::WalletAddress;
use nodeproof_wallet::KeyPair;

use crate::seed::Seed;

/// A wallet for tests and development. Its private key is public.
///
/// Never send anything valuable to its address: anyone can derive its key from the seed.
///
/// ```
/// use nodeproof_devnode::{Config, Node};
/// use nodeproof_wallet::{sign_transaction, verify_transaction};
///
/// let node = Node::new(&Config::for_tests());
/// let alice = node.wallet("alice").ok_or("the node has no such wallet")?;
/// let transaction = format!(r#"{{"specific_data":{{"signers":["{}"]}}}}"#, alice.address());
/// let entry = sign_transaction(alice.keys(), &transaction)?;
/// verify_transaction(&transaction, &[entry])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    /// Returns the wallet's name in the node's greeting, such as `alice` or `validator-1`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the wallet's address.
    #[must_use]
    pub const fn address(&self) -> WalletAddress {
        self.keys.address()
    }

    /// Returns the wallet's keys.
    #[must_use]
    pub const fn keys(&self) -> &KeyPair {
        &self.keys
    }
}
