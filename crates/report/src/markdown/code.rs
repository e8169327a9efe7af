//! Untrusted text in Markdown.

use nodeproof_primitives::escape::escaped_up_to;

/// Writes a text as a code span, at most `most` characters of it. Nothing in it is markup.
pub(super) fn code(text: &str, most: usize) -> String {
    let text = escaped_up_to(text, most);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    // A code span ends at as many backticks as it begins with.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // One space on both sides is not shown. It keeps backticks at the ends apart from the fence.
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
