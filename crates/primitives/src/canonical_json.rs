//! JSON documents compared by value, without losing a digit.
//!
//! Numbers keep their text, and are equal if their values are equal. The order of members and the
//! escaping of strings do not matter.
//!
//! ```
//! use nodeproof_primitives::canonical_json::read;
//!
//! let one = read(r#"{"a": 1e2, "b": 9007199254740993}"#).ok_or("not JSON")?;
//! let other = read(r#"{"b": 9007199254740993, "a": 100.0}"#).ok_or("not JSON")?;
//! assert_eq!(one.canonical(), other.canonical());
//! # Ok::<(), &str>(())
//! ```

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::Amount;

/// A JSON value with exact numbers.
///
/// ```
/// use nodeproof_primitives::canonical_json::{CanonicalJson, read};
///
/// let sent = read(r#"{"params": {"remarks": "Weighed"}}"#).ok_or("not JSON")?;
/// let remarks = CanonicalJson::Text("Weighed".to_owned());
/// assert_eq!(sent.at("/params/remarks"), Some(&remarks));
/// assert_eq!(sent.at("/params/outcome"), None);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum CanonicalJson {
    /// `null`, `true` or `false`, as written.
    Word(String),
    /// A number, as written.
    Number(Amount),
    /// A string, unescaped.
    Text(String),
    /// An array.
    List(Vec<CanonicalJson>),
    /// An object, with its members sorted by name.
    Object(BTreeMap<String, CanonicalJson>),
}

/// The maximum nesting plus one. Each level is parsed again on every level above it, so depth and
/// length are both limited.
const DEPTH_LIMIT: usize = 127;
/// The maximum length of a text, in bytes.
const MAX_LENGTH: usize = 1 << 20;

/// Reads a JSON document.
///
/// Returns `None` if the text is not JSON, is longer than 1 MiB, or is nested deeper than 126 levels.
#[must_use]
pub fn read(text: &str) -> Option<CanonicalJson> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    read_within(text, DEPTH_LIMIT)
}

fn read_within(text: &str, levels: usize) -> Option<CanonicalJson> {
    let levels = levels.checked_sub(1)?;
    let inner = |raw: &RawValue| read_within(raw.get(), levels);
    let text = text.trim_ascii();
    Some(match text.bytes().next()? {
        b'{' => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            let members = members
                .into_iter()
                .map(|(name, raw)| Some((name, inner(raw)?)));
            CanonicalJson::Object(members.collect::<Option<_>>()?)
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            CanonicalJson::List(items.into_iter().map(inner).collect::<Option<_>>()?)
        }
        b'"' => CanonicalJson::Text(serde_json::from_str(text).ok()?),
        b'n' | b't' | b'f' => CanonicalJson::Word(text.to_owned()),
        _ => CanonicalJson::Number(text.parse().ok()?),
    })
}

impl CanonicalJson {
    /// Returns the value at a JSON pointer that goes through objects only.
    #[must_use]
    pub fn at(&self, place: &str) -> Option<&Self> {
        let mut found = self;
        for step in place.split('/').skip(1) {
            let Self::Object(members) = found else {
                return None;
            };
            found = members.get(&step.replace("~1", "/").replace("~0", "~"))?;
        }
        Some(found)
    }

    /// Returns a text that is the same for all documents with this value: members are sorted by
    /// name, and numbers are written by value. It is for comparison only. It is not JSON.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Word(word) => out.push_str(word),
            Self::Number(number) => out.push_str(&number.normal().to_string()),
            Self::Text(text) => out.push_str(&format!("{text:?}")),
            Self::List(items) => {
                out.push('[');
                for item in items {
                    item.write(out);
                    out.push(',');
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (name, member) in members {
                    out.push_str(&format!("{name:?}:"));
                    member.write(out);
                    out.push(',');
                }
                out.push('}');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_written_plainly_and_never_at_great_length() {
        let text = |json: &str| read(json).expect("JSON").canonical();
        for (number, plain) in [
            ("1152921504606846977", "1152921504606846977"),
            ("1152921504606846976000", "1152921504606846976000"),
            ("-7.50e3", "-7500"),
            ("0.0", "0"),
            ("0.25", "25e-2"),
            ("1e999999999", "1e999999999"),
        ] {
            assert_eq!(text(number), plain);
        }
    }

    #[test]
    fn what_is_the_same_has_the_same_text_and_nothing_else_has() {
        let text = |json: &str| read(json).expect("JSON").canonical();
        assert_eq!(
            text(r#"{"b":[1E2,"\u00e9"],"a":null}"#),
            text(r#"{"a":null,"b":[100.0,"é"]}"#)
        );
        let different = [
            "[1,2]",
            "[12]",
            "[[1],2]",
            "[\"1\",2]",
            "{\"1\":2}",
            "[]",
            "{}",
            "[null]",
            "[\"null\"]",
            "[10000000000000000000000001]",
            "[10000000000000000000000002]",
            "[-5]",
            "[5]",
            "[0.5]",
            "[50]",
        ];
        let texts: std::collections::BTreeSet<_> = different.into_iter().map(text).collect();
        assert_eq!(texts.len(), different.len());
    }

    #[test]
    fn what_is_too_deep_or_no_json_is_not_read() {
        let deep = "[".repeat(4000) + &"]".repeat(4000);
        for text in ["", "{", "[1,]", "NaN", deep.as_str()] {
            assert_eq!(read(text), None);
        }
    }
}
