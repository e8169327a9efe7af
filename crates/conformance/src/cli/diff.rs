//! `diff`: compares two reports.

use std::path::Path;

use nodeproof_files::read_text;
use nodeproof_report::{
    Comparison, ExitStatus, Report, compare, markdown_of_comparison, text_of_comparison,
};

use super::{
    args::DiffFormat,
    error::UsageError,
    output::{NotWritten, print, status_after, style},
};

/// Maximum length of a report, in bytes.
const MAX_REPORT: u64 = 256 * 1024 * 1024;

/// Prints the comparison of two reports, and returns the exit status.
pub(crate) fn diff(before: &Path, after: &Path, format: DiffFormat) -> Result<u8, UsageError> {
    let (before, after) = (read_report(before)?, read_report(after)?);
    let comparisons = compare(&before, &after);
    let style = style();
    let texts = comparisons.iter().map(|comparison| match format {
        DiffFormat::Text => text_of_comparison(comparison, style),
        DiffFormat::Markdown => markdown_of_comparison(comparison),
    });
    let printed = print(&texts.collect::<Vec<_>>().join("\n"));
    let status = if comparisons.iter().any(Comparison::is_worse) {
        ExitStatus::DoesNotConform
    } else if comparisons.iter().any(Comparison::is_open) {
        ExitStatus::NoVerdict
    } else {
        ExitStatus::Conforms
    };
    Ok(status_after(status.code(), [printed]).unwrap_or_else(|NotWritten(status)| status))
}

/// Reads a report.
pub(crate) fn read_report(path: &Path) -> Result<Report, UsageError> {
    let wrong = |reason: String| UsageError::file("{} can't be compared", path, reason);
    let text = read_text(path, MAX_REPORT).map_err(|error| wrong(error.to_string()))?;
    Report::from_json(&text).map_err(|error| wrong(error.to_string()))
}
