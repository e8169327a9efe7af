//! Values that would otherwise be random, derived from one number.

use nodeproof_primitives::ContractAddress;
use nodeproof_wallet::KeyPair;
use sha2::{Digest, Sha256};

/// The seed of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed(pub(crate) u64);

impl Seed {
    /// Returns 32 bytes for a name.
    pub(crate) fn bytes(self, name: &str) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(b"devnode test material, worth nothing\0");
        digest.update(self.0.to_be_bytes());
        digest.update(name);
        digest.finalize().into()
    }

    /// Returns a number below `bound` for a name.
    pub(crate) fn number(self, name: &str, bound: u64) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.bytes(name);
        u64::from_be_bytes([a, b, c, d, e, f, g, h]) % bound.max(1)
    }

    /// Returns a wallet for a name.
    pub(crate) fn wallet(self, name: &str) -> KeyPair {
        let mut bytes = self.bytes(name);
        // About 1 in 2^128 digests is not a valid key. The digest of that digest replaces it.
        loop {
            match KeyPair::from_bytes(&bytes) {
                Ok(wallet) => return wallet,
                Err(_) => bytes = Sha256::digest(bytes).into(),
            }
        }
    }

    /// Returns a contract address for a name.
    pub(crate) fn contract(self, name: &str) -> ContractAddress {
        let mut address = [0; 20];
        address.copy_from_slice(&self.bytes(name)[..20]);
        ContractAddress::from_bytes(address)
    }
}
