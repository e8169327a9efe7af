//! The client. Its methods are in files with the names of the operations.

use crate::{BaseUrl, generated, transport::HookState};

/// A client for one node.
///
/// It is cheap to clone, and clones share their connections.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_client::{Client, Network};
///
/// let node = Client::for_network("localhost", Network::Devnet)?;
/// if let Some(block) = node.block(1_u64).await? {
///     println!("{}", block.timestamp);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    base: BaseUrl,
    generated: generated::Client,
}

impl Client {
    pub(crate) fn from_parts(base: BaseUrl, http: reqwest::Client, state: HookState) -> Self {
        let generated = generated::Client::new_with_client(base.as_str(), http, state);
        Self { base, generated }
    }

    /// Returns the node's address.
    ///
    /// ```
    /// let node = nodeproof_client::Client::new("http://localhost:8420")?;
    /// assert_eq!(node.base_url().as_str(), "http://localhost:8420");
    /// # Ok::<(), nodeproof_client::Error>(())
    /// ```
    #[must_use]
    pub fn base_url(&self) -> &BaseUrl {
        &self.base
    }

    #[doc(alias = "submit-transaction-batch")]
    /// Returns the generated client, which has a method for every operation of the description.
    ///
    /// It has the limits and connections of this client. See [`generated`](crate::generated).
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let response = node.generated().get_block(&1_u64.into()).await?;
    /// println!("{}", response.status());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn generated(&self) -> &generated::Client {
        &self.generated
    }
}
