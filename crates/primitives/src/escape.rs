//! Showing what a node sent without letting it act on a terminal.
//!
//! A node's text can hold escape sequences that rewrite a terminal's lines, marks
//! that reverse the reading order, and characters that no one sees. Whatever this
//! crate quotes in an error went through here; who prints a node's strings
//! elsewhere can do the same.

use std::fmt::Write;

/// The text with every character that a terminal acts on, or that nobody sees, written out.
///
/// Line ends and tabs become `\n`, `\r` and `\t`, other characters `\u{…}`. All
/// other text stays as it is, whatever its script.
///
/// ```
/// assert_eq!(nodeproof_primitives::escape::escaped("a\u{1b}[31mb\n"), "a\\u{1b}[31mb\\n");
/// ```
#[must_use]
pub fn escaped(text: &str) -> String {
    escaped_up_to(text, usize::MAX)
}

/// The same, cut after `most` characters of the text, with `…` where something was cut.
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
            _ if acts(character) => {
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

/// Replaces characters of a JSON document that are invisible, or that a terminal acts on, by JSON
/// escapes. Line feeds stay, and so does the document's meaning.
///
/// ```
/// let text = nodeproof_primitives::escape::escaped_json("\"a\u{202e}\"");
/// assert_eq!(text, r#""a\u202e""#);
/// ```
#[must_use]
pub fn escaped_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if character == '\n' || !acts(character) {
            shown.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        }
    }
    shown
}

/// The first `most` bytes of a body as harmless text, with `…` where something was cut.
///
/// Bytes that are no UTF-8 become `U+FFFD`.
#[must_use]
pub fn excerpt(body: &[u8], most: usize) -> String {
    let kept = body.get(..most).unwrap_or(body);
    let mut text = String::from_utf8_lossy(kept).into_owned();
    if kept.len() < body.len() {
        // A character that was cut in two is not the node's fault.
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

/// Whether a terminal acts on the character, or shows nothing for it.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_out_what_a_terminal_acts_on() {
        let hostile =
            "\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{2066}\u{200b}\u{feff}\u{ffff}\0\r\n\u{e0041}";
        let shown = escaped(hostile);
        assert!(shown.chars().all(|c| c.is_ascii_graphic()), "{shown}");
        assert!(shown.starts_with("\\u{1b}]0;x\\u{7}\\u{9b}31m\\u{202e}"));
    }

    #[test]
    fn leaves_text_of_any_script_alone() {
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
    fn cuts_between_characters_and_says_so() {
        assert_eq!(escaped_up_to("ééé", 2), "éé…");
        assert_eq!(excerpt("ééé".as_bytes(), 3), "é…");
        assert_eq!(excerpt(b"abc", 3), "abc");
        assert_eq!(excerpt(b"\xff\xfe", 3), "\u{fffd}\u{fffd}");
    }
}
