//! Errors of the parsed document.

use std::fmt::Display;

/// The reason why the spec could not be read or a schema could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The text is not a JSON document.
    #[error("the spec is not JSON")]
    Json(#[from] serde_json::Error),
    /// The document has no object `paths`.
    #[error("the spec is not an OpenAPI document: it has no paths")]
    NotOpenApi,
    /// There is no schema at this JSON pointer.
    #[error("the spec has no schema at {0}")]
    UnknownSchema(String),
    /// The schema can't be compiled.
    #[error("the schema at {pointer} can't be used: {reason}")]
    Schema {
        /// The schema's place in the view, as a JSON pointer.
        pointer: String,
        /// The reason.
        reason: String,
    },
}

impl SpecError {
    pub(crate) fn unusable(pointer: &str, reason: &dyn Display) -> Self {
        Self::Schema {
            pointer: pointer.to_owned(),
            reason: reason.to_string(),
        }
    }
}
