//! The table in the docs.

use std::path::PathBuf;

use super::{Client, Expected, Hostile, Measured};
use crate::matrix;

/// Where the table stands, from the root of the repository.
pub const FILE: &str = "docs/hostile-nodes.md";

/// The file of the table.
fn file() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", FILE].iter().collect()
}

fn may_have_arrived(expected: &Expected) -> &'static str {
    match expected.submit {
        Client::Answer => "answered",
        Client::Fails {
            maybe_sent: true, ..
        } => "unknown",
        Client::Perhaps { .. } => "answered or unknown",
        Client::Fails { .. } => "not sent",
    }
}

fn figures(measured: &Measured) -> String {
    let took = measured.took.as_secs_f64();
    match measured.peak {
        Some(peak) => format!("{took:.1} s, {} MB", peak.div_ceil(1_000_000)),
        None => format!("{took:.1} s"),
    }
}

/// The rows, each with what was measured with the client and with conformance.
#[must_use]
pub fn render(rows: &[(Hostile, Measured, Measured)]) -> String {
    let mut text = String::from(
        "| the server … | name | client, reading | client, submitting | took | conformance | took |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (hostile, client, conformance) in rows {
        let expected = &hostile.expected;
        let run = &expected.conformance;
        text.push_str(&format!(
            "| {} | `{}` | {} | {} | {} | {}, {}: {} | {} |\n",
            matrix::cell(hostile.what),
            hostile.name,
            matrix::cell(expected.read.told().trim_end_matches([':', ' '])),
            may_have_arrived(expected),
            figures(client),
            run.exit,
            run.verdict,
            matrix::cell(run.says.trim_end_matches([':', ' '])),
            figures(conformance),
        ));
    }
    text
}

/// Writes the rows to their place in the docs.
///
/// # Errors
/// What is wrong with the file.
pub fn with_rows(rows: &str) -> Result<(), String> {
    let path = file();
    let shown = |error: std::io::Error| format!("{FILE}: {error}");
    let document = std::fs::read_to_string(&path).map_err(shown)?;
    let fresh = matrix::with_section(&document, "rows", rows)
        .ok_or_else(|| format!("{FILE} has no section \"rows\""))?;
    std::fs::write(&path, fresh).map_err(shown)
}
