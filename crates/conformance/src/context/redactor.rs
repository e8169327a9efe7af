//! Redacts the signatures of the user's wallet, and the values of the user's headers, in reports.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use nodeproof_client::transport::SecretHeaders;
use nodeproof_primitives::redact::Secrets;
use nodeproof_report::{CaseReport, NodeReport};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::without_texts::WithoutTexts;

/// The text that replaces a signature, or a piece of one, in a report.
const REDACTED: &str = "(signature redacted)";
/// The smallest number of digits of a signature that is redacted.
const DIGITS: usize = 16;

/// The signatures of the user's wallet that this run has sent, and the headers of its requests.
///
/// A node can repeat a signature anywhere in a response, and reports cut long texts. So every text of the
/// finished report is searched for pieces of signatures, in the forms of [`Secrets`]. Clones share their
/// signatures. `Debug` does not show them.
#[derive(Clone, Default)]
pub(crate) struct Redactor(Arc<Mutex<Parts>>);

#[derive(Default)]
struct Parts {
    signatures: Secrets,
    headers: Secrets,
    /// The signatures, each whole.
    whole: BTreeSet<String>,
}

impl Redactor {
    /// Adds a hexadecimal signature. Everything that is reported from now on is redacted.
    pub(crate) fn add(&self, signature: &str) {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.signatures.add(signature, DIGITS);
        // One wrong submission has the halves in the other order, and a node may send them back in base64.
        let (r, s) = signature.split_at(signature.len() / 2);
        parts.signatures.add(&format!("{s}{r}"), DIGITS);
        parts.whole.insert(signature.to_owned());
    }

    /// Returns a redactor that does not hide signatures which the node has published.
    pub(crate) fn without_public(&self, is_public: impl Fn(&str) -> bool) -> Self {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let others = Self(Arc::new(Mutex::new(Parts {
            headers: parts.headers.clone(),
            ..Parts::default()
        })));
        let hidden = parts.whole.iter().filter(|signature| !is_public(signature));
        hidden.for_each(|signature| others.add(signature));
        others
    }

    /// Adds the values of headers.
    pub(crate) fn add_headers(&self, headers: &SecretHeaders) {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        headers.add_to(&mut parts.headers);
    }

    /// Whether there is nothing to redact.
    pub(crate) fn is_empty(&self) -> bool {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.is_empty()
    }

    /// Returns a text without the signatures and the headers' values, or `None` if it has none.
    pub(crate) fn without_secrets(&self, text: &str) -> Option<String> {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (!parts.is_empty())
            .then(|| parts.redact(text))
            .filter(|redacted| redacted != text)
    }

    /// Returns a text without the headers' values, or `None` if it has none.
    pub(crate) fn without_header_values(&self, text: &str) -> Option<String> {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.headers.redact(text, SecretHeaders::REDACTED)
    }

    /// Returns the value without the signatures and the headers' values in any of its strings. If that
    /// fails, returns it without its texts.
    pub(crate) fn redact<T: Serialize + DeserializeOwned + WithoutTexts>(&self, value: T) -> T {
        if self.is_empty() {
            return value;
        }
        match self.try_redact(&value) {
            Ok(redacted) => redacted,
            Err(_) => value.without_texts(),
        }
    }

    /// Returns cases without signatures. A case that can't be redacted leaves out only its own texts.
    pub(crate) fn redact_cases(&self, cases: Vec<CaseReport>) -> Vec<CaseReport> {
        cases.into_iter().map(|case| self.redact(case)).collect()
    }

    /// Returns a report without signatures. A part that can't be redacted leaves out only its own texts.
    pub(crate) fn redact_report(&self, mut report: NodeReport) -> NodeReport {
        let cases = std::mem::take(&mut report.cases);
        let exchanges = std::mem::take(&mut report.exchanges).into_iter();
        let sweep = report.sweep.take();
        NodeReport {
            cases: self.redact_cases(cases),
            exchanges: exchanges.map(|exchange| self.redact(exchange)).collect(),
            sweep: self.redact(sweep),
            ..self.redact(report)
        }
    }

    /// Removes the signatures and the headers' values from all strings of a document.
    pub(crate) fn redact_json(&self, json: &mut Value) {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !parts.is_empty() {
            redact(json, &parts);
        }
    }

    /// Returns the value without the signatures and the headers' values in any of its strings.
    ///
    /// # Errors
    /// The value has no form in JSON, or its redacted form can't be read back.
    pub(crate) fn try_redact<T: Serialize + DeserializeOwned>(
        &self,
        value: &T,
    ) -> serde_json::Result<T> {
        let mut json = serde_json::to_value(value)?;
        self.redact_json(&mut json);
        serde_json::from_value(json)
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redactor")
    }
}

fn redact(value: &mut Value, parts: &Parts) {
    match value {
        Value::String(text) => *text = parts.redact(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, parts)),
        Value::Object(members) => {
            let names = std::mem::take(members).into_iter();
            *members = names
                .map(|(name, mut member)| {
                    redact(&mut member, parts);
                    (parts.redact(&name), member)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Parts {
    fn is_empty(&self) -> bool {
        self.signatures.is_empty() && self.headers.is_empty()
    }

    fn redact(&self, text: &str) -> String {
        let redacted = self.signatures.redact(text, REDACTED);
        let redacted = redacted.unwrap_or_else(|| text.to_owned());
        let without_headers = self.headers.redact(&redacted, SecretHeaders::REDACTED);
        without_headers.unwrap_or(redacted)
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use serde_json::json;

    use super::*;
    use crate::context::without_texts::tests::{SIGNATURE, report, shown};

    fn redactor() -> Redactor {
        let redactor = Redactor::default();
        redactor.add(SIGNATURE);
        redactor
    }

    #[test]
    fn signatures_are_replaced_in_values_and_names_and_nothing_else_is() {
        let value = json!({"a": [SIGNATURE, 7], SIGNATURE: {"b": null, "c": &SIGNATURE[..15]}});
        assert_eq!(Redactor::default().try_redact(&value).unwrap(), value);
        assert_eq!(
            redactor().try_redact(&value).unwrap(),
            json!({"a": [REDACTED, 7], REDACTED: {"b": null, "c": &SIGNATURE[..15]}})
        );
        let mut headers = SecretHeaders::default();
        headers.add("x-key", "0123456789abcdef").unwrap();
        let redactor = redactor();
        redactor.add_headers(&headers);
        let text = format!("{} and 0123456789", SIGNATURE.to_uppercase());
        assert_eq!(redactor.redact(text), format!("{REDACTED} and [redacted]"));
        assert_eq!(format!("{redactor:?}"), "Redactor");
        let (r, s) = SIGNATURE.split_at(64);
        let swapped = const_hex::decode(format!("{s}{r}")).unwrap();
        let swapped = STANDARD.encode(swapped);
        let shown = redactor.redact(swapped.clone());
        assert!(!shown.contains(&swapped[8..24]), "{shown}");
    }

    #[test]
    fn a_report_is_redacted_although_one_of_its_parts_can_not_be_read_back() {
        let mut report = report();
        // JSON has no such number. It becomes null, which is not a number.
        let latency = json!({"responses": 1, "median_ms": 1.0, "p95_ms": 1.0, "max_ms": 1.0});
        let cost = json!({"requests_per_second": 1.0, "latency": latency});
        report.cost = serde_json::from_value(cost).unwrap();
        report.cost.as_mut().unwrap().requests_per_second = f64::NAN;
        let report = shown(&redactor().redact_report(report));
        assert_eq!(report["notes"][0], report["reason"]);
        assert_eq!(
            report["notes"],
            json!(["(left out: this text could not be searched for signatures)"])
        );
        assert_eq!(report["verdict"], "does-not-conform");
        // The others are redacted as usual.
        assert_eq!(
            report["cases"][0]["findings"][0]["actual"],
            "(signature redacted)"
        );
        assert_eq!(report["exchanges"][0]["body"], "(signature redacted)");
        assert_eq!(report["sweep"]["kinds"][0]["what"], "(signature redacted)");
    }
}
