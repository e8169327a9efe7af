//! The table in the docs.

use std::path::PathBuf;

use super::{Client, Ended, Expected, Hostile, Measured};
use crate::matrix;

/// The path of the table, from the root of the repository.
pub const FILE: &str = "docs/generated/hostile-nodes.md";

/// Returns the path of the table.
fn file() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", FILE].iter().collect()
}

fn may_have_arrived(expected: &Expected) -> &'static str {
    match expected.submit {
        Client::Response => "responds",
        Client::Fails {
            maybe_sent: true, ..
        } => "unknown",
        Client::MayFail { .. } => "responds, or unknown",
        Client::Fails { .. } => "not sent",
    }
}

fn submitting(ended: &Ended) -> String {
    let what = match ended {
        Ended { exit: 0, .. } => "accepted",
        Ended {
            maybe_sent: true, ..
        } => "unknown",
        Ended { exit: 3, says, .. } if says.contains("takes nothing now") => "not accepted",
        _ => "not sent",
    };
    format!("{}: {what}", ended.exit)
}

fn figures(measured: &Measured) -> String {
    let took = measured.took.as_secs_f64();
    match measured.peak {
        Some(peak) => format!("{took:.1} s, {} MB", peak.div_ceil(1_000_000)),
        None => format!("{took:.1} s"),
    }
}

/// The measurements with one server.
#[derive(Debug)]
pub struct Row {
    /// A request and a submission of the client.
    pub client: Measured,
    /// A run of conformance.
    pub conformance: Measured,
    /// `nodectl block`.
    pub nodectl_read: Measured,
    /// `nodectl submit`.
    pub nodectl_submit: Measured,
}

impl Row {
    /// Returns all differences from the expected results.
    #[must_use]
    pub fn differs(&self, expected: &Expected) -> Vec<String> {
        let mut differs = expected.of_client(&self.client.output.stdout);
        differs.extend(expected.of_conformance(&self.conformance.output));
        let nodectl = &expected.nodectl;
        differs.extend(nodectl.read.differs(&self.nodectl_read.output));
        differs.extend(nodectl.submit.differs(&self.nodectl_submit.output));
        differs
    }
}

/// Renders the rows with their measurements.
#[must_use]
pub fn render(rows: &[(Hostile, Row)]) -> String {
    let mut text = String::from(
        "| the server … | name | client, reading | client, submitting | took | conformance | took \
         | `nodectl block` | took | `nodectl submit` | took |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (hostile, row) in rows {
        let expected = &hostile.expected;
        let run = &expected.conformance;
        text.push_str(&format!(
            "| {} | `{}` | {} | {} | {} | {}, {}: {} | {} | {} | {} | {} | {} |\n",
            matrix::cell(hostile.what),
            hostile.name,
            matrix::cell(expected.read.cell().trim_end_matches([':', ' '])),
            may_have_arrived(expected),
            figures(&row.client),
            run.exit,
            run.verdict,
            matrix::cell(run.says.trim_end_matches([':', ' '])),
            figures(&row.conformance),
            matrix::cell(&expected.nodectl.read.cell()),
            figures(&row.nodectl_read),
            matrix::cell(&submitting(&expected.nodectl.submit)),
            figures(&row.nodectl_submit),
        ));
    }
    text
}

/// Writes the rows to the file in the docs.
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
