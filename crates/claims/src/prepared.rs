//! The first steps of a claim: hash the documents, look for earlier claims, build the transaction.

use std::{path::PathBuf, sync::Arc};

use nodeproof_client::{
    AddVerification, Client, ContractCall, VerificationRecord,
    contract_call::{CheckedTransaction, Clock, check_networks},
};
use nodeproof_primitives::{Hash256, Network, Signer, WalletAddress};

use crate::{
    blocking::blocking,
    claim::Claim,
    document::{Document, DocumentError},
    earlier::{self, EarlierClaims, Rival},
    error::ClaimError,
    options::{ClaimOptions, ClaimStep},
    read_back::{ReadBack, differences},
    record_search::search_once,
    saved::{SavedTransaction, TransactionState, claim_of},
};

/// A claim whose documents are hashed and whose contract call is complete.
///
/// Each step can be taken on its own, or all of them with [`complete`](Self::complete):
///
/// 1. [`prepare`](Self::prepare) hashes the documents. [`call`](Self::call) is the contract call.
/// 2. [`saved`](Self::saved) returns the transaction that an earlier run saved, and
///    [`resume`](Self::resume) continues with it.
/// 3. [`refuse_earlier`](Self::refuse_earlier) fails if another claim about the asset is saved.
///    [`existing_record`](Self::existing_record) fails if the node already has a record.
/// 4. [`build`](Self::build) has the node build the transaction and checks it. Show it with its
///    `Display` or its [`message`](CheckedTransaction::message).
/// 5. [`sign`](Self::sign) signs it, and [`SignedClaim::save`](crate::SignedClaim::save) saves it.
/// 6. [`ReadyClaim::submit`](crate::ReadyClaim::submit) submits it, and
///    [`SubmittedClaim::wait`](crate::SubmittedClaim::wait) waits for its record.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     claim: nodeproof_claims::Claim,
/// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_claims::{ClaimOptions, PreparedClaim};
///
/// let options = ClaimOptions::default().save_to("asset-7.claim.json");
/// let signers = [wallet.wallet_address()];
/// let prepared = PreparedClaim::prepare(&node, &claim, &signers, &options).await?;
/// let ready = match prepared.saved().await? {
///     Some(saved) => prepared.resume(saved),
///     None => {
///         prepared.refuse_earlier().await?;
///         let existing = prepared.existing_record().await?;
///         let checked = prepared.build().await?;
///         println!("{checked}");
///         prepared.sign(&checked, &[wallet], existing).await?.save().await?
///     }
/// };
/// println!("{}", ready.transaction().text());
/// let outcome = ready.submit().await?.wait().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct PreparedClaim {
    pub(crate) client: Client,
    pub(crate) options: ClaimOptions,
    pub(crate) claim: Claim,
    pub(crate) params: AddVerification,
    pub(crate) call: ContractCall,
    pub(crate) verifiers: Vec<WalletAddress>,
}

/// This verifier's record about the asset before anything was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExistingRecord {
    /// There is no record.
    None,
    /// The record states what is claimed.
    Same,
    /// The record states something else.
    Different,
}

impl PreparedClaim {
    /// Hashes the documents of a claim and completes its contract call.
    ///
    /// # Errors
    /// If the claim is invalid (checked before a document is read), or a document can't be read.
    pub async fn prepare(
        client: &Client,
        claim: &Claim,
        signers: &[WalletAddress],
        options: &ClaimOptions,
    ) -> Result<Self, ClaimError> {
        claim.call(signers, Vec::new())?;
        let hashes = hash_documents(&claim.documents, options).await?;
        let params = claim.params(signers, hashes.clone())?;
        let call = claim.call(signers, hashes)?;
        // Nodes were seen to store the first wallet that signs.
        let mut verifiers = vec![params.verifier_address];
        verifiers.extend(signers.first().filter(|first| **first != verifiers[0]));
        Ok(Self {
            client: client.clone(),
            options: options.clone(),
            claim: claim.clone(),
            params,
            call,
            verifiers,
        })
    }

    /// Sets the file in which the signed transaction is saved, if its name depends on the
    /// [call](Self::call).
    #[must_use]
    pub fn save_to(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.save_to = Some(path.into());
        self
    }

    /// Returns the contract call that makes the claim.
    #[must_use]
    pub fn call(&self) -> &ContractCall {
        &self.call
    }

    /// Returns the parameters of the call, with the hashes of the documents.
    #[must_use]
    pub fn params(&self) -> &AddVerification {
        &self.params
    }

    /// Reads the transaction that an earlier run saved. Returns `None` if there is no such file, no file
    /// is [set](ClaimOptions::save_to), or [`again`](ClaimOptions::again) is set.
    ///
    /// # Errors
    /// [`ClaimError::Saved`] if the file can't be read, is damaged, or is of another claim. Also if it
    /// was saved for another node, unless [`any_node`](ClaimOptions::any_node) is set and that node's
    /// port is not of another network.
    pub async fn saved(&self) -> Result<Option<SavedTransaction>, ClaimError> {
        match &self.options.save_to {
            Some(path) if !self.options.again => self.saved_at(path.clone()).await,
            _ => Ok(None),
        }
    }

    /// Reads a saved transaction of this claim, even if [`again`](ClaimOptions::again) is set.
    pub(crate) async fn saved_at(
        &self,
        path: PathBuf,
    ) -> Result<Option<SavedTransaction>, ClaimError> {
        let Some(saved) = blocking(move || SavedTransaction::open(&path)).await? else {
            return Ok(None);
        };
        saved.check_same(&self.call, &self.claim.fee)?;
        if let Err(error) = saved.check_node(self.client.base_url()) {
            let networks = self.networks();
            saved.check_network(networks.into_iter().flatten())?;
            if !self.options.any_node {
                return Err(error.into());
            }
        }
        Ok(Some(saved))
    }

    /// Fails if another claim about the same asset by the same verifier is saved, whatever its state. It
    /// searches the folder of the claim's own file and the [other
    /// folders](ClaimOptions::search_folder).
    ///
    /// [`SignedClaim::save`](crate::SignedClaim::save) checks this again, with the folders locked.
    ///
    /// # Errors
    /// Unless [`again`](ClaimOptions::again) is set, [`ClaimError::EarlierClaim`]. If a node has shown
    /// the earlier claim's record, the node is requested to show it again: then it is
    /// [`ClaimError::AlreadyRecorded`], or [`ClaimError::Contradiction`] if the node shows something
    /// else.
    pub async fn refuse_earlier(&self) -> Result<(), ClaimError> {
        if self.options.again {
            return Ok(());
        }
        let (earlier, options) = (self.earlier_claims(), self.options.clone());
        let found = blocking(move || {
            earlier.find(|reason| options.report(&ClaimStep::NotSearched { reason }))
        })
        .await?;
        match found.rivals.as_slice() {
            [] => Ok(()),
            [rival, others @ ..] if rival.saved.state() == TransactionState::Recorded => {
                Err(self.recorded_earlier(rival, others).await?)
            }
            [rival, others @ ..] => Err(rival.error(others)),
        }
    }

    /// Returns the reason not to sign, after a node has shown the record of an earlier claim.
    async fn recorded_earlier(
        &self,
        rival: &Rival,
        others: &[Rival],
    ) -> Result<ClaimError, ClaimError> {
        let Some(recorded) = claim_of(rival.saved.call()) else {
            return Ok(rival.error(others));
        };
        let contract = self.claim.contract;
        let seen = search_once(&self.client, contract, &recorded, &self.verifiers).await?;
        Ok(match seen.contradiction() {
            Some(shown) => ClaimError::Contradiction {
                path: rival.saved.path().to_owned(),
                trans_code: rival.saved.trans_code(),
                shown,
            },
            None => match seen {
                ReadBack::Recorded(record) if !self.options.allow_existing_record => {
                    self.already_recorded(record)
                }
                _ => rival.error(others),
            },
        })
    }

    fn already_recorded(&self, record: VerificationRecord) -> ClaimError {
        ClaimError::AlreadyRecorded {
            differences: differences(&record, self.claim.contract, &self.params),
            record: Box::new(record),
        }
    }

    /// Returns the network of the node, if it is known.
    pub(crate) fn network(&self) -> Option<Network> {
        let [stated, of_port] = self.networks();
        stated.or(of_port)
    }

    /// Returns the network of the options and that of the node's port.
    fn networks(&self) -> [Option<Network>; 2] {
        let port = self.client.base_url().port();
        [self.options.network, Network::from_port(port)]
    }

    /// Fails if a signer is bound to another network than either of them.
    pub(crate) fn check_networks(&self, signers: &[&dyn Signer]) -> Result<(), ClaimError> {
        for network in self.networks() {
            check_networks(signers, network)?;
        }
        Ok(())
    }

    pub(crate) fn earlier_claims(&self) -> EarlierClaims {
        let own = self.options.save_to.clone();
        EarlierClaims {
            folders: earlier::folders(own.as_deref(), &self.options.search_folders),
            own,
            network: self.network(),
            contract: self.claim.contract,
            asset_id: self.claim.asset_id.clone(),
            verifiers: self.verifiers.clone(),
        }
    }

    /// Checks whether this verifier already has a record about the asset.
    ///
    /// # Errors
    /// [`ClaimError::AlreadyRecorded`] if there is one and
    /// [`allow_existing_record`](ClaimOptions::allow_existing_record) is not set. [`ClaimError::Network`]
    /// if the request fails.
    pub async fn existing_record(&self) -> Result<ExistingRecord, ClaimError> {
        let seen = search_once(
            &self.client,
            self.claim.contract,
            &self.params,
            &self.verifiers,
        );
        match seen.await? {
            ReadBack::Recorded(_) if self.options.allow_existing_record => Ok(ExistingRecord::Same),
            ReadBack::Differs { .. } if self.options.allow_existing_record => {
                Ok(ExistingRecord::Different)
            }
            ReadBack::Recorded(record)
            | ReadBack::Before(record)
            | ReadBack::Differs { record, .. } => Err(self.already_recorded(record)),
            ReadBack::OtherVerifiers(_) | ReadBack::Nothing => Ok(ExistingRecord::None),
        }
    }

    /// Has the node build the transaction, and checks that it matches this claim.
    ///
    /// # Errors
    /// [`ClaimError::Network`] if the request fails, and [`ClaimError::BuiltCallMismatch`] if the
    /// node built something else.
    pub async fn build(&self) -> Result<CheckedTransaction, ClaimError> {
        let fee = &self.claim.fee;
        let clock = if self.options.node_time {
            Clock::LocalOrNode
        } else {
            Clock::Local
        };
        let built = self.client.build_checked_call(&self.call, fee, clock);
        let checked = built.await.map_err(|error| match error.into_mismatch() {
            Ok(mismatch) => ClaimError::BuiltCallMismatch(mismatch),
            Err(error) => ClaimError::Network(error),
        })?;
        self.options.report(&ClaimStep::Built {
            transaction: &checked,
        });
        Ok(checked)
    }
}

async fn hash_documents(
    documents: &[Document],
    options: &ClaimOptions,
) -> Result<Vec<Hash256>, ClaimError> {
    let count = documents.len();
    let mut hashes = Vec::with_capacity(count);
    for (index, document) in documents.iter().enumerate() {
        if let Document::Hash(hash) = document {
            hashes.push(*hash);
            continue;
        }
        let (document, options) = (document.clone(), options.clone());
        // Dropping the future does not stop the thread. The thread stops when the token is dropped.
        let token = Arc::new(());
        let watched = Arc::downgrade(&token);
        let hash: Result<Hash256, DocumentError> = blocking(move || {
            document.hash_while(|progress| {
                options.report(&ClaimStep::Hashing {
                    document: &document,
                    index,
                    count,
                    progress,
                });
                watched.strong_count() > 0
            })
        })
        .await;
        drop(token);
        hashes.push(hash?);
    }
    Ok(hashes)
}
