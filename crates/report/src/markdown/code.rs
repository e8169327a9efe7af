//! Untrusted text in Markdown.

use nodeproof_primitives::escape::escaped_up_to;

/// Writes at most `most` characters of a text as a code span. Nothing in it is interpreted as markup.
pub(crate) fn code(text: &str, most: usize) -> String {
    let text = escaped_up_to(text, most);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    // A code span ends at a run of as many backticks as the run that begins it.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // One space on each side is not shown. It separates backticks at the ends from the fence.
    format!("{fence} {text} {fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_span() {
        for (text, span) in [
            ("a", "` a `"),
            ("`a``b", "``` `a``b ```"),
            ("`", "`` ` ``"),
            ("", "(empty)"),
            ("a\n\n# b", "` a\\n\\n# b `"),
        ] {
            assert_eq!(code(text, 100), span);
        }
        assert_eq!(code("```", 1), "`` `… ``");
    }
}
