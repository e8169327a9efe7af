//! The address, the public key and the network that a key file states next to its private key.

use nodeproof_primitives::{Network, WalletAddress};

use super::fault::KeyFileFault;
use crate::{hex, private_key::KeyPair, public_key::PublicKey};

/// The data that a key file states about its wallet next to the private key.
#[derive(Default)]
pub(super) struct Claimed {
    pub(super) address: Option<WalletAddress>,
    pub(super) public: Option<PublicKey>,
    pub(super) network: Option<Network>,
}

impl Claimed {
    /// Checks that the address and the public key belong to this wallet.
    pub(super) fn check(&self, wallet: &KeyPair) -> Result<(), KeyFileFault> {
        if self
            .address
            .is_some_and(|address| address != wallet.address())
        {
            return Err(KeyFileFault::Mismatch { other: "address" });
        }
        if self.public.is_some_and(|key| key != *wallet.public_key()) {
            return Err(KeyFileFault::Mismatch {
                other: "public key",
            });
        }
        Ok(())
    }
}

/// Parses an address in upper or lower case. Some tools mix both as a checksum.
pub(super) fn address(text: &str) -> Result<WalletAddress, KeyFileFault> {
    text.trim()
        .to_ascii_lowercase()
        .parse()
        .map_err(|_| KeyFileFault::Malformed { what: "an address" })
}

/// Parses a public key, with or without `0x`.
pub(super) fn public_key(text: &str) -> Result<PublicKey, KeyFileFault> {
    hex::without_prefix(text.trim())
        .parse()
        .map_err(|_| KeyFileFault::Malformed {
            what: "a public key",
        })
}

/// Parses the name of a network.
pub(super) fn network(text: &str) -> Result<Network, KeyFileFault> {
    text.trim()
        .parse()
        .map_err(|_| KeyFileFault::UnknownNetwork)
}
