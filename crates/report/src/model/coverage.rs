//! What a run exercised of the specification, and what it did not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run exercised.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Every documented operation, in the order of the OpenAPI document.
    pub operations: Vec<OperationCoverage>,
    /// IDs of the cases for documented fields that no response contained.
    pub unseen_fields: Vec<String>,
}

/// What a run exercised of one operation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OperationCoverage {
    /// The operation's name in case IDs, such as `get-block`.
    pub operation: String,
    /// Number of requests sent to it.
    pub requests: u64,
    /// The statuses of its responses, in ascending order.
    #[serde(default)]
    pub statuses: Vec<u16>,
    /// Its documented parameters, or the documented members of its request body.
    #[serde(default)]
    pub parameters: Vec<PartCoverage>,
    /// The documented fields of its response that have a case of their own.
    #[serde(default)]
    pub fields: Vec<PartCoverage>,
    /// Why no request was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether one parameter or field was exercised.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PartCoverage {
    /// The parameter's name, or the field's path. In a path, `[]` stands for every element of an
    /// array.
    pub name: String,
    /// Whether the parameter was sent, or the field was in a response and checked.
    pub exercised: bool,
    /// Why it was not exercised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Coverage {
    /// Returns a short text for everything that the run could have exercised but did not.
    #[must_use]
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        for operation in &self.operations {
            let name = &operation.operation;
            if operation.requests == 0 {
                gaps.push(format!("{name} was not requested"));
                continue;
            }
            let missing = |parts: &[PartCoverage], what: &str| -> Vec<String> {
                let parts = parts.iter().filter(|part| !part.exercised);
                parts
                    .map(|part| format!("{name}: {what} {}", part.name))
                    .collect()
            };
            gaps.extend(missing(&operation.parameters, "parameter"));
            gaps.extend(missing(&operation.fields, "field"));
        }
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_an_operation_a_parameter_or_a_field() {
        let part = |name: &str, exercised| PartCoverage {
            name: name.to_owned(),
            exercised,
            reason: None,
        };
        let operation = |name: &str, requests| OperationCoverage {
            operation: name.to_owned(),
            requests,
            statuses: vec![200],
            parameters: vec![part("sent", true), part("unsent", false)],
            fields: vec![part("unseen", false)],
            reason: None,
        };
        let coverage = Coverage {
            operations: vec![operation("a", 1), operation("b", 0)],
            unseen_fields: vec![],
        };
        assert_eq!(
            coverage.gaps(),
            [
                "a: parameter unsent",
                "a: field unseen",
                "b was not requested"
            ]
        );
    }
}
