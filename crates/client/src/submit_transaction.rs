//! `POST /submit-transaction`, and its response.

use nodeproof_primitives::{escape::escaped_up_to, redact::Secrets};

use crate::{
    Client, Error, SignedTransaction, SubmitError, SubmitMessages, SubmitResponse,
    call::{Operation, SUCCESS},
    transport::SecretHeaders,
};

const SUBMIT_TRANSACTION: Operation = Operation {
    id: "submit_transaction",
    response: "a response to a submission",
};

impl Client {
    /// Submits the text of a signed transaction, byte for byte. Sends it at most once.
    pub(crate) async fn submit_once(
        &self,
        transaction: &SignedTransaction,
    ) -> Result<SubmitResponse, Error> {
        let call = self.begin(SUBMIT_TRANSACTION);
        let response = call.client.submit_transaction(transaction).await;
        let secrets = signatures_of(transaction);
        let mut response: SubmitResponse = call
            .decoded(response)
            .await
            .map_err(|error: Error| error.without_secrets(&secrets))?;
        let messages = match &mut response.response.msg {
            SubmitMessages::OneMessage(message) => std::slice::from_mut(message),
            SubmitMessages::SeveralMessages(messages) => messages,
        };
        for message in messages {
            if let Some(harmless) = secrets.redact(message, SecretHeaders::REDACTED) {
                *message = harmless;
            }
        }
        Ok(response)
    }
}

/// Length of the shortest piece of a signature that is not shown.
const SHORTEST_PIECE: usize = 16;

/// Returns the signatures of a transaction. A node can send them back in a message, and anyone with them can submit the
/// transaction.
fn signatures_of(transaction: &SignedTransaction) -> Secrets {
    let mut secrets = Secrets::default();
    for entry in transaction.signatures().unwrap_or_default() {
        secrets.add(&entry.msgsign.to_string(), SHORTEST_PIECE);
    }
    secrets
}

impl SubmitResponse {
    /// Checks that the node accepted the transaction: `response.valid` is true and `status` is
    /// `SUCCESS`.
    ///
    /// # Errors
    /// If the node refused the transaction. Or if `response.valid` is true and `status` is not
    /// `SUCCESS`: the node may have accepted the transaction then.
    pub(crate) fn accepted(&self) -> Result<(), SubmitError> {
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
    use crate::{CallErrorKind, from_json};

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
        assert_eq!(error.kind(), CallErrorKind::Refused);
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
            assert_eq!(contradictory.kind(), CallErrorKind::Uncertain, "{status}");
            assert_eq!(
                contradictory.to_string(),
                format!(
                    "the node does not say whether it accepted the transaction: `response.valid` is \
                     true, and `status` is {shown} instead of \"SUCCESS\""
                )
            );
            // A refusal is a refusal, whatever the other fields are.
            let refused = read(status, r#"{"valid":false,"msg":""}"#).accepted();
            assert_eq!(refused.unwrap_err().kind(), CallErrorKind::Refused);
        }
    }
}
