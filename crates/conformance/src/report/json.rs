//! The text of `report.json`.

use nodeproof_primitives::escape::escaped;

use serde::Serialize;

use super::{NodesReport, Report};

/// A report that is written as `report.json`.
pub trait JsonReport: Serialize {}

impl JsonReport for Report {}
impl JsonReport for NodesReport {}

/// The report as JSON, of which nothing acts on a terminal that it is printed to.
///
/// # Errors
/// When the report can't be written as JSON, which would be a fault of this crate.
pub fn json<R: JsonReport>(report: &R) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(harmless(&text))
}

/// A JSON document, with characters that nobody sees, or that a terminal acts on, as JSON's own
/// escapes, which a reader can't tell from them. Below U+0020 they are that already.
pub(crate) fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut buffer = [0; 4];
    for character in json.chars() {
        let seen: &str = character.encode_utf8(&mut buffer);
        if matches!(character, '\n' | ' '..='~') || escaped(seen) == seen {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_of_json_gets_every_character_and_a_terminal_none_that_acts() {
        let hostile = "a\u{1b}[2J\u{9b}\u{7f}\u{202e}\u{e0041} é 🏭";
        let text = harmless(&serde_json::to_string(hostile).unwrap());
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
        assert_eq!(text, r#""a\u001b[2J\u009b\u007f\u202e\udb40\udc41 é 🏭""#);
    }
}
