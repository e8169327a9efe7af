//! Submitting a claim's transaction and waiting for its record.

use std::{path::PathBuf, time::Duration};

use nodeproof_client::{
    Inclusion, InclusionOptions, SignedTransaction, VerificationRecord, contract_call::Submitted,
};
use nodeproof_primitives::{Integer, TransactionCode, escape::escaped_up_to};

use crate::{
    blocking::blocking,
    error::ClaimError,
    options::ClaimStep,
    read_back::ReadBack,
    record_search::{Patience, wait_with_progress},
    saved::{SavedTransaction, SavedTransactionError, TransactionState},
    signed::ReadyClaim,
};

/// The longest search for the block of a transaction.
const MAX_SEARCH_TIME: Duration = Duration::from_secs(30);

/// A claim whose transaction a node accepted.
#[derive(Debug)]
#[must_use = "the claim's record was not read back yet"]
pub struct SubmittedClaim<'p> {
    ready: ReadyClaim<'p>,
    submitted: Submitted,
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
    /// Whether an earlier run signed and saved it.
    pub resumed: bool,
    /// Whether this verifier had a record about the asset before the transaction was signed. Unknown
    /// if an earlier run signed it.
    pub had_record: Option<bool>,
    /// Whether a node showed its record in an earlier run.
    pub recorded_earlier: bool,
    /// The number of submissions in this run.
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

impl<'p> ReadyClaim<'p> {
    /// Returns the transaction, byte for byte as it was signed.
    #[must_use]
    pub fn transaction(&self) -> &SignedTransaction {
        &self.signed
    }

    /// Submits the transaction. Its file gets the state [`Sent`](TransactionState::Sent) first, so
    /// later runs take it into account.
    ///
    /// # Errors
    /// [`ClaimError::Refused`] if the node refuses it. [`ClaimError::Submission`] if no response shows
    /// whether the node accepted it. [`ClaimError::Saved`] if the file can't be written; then nothing was
    /// sent.
    pub async fn submit(mut self) -> Result<SubmittedClaim<'p>, ClaimError> {
        let options = &self.prepared.options;
        let trans_code = self.trans_code;
        let saved_in = self.saved.as_ref().map(|saved| saved.path().to_owned());
        // If the state can't be saved on disk, nothing is sent.
        let before = note(&mut self.saved, TransactionState::Sent).await?;
        let earlier = before.is_some_and(TransactionState::may_have_arrived);
        let submitted = self
            .prepared
            .client
            .submit_with_progress(&self.signed, &options.submit, |earlier| {
                options.report(&ClaimStep::Submitting { earlier });
            })
            .await;
        let submitted = match submitted {
            Ok(submitted) => submitted,
            Err(refused) if refused.is_refused() => {
                // A refusal does not undo an earlier acceptance.
                let accepted = matches!(
                    before,
                    Some(TransactionState::Accepted | TransactionState::Recorded)
                );
                let new_transaction = refused.new_transaction();
                let unclear =
                    (earlier || refused.maybe_accepted()) && new_transaction != Some(true);
                let maybe_accepted_before = accepted || unclear;
                if !maybe_accepted_before {
                    note_if_possible(&mut self.saved, TransactionState::Refused).await;
                }
                let shortage = self.shortage().await;
                return Err(ClaimError::Refused {
                    messages: refused.messages().to_vec(),
                    trans_code,
                    new_transaction,
                    maybe_accepted_before,
                    shortage,
                    saved_in,
                });
            }
            Err(error) => {
                let error = error.or_accepted_earlier(earlier);
                let state = match before {
                    Some(before) if !error.maybe_accepted() && error.sent() == 0 => before,
                    // The node refused it, but has received it.
                    Some(_) if !error.maybe_accepted() => TransactionState::Refused,
                    // Save it again, in case another process changed it in the meantime.
                    _ => TransactionState::Sent,
                };
                note_if_possible(&mut self.saved, state).await;
                return Err(ClaimError::Submission {
                    error,
                    trans_code,
                    saved_in,
                });
            }
        };
        let new_transaction = submitted.response.response.new_transaction;
        note_if_possible(&mut self.saved, TransactionState::Accepted).await;
        options.report(&ClaimStep::Submitted { new_transaction });
        Ok(SubmittedClaim {
            ready: self,
            submitted,
        })
    }
}

impl ReadyClaim<'_> {
    /// Returns what the wallet lacks that pays the fee, if the node shows that.
    async fn shortage(&self) -> Option<String> {
        let wallet = *self.prepared.call.signers.first()?;
        let fee = &self.prepared.claim.fee;
        let currency = fee.currency();
        let needed = Integer::try_from(fee.amount()).ok()?;
        let balance = self.prepared.client.token_balance(currency, wallet).await;
        let balance = balance.ok()?.unwrap_or_else(|| Integer::from(0));
        (balance < needed).then(|| {
            let currency = escaped_up_to(currency, 60);
            format!("wallet {wallet} has {balance} {currency}, and the fee is {needed}")
        })
    }
}

impl SubmittedClaim<'_> {
    /// Waits until the record can be read, the state is final, or the
    /// [wait](crate::ClaimOptions::wait) is over.
    ///
    /// It is not an error if the record can't be read before the wait is over: see [`ReadBack`]. After
    /// that, the latest blocks are searched for the transaction, unless there is no wait and no record.
    ///
    /// # Errors
    /// [`ClaimError::ReadingBack`] if the last request failed.
    pub async fn wait(mut self) -> Result<ClaimOutcome, ClaimError> {
        let prepared = self.ready.prepared;
        let options = &prepared.options;
        let trans_code = self.ready.trans_code;
        let patience = Patience {
            wait: options.wait,
            first_pause: options.first_pause,
            longest_pause: options.longest_pause,
        };
        let read_back = wait_with_progress(
            &prepared.client,
            prepared.claim.contract,
            &prepared.params,
            &prepared.verifiers,
            patience,
            |seen, left| options.report(&ClaimStep::Waiting { seen, left }),
        )
        .await
        .map_err(|error| ClaimError::ReadingBack { error, trans_code })?
        .with_recorded_before(self.ready.recorded_before);
        if read_back.record().is_some() {
            note_if_possible(&mut self.ready.saved, TransactionState::Recorded).await;
        }
        let inclusion = if read_back.record().is_some() || !options.wait.is_zero() {
            self.inclusion().await
        } else {
            None
        };
        Ok(ClaimOutcome {
            read_back,
            inclusion,
            new_transaction: self.submitted.response.response.new_transaction,
            sent: self.submitted.sent,
            transaction: self.ready.signed,
            resumed: self.ready.resumed,
            had_record: self.ready.had_record,
            recorded_earlier: self.ready.recorded_earlier,
            put_aside: self.ready.put_aside,
            trans_code,
        })
    }
}

impl SubmittedClaim<'_> {
    /// Searches the latest blocks for the transaction. A failure is not an error, because the record
    /// matters more.
    async fn inclusion(&self) -> Option<Inclusion> {
        let (client, options) = (&self.ready.prepared.client, InclusionOptions::default());
        let search = client.find_transaction(self.ready.trans_code, &options);
        match tokio::time::timeout(MAX_SEARCH_TIME, search).await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the block of the transaction can't be found");
                None
            }
            Err(_elapsed) => None,
        }
    }
}

/// Saves the transaction's state, if the transaction is saved. Returns the state before that.
pub(crate) async fn note(
    saved: &mut Option<SavedTransaction>,
    state: TransactionState,
) -> Result<Option<TransactionState>, SavedTransactionError> {
    let Some(mut copy) = saved.clone() else {
        return Ok(None);
    };
    let (noted, before) =
        blocking(move || copy.note_after(state).map(|before| (copy, before))).await?;
    *saved = Some(noted);
    Ok(Some(before))
}

/// Saves a state, but only logs a failure: the transaction itself is already saved.
pub(crate) async fn note_if_possible(
    saved: &mut Option<SavedTransaction>,
    state: TransactionState,
) {
    if let Err(error) = note(saved, state).await {
        tracing::warn!(%error, "the state can't be saved");
    }
}
