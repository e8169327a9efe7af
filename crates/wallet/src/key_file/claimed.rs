//! The address, the public key and the network that a key file states next to its private key.

use nodeproof_primitives::{Network, WalletAddress};

use super::fault::KeyFileFault;
use crate::{hex, private_key::KeyPair, public_key::PublicKey};

/// The data that a key file states about its wallet next to the private key.
pub(super) struct Claimed {
    pub(super) address: Option<WalletAddress>,
    pub(super) public: Option<PublicKey>,
    pub(super) network: Option<Network>,
}

impl Claimed {
    /// Parses the texts of a key file. They may be in upper or lower case. The keys may have a prefix.
    pub(super) fn parse(
        address: Option<&str>,
        public: Option<&str>,
        network: Option<&str>,
    ) -> Result<Self, KeyFileFault> {
        let invalid = |text: &str| KeyFileFault::Invalid(text.to_owned());
        let address = address.map(|text| text.trim().to_ascii_lowercase().parse());
        let public = public.map(|text| hex::without_prefix(text.trim()).parse());
        let network = network.map(|text| text.trim().parse());
        let (address, public): (Option<WalletAddress>, Option<PublicKey>) = (
            address
                .transpose()
                .map_err(|_| invalid("has a malformed address"))?,
            public
                .transpose()
                .map_err(|_| invalid("has a malformed public key"))?,
        );
        if let (Some(address), Some(public)) = (address, public)
            && address != public.address()
        {
            return Err(KeyFileFault::Mismatch {
                part: "an address",
                other: "public key",
            });
        }
        Ok(Self {
            address: address.or(public.map(|public| public.address())),
            public,
            network: network.transpose().map_err(|_| {
                invalid("records an unknown network: it is one of devnet, testnet, mainnet")
            })?,
        })
    }

    /// Checks that the address and the public key belong to this wallet.
    pub(super) fn check(&self, wallet: &KeyPair) -> Result<(), KeyFileFault> {
        // A public key has one address, and the two were compared.
        match self.address {
            Some(address) if address != wallet.address() => Err(KeyFileFault::Mismatch {
                part: "a private key",
                other: "address",
            }),
            _ => Ok(()),
        }
    }
}
