//! The response to a batch of submitted transactions.

use nodeproof_primitives::{RawJson, TransactionCode};
use serde::{Deserialize, Deserializer};

use crate::{
    DecodeError, Listing, NotAccepted, UnclearResponse,
    decode::{ExtraFields, Field, FieldError, FieldFault, Leaf, SUCCESS, members, text_in},
    submit::{Envelope, check_success, missing},
};

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
    envelope: Envelope,
    accepted: Option<RawJson>,
    failed: Option<RawJson>,
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
        self.envelope.status()
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
        let response = self.envelope.response.value();
        response
            .and_then(|raw| text_in(raw.as_str()))
            .map(String::from)
    }

    /// Returns the codes of the transactions that the node accepted.
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

    /// Returns the transactions that the node did not accept, unchanged.
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
        self.envelope.response()
    }

    /// Returns all fields except `status` and `response`, unchanged.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.envelope.extra
    }
}

impl<'de> Deserialize<'de> for BatchResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut parsed = Self {
            envelope: Envelope::deserialize(deserializer)?,
            ..Self::default()
        };
        if let Field::Value(response) = &parsed.envelope.response {
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
    use crate::Error;

    #[test]
    fn a_batch_tells_what_was_taken_or_why_not() {
        let code = "04087cb4c58f389c80bef882e3392f1b3b0e9e3c";
        let body = format!(
            r#"{{"status":"SUCCESS","response":{{"accepted_transactions":["{code}","x"],"failed_transactions":[{{"a":1.0}}]}}}}"#
        );
        let response = BatchResponse::from_slice(body.as_bytes()).unwrap();
        let accepted = response.accepted_transactions().unwrap();
        assert_eq!(
            (accepted[0].to_string(), accepted.faults().len()),
            (code.to_owned(), 1)
        );
        assert_eq!(
            response.failed_transactions().unwrap()[0].as_str(),
            r#"{"a":1.0}"#
        );
        assert_eq!(response.refusal(), None);

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
