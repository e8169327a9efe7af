//! The table of the seeded faults in the docs, generated from the tables that the tests run.

use std::{collections::BTreeSet, env, fs, path::PathBuf, sync::Mutex};

use crate::faults::SeededFault;

/// The environment variable that updates the file instead of comparing it.
pub const UPDATE: &str = "UPDATE_FAULT_MATRIX";

/// Escapes text for a cell of a Markdown table.
#[must_use]
pub fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' => cell.push(' '),
            '&' => cell.push_str("&amp;"),
            '<' => cell.push_str("&lt;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '~' | '#' => {
                cell.push('\\');
                cell.push(character);
            }
            _ => cell.push(character),
        }
    }
    cell
}

/// Renders the IDs of cases as code, or a dash if there are none.
#[must_use]
pub fn ids(ids: &[&str]) -> String {
    if ids.is_empty() {
        return "–".to_owned();
    }
    let ids: Vec<_> = ids.iter().map(|id| format!("`{id}`")).collect();
    ids.join(", ")
}

/// Renders a count with the singular or the plural of a noun.
#[must_use]
pub fn count(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Returns whether a case is only about a response's form.
fn judges_form(id: &str) -> bool {
    let behaviour = id.split_once('/').map_or(id, |(_, behaviour)| behaviour);
    ["responds", "page", "shape", "snapshot"].contains(&behaviour)
}

/// Renders faults and the cases that catch them, in the order of their table, and their counts.
#[must_use]
pub fn render(faults: &[SeededFault]) -> String {
    let cases: BTreeSet<_> = faults
        .iter()
        .flat_map(|broken| broken.failing_cases)
        .collect();
    let by_form = faults
        .iter()
        .filter(|broken| broken.failing_cases.iter().any(|id| judges_form(id)))
        .count();
    let mut text = format!(
        "{}, caught by {}. {} detected by the form of the response (`responds`, `page`, \
         `shape` or `snapshot` fails); {} only by the content.\n\n\
         | fault | caught by |\n| --- | --- |\n",
        count(faults.len(), "fault", "faults"),
        count(cases.len(), "case", "different cases"),
        count(by_form, "is", "are"),
        faults.len() - by_form,
    );
    for broken in faults {
        let mut failing_cases = broken.failing_cases.to_vec();
        failing_cases.sort_unstable();
        text.push_str(&format!(
            "| {} | {} |\n",
            cell(broken.name),
            ids(&failing_cases)
        ));
    }
    text
}

/// Returns the path of a generated file of the docs.
fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "docs", "generated", name]
        .iter()
        .collect()
}

/// Returns the document with a new text between the marks of a section.
pub(crate) fn with_section(document: &str, section: &str, text: &str) -> Option<String> {
    let (begin, end) = (
        format!("<!-- begin: {section} -->\n"),
        format!("<!-- end: {section} -->"),
    );
    let (before, rest) = document.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n{text}\n{end}{after}"))
}

/// Compares sections of the table in the docs, by name, with the expected text. With
/// `UPDATE_FAULT_MATRIX=1` it writes them.
///
/// # Errors
/// What is wrong with the file, and how to update it.
pub fn keep_fresh(sections: &[(&str, String)]) -> Result<(), String> {
    // Several tests update different sections of the same file.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock();
    let name = "fault-matrix.md";
    let document = fs::read_to_string(file(name)).map_err(|error| format!("{name}: {error}"))?;
    let mut fresh = document.clone();
    for (section, text) in sections {
        fresh = with_section(&fresh, section, text)
            .ok_or_else(|| format!("{name} has no section {section:?}"))?;
    }
    keep_file_fresh(name, &fresh)
}

/// Compares a generated file of the docs with the expected text. With `UPDATE_FAULT_MATRIX=1` it writes it.
///
/// # Errors
/// How to update the file, or why it can't be written.
pub fn keep_file_fresh(name: &str, fresh: &str) -> Result<(), String> {
    if fs::read_to_string(file(name)).is_ok_and(|document| document == fresh) {
        return Ok(());
    }
    if env::var_os(UPDATE).is_some_and(|value| value == "1") {
        return fs::write(file(name), fresh).map_err(|error| format!("{name}: {error}"));
    }
    Err(format!(
        "docs/generated/{name} is stale; {UPDATE}=1 cargo test -p integration-tests docs updates it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_not_break_out_of_its_cell() {
        assert_eq!(cell("a|b `c` <b>\n*d*"), "a\\|b \\`c\\` &lt;b> \\*d\\*");
    }

    #[test]
    fn only_the_section_of_that_name_is_replaced() {
        let document =
            "x\n<!-- begin: a -->\nold\n<!-- end: a -->\ny\n<!-- begin: b -->\n<!-- end: b -->\n";
        assert_eq!(
            with_section(document, "a", "new").as_deref(),
            Some(
                "x\n<!-- begin: a -->\n\nnew\n<!-- end: a -->\ny\n<!-- begin: b -->\n<!-- end: b -->\n"
            )
        );
        assert_eq!(with_section(document, "c", "new"), None);
    }
}
