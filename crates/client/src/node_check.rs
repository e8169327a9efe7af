//! Recognising a node.

use nodeproof_primitives::WalletAddress;

use crate::{Client, Error, ErrorKind};

/// The maximum number of searches for the latest block, if it is not there afterwards.
const SEARCHES: u32 = 3;

impl Client {
    /// Checks that the base URL is that of a node. Returns the index of its latest block, or `None` if
    /// it has no block yet.
    ///
    /// A node is recognised by a block that has the requested index. Without any block, it is
    /// recognised by a response to `/get-balances`. The contract has no request for the height, so
    /// this sends as many requests as [`latest_block`](Self::latest_block), and one or two more.
    ///
    /// # Errors
    /// [`ErrorKind::NotANode`] if the server is not a node. Otherwise the error of the request, such
    /// as [`ErrorKind::Connect`].
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), nodeproof_client::Error> {
    /// let node = nodeproof_client::Client::new("http://localhost:8420")?;
    /// match node.check_node().await? {
    ///     Some(height) => println!("a node with {height} blocks"),
    ///     None => println!("a node without blocks"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn check_node(&self) -> Result<Option<u64>, Error> {
        for _ in 0..SEARCHES {
            let height = self.latest_block().await;
            let Some(height) = self.or_not_a_node(height)? else {
                return self.check_without_blocks().await.map(|()| None);
            };
            let latest = self.block(height).await;
            match self
                .or_not_a_node(latest)?
                .map(|block| block.index().map(|_| ()))
            {
                Some(Ok(())) => return Ok(Some(height)),
                Some(Err(fault)) => return Err(self.not_a_node(&fault.to_string())),
                // One of several nodes behind the URL can be some blocks behind.
                None => {}
            }
        }
        Err(self.not_a_node("it has a block only at times"))
    }

    /// Checks that a server without any block is a node.
    async fn check_without_blocks(&self) -> Result<(), Error> {
        let nobody = WalletAddress::from_bytes([0; 20]);
        match self.balances_or_error(nobody).await {
            Ok(_) => Ok(()),
            // A node refuses this request with a message.
            Err(error) if error.is_absent() && !is_missing_endpoint(&error) => {
                match error.detail() {
                    Some(_) => Ok(()),
                    None => Err(self.not_a_node(error.reason()).caused_by(error)),
                }
            }
            Err(error) => self.or_not_a_node(Err(error)),
        }
    }

    /// Turns an error that a node would not cause into [`ErrorKind::NotANode`].
    fn or_not_a_node<T>(&self, response: Result<T, Error>) -> Result<T, Error> {
        response.map_err(|error| {
            let is_foreign = error.is_decode()
                || is_missing_endpoint(&error)
                || error
                    .status()
                    .is_some_and(|status| !status.is_client_error() && !status.is_server_error());
            if is_foreign {
                self.not_a_node(error.reason()).caused_by(error)
            } else {
                error
            }
        })
    }

    fn not_a_node(&self, reason: &str) -> Error {
        let message = format!(
            "the server at {} is not a node: {reason}; check host, port and path",
            self.base_url()
        );
        Error::from_kind(ErrorKind::NotANode, message)
    }
}

/// Returns whether the status means that the path does not exist, or not for this method.
fn is_missing_endpoint(error: &Error) -> bool {
    error
        .status()
        .is_some_and(|status| matches!(status.as_u16(), 404 | 405 | 410 | 501))
}
