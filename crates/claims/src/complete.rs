//! Making a claim with one function call.

use nodeproof_client::Client;
use nodeproof_primitives::Signer;

use crate::{
    claim::Claim, error::ClaimError, options::ClaimOptions, prepared::PreparedClaim,
    submitted::ClaimOutcome,
};

impl PreparedClaim {
    /// Takes all remaining steps: builds, signs and saves the transaction, or resumes the saved one;
    /// submits it; and waits for its record.
    ///
    /// # Errors
    /// The first error of a step. [`ClaimError::maybe_sent`] returns whether the transaction may have
    /// reached the node.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     claim: nodeproof_claims::Claim,
    /// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
    /// # ) -> Result<(), nodeproof_claims::ClaimError> {
    /// use nodeproof_claims::{ClaimOptions, PreparedClaim};
    ///
    /// let options = ClaimOptions::default().save_to("asset-7.claim.json");
    /// let signers = [wallet.wallet_address()];
    /// let prepared = PreparedClaim::prepare(&node, &claim, &signers, &options).await?;
    /// println!("documents: {:?}", prepared.params().doc_hash_list);
    /// let outcome = prepared.complete(&[wallet]).await?;
    /// println!("{}: {:?}", outcome.trans_code(), outcome.record());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn complete(&self, signers: &[&dyn Signer]) -> Result<ClaimOutcome, ClaimError> {
        // A saved transaction is already signed, but it is submitted to this node.
        self.check_networks(signers)?;
        let ready = match self.saved().await? {
            Some(saved) => self.resume(saved),
            None => {
                self.refuse_earlier().await?;
                let existing = self.existing_record().await?;
                let checked = self.build().await?;
                let signed = self.sign(&checked, signers, existing).await?;
                signed.save().await?
            }
        };
        ready.submit().await?.wait().await
    }
}

impl Claim {
    /// Makes the claim: hashes its documents, builds, checks, signs and saves its transaction,
    /// submits it, and waits until its record can be read.
    ///
    /// With the same claim and the same [file](ClaimOptions::save_to), a second call submits the same
    /// transaction again, wherever the first call ended.
    /// [`new_transaction`](ClaimOutcome::new_transaction) shows whether it had already arrived.
    ///
    /// You can drop the future at any time. Before the file is written, nothing was sent. After that,
    /// the claim can be resumed.
    ///
    /// # Errors
    /// The first error of a step. [`ClaimError::maybe_sent`] returns whether the transaction may have
    /// reached the node. It is not an error if the record can't be read before the wait is over: see
    /// [`ReadBack`](crate::ReadBack).
    pub async fn make(
        &self,
        client: &Client,
        signers: &[&dyn Signer],
        options: &ClaimOptions,
    ) -> Result<ClaimOutcome, ClaimError> {
        let wallets: Vec<_> = signers.iter().map(|one| one.wallet_address()).collect();
        let prepared = PreparedClaim::prepare(client, self, &wallets, options).await?;
        prepared.complete(signers).await
    }
}
