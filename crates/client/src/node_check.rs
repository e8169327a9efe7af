//! Recognising a node.

use nodeproof_primitives::WalletAddress;

use crate::{Client, Error, ErrorKind};

impl Client {
    /// Checks with one or two requests that the base URL is that of a node.
    ///
    /// A node is recognised by block 1, or else by a response to `/get-balances`.
    /// [`latest_block`](Self::latest_block) has the height.
    ///
    /// # Errors
    /// [`ErrorKind::NotANode`] if the server is not a node. Otherwise the error of the request, such
    /// as [`ErrorKind::Connect`].
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), nodeproof_client::Error> {
    /// let node = nodeproof_client::Client::new("http://localhost:8420")?;
    /// node.check_node().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn check_node(&self) -> Result<(), Error> {
        let first = self.block(1_u64).await;
        match self.or_not_a_node(first)? {
            Some(_) => Ok(()),
            None => self.check_without_blocks().await,
        }
    }

    /// Returns the index of the latest block, or `None` if the node has no block yet. Fails if the server is
    /// not a node.
    pub(crate) async fn height(&self) -> Result<Option<u64>, Error> {
        let latest = self.latest_indexed().await;
        match self.or_not_a_node(latest)? {
            Some((height, _)) => Ok(Some(height)),
            None => self.check_without_blocks().await.map(|()| None),
        }
    }

    /// Checks that a server without any block is a node.
    async fn check_without_blocks(&self) -> Result<(), Error> {
        let nobody = WalletAddress::from_bytes([0; 20]);
        match self.request_holdings(nobody).await {
            Ok(_) => Ok(()),
            // A node refuses this request with a message.
            Err(error) if error.is_absent() && !is_missing_endpoint(&error) => {
                match error.detail() {
                    Some(_) => Ok(()),
                    None => Err(self.not_a_node(error)),
                }
            }
            Err(error) => self.or_not_a_node(Err(error)),
        }
    }

    /// Turns an error that a node would not cause into [`ErrorKind::NotANode`].
    fn or_not_a_node<T>(&self, response: Result<T, Error>) -> Result<T, Error> {
        response.map_err(|error| {
            // A node refuses a request with JSON.
            let is_foreign = error.kind() == ErrorKind::Decode
                || is_missing_endpoint(&error)
                || error.is_refused_without_json()
                || error
                    .status()
                    .is_some_and(|status| !status.is_client_error() && !status.is_server_error());
            if is_foreign {
                self.not_a_node(error)
            } else {
                error
            }
        })
    }

    fn not_a_node(&self, error: Error) -> Error {
        let message = format!(
            "the server at {} is not a node: {}; check host, port and path",
            self.base_url(),
            error.reason()
        );
        error.into_kind(ErrorKind::NotANode, message)
    }
}

/// Returns whether the status means that the path does not exist, or not for this method.
fn is_missing_endpoint(error: &Error) -> bool {
    error
        .status()
        .is_some_and(|status| matches!(status.as_u16(), 404 | 405 | 410 | 501))
}
