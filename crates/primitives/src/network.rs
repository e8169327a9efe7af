//! The three networks and their ports.

use std::{fmt, str::FromStr};

#[cfg(feature = "schemars")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A network that a node belongs to.
///
/// Source: NODE-2 of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// The network for development, on port 8420.
    Devnet,
    /// The network for tests, on port 8421.
    Testnet,
    /// The network that carries value, on port 8456.
    Mainnet,
}

impl Network {
    /// All networks, in the order in which the specification lists them.
    pub const ALL: [Self; 3] = [Self::Devnet, Self::Testnet, Self::Mainnet];

    /// Returns the TCP port that a node of this network listens on.
    #[must_use]
    pub const fn port(self) -> u16 {
        match self {
            Self::Devnet => 8420,
            Self::Testnet => 8421,
            Self::Mainnet => 8456,
        }
    }

    /// Returns the network whose nodes listen on `port`, if there is one.
    ///
    /// ```
    /// use nodeproof_primitives::Network;
    ///
    /// let network: Network = "testnet".parse()?;
    /// assert_eq!(network.name(), "testnet");
    /// assert_eq!(Network::from_port(network.port()), Some(network));
    /// assert_eq!(Network::from_port(80), None);
    /// # Ok::<(), nodeproof_primitives::ParseNetworkError>(())
    /// ```
    #[must_use]
    pub fn from_port(port: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|network| network.port() == port)
    }

    /// Returns the network's name: `devnet`, `testnet` or `mainnet`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Devnet => "devnet",
            Self::Testnet => "testnet",
            Self::Mainnet => "mainnet",
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name is not that of a network. Give `devnet`, `testnet` or `mainnet`, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown network {0:?}: it is one of devnet, testnet, mainnet")]
pub struct ParseNetworkError(String);

impl FromStr for Network {
    type Err = ParseNetworkError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|network| network.name() == text)
            .ok_or_else(|| ParseNetworkError(text.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_those_of_the_specification() {
        assert_eq!(Network::ALL.map(Network::port), [8420, 8421, 8456]);
        assert_eq!(Network::from_port(8456), Some(Network::Mainnet));
        assert_eq!(Network::from_port(80), None);
    }

    #[test]
    fn rejects_an_unknown_name_and_says_which_there_are() {
        let error = "Devnet".parse::<Network>().unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown network \"Devnet\": it is one of devnet, testnet, mainnet"
        );
    }
}
