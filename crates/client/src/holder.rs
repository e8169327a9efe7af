//! Who holds a token.

use std::{fmt, str::FromStr};

use node_primitives::{ContractAddress, ParseHexError, WalletAddress};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Who holds a token: a wallet (`0x…`) or a contract (`ct…`).
///
/// Observed on a real node: contracts hold tokens as well as wallets do. The
/// contract shows no list of holders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HolderAddress {
    /// A wallet.
    Wallet(WalletAddress),
    /// A smart contract.
    Contract(ContractAddress),
}

impl HolderAddress {
    /// The wallet, if it is one.
    #[must_use]
    pub fn wallet(&self) -> Option<WalletAddress> {
        match self {
            Self::Wallet(address) => Some(*address),
            Self::Contract(_) => None,
        }
    }

    /// The contract, if it is one.
    #[must_use]
    pub fn contract(&self) -> Option<ContractAddress> {
        match self {
            Self::Contract(address) => Some(*address),
            Self::Wallet(_) => None,
        }
    }
}

impl FromStr for HolderAddress {
    type Err = ParseHexError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with("ct") {
            text.parse().map(Self::Contract)
        } else {
            text.parse().map(Self::Wallet)
        }
    }
}

impl From<WalletAddress> for HolderAddress {
    fn from(address: WalletAddress) -> Self {
        Self::Wallet(address)
    }
}

impl From<ContractAddress> for HolderAddress {
    fn from(address: ContractAddress) -> Self {
        Self::Contract(address)
    }
}

impl fmt::Display for HolderAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wallet(address) => address.fmt(f),
            Self::Contract(address) => address.fmt(f),
        }
    }
}

impl Serialize for HolderAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HolderAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl de::Visitor<'_> for Text {
            type Value = HolderAddress;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a wallet (0x…) or a contract (ct…)")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<HolderAddress, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}
