//! `POST /submit-transaction`, and its response.

use nodeproof_primitives::escape::escaped_up_to;

use crate::{
    Client, Error, SignedTransaction, SubmitError, SubmitMessages, SubmitResponse,
    call::{Operation, SUCCESS},
};

const SUBMIT_TRANSACTION: Operation = Operation {
    id: "submit_transaction",
    response: "a response to a submission",
};

impl Client {
    #[doc(alias = "submit-transaction")]
    /// Submits the text of a signed transaction, byte for byte. Sends it at most once.
    ///
    /// A response can be a refusal: check it with [`SubmitResponse::accepted`].
    ///
    /// # Errors
    /// If the request fails, or the response is in no known form.
    /// [`maybe_sent`](Error::maybe_sent) returns whether the transaction may have reached the node
    /// anyway. Nodes were seen to return 500 for a signature that does not verify, and 429
    /// for too many submissions.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     signed: nodeproof_client::SignedTransaction,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// node.submit(&signed).await?.accepted()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn submit(&self, transaction: &SignedTransaction) -> Result<SubmitResponse, Error> {
        let call = self.begin(SUBMIT_TRANSACTION);
        let response = call.client.submit_transaction(transaction).await;
        call.decoded(response).await
    }
}

impl SubmitResponse {
    /// Checks that the node accepted the transaction: `response.valid` is true and `status` is
    /// `SUCCESS`.
    ///
    /// # Errors
    /// If the node [refused](SubmitError::is_refused) the transaction. Or if `response.valid` is true
    /// and `status` is not `SUCCESS`: the node may have accepted the transaction then.
    ///
    /// ```
    /// use nodeproof_client::{SubmitResponse, from_json};
    ///
    /// let response: SubmitResponse = from_json(
    ///     br#"{"status": "SUCCESS", "response": {"valid": false, "msg": ["Fee validation failed"]}}"#,
    /// )?;
    /// assert!(!response.accepted().is_ok());
    /// let error = response.accepted().unwrap_err();
    /// assert!(error.is_refused() && !error.maybe_sent());
    /// assert_eq!(error.to_string(), "the node refuses the transaction: Fee validation failed");
    /// # Ok::<(), nodeproof_client::InputError>(())
    /// ```
    pub fn accepted(&self) -> Result<(), SubmitError> {
        if !self.response.valid {
            return Err(SubmitError::refused(self.messages()));
        }
        check_success("`response.valid` is true", &self.status)
    }

    /// Returns the messages of validation from `response.msg`: one text or several, unchanged.
    #[doc(alias = "msg")]
    #[must_use]
    pub fn messages(&self) -> &[String] {
        match &self.response.msg {
            SubmitMessages::OneMessage(message) => std::slice::from_ref(message),
            SubmitMessages::SeveralMessages(messages) => messages,
        }
    }
}

/// Checks that the status of a response agrees with its result.
pub(crate) fn check_success(result: &str, status: &str) -> Result<(), SubmitError> {
    if status == SUCCESS {
        return Ok(());
    }
    Err(SubmitError::unclear(format!(
        "{result}, and `status` is \"{}\" instead of \"{SUCCESS}\"",
        escaped_up_to(status, 60)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::from_json;

    fn read(status: &str, response: &str) -> SubmitResponse {
        let body = format!(r#"{{"status":"{status}","response":{response}}}"#);
        from_json(body.as_bytes()).unwrap()
    }

    #[test]
    fn reads_every_observed_outcome() {
        let good = read(
            "SUCCESS",
            r#"{"valid":true,"msg":"fine","new_transaction":true}"#,
        );
        assert!(good.accepted().is_ok());
        assert_eq!(
            (good.messages(), good.response.new_transaction),
            (&["fine".to_owned()][..], Some(true))
        );
        let refused = read(
            "SUCCESS",
            r#"{"valid":false,"msg":["a","b"],"new_transaction":false}"#,
        );
        assert_eq!(refused.messages(), ["a", "b"]);
        let error = refused.accepted().unwrap_err();
        assert!(error.is_refused() && !error.maybe_sent());
        let structure = read("SUCCESS", r#"{"valid":false,"msg":"\u001b[2J"}"#);
        assert_eq!(structure.response.new_transaction, None);
        let shown = structure.accepted().unwrap_err().to_string();
        assert!(!shown.contains('\u{1b}'), "{shown}");
        let silent = read("SUCCESS", r#"{"valid":false,"msg":[]}"#)
            .accepted()
            .unwrap_err();
        assert_eq!(
            silent.to_string(),
            "the node refuses the transaction: it gives no reason"
        );
    }

    #[test]
    fn a_valid_transaction_under_another_status_is_a_contradiction() {
        for (status, shown) in [
            ("FAILURE", r#""FAILURE""#),
            ("ERR\\u001b[2J", r#""ERR\u{1b}[2J""#),
            ("", r#""""#),
            ("success", r#""success""#),
        ] {
            let contradictory = read(status, r#"{"valid":true,"msg":""}"#)
                .accepted()
                .unwrap_err();
            assert!(
                contradictory.maybe_sent() && !contradictory.is_refused(),
                "{status}"
            );
            assert_eq!(
                contradictory.to_string(),
                format!(
                    "the node does not say whether it accepted the transaction: `response.valid` is \
                     true, and `status` is {shown} instead of \"SUCCESS\""
                )
            );
            // A refusal is a refusal, whatever the other fields are.
            assert!(
                read(status, r#"{"valid":false,"msg":""}"#)
                    .accepted()
                    .unwrap_err()
                    .is_refused()
            );
        }
    }
}
