//! The responses to submitted transactions.

use nodeproof_primitives::{RawJson, TransactionCode, escape::escaped_up_to};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    DecodeError, Error, ErrorKind, Listing,
    decode::{
        ExtraFields, Field, FieldError, FieldFault, Leaf, SUCCESS, kind_of, members, text_in,
    },
};

/// A node's response to a submitted transaction.
///
/// A response can be a refusal, even with status 200. Call [`accepted`](Self::accepted), which
/// returns an error for every other outcome.
///
/// Source: the contract, "POST /submit-transaction".
///
/// ```
/// use nodeproof_client::SubmitResponse;
///
/// let response = SubmitResponse::from_slice(
///     br#"{"status":"SUCCESS","response":{"valid":false,"msg":["Fee validation failed"],
///          "new_transaction":true}}"#,
/// )?;
/// let refused = response.accepted().unwrap_err();
/// assert!(refused.is_refused() && !response.is_valid());
/// assert_eq!(refused.to_string(), "the node refuses the transaction: Fee validation failed");
///
/// assert_eq!(response.valid(), Ok(false));
/// assert_eq!(response.messages(), ["Fee validation failed"]);
/// assert_eq!(response.new_transaction(), Some(true));
/// assert!(response.response()?.as_str().contains("Fee validation failed"));
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "the node may have refused the transaction; call `accepted()?`"]
pub struct SubmitResponse {
    status: Field<String>,
    response: Field<RawJson>,
    valid: Field<bool>,
    messages: Vec<String>,
    new_transaction: Field<bool>,
    extra: ExtraFields,
}

impl SubmitResponse {
    /// Parses the response to a submission from its bytes.
    ///
    /// # Errors
    /// If they are not one JSON object.
    pub fn from_slice(body: &[u8]) -> Result<Self, DecodeError> {
        serde_json::from_slice(body)
            .map_err(|source| DecodeError::new("a response to a submission", body, source))
    }

    /// Returns whether the node accepted the transaction.
    ///
    /// It is false both for a refusal and for an unclear response. [`accepted`](Self::accepted)
    /// distinguishes them.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.accepted().is_ok()
    }

    /// Checks that the node accepted the transaction: `response.valid` is true and `status` is
    /// `SUCCESS`.
    ///
    /// # Errors
    /// [`NotAccepted::Refused`] if `response.valid` is false. [`NotAccepted::Unclear`] if
    /// `response.valid` is neither true nor false, or if it is true and `status` is not `SUCCESS`.
    /// The node may have accepted the transaction then.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     signed: nodeproof_client::SignedTransaction,
    /// # ) -> Result<(), nodeproof_client::Error> {
    /// node.submit(&signed).await?.accepted()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn accepted(&self) -> Result<(), NotAccepted> {
        let valid = self.valid().map_err(UnclearResponse::Field)?;
        if !valid {
            return Err(NotAccepted::Refused {
                messages: self.messages.clone(),
                new_transaction: self.new_transaction(),
                maybe_accepted: false,
            });
        }
        check_success("`response.valid` is true", self.status())?;
        Ok(())
    }

    /// Returns `response.valid`, the result of validation, whatever the `status`.
    ///
    /// # Errors
    /// If `response.valid` is neither true nor false.
    pub fn valid(&self) -> Result<bool, FieldError> {
        self.of_response(&self.valid, "response.valid").copied()
    }

    /// Returns the messages of validation from `response.msg`: one text or several.
    #[doc(alias = "msg")]
    #[must_use]
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Returns whether the transaction was new to the node, or `None` if the response does not have
    /// this.
    ///
    /// Some nodes leave it out when they refuse a transaction for its structure.
    #[must_use]
    pub fn new_transaction(&self) -> Option<bool> {
        self.new_transaction.value().copied()
    }

    /// Returns `status`. It is `SUCCESS` on success, and also for refused transactions.
    ///
    /// # Errors
    /// If it is not a string.
    pub fn status(&self) -> Result<&str, FieldError> {
        self.status.require("status").map(String::as_str)
    }

    /// Returns the whole of `response`, unchanged.
    ///
    /// # Errors
    /// If it is missing or null.
    pub fn response(&self) -> Result<&RawJson, FieldError> {
        self.response.require("response")
    }

    /// Returns all fields except `status` and `response`, unchanged.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }

    fn of_response<'f, T>(
        &self,
        field: &'f Field<T>,
        name: &'static str,
    ) -> Result<&'f T, FieldError> {
        match &self.response {
            Field::Value(response) if members(response.as_str(), |_, _| {}).is_err() => {
                let found = kind_of(response.as_str());
                let reason = format!("expected an object, found {found}");
                let whole = Field::<T>::malformed(reason, response.clone());
                Err(whole.fault("response").unwrap_or_else(|| missing(name)))
            }
            Field::Value(_) => field.require(name),
            response => Err(response.fault("response").unwrap_or_else(|| missing(name))),
        }
    }
}

/// A response to a submission that is not an acceptance.
///
/// The message is safe to print.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAccepted {
    /// The node refuses the transaction. Anyone who has it can still submit it, to any node.
    #[error("the node refuses the transaction: {}", reasons(messages))]
    Refused {
        /// The node's messages, unchanged. They are not escaped.
        messages: Vec<String>,
        /// Whether the transaction was new to the node, if the response has this.
        new_transaction: Option<bool>,
        /// Whether the node accepted other transactions of the batch, or may have accepted an earlier
        /// submission of this transaction.
        maybe_accepted: bool,
    },
    /// The response does not show whether the node accepts the transaction. It may have: search the
    /// next blocks for the transaction, or submit the same one again.
    #[error("the node does not say whether it accepts the transaction: {0}")]
    Unclear(#[from] UnclearResponse),
}

impl NotAccepted {
    /// Returns whether the node refuses the transaction, rather than giving an unclear response.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

/// [`Error::maybe_sent`] is true for an unclear response: the node may have accepted the transaction.
impl From<NotAccepted> for Error {
    fn from(source: NotAccepted) -> Self {
        let (kind, maybe_sent) = match source {
            NotAccepted::Refused { maybe_accepted, .. } => (ErrorKind::Refused, maybe_accepted),
            NotAccepted::Unclear(_) => (ErrorKind::Unclear, true),
        };
        Self::from_kind(kind, source.to_string())
            .caused_by(source)
            .sent(maybe_sent)
    }
}

impl From<UnclearResponse> for Error {
    fn from(source: UnclearResponse) -> Self {
        NotAccepted::from(source).into()
    }
}

/// Returns the messages of a refusal as one text that is safe to print.
fn reasons(messages: &[String]) -> String {
    if messages.is_empty() {
        return "it gives no reason".to_owned();
    }
    escaped_up_to(&messages.join("; "), 400)
}

/// A response to a submission that does not show whether the transaction was accepted.
///
/// The message is safe to print.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnclearResponse {
    /// The result of validation can't be read. Submit the same transaction again, or search the
    /// next blocks for it.
    #[error("{0}")]
    Field(FieldError),
    /// The response to a batch does not list every transaction. Submit the same batch again, or
    /// search the next blocks for its transactions.
    #[error("it lists no failed transactions, but not all of the accepted ones: {accepted}")]
    Incomplete {
        /// The number of accepted transactions in the response.
        accepted: usize,
    },
    /// The result of validation and the response's status contradict each other. Submit the same
    /// transaction again, or search the next blocks for it.
    #[error("{result}, and `status` is {status} instead of \"SUCCESS\"")]
    Contradictory {
        /// The result of validation in the response.
        result: &'static str,
        /// The value of `status`: an escaped text in quotation marks, or its fault.
        status: String,
    },
}

/// Checks that the status of a response agrees with its result.
fn check_success(
    result: &'static str,
    status: Result<&str, FieldError>,
) -> Result<(), UnclearResponse> {
    let status = match status {
        Ok(SUCCESS) => return Ok(()),
        Ok(other) => format!("\"{}\"", escaped_up_to(other, 60)),
        Err(fault) => match fault.fault() {
            FieldFault::Missing => "missing".to_owned(),
            FieldFault::Null => "null".to_owned(),
            FieldFault::Malformed(_) | FieldFault::Doubtful(_) => "no text".to_owned(),
        },
    };
    Err(UnclearResponse::Contradictory { result, status })
}

fn missing(name: &'static str) -> FieldError {
    FieldError::new(name, FieldFault::Missing)
}

impl<'de> Deserialize<'de> for SubmitResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let mut parsed = Self::default();
        members(raw.get(), |name, raw| match name {
            "status" => parsed.status = Field::read(raw),
            "response" => parsed.response = Field::read(raw),
            _ => parsed.extra.push(name, raw.to_owned().into()),
        })
        .map_err(serde::de::Error::custom)?;
        if let Field::Value(response) = &parsed.response {
            let read = members(response.as_str(), |name, raw| match name {
                "valid" => parsed.valid = Field::read(raw),
                "new_transaction" => parsed.new_transaction = Field::read(raw),
                "msg" => parsed.messages = messages(raw.get()),
                _ => {}
            });
            if read.is_err() {
                // A refusal in another form, such as only a text.
                parsed.messages = messages(response.as_str());
            }
        }
        Ok(parsed)
    }
}

/// Returns messages from a text, a list of texts, or any other value.
fn messages(text: &str) -> Vec<String> {
    if text == "null" {
        return Vec::new();
    }
    if let Some(message) = text_in(text) {
        return vec![message.into_owned()];
    }
    match serde_json::from_str::<Vec<&RawValue>>(text) {
        Ok(items) => items.iter().flat_map(|item| messages(item.get())).collect(),
        Err(_) => vec![text.to_owned()],
    }
}

/// The response to a batch of submitted transactions.
///
/// The contract mentions a second endpoint for submissions and does not show it. This form was
/// observed on real nodes.
///
/// ```
/// use nodeproof_client::BatchResponse;
///
/// let response = BatchResponse::from_slice(
///     br#"{"status":"SUCCESS","response":{"failed_transactions":[{"fee":1.0}],
///          "accepted_transactions":["04087cb4c58f389c80bef882e3392f1b3b0e9e3c"]}}"#,
/// )?;
/// assert!(response.accepted().is_err_and(|error| error.is_refused()));
/// let (accepted, failed) = (response.accepted_transactions()?, response.failed_transactions()?);
/// assert_eq!((accepted.len(), failed.len()), (1, 1));
/// assert!(response.response()?.as_str().starts_with('{'));
///
/// let busy = BatchResponse::from_slice(br#"{"status":"FAILURE","response":"NODE_BUSY"}"#)?;
/// assert_eq!(busy.refusal().as_deref(), Some("NODE_BUSY"));
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "the node may have refused some of the transactions; call `accepted()?`"]
pub struct BatchResponse {
    status: Field<String>,
    response: Field<RawJson>,
    accepted: Option<RawJson>,
    failed: Option<RawJson>,
    extra: ExtraFields,
    /// The number of transactions that were submitted, if it is known.
    pub(crate) submitted: Option<usize>,
}

impl BatchResponse {
    /// Parses the response to a batch from its bytes.
    ///
    /// # Errors
    /// If they are not one JSON object.
    pub fn from_slice(body: &[u8]) -> Result<Self, DecodeError> {
        serde_json::from_slice(body)
            .map_err(|source| DecodeError::new("a response to a batch", body, source))
    }

    /// Returns `status`: `SUCCESS`, or `FAILURE` while the node can't take transactions.
    ///
    /// # Errors
    /// If it is not a string.
    pub fn status(&self) -> Result<&str, FieldError> {
        self.status.require("status").map(String::as_str)
    }

    /// Checks that the node accepted every transaction of the batch. Returns their codes.
    ///
    /// A response that was parsed [from bytes](Self::from_slice) does not have the number of submitted
    /// transactions. Compare it with the number of codes.
    ///
    /// # Errors
    /// [`NotAccepted::Refused`] if it refused the batch or some of its transactions. See
    /// [`accepted_transactions`](Self::accepted_transactions) for those that it accepted.
    /// [`NotAccepted::Unclear`] if the response does not show it.
    pub fn accepted(&self) -> Result<Listing<TransactionCode>, NotAccepted> {
        let refused = |message: String, maybe_accepted: bool| NotAccepted::Refused {
            messages: vec![message],
            new_transaction: None,
            maybe_accepted,
        };
        if let Some(reason) = self.refusal().filter(|_| self.status() != Ok(SUCCESS)) {
            return Err(refused(reason, false));
        }
        let unclear = UnclearResponse::Field;
        let accepted = self.accepted_transactions().map_err(unclear);
        let failed = self.failed_transactions().map_err(unclear)?;
        let count = failed.len() + failed.faults().len();
        if count > 0 {
            let none = accepted.is_ok_and(|codes| codes.is_empty() && codes.faults().is_empty());
            let message = format!("transactions of the batch that failed: {count}");
            return Err(refused(message, !none));
        }
        let accepted = accepted?;
        if let Some(fault) = accepted.faults().first() {
            return Err(unclear(fault.clone()).into());
        }
        let expected = self.submitted.unwrap_or(accepted.len());
        if accepted.is_empty() || accepted.len() != expected {
            return Err(UnclearResponse::Incomplete {
                accepted: accepted.len(),
            }
            .into());
        }
        check_success("no transaction failed", self.status())?;
        Ok(accepted)
    }

    /// Returns the reason for refusing the whole batch, such as `NODE_BUSY`, if it is in `response`.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        self.response
            .value()
            .and_then(|raw| text_in(raw.as_str()))
            .map(String::from)
    }

    /// Returns the codes of the transactions that the node took.
    ///
    /// # Errors
    /// If the response has no list of them.
    pub fn accepted_transactions(&self) -> Result<Listing<TransactionCode>, FieldError> {
        const NAME: &str = "response.accepted_transactions";
        let raw = self.accepted.as_ref().ok_or_else(|| missing(NAME))?;
        Listing::read(NAME, raw, |text| match TransactionCode::read(text) {
            Ok(code) => Ok(code),
            Err(reason) => Err(FieldError::new("code", FieldFault::Malformed(reason))),
        })
    }

    /// Returns the transactions that the node did not take, unchanged.
    ///
    /// # Errors
    /// If the response has no list of them.
    pub fn failed_transactions(&self) -> Result<Listing<RawJson>, FieldError> {
        const NAME: &str = "response.failed_transactions";
        let raw = self.failed.as_ref().ok_or_else(|| missing(NAME))?;
        Listing::read(NAME, raw, |text| {
            RawJson::read(text)
                .map_err(|reason| FieldError::new("entry", FieldFault::Malformed(reason)))
        })
    }

    /// Returns the whole of `response`, unchanged.
    ///
    /// # Errors
    /// If it is missing or null.
    pub fn response(&self) -> Result<&RawJson, FieldError> {
        self.response.require("response")
    }

    /// Returns all fields except `status` and `response`, unchanged.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }
}

impl<'de> Deserialize<'de> for BatchResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let mut parsed = Self::default();
        members(raw.get(), |name, raw| match name {
            "status" => parsed.status = Field::read(raw),
            "response" => parsed.response = Field::read(raw),
            _ => parsed.extra.push(name, raw.to_owned().into()),
        })
        .map_err(serde::de::Error::custom)?;
        if let Field::Value(response) = &parsed.response {
            // The response to a refused batch is a text, and has no members.
            let _ = members(response.as_str(), |name, raw| match name {
                "accepted_transactions" => parsed.accepted = Some(raw.to_owned().into()),
                "failed_transactions" => parsed.failed = Some(raw.to_owned().into()),
                _ => {}
            });
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_response(response: &str) -> SubmitResponse {
        let body = format!(r#"{{"status":"SUCCESS","response":{response}}}"#);
        SubmitResponse::from_slice(body.as_bytes()).unwrap()
    }

    #[test]
    fn reads_every_outcome() {
        let good = with_response(r#"{"valid":true,"msg":"fine","new_transaction":true}"#);
        assert!(good.is_valid());
        assert_eq!(
            (good.messages(), good.new_transaction()),
            (&["fine".to_owned()][..], Some(true))
        );

        let refused = with_response(r#"{"valid":false,"msg":["a","b"],"new_transaction":false}"#);
        assert_eq!(refused.valid(), Ok(false));
        assert_eq!(refused.messages(), ["a", "b"]);

        assert_eq!(
            refused.accepted().unwrap_err(),
            NotAccepted::Refused {
                messages: vec!["a".to_owned(), "b".to_owned()],
                new_transaction: Some(false),
                maybe_accepted: false,
            }
        );
        let silent = with_response(r#"{"valid":false,"msg":null}"#);
        let error = Error::from(silent.accepted().unwrap_err());
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert_eq!(
            error.to_string(),
            "the node refuses the transaction: it gives no reason"
        );
        let acts = with_response(r#"{"valid":false,"msg":"\u001b[2J"}"#);
        let shown = acts.accepted().unwrap_err().to_string();
        assert!(!shown.contains('\u{1b}'), "{shown}");

        let structure = with_response(r#"{"valid":false,"msg":{"code":1}}"#);
        assert_eq!(structure.new_transaction(), None);
        assert_eq!(structure.messages(), [r#"{"code":1}"#]);
    }

    #[test]
    fn an_unclear_response_is_not_valid() {
        for (response, message) in [
            (r#"{"msg":"fine"}"#, "`response.valid` is missing"),
            (r#"{"valid":null}"#, "`response.valid` is null"),
            (
                r#"{"valid":1}"#,
                "`response.valid` is malformed: expected true or false, found the number 1",
            ),
            (
                r#""NODE_BUSY""#,
                "`response` is malformed: expected an object, found the string \"NODE_BUSY\"",
            ),
            ("null", "`response` is null"),
        ] {
            let parsed = with_response(response);
            let unclear = parsed.accepted().unwrap_err();
            assert!(!unclear.is_refused() && !parsed.is_valid());
            assert_eq!(Error::from(unclear).kind(), ErrorKind::Unclear);
            assert_eq!(parsed.valid().unwrap_err().to_string(), message);
        }
        assert_eq!(with_response(r#""NODE_BUSY""#).messages(), ["NODE_BUSY"]);
    }

    #[test]
    fn a_valid_transaction_under_another_status_is_a_contradiction() {
        for (status, shown) in [
            (r#""status":"FAILURE","#, r#""FAILURE""#),
            (r#""status":"ERR\u001b[2J","#, r#""ERR\u{1b}[2J""#),
            (r#""status":"","#, r#""""#),
            (r#""status":"success","#, r#""success""#),
            (r#""status":null,"#, "null"),
            (r#""status":5,"#, "no text"),
            ("", "missing"),
        ] {
            let read = |valid: bool| {
                let body = format!(r#"{{{status}"response":{{"valid":{valid}}}}}"#);
                SubmitResponse::from_slice(body.as_bytes()).unwrap()
            };
            let contradictory = read(true);
            assert!(!contradictory.is_valid(), "{status}");
            assert_eq!(contradictory.valid(), Ok(true));
            assert_eq!(
                contradictory.accepted().unwrap_err().to_string(),
                format!(
                    "the node does not say whether it accepts the transaction: `response.valid` is \
                     true, and `status` is {shown} instead of \"SUCCESS\""
                )
            );
            // A refusal is a refusal, whatever the other fields are.
            let refused = read(false).accepted().unwrap_err();
            assert!(refused.is_refused(), "{status}");
        }
    }

    #[test]
    fn a_batch_tells_what_was_taken_or_why_not() {
        let code = "04087cb4c58f389c80bef882e3392f1b3b0e9e3c";
        let body = format!(
            r#"{{"status":"SUCCESS","response":{{"accepted_transactions":["{code}","x"],"failed_transactions":[{{"a":1.0}}]}}}}"#
        );
        let taken = BatchResponse::from_slice(body.as_bytes()).unwrap();
        let accepted = taken.accepted_transactions().unwrap();
        assert_eq!(
            (accepted[0].to_string(), accepted.faults().len()),
            (code.to_owned(), 1)
        );
        assert_eq!(
            taken.failed_transactions().unwrap()[0].as_str(),
            r#"{"a":1.0}"#
        );
        assert_eq!(taken.refusal(), None);

        let busy = br#"{"status":"FAILURE","response":"NODE_BUSY"}"#;
        let busy = BatchResponse::from_slice(busy).unwrap();
        assert_eq!(busy.refusal().as_deref(), Some("NODE_BUSY"));
        assert!(busy.accepted_transactions().unwrap_err().is_missing());
    }

    #[test]
    fn a_batch_is_accepted_only_if_every_transaction_is() {
        let code = "04087cb4c58f389c80bef882e3392f1b3b0e9e3c";
        let lists = |accepted: &str, failed: &str| {
            format!(r#"{{"accepted_transactions":{accepted},"failed_transactions":{failed}}}"#)
        };
        let one = format!(r#"["{code}"]"#);
        for (status, response, refused, words) in [
            ("SUCCESS", lists(&one, "[{}]"), true, "that failed: 1"),
            ("SUCCESS", lists("[]", "[{},7]"), true, "that failed: 2"),
            ("FAILURE", r#""NODE_BUSY""#.to_owned(), true, "NODE_BUSY"),
            ("SUCCESS", lists("[]", "[]"), false, "accepted ones: 0"),
            (
                "SUCCESS",
                r#""queued""#.to_owned(),
                false,
                "failed_transactions",
            ),
            ("SUCCESS", lists(r#"["x"]"#, "[]"), false, "code"),
            ("SUCCESS", "{}".to_owned(), false, "failed_transactions"),
            (
                "SUCCESS",
                format!(r#"{{"accepted_transactions":{one}}}"#),
                false,
                "failed_transactions",
            ),
            ("FAILURE", lists(&one, "[]"), false, "FAILURE"),
        ] {
            let body = format!(r#"{{"status":"{status}","response":{response}}}"#);
            let batch = BatchResponse::from_slice(body.as_bytes()).unwrap();
            let error = batch.accepted().unwrap_err();
            assert_eq!(error.is_refused(), refused, "{body}: {error}");
            assert!(error.to_string().contains(words), "{body}: {error}");
            let is_partly = body.contains(&one) && refused;
            assert_eq!(
                Error::from(error).maybe_sent(),
                !refused || is_partly,
                "{body}"
            );
        }
        let body = format!(r#"{{"status":"SUCCESS","response":{}}}"#, lists(&one, "[]"));
        let mut batch = BatchResponse::from_slice(body.as_bytes()).unwrap();
        assert_eq!(batch.accepted().unwrap()[0].to_string(), code);
        for (submitted, is_complete) in [(1, true), (2, false), (0, false)] {
            batch.submitted = Some(submitted);
            assert_eq!(batch.accepted().is_ok(), is_complete, "{submitted}");
        }
    }
}
