//! All steps of a claim, one after another.

use std::{path::PathBuf, sync::Arc};

use nodeproof_primitives::{Hash256, Signer, TransactionCode, WalletAddress};

use super::{
    CheckedTransaction, Claim, ClaimError, ClaimOptions, ClaimStep, Document, DocumentError, Kept,
    KeptError, KeptState, ReadBack, Submitted, kept::Place, read_back::Patience,
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
    /// Whether this verifier had a record about the asset before the transaction was signed; not
    /// known where an earlier run signed it.
    pub had_record: Option<bool>,
    /// How often it was submitted in this run.
    pub sent: u32,
    /// The file of the transaction that was kept [before](ClaimOptions::again), if one was.
    pub put_aside: Option<PathBuf>,
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
    /// sent, and after that it can be resumed. The file says that the transaction was sent before
    /// it is, so that no later run forgets it.
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
        claim.call(&wallets, Vec::new())?;
        let hashes = hash_documents(&claim.documents, options).await?;
        let params = claim.params(&wallets, hashes.clone())?;
        let call = claim.call(&wallets, hashes)?;
        let verifiers = verifiers(&params, &wallets);

        let kept = match &options.keep {
            Some(path) if !options.again => {
                resume(path.clone(), &call, claim, self, options).await?
            }
            _ => None,
        };
        let ready = match kept {
            Some(kept) => Ready::of(kept, options),
            None => {
                let before = self.before(claim, &params, &verifiers, options).await?;
                self.build_and_sign(claim, &call, signers, options, before)
                    .await?
            }
        };
        let (submitted, ready) = self.submit_kept(ready, options).await?;
        let new_transaction = submitted.answer.new_transaction();
        options.tell(&ClaimStep::Submitted { new_transaction });

        let Ready {
            signed,
            trans_code,
            mut kept,
            resumed,
            put_aside,
            recorded_before,
            had_record,
        } = ready;
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
            .map_err(|source| ClaimError::ReadingBack { source, trans_code })?
            .after(recorded_before);
        if read_back.record().is_some() {
            note_if_possible(&mut kept, KeptState::Recorded).await;
        }
        Ok(ClaimOutcome {
            read_back,
            transaction: signed,
            new_transaction,
            resumed,
            had_record,
            sent: submitted.sent,
            put_aside,
            trans_code,
        })
    }

    /// Submits the transaction; its file says that it was about to be sent before it is.
    async fn submit_kept(
        &self,
        mut ready: Ready,
        options: &ClaimOptions,
    ) -> Result<(Submitted, Ready), ClaimError> {
        let trans_code = ready.trans_code;
        let path = ready.kept.as_ref().map(|kept| kept.path().to_owned());
        // This is on disk before anything is sent, or nothing is.
        let before = note(&mut ready.kept, KeptState::Sent).await?;
        let earlier = before.is_some_and(KeptState::may_have_arrived);
        let submitted = self
            .submit_telling(&ready.signed, &options.submit, |earlier| {
                options.tell(&ClaimStep::Submitting { earlier });
            })
            .await;
        let submitted = match submitted {
            Ok(submitted) => submitted,
            Err(source) => {
                let source = source.after(earlier);
                let state = match before {
                    Some(before) if !source.maybe_sent() => before,
                    // Once more, should another process have taken it back meanwhile.
                    _ => KeptState::Sent,
                };
                note_if_possible(&mut ready.kept, state).await;
                return Err(ClaimError::Submission {
                    source,
                    trans_code,
                    kept: path,
                });
            }
        };
        // Once a node took it, another's refusal says nothing about that.
        let taken = matches!(before, Some(KeptState::Accepted | KeptState::Recorded));
        let new_transaction = submitted.answer.new_transaction();
        if !submitted.answer.is_valid() {
            let unclear =
                (earlier || submitted.maybe_taken_before) && new_transaction != Some(true);
            let maybe_taken_before = taken || unclear;
            if !maybe_taken_before {
                note_if_possible(&mut ready.kept, KeptState::Refused).await;
            }
            return Err(ClaimError::Refused {
                messages: submitted.answer.messages().to_vec(),
                trans_code,
                new_transaction,
                maybe_taken_before,
                kept: path,
            });
        }
        note_if_possible(&mut ready.kept, KeptState::Accepted).await;
        Ok((submitted, ready))
    }

    /// What of this verifier is recorded about the asset before anything is signed; an error,
    /// unless that is no obstacle, if there is anything.
    async fn before(
        &self,
        claim: &Claim,
        params: &AddVerification,
        verifiers: &[WalletAddress],
        options: &ClaimOptions,
    ) -> Result<Before, ClaimError> {
        match self.look(claim.contract, params, verifiers).await? {
            ReadBack::Recorded(_) if options.although_recorded => Ok(Before::Same),
            ReadBack::Differs { .. } if options.although_recorded => Ok(Before::Another),
            ReadBack::Recorded(record)
            | ReadBack::Before(record)
            | ReadBack::Differs { record, .. } => Err(ClaimError::AlreadyRecorded {
                record: Box::new(record),
            }),
            ReadBack::OfOthers(_) | ReadBack::Nothing => Ok(Before::Nothing),
        }
    }

    async fn build_and_sign(
        &self,
        claim: &Claim,
        call: &ContractCall,
        signers: &[&dyn Signer],
        options: &ClaimOptions,
        before: Before,
    ) -> Result<Ready, ClaimError> {
        let recorded_before = matches!(before, Before::Same);
        let raw = self.build_call(call).await?;
        let checked = CheckedTransaction::check(call, &raw, &claim.fee)?;
        self.check_timely(&checked).await?;
        options.tell(&ClaimStep::Built {
            transaction: &checked,
        });
        let signed = checked.sign(signers).await?;
        options.tell(&ClaimStep::Signed);
        let mut ready = Ready {
            trans_code: checked.trans_code(),
            signed,
            kept: None,
            resumed: false,
            put_aside: None,
            recorded_before,
            had_record: Some(!matches!(before, Before::Nothing)),
        };
        let Some(path) = options.keep.clone() else {
            return Ok(ready);
        };
        let kept = Kept::of(&path, self.base_url(), &checked, &ready.signed)?
            .after_a_record(recorded_before);
        let place = if options.again {
            Place::Aside
        } else {
            Place::New
        };
        let written = blocking(move || kept.write_first(&place).map(|aside| (kept, aside))).await;
        match written {
            // Another process was faster, and its transaction is the one.
            Err(KeptError::Exists { path }) => {
                let other = resume(path.clone(), call, claim, self, options).await?;
                let other = other.ok_or(KeptError::Exists { path })?;
                Ok(Ready::of(other, options))
            }
            Err(error) => Err(error.into()),
            Ok((kept, put_aside)) => {
                if let Some(path) = &put_aside {
                    options.tell(&ClaimStep::PutAside { path });
                }
                options.tell(&ClaimStep::Kept { path: kept.path() });
                ready.kept = Some(kept);
                ready.put_aside = put_aside;
                Ok(ready)
            }
        }
    }
}

/// What a verifier has recorded about an asset before a transaction is signed.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    /// What is claimed, too.
    Same,
    Another,
}

/// A signed transaction that is to be submitted.
struct Ready {
    signed: SignedTransaction,
    trans_code: TransactionCode,
    kept: Option<Kept>,
    /// Whether it was not signed by this call.
    resumed: bool,
    put_aside: Option<PathBuf>,
    recorded_before: bool,
    had_record: Option<bool>,
}

impl Ready {
    /// One that is kept already.
    fn of(kept: Kept, options: &ClaimOptions) -> Self {
        options.tell(&ClaimStep::Resumed {
            path: kept.path(),
            trans_code: kept.trans_code(),
        });
        Self {
            signed: kept.signed().clone(),
            trans_code: kept.trans_code(),
            recorded_before: kept.recorded_before(),
            had_record: None,
            kept: Some(kept),
            resumed: true,
            put_aside: None,
        }
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

/// Notes how far the transaction has come, if it is kept, and tells what was noted before.
async fn note(kept: &mut Option<Kept>, state: KeptState) -> Result<Option<KeptState>, KeptError> {
    let Some(mut copy) = kept.clone() else {
        return Ok(None);
    };
    let (noted, before) =
        blocking(move || copy.note_after(state).map(|before| (copy, before))).await?;
    *kept = Some(noted);
    Ok(Some(before))
}

/// The same where it can fail without harm: what counts is kept.
async fn note_if_possible(kept: &mut Option<Kept>, state: KeptState) {
    if let Err(error) = note(kept, state).await {
        tracing::warn!(%error, "the state can't be noted");
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
