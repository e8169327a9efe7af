//! Holders of a token.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{ContractAddress, ParseHexError, WalletAddress};

/// The holder of a token: a wallet (`0x…`) or a smart contract (`ct…`).
///
/// Observed on a real node: both wallets and contracts hold tokens. The specification does not
/// show a list of holders.
///
/// ```
/// use nodeproof_primitives::{ContractAddress, HolderAddress, contract_address};
///
/// const TREASURY: ContractAddress =
///     contract_address!("ct00000000000000000000000000000000000000a1");
///
/// let holder: HolderAddress = "ct00000000000000000000000000000000000000a1".parse()?;
/// assert_eq!(holder.contract(), Some(TREASURY));
/// assert_eq!(holder.wallet(), None);
/// # Ok::<(), nodeproof_primitives::ParseHexError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HolderAddress {
    /// A wallet.
    Wallet(WalletAddress),
    /// A smart contract.
    Contract(ContractAddress),
}

impl HolderAddress {
    /// Returns the wallet, if the holder is one.
    #[must_use]
    pub fn wallet(&self) -> Option<WalletAddress> {
        match self {
            Self::Wallet(address) => Some(*address),
            Self::Contract(_) => None,
        }
    }

    /// Returns the smart contract, if the holder is one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_read_and_write_as_they_are() {
        let digits = "00a1".repeat(10);
        for (text, is_wallet) in [
            (format!("0x{digits}"), true),
            (format!("ct{digits}"), false),
        ] {
            let holder: HolderAddress = text.parse().unwrap();
            assert_eq!(holder.to_string(), text);
            assert_eq!(holder.wallet().is_some(), is_wallet);
            assert_eq!(holder.contract().is_some(), !is_wallet);
            let json = serde_json::to_string(&holder).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(
                serde_json::from_str::<HolderAddress>(&json).unwrap(),
                holder
            );
        }
    }

    #[test]
    fn rejects_other_forms() {
        let digits = "00a1".repeat(10);
        for text in [
            digits.clone(),
            format!("ct{digits}0"),
            format!("CT{digits}"),
            String::new(),
        ] {
            text.parse::<HolderAddress>().unwrap_err();
        }
        serde_json::from_str::<HolderAddress>("7").unwrap_err();
    }
}
