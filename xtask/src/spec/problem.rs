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
fn nearest<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let allowed = if written.len() < 5 { 1 } else { 2 };
    let errors =
        |word: &str| strsim::damerau_levenshtein(&written.to_lowercase(), &word.to_lowercase());
    let known = known.into_iter().map(|word| (errors(word), word));
    let (errors, word) = known.min_by_key(|(errors, _)| *errors)?;
    (errors <= allowed).then_some(word)
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
