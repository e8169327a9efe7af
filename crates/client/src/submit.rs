//! The responses to submitted transactions.

use nodeproof_primitives::{RawJson, escape::escaped_up_to};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    DecodeError, Error, ErrorKind,
    decode::{ExtraFields, Field, FieldError, FieldFault, SUCCESS, kind_of, members, text_in},
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
/// assert!(refused.is_refused() && !refused.maybe_accepted() && !response.is_valid());
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
    envelope: Envelope,
    valid: Field<bool>,
    messages: Vec<String>,
    new_transaction: Field<bool>,
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
        self.envelope.status()
    }

    /// Returns the whole of `response`, unchanged.
    ///
    /// # Errors
    /// If it is missing or null.
    pub fn response(&self) -> Result<&RawJson, FieldError> {
        self.envelope.response()
    }

    /// Returns all fields except `status` and `response`, unchanged.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.envelope.extra
    }

    fn of_response<'f, T>(
        &self,
        field: &'f Field<T>,
        name: &'static str,
    ) -> Result<&'f T, FieldError> {
        match &self.envelope.response {
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

    /// Returns whether the node may have accepted the transaction, or another one of the batch.
    ///
    /// It is always true for an unclear response.
    #[must_use]
    pub fn maybe_accepted(&self) -> bool {
        match self {
            Self::Refused { maybe_accepted, .. } => *maybe_accepted,
            Self::Unclear(_) => true,
        }
    }
}

/// [`Error::maybe_sent`] is true for an unclear response: the node may have accepted the transaction.
impl From<NotAccepted> for Error {
    fn from(source: NotAccepted) -> Self {
        let maybe_sent = source.maybe_accepted();
        let kind = if source.is_refused() {
            ErrorKind::Refused
        } else {
            ErrorKind::Unclear
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
pub(crate) fn check_success(
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

pub(crate) fn missing(name: &'static str) -> FieldError {
    FieldError::new(name, FieldFault::Missing)
}

/// What the responses to a transaction and to a batch have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Envelope {
    status: Field<String>,
    pub(crate) response: Field<RawJson>,
    pub(crate) extra: ExtraFields,
}

impl Envelope {
    pub(crate) fn status(&self) -> Result<&str, FieldError> {
        self.status.require("status").map(String::as_str)
    }

    pub(crate) fn response(&self) -> Result<&RawJson, FieldError> {
        self.response.require("response")
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let mut envelope = Self::default();
        members(raw.get(), |name, raw| match name {
            "status" => envelope.status = Field::read(raw),
            "response" => envelope.response = Field::read(raw),
            _ => envelope.extra.push(name, raw.to_owned().into()),
        })
        .map_err(serde::de::Error::custom)?;
        Ok(envelope)
    }
}

impl<'de> Deserialize<'de> for SubmitResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut parsed = Self {
            envelope: Envelope::deserialize(deserializer)?,
            ..Self::default()
        };
        if let Field::Value(response) = &parsed.envelope.response {
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
}
