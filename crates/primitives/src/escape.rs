//! Escaping untrusted text for a terminal.
//!
//! A node's text can contain escape sequences that rewrite a terminal's lines, marks that reverse
//! the reading order, and invisible characters. Escape every text of a node before you print it.

use std::fmt::Write;

/// Escapes control characters and invisible characters.
///
/// Line ends and tabs become `\n`, `\r` and `\t`, the others `\u{…}`. All other text is
/// unchanged, in any script.
///
/// ```
/// assert_eq!(nodeproof_primitives::escape::escaped("a\u{1b}[31mb\n"), "a\\u{1b}[31mb\\n");
/// ```
#[must_use]
pub fn escaped(text: &str) -> String {
    escaped_up_to(text, usize::MAX)
}

/// Escapes the first `most` characters of a text. Adds `…` if there are more.
///
/// ```
/// assert_eq!(nodeproof_primitives::escape::escaped_up_to("a\tbc", 3), "a\\tb…");
/// ```
#[must_use]
pub fn escaped_up_to(text: &str, most: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(most));
    for (count, character) in text.chars().enumerate() {
        if count == most {
            shown.push('…');
            break;
        }
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ if must_be_escaped(character) => {
                // Writing to a string does not fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// Escapes every line of a text as [`escaped`] does. Line feeds stay.
///
/// ```
/// assert_eq!(nodeproof_primitives::escape::escaped_lines("a\n\u{9b}b"), "a\n\\u{9b}b");
/// ```
#[must_use]
pub fn escaped_lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

/// Replaces invisible characters and terminal controls in a JSON document by JSON escapes. Line
/// feeds stay. The meaning of the document does not change.
///
/// ```
/// let text = nodeproof_primitives::escape::escaped_json("\"a\u{202e}\"");
/// assert_eq!(text, r#""a\u202e""#);
/// ```
#[must_use]
pub fn escaped_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if character == '\n' || !must_be_escaped(character) {
            shown.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        }
    }
    shown
}

/// Whether this is a job of GitHub Actions, which runs commands in its output.
///
/// ```
/// use nodeproof_primitives::escape::{is_github_job, without_commands};
///
/// let text = "::stop-commands::x";
/// let shown = if is_github_job() { without_commands(text) } else { text.to_owned() };
/// println!("{shown}");
/// ```
#[must_use]
pub fn is_github_job() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| !value.is_empty())
}

/// Escapes what a job of GitHub Actions takes for a command: `::` at the beginning of a line, and `##[` anywhere.
///
/// ```
/// use nodeproof_primitives::escape::without_commands;
///
/// assert_eq!(without_commands("a ::b\n  ::stop"), "a ::b\n  \\u{3a}:stop");
/// assert_eq!(without_commands("a ##[error]"), "a #\\u{23}[error]");
/// ```
#[must_use]
pub fn without_commands(text: &str) -> String {
    let lines = text
        .split('\n')
        .map(|line| match line.trim_start().strip_prefix("::") {
            Some(rest) => {
                let blanks = &line[..line.len() - rest.len() - 2];
                format!("{blanks}\\u{{3a}}:{rest}").into()
            }
            None => std::borrow::Cow::from(line),
        });
    let lines: Vec<_> = lines.collect();
    lines.join("\n").replace("##[", "#\\u{23}[")
}

/// Escapes the first `most` bytes of a body. Adds `…` if there are more.
///
/// Bytes that are not UTF-8 become `U+FFFD`.
///
/// ```
/// use nodeproof_primitives::escape::excerpt;
///
/// assert_eq!(excerpt(b"<h1>Bad gateway</h1>", 15), "<h1>Bad gateway…");
/// assert_eq!(excerpt(b"\x1b[2J", 15), "\\u{1b}[2J");
/// ```
#[must_use]
pub fn excerpt(body: &[u8], most: usize) -> String {
    let kept = body.get(..most).unwrap_or(body);
    let mut text = String::from_utf8_lossy(kept).into_owned();
    if kept.len() < body.len() {
        // Remove a character that was cut in two: the body itself may be UTF-8.
        while text.ends_with('\u{fffd}') {
            text.pop();
        }
    }
    let mut shown = escaped(&text);
    if kept.len() < body.len() {
        shown.push('…');
    }
    shown
}

/// Returns whether a character controls the terminal, is invisible, or looks different with each font.
fn must_be_escaped(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
            // For private use: a font may show anything.
            | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_controls_a_terminal() {
        let hostile = "\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{2066}\u{200b}\u{feff}\u{ffff}\0\r\n\u{e0041}\u{1bca0}\u{1343f}\u{e000}\u{10ffff}";
        let shown = escaped(hostile);
        assert!(shown.chars().all(|c| c.is_ascii_graphic()), "{shown}");
        assert!(shown.starts_with("\\u{1b}]0;x\\u{7}\\u{9b}31m\\u{202e}"));
    }

    #[test]
    fn keeps_text_of_any_script() {
        let text = "наряд № 7 — 倉庫 ¿qué? 🏭";
        assert_eq!(escaped(text), text);
    }

    #[test]
    fn a_reader_of_json_gets_every_character_and_a_terminal_none_that_acts() {
        let hostile = "a\u{1b}[2J\u{9b}\u{7f}\u{202e}\u{e0041} é 🏭";
        let text = escaped_json(&serde_json::to_string(hostile).unwrap());
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
        assert_eq!(text, r#""a\u001b[2J\u009b\u007f\u202e\udb40\udc41 é 🏭""#);
    }

    #[test]
    fn cuts_between_characters_and_marks_the_cut() {
        assert_eq!(escaped_up_to("ééé", 2), "éé…");
        assert_eq!(excerpt("ééé".as_bytes(), 3), "é…");
        assert_eq!(excerpt(b"abc", 3), "abc");
        assert_eq!(excerpt(b"\xff\xfe", 3), "\u{fffd}\u{fffd}");
    }
}
