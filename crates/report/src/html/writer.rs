//! Writing HTML so that nothing which was not written here can become markup.

use nodeproof_primitives::escape::{escaped_lines, escaped_up_to};

/// The longest text of a page's single place, in characters.
const MOST_TEXT: usize = 20_000;

/// A page under construction.
///
/// Markup comes from this program's own text only: [`Html::raw`] takes nothing else. Whatever was
/// read from elsewhere goes through [`Html::text`] or [`Html::lines`].
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Markup as it stands in this program.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Text in one line, for an element or a quoted attribute.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.escape(&escaped_up_to(text, MOST_TEXT));
        self
    }

    /// Text whose line ends stay.
    pub(super) fn lines(&mut self, text: &str) -> &mut Self {
        let kept = text
            .char_indices()
            .nth(MOST_TEXT)
            .map_or(text, |(end, _)| &text[..end]);
        self.escape(&escaped_lines(kept));
        if kept.len() < text.len() {
            self.0.push('…');
        }
        self
    }

    /// A number.
    pub(super) fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        self.0.push_str(&number.into().to_string());
        self
    }

    /// A count with its word, which gets an `s` unless there is one.
    pub(super) fn count(&mut self, count: usize, word: &'static str) -> &mut Self {
        self.0.push_str(&count.to_string());
        self.raw(" ")
            .raw(word)
            .raw(if count == 1 { "" } else { "s" })
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    fn escape(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                _ => self.0.push(character),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup_and_hides_nothing() {
        let mut html = Html::default();
        html.text("</script><a href='x' b=\"y\">&amp;\u{202e}\n")
            .lines("a\n\u{1b}<");
        assert_eq!(
            html.into_text(),
            "&lt;/script&gt;&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;amp;\\u{202e}\\n\
             a\n\\u{1b}&lt;"
        );
    }

    #[test]
    fn text_without_end_is_cut() {
        let mut html = Html::default();
        html.lines(&"é".repeat(MOST_TEXT + 1));
        let text = html.into_text();
        assert!(text.ends_with("é…"));
        assert_eq!(text.chars().count(), MOST_TEXT + 1);
    }
}
