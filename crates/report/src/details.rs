//! What a report shows about a case: its requirements, what was found, where, what was expected, and
//! what to do next.
//!
//! This is the only walk through a case's findings. The renderers only give its parts a form.

use std::borrow::Cow;

use nodeproof_primitives::escape::{escaped, escaped_up_to};
use similar::TextDiff;

use crate::model::{CaseReport, FindingReport};

/// Maximum length of a text, in characters.
const MAX_TEXT: usize = 600;
/// Maximum length of a command or a signed message, in bytes.
const MAX_EXACT: usize = 1_000;
/// Maximum length of a line of a difference, in characters.
const MAX_LINE: usize = 400;
/// Maximum length of a text that is compared line by line, in bytes.
const MAX_COMPARED: usize = 64 * 1024;

/// One part of the description of a case.
pub(crate) struct Detail<'r> {
    pub(crate) label: &'static str,
    pub(crate) value: Value<'r>,
}

/// The value of a detail.
pub(crate) enum Value<'r> {
    /// A text that can be shortened.
    Text(Cow<'r, str>),
    /// A command or a signed message, and the name of its member in `report.json`. Shortened, it
    /// would be another one.
    Exact(&'r str, &'static str),
    /// The lines in which two texts differ, escaped. They begin with `-`, `+` or a blank.
    Diff(String),
}

impl Detail<'_> {
    /// Returns the value, escaped. It is shortened, or replaced by its place if that would change its
    /// meaning.
    pub(crate) fn shown(&self) -> String {
        match &self.value {
            Value::Text(text) => escaped_up_to(text, MAX_TEXT),
            Value::Exact(text, member) if escaped(text).len() > MAX_EXACT => {
                let bytes = text.len();
                format!("{bytes} bytes: `{member}` in report.json (--report-dir)")
            }
            Value::Exact(text, _) => escaped(text),
            Value::Diff(lines) => lines.clone(),
        }
    }
}

fn text<'r>(label: &'static str, text: impl Into<Cow<'r, str>>) -> Detail<'r> {
    let value = Value::Text(text.into());
    Detail { label, value }
}

fn exact<'r>(label: &'static str, text: &'r str, member: &'static str) -> Detail<'r> {
    let value = Value::Exact(text, member);
    Detail { label, value }
}

/// Returns the description of a case. Equal mismatches in several places are in it once.
pub(crate) fn details(case: &CaseReport) -> Vec<Detail<'_>> {
    let mut details = requirements(case);
    // An expectation that does not apply any more, or only to some findings.
    let note = case.note.iter().filter(|_| case.outcome.has_new_findings());
    details.extend(note.map(|note| text("note", note)));
    for (finding, _) in kinds(case) {
        details.push(text("found", &finding.what));
        details.extend(finding_details(case, finding));
    }
    details.extend(next_steps(case));
    details
}

fn requirements(case: &CaseReport) -> Vec<Detail<'_>> {
    let cited = case.requirements.iter();
    cited
        .map(|one| text("requires", format!("{}: {}", one.id, one.text)))
        .collect()
}

/// Returns the mismatches of a case: each with its first finding, and its other ones.
pub(crate) fn kinds(case: &CaseReport) -> Vec<(&FindingReport, Vec<&FindingReport>)> {
    let mut kinds: Vec<(&FindingReport, Vec<&FindingReport>)> = Vec::new();
    for finding in &case.findings {
        match kinds.iter_mut().find(|(one, _)| one.what == finding.what) {
            Some((_, others)) => others.push(finding),
            None => kinds.push((finding, Vec::new())),
        }
    }
    kinds
}

/// Returns the description of a finding, except what is wrong.
pub(crate) fn finding_details<'r>(
    case: &CaseReport,
    finding: &'r FindingReport,
) -> Vec<Detail<'r>> {
    let first_of_all = |place: String| match finding.count {
        Some(count @ 2..) => format!("{place}, the first of {count} places"),
        _ => place,
    };
    let mut details = Vec::new();
    match (&finding.place, finding.pointer.as_deref()) {
        (Some(place), _) => details.push(text("at", first_of_all(place.clone()))),
        (None, Some("")) => details.push(text("at", "the whole body")),
        (None, Some(pointer)) => details.push(text("at", pointer)),
        (None, None) => {}
    }
    if let Some(block) = finding.block {
        details.push(text("in block", first_of_all(block.to_string())));
    }
    let (expected, actual) = (&finding.expected, &finding.actual);
    if expected.contains('\n') || actual.contains('\n') {
        let value = Value::Diff(diff(expected, actual));
        details.push(Detail {
            label: "differs",
            value,
        });
    } else {
        if case.requirements.iter().all(|one| one.text != *expected) {
            details.push(text("expected", expected));
        }
        if finding.values.is_empty() {
            details.push(text("actual", actual));
        }
    }
    let values = finding.values.iter();
    details.extend(values.map(|one| {
        let at_nodes = format!("{} at {}", one.value, one.nodes.join(", "));
        text("actual", at_nodes)
    }));
    details.extend(finding.again.iter().map(|again| text("again", again)));
    if let Some(signed) = &finding.signed {
        details.push(match &signed.message {
            Some(message) => exact("signed", message, "signed"),
            None => text("signed", format!("{} bytes", signed.message_bytes)),
        });
        details.push(text("digest", format!("SHA-1 {}", signed.digest)));
        let verify = signed.verify.as_deref();
        details.extend(verify.map(|verify| exact("verify", verify, "verify")));
    }
    let curl = finding.curl.as_deref();
    details.extend(curl.map(|curl| exact("try", curl, "curl")));
    details
}

/// Returns what the description of a case ends with: how much more was found, and where to read on.
pub(crate) fn next_steps(case: &CaseReport) -> Vec<Detail<'_>> {
    let all = case.findings.len() + case.more_findings;
    let counted: u64 = case.findings.iter().filter_map(|one| one.count).sum();
    let more = match usize::try_from(counted) {
        Ok(counted @ 1..) => all.saturating_sub(counted),
        _ => all - kinds(case).len(),
    };
    let more = (more > 0).then(|| {
        let places = if more == 1 { "place" } else { "places" };
        text(
            "and in",
            format!("{more} more {places}; report.json lists some"),
        )
    });
    let snapshot = case.snapshot.as_ref();
    let snapshot = snapshot.map(|snapshot| text("snapshot", snapshot));
    let explain = (!case.requirements.is_empty())
        .then(|| text("explain", format!("nodeproof explain {}", case.id)));
    [more, snapshot, explain].into_iter().flatten().collect()
}

/// Returns the lines that differ, with three lines of context.
fn diff(expected: &str, actual: &str) -> String {
    let [expected, actual] = [expected, actual].map(|text| {
        let mut end = text.len().min(MAX_COMPARED);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let start = &text[..end];
        let lines = start.split('\n').map(|line| escaped_up_to(line, MAX_LINE));
        lines.collect::<Vec<_>>().join("\n")
    });
    let diff = TextDiff::from_lines(&expected, &actual);
    let mut lines = diff.unified_diff();
    let lines = lines.context_radius(3).missing_newline_hint(false);
    lines.to_string()
}
