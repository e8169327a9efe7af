//! Text in a page: shortened, with invisible and control characters written as `\u{…}`.
//!
//! After that, maud escapes the characters with a meaning in HTML.

use maud::Render;
use nodeproof_primitives::escape::{escaped_lines, escaped_up_to};

/// Maximum length of one text, in characters.
const MAX_TEXT: usize = 20_000;

/// Text in one line. Line feeds are escaped.
pub(super) struct Line<'t>(pub(super) &'t str);

/// Text in several lines. Line feeds stay.
pub(super) struct Lines<'t>(pub(super) &'t str);

impl Render for Line<'_> {
    fn render_to(&self, page: &mut String) {
        escaped_up_to(self.0, MAX_TEXT).render_to(page);
    }
}

impl Render for Lines<'_> {
    fn render_to(&self, page: &mut String) {
        let end = self.0.char_indices().nth(MAX_TEXT).map(|(end, _)| end);
        escaped_lines(&self.0[..end.unwrap_or(self.0.len())]).render_to(page);
        if end.is_some() {
            page.push('…');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup_and_hides_nothing() {
        let line = Line("</script><a href='x' b=\"y\">&amp;\u{202e}\n").render();
        assert_eq!(
            line.into_string(),
            "&lt;/script&gt;&lt;a href='x' b=&quot;y&quot;&gt;&amp;amp;\\u{202e}\\n"
        );
        let lines = Lines("a\n\u{1b}<").render();
        assert_eq!(lines.into_string(), "a\n\\u{1b}&lt;");
    }

    #[test]
    fn text_without_end_is_cut() {
        let text = "é".repeat(MAX_TEXT + 1);
        for text in [Line(&text).render(), Lines(&text).render()] {
            let text = text.into_string();
            assert!(text.ends_with("é…"));
            assert_eq!(text.chars().count(), MAX_TEXT + 1);
        }
    }
}
