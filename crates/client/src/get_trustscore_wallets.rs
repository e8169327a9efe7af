//! `GET /get-trustscore-wallets`.

use nodeproof_primitives::WalletAddress;

use crate::{
    Client, Error, TrustScore,
    call::{Operation, none_if_absent},
};

const GET_TRUSTSCORE_WALLETS: Operation = Operation {
    id: "get_trustscore_wallets",
    response: "a trust score",
};

impl Client {
    #[doc(alias = "get-trustscore-wallets")]
    /// Returns the trust score from one wallet to another, or `None` if the node
    /// [has no score](Error::is_absent) for the pair.
    ///
    /// # Errors
    /// If the request fails in another way, or the response is not a success.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let from = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?;
    /// let to = "0xb21854c8df7c314b3778036b532c5438abfeff03".parse()?;
    /// match node.trust_score(from, to).await? {
    ///     Some(trust) => println!("{}", trust.trust_score),
    ///     None => println!("no trust score"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn trust_score(
        &self,
        from: WalletAddress,
        to: WalletAddress,
    ) -> Result<Option<TrustScore>, Error> {
        let call = self.begin(GET_TRUSTSCORE_WALLETS);
        // The generated method has its parameters in alphabetical order.
        let response = call.client.get_trustscore_wallets(&to, &from).await;
        let trust = none_if_absent(call.decoded(response).await)?;
        if let Some(trust) = &trust {
            call.check_status(Some(&trust.status), &trust.extra)?;
        }
        Ok(trust)
    }
}
