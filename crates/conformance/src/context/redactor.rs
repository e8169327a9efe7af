//! Redacts the signatures of the user's wallet in reports.

use std::sync::{Arc, Mutex};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The text that replaces a signature in a report.
const REDACTED: &str = "(signature redacted)";

/// The signatures of the user's wallet that this run has sent.
///
/// A node can repeat a signature anywhere in a response, so the whole report is searched. Clones
/// share their signatures. `Debug` does not show them.
#[derive(Clone, Default)]
pub(crate) struct Redactor(Arc<Mutex<Vec<String>>>);

impl Redactor {
    /// Adds a hexadecimal signature. Everything that is reported from now on is redacted.
    pub(crate) fn add(&self, signature: &str) {
        if let Ok(mut signatures) = self.0.lock() {
            signatures.push(signature.to_ascii_lowercase());
        }
    }

    /// Returns the value without the signatures in any of its strings.
    pub(crate) fn redact<T: Serialize + DeserializeOwned>(&self, value: T) -> T {
        let signatures = self.0.lock().map(|list| list.clone()).unwrap_or_default();
        if signatures.is_empty() {
            return value;
        }
        let redacted = serde_json::to_value(&value).and_then(|mut json| {
            redact(&mut json, &signatures);
            serde_json::from_value(json)
        });
        redacted.unwrap_or(value)
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redactor")
    }
}

fn redact(value: &mut Value, signatures: &[String]) {
    match value {
        Value::String(text) => {
            for signature in signatures {
                replace(text, signature);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, signatures)),
        Value::Object(members) => {
            let members = members.values_mut();
            members.for_each(|member| redact(member, signatures));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces a signature, in upper or lower case. The rest of the text stays.
fn replace(text: &mut String, signature: &str) {
    // Only ASCII changes case here, so positions stay the same.
    while let Some(at) = text.to_ascii_lowercase().find(signature) {
        text.replace_range(at..at + signature.len(), REDACTED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_redacted_wherever_it_stands_and_nothing_else_is() {
        let signature = "0aB1".repeat(32);
        let redactor = Redactor::default();
        let value = serde_json::json!({
            "a": [format!("x{signature}y"), "0ab1", 7],
            "b": {"c": signature.to_uppercase() + &signature},
        });
        assert_eq!(redactor.redact(value.clone()), value);
        redactor.add(&signature);
        let shown = redactor.redact(value);
        assert_eq!(
            shown,
            serde_json::json!({
                "a": ["x(signature redacted)y", "0ab1", 7],
                "b": {"c": "(signature redacted)(signature redacted)"},
            })
        );
        assert_eq!(format!("{redactor:?}"), "Redactor");
    }
}
