//! Submitting a saved transaction. Its state is on disk before it is sent.

use nodeproof_client::{
    Client,
    contract_call::{SubmitPolicy, Submitted},
};

use super::{SavedTransaction, SavedTransactionError, TransactionState};
use crate::{blocking::blocking, call_error::SavedCallError};

impl SavedTransaction {
    /// Submits the transaction, and submits it again if it may not have arrived, within the limits of the
    /// policy. Before each submission, it calls `on_attempt` with the number of earlier ones.
    ///
    /// The file gets the state [`Sent`](TransactionState::Sent) before anything is sent, and then the
    /// result. So later runs take it into account.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_claims::SavedTransaction;
    /// use nodeproof_client::SubmitPolicy;
    /// use std::path::Path;
    ///
    /// if let Some(mut saved) = SavedTransaction::open(Path::new("transfer.json"))? {
    ///     saved.check_target(node.base_url(), None, false)?;
    ///     saved.submit(&node, &SubmitPolicy::ONCE, |_| ()).await?;
    ///     println!("{}: {:?}", saved.trans_code(), saved.state());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`SavedCallError::Submission`] if the node refuses the transaction, or no response shows that the
    /// node accepted it. [`SavedCallError::Saved`] if the file can't be written; then nothing was sent.
    pub async fn submit(
        &mut self,
        client: &Client,
        policy: &SubmitPolicy,
        on_attempt: impl Fn(u32),
    ) -> Result<Submitted, SavedCallError> {
        // If the state can't be saved on disk, nothing is sent.
        let before = self.note(TransactionState::Sent).await?;
        let submitted = client.submit_with_progress(self.signed(), policy, on_attempt);
        let error = match submitted.await {
            Ok(submitted) => {
                self.note_if_possible(TransactionState::Accepted).await;
                return Ok(submitted);
            }
            Err(error) => error,
        };
        let accepted_earlier = match before {
            // A refusal does not undo an earlier acceptance.
            TransactionState::Accepted | TransactionState::Recorded => true,
            // A transaction that is new to the node had not arrived.
            TransactionState::Sent => error.new_transaction() != Some(true),
            TransactionState::Signed | TransactionState::Refused => false,
        };
        let error = error.or_accepted_earlier(accepted_earlier);
        let state = match error.sent() {
            // Written again, in case another process changed it in the meantime.
            _ if error.maybe_sent() => TransactionState::Sent,
            0 => before,
            // The node has received it, and did not accept it.
            _ => TransactionState::Refused,
        };
        self.note_if_possible(state).await;
        Err(SavedCallError::Submission {
            error,
            trans_code: self.trans_code(),
            saved_in: self.path().to_owned(),
        })
    }

    /// Saves a state on another thread. Returns the state before.
    pub(crate) async fn note(
        &mut self,
        state: TransactionState,
    ) -> Result<TransactionState, SavedTransactionError> {
        let mut copy = self.clone();
        let (noted, before) =
            blocking(move || copy.save_state(state).map(|before| (copy, before))).await?;
        *self = noted;
        Ok(before)
    }

    /// Saves a state, but only logs a failure: the transaction itself is already saved.
    pub(crate) async fn note_if_possible(&mut self, state: TransactionState) {
        if let Err(error) = self.note(state).await {
            tracing::warn!(%error, "the state can't be saved");
        }
    }
}
