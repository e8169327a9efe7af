//! Which node is checked.

use nodeproof_client::BaseUrl;
use nodeproof_primitives::Network;

/// The node under test. This is all that a run knows of it.
#[derive(Clone, Debug)]
pub struct Target {
    /// Where it answers.
    pub base_url: BaseUrl,
    /// The network that it should belong to.
    pub network: Network,
}

/// Why a base URL and a network do not name a target.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The text is not a base URL.
    #[error(transparent)]
    BaseUrl(#[from] nodeproof_client::BaseUrlError),
    /// The URL's port is the port of another network.
    #[error(
        "port {port} is where nodes of {of_port} listen, but the network given is {given} (port \
         {wanted}): give --network {of_port}, or the URL of a node of {given}"
    )]
    PortOfAnotherNetwork {
        /// The port in the URL.
        port: u16,
        /// The network that it belongs to.
        of_port: Network,
        /// The network that was given.
        given: Network,
        /// That network's port.
        wanted: u16,
    },
}

impl Target {
    /// Takes a base URL as typed, and fills in the network's port where it has none.
    ///
    /// # Errors
    /// When the text is not a base URL, or its port is that of another network.
    pub fn parse(base_url: &str, network: Network) -> Result<Self, TargetError> {
        let base_url: BaseUrl = base_url.parse()?;
        let base_url = base_url.with_network_port(network);
        if let Some(of_port) = Network::from_port(base_url.port())
            && of_port != network
        {
            return Err(TargetError::PortOfAnotherNetwork {
                port: of_port.port(),
                of_port,
                given: network,
                wanted: network.port(),
            });
        }
        Ok(Self { base_url, network })
    }
}
