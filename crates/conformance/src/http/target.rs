//! The node under test.

use std::future::Future;

use nodeproof_client::{BaseUrl, InputError};
use nodeproof_primitives::Network;

use super::{access::Access, in_process::InProcess};

/// The node under test. A run has no other information about it.
#[derive(Clone, Debug)]
pub struct Target {
    /// The base URL of its API.
    pub base_url: BaseUrl,
    /// The network that it should belong to.
    pub network: Network,
    /// Its name in metrics and alerts.
    pub(crate) name: Option<String>,
    /// Its labels in metrics.
    pub(crate) labels: Vec<(String, String)>,
    /// What a gateway in front of it needs.
    pub(crate) access: Access,
    /// The node in this process that is called in place of the base URL.
    pub(super) in_process: Option<InProcess>,
}

impl Target {
    /// Parses a base URL. Without a port, the network's port is used.
    ///
    /// # Errors
    /// Returns an error if the text is not a base URL, or if its port belongs to another network.
    pub fn parse(base_url: &str, network: Network) -> Result<Self, InputError> {
        let base_url: BaseUrl = base_url.parse()?;
        Ok(Self::of(base_url.of_network(network)?, network))
    }

    fn of(base_url: BaseUrl, network: Network) -> Self {
        Self {
            base_url,
            network,
            name: None,
            labels: Vec::new(),
            access: Access::default(),
            in_process: None,
        }
    }

    /// Returns the name of a node without one: its base URL without the scheme.
    pub(crate) fn default_name(&self) -> String {
        let url = self.base_url.to_string();
        let name = url.split_once("://").map_or(&*url, |(_, name)| name);
        name.trim_end_matches('/').to_owned()
    }

    /// Returns the node of a record. Every request to it ends without a response, and opens no connection.
    pub(crate) fn recorded(base_url: BaseUrl, network: Network) -> Self {
        Self::of(base_url, network).in_process(|_| async { None })
    }

    /// Calls a node in this process in place of the base URL, without a connection. A node that is written
    /// in Rust can be checked so in its own unit tests. The limits of size and time are the same.
    ///
    /// `None` stands for a connection that is closed without a response.
    ///
    /// ```
    /// use nodeproof_conformance::Target;
    /// use nodeproof_primitives::Network;
    ///
    /// let target = Target::parse("http://in-process.example:8420", Network::Devnet)?;
    /// let target = target.in_process(|request| async move {
    ///     let found = request.uri().path() == "/docs";
    ///     let status = if found { 200 } else { 404 };
    ///     http::Response::builder().status(status).body(Vec::new()).ok()
    /// });
    /// # drop(target);
    /// # Ok::<(), nodeproof_client::InputError>(())
    /// ```
    #[must_use]
    pub fn in_process<F>(
        self,
        respond: impl Fn(http::Request<Vec<u8>>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Option<http::Response<Vec<u8>>>> + Send + 'static,
    {
        Self {
            in_process: Some(InProcess::new(respond)),
            ..self
        }
    }
}
