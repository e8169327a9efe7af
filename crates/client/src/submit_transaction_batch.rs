//! `POST /submit-transaction-batch`, and its response.

use nodeproof_primitives::TransactionCode;

use crate::{
    BatchOutcome, BatchResponse, Client, Error, SignedTransaction, SubmitError,
    call::{Operation, SUCCESS},
    submit_transaction::check_success,
};

const SUBMIT_TRANSACTION_BATCH: Operation = Operation {
    id: "submit_transaction_batch",
    response: "a response to a batch",
};

impl Client {
    #[doc(alias = "submit-transaction-batch")]
    /// Submits the texts of several signed transactions, byte for byte. Sends them at most once.
    ///
    /// [`BatchResponse::accepted`] checks that the node accepted all of them.
    ///
    /// The specification mentions a second endpoint for submissions and does not show it. Not every
    /// node has this one.
    ///
    /// # Errors
    /// As for [`submit`](Self::submit).
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     signed: Vec<nodeproof_client::SignedTransaction>,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// node.submit_batch(&signed).await?.accepted(signed.len())?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn submit_batch(
        &self,
        transactions: &[SignedTransaction],
    ) -> Result<BatchResponse, Error> {
        let call = self.begin(SUBMIT_TRANSACTION_BATCH);
        let response = call
            .client
            .submit_transaction_batch(&transactions.to_vec())
            .await;
        call.decoded(response).await
    }
}

impl BatchResponse {
    /// Checks that the node accepted all transactions of the batch, and returns their codes.
    /// `submitted` is their number.
    ///
    /// # Errors
    /// If the node [refused](SubmitError::is_refused) the batch or a part of it, or if it does not
    /// list all of them. [`maybe_sent`](SubmitError::maybe_sent) is true if it may have
    /// accepted any of them.
    ///
    /// ```
    /// use nodeproof_client::{BatchResponse, from_json};
    ///
    /// let busy: BatchResponse = from_json(br#"{"status": "FAILURE", "response": "NODE_BUSY"}"#)?;
    /// let error = busy.accepted(1).unwrap_err();
    /// assert_eq!(error.to_string(), "the node refuses the transaction: NODE_BUSY");
    /// # Ok::<(), nodeproof_client::InputError>(())
    /// ```
    pub fn accepted(&self, submitted: usize) -> Result<&[TransactionCode], SubmitError> {
        let result = match &self.response {
            BatchOutcome::Result(result) => result,
            BatchOutcome::Refusal(reason) if self.status != SUCCESS => {
                return Err(SubmitError::refused(std::slice::from_ref(reason)));
            }
            BatchOutcome::Refusal(_) => {
                let reason = "`response` is a text, and `status` is \"SUCCESS\"";
                return Err(SubmitError::unclear(reason.to_owned()));
            }
        };
        let accepted = &result.accepted_transactions;
        let failed = result.failed_transactions.len();
        if failed > 0 {
            let message = format!("transactions of the batch that failed: {failed}");
            let refused = SubmitError::refused(&[message]);
            return Err(refused.or_accepted_earlier(!accepted.is_empty()));
        }
        if accepted.is_empty() || accepted.len() != submitted {
            return Err(SubmitError::unclear(format!(
                "it lists no failed transactions, but not all of the accepted ones: {}",
                accepted.len()
            )));
        }
        check_success("no transaction failed", &self.status)?;
        Ok(accepted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::from_json;

    const CODE: &str = "04087cb4c58f389c80bef882e3392f1b3b0e9e3c";

    fn outcome(status: &str, accepted: &str, failed: &str, submitted: usize) -> (bool, bool) {
        let body = format!(
            r#"{{"status":"{status}","response":{{"accepted_transactions":[{accepted}],"failed_transactions":[{failed}]}}}}"#
        );
        let response: BatchResponse = from_json(body.as_bytes()).unwrap();
        match response.accepted(submitted) {
            Ok(codes) => {
                assert_eq!(codes.len(), submitted);
                (true, true)
            }
            Err(error) => (error.is_refused(), error.maybe_sent()),
        }
    }

    #[test]
    fn a_batch_is_accepted_only_as_a_whole() {
        let code = format!("\"{CODE}\"");
        let failed = format!(r#"{{"transaction_code":"{CODE}","msg":"no"}}"#);
        assert_eq!(outcome("SUCCESS", &code, "", 1), (true, true));
        assert_eq!(
            outcome("SUCCESS", &code, &failed, 2),
            (true, true),
            "in part"
        );
        assert_eq!(outcome("SUCCESS", "", &failed, 1), (true, false), "refused");
        assert_eq!(outcome("SUCCESS", "", "", 1), (false, true), "not listed");
        assert_eq!(
            outcome("SUCCESS", &code, "", 2),
            (false, true),
            "not all listed"
        );
        assert_eq!(
            outcome("FAILURE", &code, "", 1),
            (false, true),
            "contradictory"
        );
    }
}
