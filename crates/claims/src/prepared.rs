//! The first steps of a claim: hash the documents, look for earlier claims, build the transaction.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use nodeproof_client::{
    AddVerification, CheckedTransaction, Client, ContractCall, Error, VerificationRecord,
};
use nodeproof_primitives::{Hash256, Network, WalletAddress};

use crate::{
    blocking::blocking,
    call_error::SavedCallError,
    claim::Claim,
    document::{Document, DocumentError},
    earlier::{EarlierClaims, Rival, earlier_claim, unread_claim},
    error::ClaimError,
    options::{ClaimOptions, ClaimStep},
    read_back::{ReadBack, differences},
    record_search::search_once,
    saved::{SavedTransaction, TransactionState, claim_of},
    saved_call::SavedCall,
};

/// A claim whose documents are hashed and whose contract call is complete.
///
/// Use it to show a claim before it is signed. [`complete`](Self::complete) makes it.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     claim: nodeproof_claims::Claim,
/// #     wallet: &dyn nodeproof_client::Signer,
/// # ) -> Result<(), nodeproof_claims::ClaimError> {
/// use nodeproof_claims::{ClaimOptions, PreparedClaim};
/// use std::path::Path;
///
/// let (file, options) = (Path::new("asset-7.claim.json"), ClaimOptions::default());
/// let signers = [wallet.wallet_address()];
/// let prepared = PreparedClaim::prepare(&node, &claim, &signers, &options).await?;
/// println!("documents: {:?}", prepared.params().doc_hash_list);
/// match prepared.saved(file).await? {
///     Some(saved) => println!("to be submitted again: {}", saved.signed().text()),
///     None => println!("to be signed: {}", prepared.build().await?),
/// }
/// let outcome = prepared.complete(file, &[wallet]).await?;
/// println!("{}: {:?}", outcome.trans_code(), outcome.record());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct PreparedClaim {
    pub(crate) client: Client,
    pub(crate) options: ClaimOptions,
    pub(crate) claim: Claim,
    params: AddVerification,
    call: ContractCall,
    /// The wallets that a node may store as the verifier.
    verifiers: Vec<WalletAddress>,
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

    /// Reads the transaction that an earlier run saved. Returns `None` if there is no such file, or
    /// [`again`](ClaimOptions::again) is set.
    ///
    /// # Errors
    /// If the file can't be read, is damaged, or is of another claim. Also if it was saved for another
    /// node, unless [`any_node`](ClaimOptions::any_node) is set and that node's port is not of another
    /// network.
    pub async fn saved(&self, file: &Path) -> Result<Option<SavedTransaction>, ClaimError> {
        if self.options.again {
            return Ok(None);
        }
        let call = self.saved_call(file.to_owned());
        Ok(call
            .saved(&self.client)
            .await
            .map_err(SavedCallError::from)?)
    }

    /// Has the node build the transaction, and checks that it matches this claim.
    ///
    /// # Errors
    /// If the request fails, or the node built something else.
    pub async fn build(&self) -> Result<CheckedTransaction, ClaimError> {
        let clock = self.options.call.clock;
        let built = self.client.build_call(&self.call, &self.claim.fee, clock);
        let checked = built.await.map_err(SavedCallError::from)?;
        self.options.report(&ClaimStep::Built {
            transaction: &checked,
        });
        Ok(checked)
    }

    /// Returns the call of this claim, saved in a file.
    pub(crate) fn saved_call(&self, file: PathBuf) -> SavedCall {
        SavedCall {
            options: self.options.call.clone(),
            any_node: self.options.any_node,
            network: self.options.network,
            ..SavedCall::new(self.call.clone(), self.claim.fee.clone(), file)
        }
    }

    /// Returns the network of the node, if it is known.
    pub(crate) fn network(&self) -> Option<Network> {
        let of_port = Network::from_port(self.client.base_url().port());
        self.options.network.or(of_port)
    }

    /// Returns the search for earlier claims about the same asset: in the folder of the claim's own file and
    /// the [other folders](ClaimOptions::search_folders).
    pub(crate) fn earlier_claims(&self, file: &Path) -> EarlierClaims {
        let mut folders = self.options.search_folders.clone();
        let beside = nodeproof_files::parent_folder(file);
        if !folders.iter().any(|folder| folder == beside) {
            folders.push(beside.to_owned());
        }
        EarlierClaims {
            folders,
            own: file.to_owned(),
            network: self.network(),
            contract: self.claim.contract,
            asset_id: self.claim.asset_id.clone(),
            verifiers: self.verifiers.clone(),
        }
    }

    /// Fails if another claim about the same asset by the same verifier is saved, whatever its state, unless
    /// [`again`](ClaimOptions::again) is set. `own` is the claim's own transaction, if it is saved already.
    pub(crate) async fn refuse_earlier(
        &self,
        file: &Path,
        own: Option<&SavedTransaction>,
    ) -> Result<(), ClaimError> {
        if self.options.again {
            return Ok(());
        }
        let (earlier, options) = (self.earlier_claims(file), self.options.clone());
        let found = blocking(move || {
            earlier.find(false, |reason| {
                options.report(&ClaimStep::NotSearched { reason })
            })
        })
        .await?;
        let found = match own {
            Some(own) => found.without(own),
            None => found,
        };
        match found.rivals.as_slice() {
            [] => match found.unread {
                Some(unread) => Err(unread_claim(&self.claim.asset_id, unread)),
                None => Ok(()),
            },
            [rival, others @ ..] if rival.0.state() == TransactionState::Recorded => {
                Err(self.recorded_earlier(rival, others).await?)
            }
            [rival, others @ ..] => Err(earlier_claim(&self.claim.asset_id, rival, others)),
        }
    }

    /// Returns the reason not to sign, after a node has shown the record of an earlier claim. The node is
    /// requested to show it again.
    async fn recorded_earlier(
        &self,
        rival: &Rival,
        others: &[Rival],
    ) -> Result<ClaimError, SavedCallError> {
        let saved = &rival.0;
        let earlier = || earlier_claim(&self.claim.asset_id, rival, others);
        let Some(recorded) = claim_of(saved.call()) else {
            return Ok(earlier());
        };
        let contract = self.claim.contract;
        let seen = search_once(&self.client, contract, &recorded, &self.verifiers).await?;
        Ok(match seen {
            ReadBack::Recorded(record) => self.already_recorded(record),
            other => ClaimError::Contradiction {
                path: saved.path().to_owned(),
                trans_code: saved.trans_code(),
                shown: other.to_string(),
            },
        })
    }

    fn already_recorded(&self, record: VerificationRecord) -> ClaimError {
        ClaimError::AlreadyRecorded {
            differences: differences(&record, self.claim.contract, &self.params),
            record: Box::new(record),
        }
    }

    /// Requests the record of this claim once.
    pub(crate) async fn look(&self) -> Result<ReadBack, Error> {
        let contract = self.claim.contract;
        search_once(&self.client, contract, &self.params, &self.verifiers).await
    }

    /// Fails if this verifier already has a record about the asset.
    pub(crate) async fn refuse_recorded(&self) -> Result<(), ClaimError> {
        match self.look().await.map_err(SavedCallError::from)? {
            ReadBack::Recorded(record) | ReadBack::Differs { record, .. } => {
                Err(self.already_recorded(record))
            }
            ReadBack::OtherVerifiers(_) | ReadBack::Nothing => Ok(()),
        }
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
            document.hash(|progress| {
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
