//! Making a claim: a saved call whose record is compared with the claim.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use futures_util::future::BoxFuture;
use nodeproof_client::{
    Client, Inclusion, InclusionOptions, SignedTransaction, VerificationRecord,
};
use nodeproof_primitives::{Signer, TransactionCode};

use crate::{
    blocking::blocking,
    call_error::SavedCallError,
    claim::Claim,
    earlier::EarlierClaims,
    error::ClaimError,
    options::{ClaimOptions, ClaimStep},
    prepared::PreparedClaim,
    read_back::ReadBack,
    record_search::wait_with_progress,
    saved::{KnownBlock, Placement, SavedTransaction, SavedTransactionError, TransactionState},
    saved_call::{MAX_SEARCH_TIME, SavedCall, check_included, included_if_possible, search_limit},
};

/// A saved claim, and what the node shows of it. See [`PreparedClaim::status`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClaimStatus {
    /// The transaction, with its last known state.
    pub saved: SavedTransaction,
    /// The state of the claim, as the node shows it.
    pub read_back: ReadBack,
    /// The block that contains the transaction, if it is known or one of the latest.
    pub inclusion: Option<Inclusion>,
}

/// A claim whose transaction a node accepted, and its state as the node shows it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClaimOutcome {
    /// The state of the claim at the end of the wait, as the node shows it.
    pub read_back: ReadBack,
    /// The block that contains the transaction, if it is one of the latest. Also `None` if the node
    /// does not show the transactions of its blocks.
    pub inclusion: Option<Inclusion>,
    /// The transaction that was submitted.
    pub transaction: SignedTransaction,
    /// Whether it was new to the node, if the node reports it. If not, it had arrived before.
    pub new_transaction: Option<bool>,
    /// Whether an earlier run signed and saved it. If not, this verifier had no record about the asset
    /// before.
    pub resumed: bool,
    /// Whether a node showed its record in an earlier run.
    pub recorded_earlier: bool,
    /// The number of submissions in this run. Zero if the record of an earlier run's transaction can be read.
    pub sent: u32,
    /// The new path of the earlier [saved](crate::ClaimOptions::again) file, if it was put aside.
    pub put_aside: Option<PathBuf>,
    trans_code: TransactionCode,
}

impl ClaimOutcome {
    /// Returns the transaction's identifier.
    #[must_use]
    pub fn trans_code(&self) -> TransactionCode {
        self.trans_code
    }

    /// Returns the record that states what was claimed, if it can be read.
    #[must_use]
    pub fn record(&self) -> Option<&VerificationRecord> {
        self.read_back.record()
    }
}

impl Claim {
    /// Makes the claim: hashes its documents, builds, checks and signs its transaction, saves it in
    /// `file`, submits it, and waits until its record can be read.
    ///
    /// With the same claim and the same file, a second call submits the same transaction again, wherever
    /// the first call ended. [`new_transaction`](ClaimOutcome::new_transaction) shows whether it had already
    /// arrived.
    ///
    /// You can drop the future at any time. Before the file is written, nothing was sent. After that,
    /// the claim can be resumed. The future keeps the signers, but not the list of them: `tokio::join!` takes
    /// several claims with `&[&wallet]`.
    ///
    /// # Errors
    /// The first error of a step. [`ClaimError::maybe_sent`] returns whether the transaction may have
    /// reached the node. It is not an error if the record can't be read before the wait is over: see
    /// [`ReadBack`].
    pub fn make<'a>(
        &self,
        client: &Client,
        signers: &[&'a dyn Signer],
        file: impl AsRef<Path>,
        options: &ClaimOptions,
    ) -> BoxFuture<'a, Result<ClaimOutcome, ClaimError>> {
        let (claim, client, options) = (self.clone(), client.clone(), options.clone());
        let (signers, file) = (signers.to_vec(), file.as_ref().to_owned());
        Box::pin(async move {
            let wallets: Vec<_> = signers.iter().map(|one| one.wallet_address()).collect();
            let prepared = PreparedClaim::prepare(&client, &claim, &wallets, &options).await?;
            prepared.complete(file, &signers).await
        })
    }
}

impl PreparedClaim {
    /// Builds, signs and saves the transaction, or resumes the saved one; submits it; and waits for its
    /// record. See [`Claim::make`].
    ///
    /// # Errors
    /// As for [`Claim::make`].
    pub async fn complete(
        &self,
        file: impl AsRef<Path>,
        signers: &[&dyn Signer],
    ) -> Result<ClaimOutcome, ClaimError> {
        let file = file.as_ref();
        let call = self.saved_call(file.to_owned());
        // A saved transaction is already signed, but it is submitted to this node.
        call.check_networks(&self.client, signers)
            .map_err(SavedCallError::from)?;
        let ready = match self.saved(file).await? {
            Some(saved) => {
                // It was never sent. Another claim may have been saved in the meantime.
                if !saved.state().was_submitted() {
                    self.refuse_earlier(file, Some(&saved)).await?;
                }
                let folders = self.earlier_claims(file).folders;
                let linked = blocking(move || {
                    saved.link_from(&folders)?;
                    Ok::<_, SavedTransactionError>(saved)
                });
                self.resumed(linked.await?)
            }
            None => {
                self.refuse_earlier(file, None).await?;
                self.refuse_recorded().await?;
                let checked = self.build().await?;
                let signed = checked.sign(signers).await.map_err(SavedCallError::from)?;
                self.options.report(&ClaimStep::Signed);
                let base = self.client.base_url();
                let saved = SavedTransaction::of(file, base, &checked, &signed);
                let saved = saved.map_err(SavedCallError::from)?;
                self.save(&call, saved.on_network(self.options.network))
                    .await?
            }
        };
        self.submit(ready).await
    }

    /// Continues with a transaction that is already saved.
    fn resumed(&self, saved: SavedTransaction) -> ReadyClaim {
        self.options.report(&ClaimStep::Resumed {
            path: saved.path(),
            trans_code: saved.trans_code(),
        });
        ReadyClaim {
            saved,
            resumed: true,
            put_aside: None,
        }
    }

    /// Writes the signed transaction to its file. If another process saved a transaction of the same claim
    /// in the meantime, that one is used. If another process saved another claim about the same asset, this
    /// one is dropped.
    async fn save(
        &self,
        call: &SavedCall,
        saved: SavedTransaction,
    ) -> Result<ReadyClaim, ClaimError> {
        let earlier = self.earlier_claims(&call.file);
        let options = self.options.clone();
        let written = blocking(move || {
            let placement = match options.again {
                true => Placement::Aside,
                false => Placement::New,
            };
            // The folders are locked, so no process can save a claim between the search and the write.
            let check = |is_locked: bool| may_write(&options, &earlier, is_locked);
            let put_aside = saved.write_first(placement, &earlier.folders, check)?;
            Ok((saved, put_aside))
        });
        let (saved, put_aside) = match written.await {
            Ok(written) => written,
            Err(ClaimError::Call(SavedCallError::Saved(
                error @ SavedTransactionError::Exists { .. },
            ))) => {
                let other = call.saved_meanwhile(&self.client, error).await;
                return Ok(self.resumed(other.map_err(SavedCallError::from)?));
            }
            Err(error) => return Err(error),
        };
        if let Some(path) = &put_aside {
            self.options.report(&ClaimStep::PutAside { path });
        }
        self.options
            .report(&ClaimStep::Saved { path: saved.path() });
        Ok(ReadyClaim {
            saved,
            resumed: false,
            put_aside,
        })
    }

    /// Submits a saved transaction unless its record can be read, and waits for its record. After that, the
    /// blocks are searched for the transaction, unless there is no wait and no record.
    async fn submit(&self, ready: ReadyClaim) -> Result<ClaimOutcome, ClaimError> {
        let ReadyClaim {
            mut saved,
            resumed,
            put_aside,
        } = ready;
        let options = &self.options;
        let recorded_earlier = saved.state() == TransactionState::Recorded;
        let (mut sent, mut new_transaction) = (0, Some(false));
        let mut recorded = None;
        if resumed && saved.state().was_submitted() {
            // A failure shows nothing. The wait meets the same one.
            let seen = self.look().await.ok();
            recorded = match seen {
                Some(seen) if seen.record().is_none() => {
                    // A record may be deleted. A chain that was replaced does not have its block.
                    let known = saved.block().is_some() && recorded_earlier;
                    let is_made = known
                        && self
                            .inclusion(&saved, search_limit(options.wait))
                            .await?
                            .is_some();
                    is_made.then_some(seen)
                }
                seen => seen,
            };
        }
        let trans_code = saved.trans_code();
        let read_back = match recorded {
            Some(recorded) => recorded,
            None => {
                let submitted = saved.submit(&self.client, &options.call.submit, |earlier| {
                    options.report(&ClaimStep::Submitting { earlier });
                });
                let submitted = submitted.await?;
                (sent, new_transaction) =
                    (submitted.sent, submitted.response.response.new_transaction);
                options.report(&ClaimStep::Submitted { new_transaction });
                let waiting =
                    |seen: &ReadBack, left| options.report(&ClaimStep::Waiting { seen, left });
                let seen =
                    wait_with_progress(|| self.look(), options.wait, options.interval, waiting);
                seen.await
                    .map_err(|error| SavedCallError::Waiting { error, trans_code })?
            }
        };
        let inclusion = match read_back.record().is_some() || !options.wait.is_zero() {
            true => self.inclusion(&saved, search_limit(options.wait)).await?,
            false => None,
        };
        if read_back.record().is_some() {
            if let Some(included) = &inclusion {
                saved = saved.at_block(Some(KnownBlock::from(included)));
            }
            saved.note_if_possible(TransactionState::Recorded).await;
        }
        Ok(ClaimOutcome {
            read_back,
            inclusion,
            new_transaction,
            sent,
            transaction: saved.signed().clone(),
            resumed,
            recorded_earlier,
            put_aside,
            trans_code,
        })
    }

    /// Finds the block of a saved transaction if that is possible in this time. Fails if the block shows another transaction.
    async fn inclusion(
        &self,
        saved: &SavedTransaction,
        limit: Duration,
    ) -> Result<Option<Inclusion>, SavedCallError> {
        let options = InclusionOptions::default();
        let found = included_if_possible(&self.client, saved, &options, limit).await;
        if let Some(included) = &found {
            check_included(saved, included)?;
        }
        Ok(found)
    }

    /// Reads the saved transaction of this claim, and requests its record and its block. Submits nothing.
    /// Returns `None` if there is no such file.
    ///
    /// # Errors
    /// Those of [`saved`](Self::saved), if the request for the record fails, or if a block shows another transaction with this
    /// code.
    ///
    /// ```no_run
    /// # use nodeproof_claims::{ClaimError, PreparedClaim};
    /// # async fn example(prepared: PreparedClaim) -> Result<(), ClaimError> {
    /// if let Some(status) = prepared.status("asset-7.claim.json".as_ref()).await? {
    ///     println!("{:?}: {:?}", status.saved.state(), status.read_back);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn status(&self, file: &Path) -> Result<Option<ClaimStatus>, ClaimError> {
        let Some(saved) = self.saved(file).await? else {
            return Ok(None);
        };
        let read_back = self.look().await.map_err(SavedCallError::from)?;
        let inclusion = self.inclusion(&saved, MAX_SEARCH_TIME).await?;
        Ok(Some(ClaimStatus {
            saved,
            read_back,
            inclusion,
        }))
    }
}

/// A claim that may be submitted: its transaction is on disk.
struct ReadyClaim {
    saved: SavedTransaction,
    /// Whether an earlier run or another process signed it.
    resumed: bool,
    put_aside: Option<PathBuf>,
}

/// Fails if the folders have no locks, or an earlier claim about the same asset is saved, unless the options
/// allow it.
fn may_write(
    options: &ClaimOptions,
    earlier: &EarlierClaims,
    is_locked: bool,
) -> Result<(), ClaimError> {
    if !is_locked {
        let folder = nodeproof_files::parent_folder(&earlier.own).to_owned();
        if !options.without_lock {
            return Err(ClaimError::NoLock { folder });
        }
        options.report(&ClaimStep::NotSearched {
            reason: &format!(
                "the file system of {} has no locks: a claim that another process makes now is not \
                 found",
                folder.display()
            ),
        });
    }
    match options.again {
        true => Ok(()),
        false => earlier.refuse(),
    }
}
