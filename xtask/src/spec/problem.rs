//! The problems that the linter finds.

use std::fmt;

/// One problem of the spec, and its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The JSON pointer of the wrong node; empty for the document.
    pub pointer: String,
    /// The rule's name, such as `unknown-keyword`.
    pub rule: &'static str,
    /// What is wrong and, if possible, how to correct it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            pointer,
            rule,
            message,
        } = self;
        write!(f, "{line}:{column}: {message} [{rule}] at #{pointer}")
    }
}

/// Returns the word of `known` that `written` was most likely meant to be.
///
/// Two typing errors are allowed, but only one in words of fewer than five letters.
pub(super) fn nearest<'k>(
    written: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<&'k str> {
    let allowed = if written.len() < 5 { 1 } else { 2 };
    known
        .into_iter()
        .map(|word| {
            (
                distance(&written.to_lowercase(), &word.to_lowercase()),
                word,
            )
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Returns how many letters must be inserted, removed, replaced or swapped to turn one word into the
/// other.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            let swapped =
                i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
            if swapped {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

/// Returns ` (did you mean …?)`, or an empty text.
pub(super) fn suggestion<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(written, known)
        .map(|word| format!(" (did you mean `{word}`?)"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_spelling_only_when_it_is_near() {
        assert_eq!(
            nearest("propertees", ["properties", "pattern"]),
            Some("properties")
        );
        assert_eq!(
            nearest("requird", ["required", "readOnly"]),
            Some("required")
        );
        assert_eq!(nearest("tpye", ["title", "type"]), Some("type"));
        assert_eq!(nearest("Type", ["type", "title"]), Some("type"));
        assert_eq!(nearest("banana", ["properties", "pattern"]), None);
    }
}
