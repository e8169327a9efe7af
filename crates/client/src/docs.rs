//! `GET /docs`.

use crate::{Client, Error, call::Operation};

const DOCS: Operation = Operation {
    id: "docs",
    response: "a page",
};

impl Client {
    /// Returns the HTML page with the interactive listing of the node's endpoints.
    ///
    /// # Errors
    /// If the request fails.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// let page = node.docs().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn docs(&self) -> Result<String, Error> {
        let call = self.begin(DOCS);
        call.page(call.client.docs().await).await
    }
}
