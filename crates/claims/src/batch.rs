//! Making several claims.

use std::{
    collections::HashSet,
    path::Path,
    sync::{Mutex, PoisonError},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use nodeproof_client::{Client, ContractCall};
use nodeproof_primitives::{Signer, WalletAddress};
use serde::Serialize;

use crate::{
    claim::Claim, complete::ClaimOutcome, error::ClaimError, options::ClaimOptions,
    prepared::PreparedClaim, saved::claim_name,
};

impl PreparedClaim {
    /// Returns a name for the claim's file: `claim-`, 16 hexadecimal characters for the asset, `-`, 32 more, and `.json`.
    ///
    /// It is a digest of the contract call, the fee, and the network: that of the
    /// [options](ClaimOptions::network), or else that of the node's port. So the same claim has the same
    /// name in every run. Two different claims about one asset have different names, and in one folder the
    /// second is refused.
    ///
    /// ```no_run
    /// # use nodeproof_claims::{ClaimError, ClaimOutcome, PreparedClaim};
    /// # use nodeproof_client::Signer;
    /// # async fn example(prepared: PreparedClaim, wallet: &dyn Signer) -> Result<(), ClaimError> {
    /// let file = std::path::Path::new("claims").join(prepared.file_name()?);
    /// let outcome = prepared.complete(file, &[wallet]).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ClaimError::Input`] if the call can't be written as JSON.
    pub fn file_name(&self) -> Result<String, ClaimError> {
        #[derive(Serialize)]
        struct Identity<'c> {
            network: Option<&'c str>,
            call: &'c ContractCall,
            fee: &'c str,
            currency: &'c str,
        }
        let fee = &self.claim.fee;
        let text = serde_json::to_vec(&Identity {
            network: self.network().map(|network| network.name()),
            call: self.call(),
            fee: fee.amount().as_str(),
            currency: fee.currency(),
        })
        .map_err(|error| ClaimError::Input(error.to_string()))?;
        Ok(claim_name(&self.claim.asset_id, &text))
    }
}

impl Claim {
    /// Makes several claims, with up to `concurrency` at a time. Returns one result for each, in their
    /// order.
    ///
    /// A claim whose record does not come within the [wait](ClaimOptions::wait) makes room for the next one, so more of them can be
    /// pending.
    ///
    /// Each transaction is saved in its own [file](PreparedClaim::file_name) in `folder`, which has to
    /// exist. With the same folder, a second call submits the saved transactions again, wherever the first call ended. So each claim is paid for
    /// once, even if it is listed twice. With [`again`](ClaimOptions::again), each claim in the list is
    /// paid for once more. If a claim is listed twice then, one of its results is
    /// [`ClaimError::Input`], and nothing is sent for it.
    ///
    /// A folder is searched for earlier claims up to 10,000 files. In a folder with more of them, a claim
    /// without a file of its own ends with [`ClaimError::TooManyFiles`]. So use one folder for at most
    /// 10,000 claims.
    ///
    /// You can drop the future at any time, as for [`make`](Self::make).
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     claims: Vec<nodeproof_claims::Claim>,
    /// #     wallet: &dyn nodeproof_client::Signer,
    /// # ) {
    /// use nodeproof_claims::{Claim, ClaimOptions};
    ///
    /// let options = ClaimOptions::default();
    /// let results = Claim::make_all(&claims, &node, &[wallet], &options, "claims", 4).await;
    /// for (claim, result) in claims.iter().zip(results) {
    ///     match result {
    ///         Ok(outcome) => println!("{}: {}", claim.asset_id, outcome.trans_code()),
    ///         Err(error) if error.same_record().is_some() => println!("recorded already"),
    ///         Err(error) => eprintln!("{}: {error}", claim.asset_id),
    ///     }
    /// }
    /// # }
    /// ```
    pub async fn make_all(
        claims: &[Self],
        client: &Client,
        signers: &[&dyn Signer],
        options: &ClaimOptions,
        folder: impl AsRef<Path>,
        concurrency: usize,
    ) -> Vec<Result<ClaimOutcome, ClaimError>> {
        let wallets: Vec<_> = signers.iter().map(|one| one.wallet_address()).collect();
        let batch = Batch {
            folder: folder.as_ref(),
            client,
            signers,
            wallets: &wallets,
            options,
            names: Mutex::default(),
        };
        let mut waiting = claims.iter().enumerate();
        let mut in_flight = FuturesUnordered::new();
        let mut results = Vec::with_capacity(claims.len());
        loop {
            let free = concurrency.max(1).saturating_sub(in_flight.len());
            for (position, claim) in waiting.by_ref().take(free) {
                let made = batch.make(claim);
                in_flight.push(async move { (position, made.await) });
            }
            match in_flight.next().await {
                Some(result) => results.push(result),
                None => break,
            }
        }
        results.sort_by_key(|(position, _)| *position);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

/// What the claims of one call have in common.
struct Batch<'b> {
    folder: &'b Path,
    client: &'b Client,
    signers: &'b [&'b dyn Signer],
    wallets: &'b [WalletAddress],
    options: &'b ClaimOptions,
    /// The names of the files so far.
    names: Mutex<HashSet<String>>,
}

impl Batch<'_> {
    /// Makes a claim, saved in its own file in the folder.
    async fn make(&self, claim: &Claim) -> Result<ClaimOutcome, ClaimError> {
        let prepared =
            PreparedClaim::prepare(self.client, claim, self.wallets, self.options).await?;
        let name = prepared.file_name()?;
        let file = self.folder.join(&name);
        let is_new = self
            .names
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name);
        if self.options.again && !is_new {
            // Each would put the other's file aside before it is sent.
            let reason = "the claim is listed twice; with `again`, list it once in each call";
            return Err(ClaimError::Input(reason.to_owned()));
        }
        prepared.complete(file, self.signers).await
    }
}
