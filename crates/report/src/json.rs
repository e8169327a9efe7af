//! The text of `report.json`.

use nodeproof_primitives::escape::escaped_json;

use crate::model::Report;

/// Renders a report as `report.json`.
///
/// The text is safe to print to a terminal: invisible and control characters are JSON escapes.
///
/// # Errors
/// Returns an error if the report cannot be written as JSON. That would be a bug in this crate.
pub fn json(report: &Report) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(escaped_json(&text))
}
