//! All steps of a claim, one after another.

use std::{path::PathBuf, sync::Arc};

use node_primitives::{Hash256, Signer, TransactionCode, WalletAddress};

use super::{
    CheckedTransaction, Claim, ClaimError, ClaimOptions, ClaimStep, Document, DocumentError, Kept,
    KeptError, KeptState, ReadBack, read_back::Patience,
};
use crate::{AddVerification, Client, ContractCall, SignedTransaction, VerificationRecord};

/// A claim whose transaction a node took, and what the node shows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimOutcome {
    /// What the node shows of the claim at the end of the wait.
    pub read_back: ReadBack,
    /// The transaction that was submitted.
    pub transaction: SignedTransaction,
    /// Whether it was new to the node, where the node says so: if not, it had arrived before.
    pub new_transaction: Option<bool>,
    /// Whether it was kept by an earlier run, and not signed in this one.
    pub resumed: bool,
    /// How often it was submitted in this run.
    pub sent: u32,
    trans_code: TransactionCode,
}

impl ClaimOutcome {
    /// What names the transaction.
    #[must_use]
    pub fn trans_code(&self) -> TransactionCode {
        self.trans_code
    }

    /// The record that says what was claimed, if it can be read.
    #[must_use]
    pub fn record(&self) -> Option<&VerificationRecord> {
        self.read_back.record()
    }
}

impl Client {
    /// Makes a claim: hashes its documents, has it built, checks and signs it, keeps it, submits
    /// it, and waits until its record can be read.
    ///
    /// With the same claim and the same [file](ClaimOptions::keep), calling this again submits the
    /// same transaction again, wherever the first call ended; the file says how far it came, and
    /// [`new_transaction`](ClaimOutcome::new_transaction) whether it had arrived.
    ///
    /// A future that is dropped leaves nothing half done: before the file is written nothing was
    /// sent, and after that it can be resumed.
    ///
    /// # Errors
    /// A [`ClaimError`] for whatever ends it; [`maybe_sent`](ClaimError::maybe_sent) tells whether
    /// the transaction may have reached the node. That the record can't be read before the wait is
    /// over is none: see [`ReadBack`].
    pub async fn claim(
        &self,
        claim: &Claim,
        signers: &[&dyn Signer],
        options: &ClaimOptions,
    ) -> Result<ClaimOutcome, ClaimError> {
        let wallets: Vec<_> = signers.iter().map(|one| one.wallet_address()).collect();
        // What is wrong without the documents is told before they are read.
        claim.params(&wallets, Vec::new())?;
        let hashes = hash_documents(&claim.documents, options).await?;
        let params = claim.params(&wallets, hashes.clone())?;
        let call = claim.call(&wallets, hashes)?;
        let verifiers = verifiers(&params, &wallets);

        let kept = match &options.keep {
            Some(path) => resume(path.clone(), &call, claim, self, options).await?,
            None => None,
        };
        let resumed = kept.is_some();
        let (signed, trans_code, mut kept) = match kept {
            Some(kept) => {
                options.tell(&ClaimStep::Resumed {
                    path: kept.path(),
                    trans_code: kept.trans_code(),
                });
                (kept.signed().clone(), kept.trans_code(), Some(kept))
            }
            None => {
                self.refuse_recorded(claim, &params, &verifiers, options)
                    .await?;
                self.build_and_sign(claim, &call, signers, options).await?
            }
        };
        // Another process may have been faster, and then its transaction is the one.
        let resumed = resumed || kept.as_ref().is_some_and(|kept| *kept.signed() != signed);
        let (signed, trans_code) = match &kept {
            Some(kept) => (kept.signed().clone(), kept.trans_code()),
            None => (signed, trans_code),
        };

        let path = kept.as_ref().map(|kept| kept.path().to_owned());
        let submitted = self
            .submit_telling(&signed, &options.submit, |earlier| {
                options.tell(&ClaimStep::Submitting { earlier });
            })
            .await
            .map_err(|source| ClaimError::Submission {
                source,
                trans_code,
                kept: path.clone(),
            })?;
        let new_transaction = submitted.answer.new_transaction();
        if !submitted.answer.is_valid() {
            note(&mut kept, KeptState::Refused).await;
            return Err(ClaimError::Refused {
                messages: submitted.answer.messages().to_vec(),
                trans_code,
                new_transaction,
                kept: path,
            });
        }
        note(&mut kept, KeptState::Accepted).await;
        options.tell(&ClaimStep::Submitted { new_transaction });

        let patience = Patience {
            wait: options.wait,
            first_pause: options.first_pause,
            longest_pause: options.longest_pause,
        };
        let read_back = self
            .wait_telling(
                claim.contract,
                &params,
                &verifiers,
                patience,
                |seen, left| {
                    options.tell(&ClaimStep::Waiting { seen, left });
                },
            )
            .await
            .map_err(|source| ClaimError::ReadingBack { source, trans_code })?;
        if read_back.record().is_some() {
            note(&mut kept, KeptState::Recorded).await;
        }
        Ok(ClaimOutcome {
            read_back,
            transaction: signed,
            new_transaction,
            resumed,
            sent: submitted.sent,
            trans_code,
        })
    }

    async fn refuse_recorded(
        &self,
        claim: &Claim,
        params: &AddVerification,
        verifiers: &[WalletAddress],
        options: &ClaimOptions,
    ) -> Result<(), ClaimError> {
        if options.although_recorded {
            return Ok(());
        }
        match self.look(claim.contract, params, verifiers).await? {
            ReadBack::Recorded(record) | ReadBack::Differs { record, .. } => {
                Err(ClaimError::AlreadyRecorded {
                    record: Box::new(record),
                })
            }
            ReadBack::OfOthers(_) | ReadBack::Nothing => Ok(()),
        }
    }

    async fn build_and_sign(
        &self,
        claim: &Claim,
        call: &ContractCall,
        signers: &[&dyn Signer],
        options: &ClaimOptions,
    ) -> Result<(SignedTransaction, TransactionCode, Option<Kept>), ClaimError> {
        let raw = self.build_call(call).await?;
        let checked = CheckedTransaction::check(call, &raw, &claim.fee)?;
        options.tell(&ClaimStep::Built {
            transaction: &checked,
        });
        let signed = checked.sign(signers).await?;
        options.tell(&ClaimStep::Signed);
        let trans_code = checked.trans_code();
        let Some(path) = options.keep.clone() else {
            return Ok((signed, trans_code, None));
        };
        let (node, copy) = (self.base_url().clone(), signed.clone());
        let created = blocking({
            let path = path.clone();
            move || Kept::create(&path, &node, &checked, &copy)
        })
        .await;
        let kept = match created {
            Err(KeptError::Exists { path }) => {
                let other = resume(path.clone(), call, claim, self, options).await?;
                other.ok_or(KeptError::Exists { path })?
            }
            created => created?,
        };
        options.tell(&ClaimStep::Kept { path: kept.path() });
        Ok((signed, trans_code, Some(kept)))
    }
}

/// Whom nodes may store as the verifier: nodes were seen to store the first wallet that signs.
fn verifiers(params: &AddVerification, wallets: &[WalletAddress]) -> Vec<WalletAddress> {
    let mut verifiers = vec![params.verifier_address];
    verifiers.extend(wallets.first().filter(|first| **first != verifiers[0]));
    verifiers
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
        // A thread can't be dropped as a future can; it sees by this whether one is there.
        let wanted = Arc::new(());
        let watched = Arc::downgrade(&wanted);
        let hash: Result<Hash256, DocumentError> = blocking(move || {
            document.hash_while(|progress| {
                options.tell(&ClaimStep::Hashing {
                    document: &document,
                    index,
                    count,
                    progress,
                });
                watched.strong_count() > 0
            })
        })
        .await;
        drop(wanted);
        hashes.push(hash?);
    }
    Ok(hashes)
}

/// The transaction that an earlier run kept, if it did.
async fn resume(
    path: PathBuf,
    call: &ContractCall,
    claim: &Claim,
    client: &Client,
    options: &ClaimOptions,
) -> Result<Option<Kept>, ClaimError> {
    let Some(kept) = blocking(move || Kept::open(&path)).await? else {
        return Ok(None);
    };
    kept.check_same(call, &claim.fee)?;
    if !options.any_node {
        kept.check_node(client.base_url())?;
    }
    Ok(Some(kept))
}

/// Notes how far the transaction has come. That can fail without harm: what counts is kept.
async fn note(kept: &mut Option<Kept>, state: KeptState) {
    if let Some(mut copy) = kept.take() {
        let (noted, outcome) = blocking(move || {
            let outcome = copy.note(state);
            (copy, outcome)
        })
        .await;
        if let Err(error) = outcome {
            tracing::warn!(%error, "the state can't be noted");
        }
        *kept = Some(noted);
    }
}

/// Runs what reads or writes files where it keeps nobody waiting.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        // Only a panic of the work ends here, or a runtime that ends and waits for nobody.
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => std::future::pending().await,
        },
    }
}
