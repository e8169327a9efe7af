//! What a JSON text may have before anything parses it.

/// The limits of a JSON text from elsewhere.
///
/// A parsed value takes up to some hundred times the memory of its text, and a recursive parser needs
/// stack for each level. So check a text before it is parsed, also one inside a string of another text.
///
/// ```
/// use nodeproof_primitives::{JsonLimits, JsonTooLarge};
///
/// let limits = JsonLimits { values: 3, depth: 2 };
/// assert_eq!(limits.check(b"[[1, 2]]"), Ok(3));
/// assert_eq!(limits.check(b"[1, 2, 3, 4]"), Err(JsonTooLarge::Values { limit: 3 }));
/// assert_eq!(limits.check(b"[[[]]]"), Err(JsonTooLarge::Depth { limit: 2 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonLimits {
    /// The maximum number of values, counted by opening brackets and commas. 250,000 by default. A block
    /// of 10,000 receipts has 90,000.
    pub values: usize,
    /// The maximum nesting of arrays and objects, in levels. 127 by default, which serde_json allows.
    pub depth: usize,
}

impl Default for JsonLimits {
    fn default() -> Self {
        Self {
            values: 250_000,
            depth: 127,
        }
    }
}

/// A JSON text exceeds a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonTooLarge {
    /// It has more values.
    #[error("more than {limit} values")]
    Values {
        /// The limit, in values.
        limit: usize,
    },
    /// It is nested deeper.
    #[error("nested more than {limit} levels deep")]
    Depth {
        /// The limit, in levels.
        limit: usize,
    },
}

impl JsonLimits {
    /// Returns the number of values in a JSON text, outside of its strings. It does not recurse, and any
    /// other bytes are harmless.
    ///
    /// # Errors
    /// If the text exceeds a limit at any point.
    pub fn check(&self, json: &[u8]) -> Result<usize, JsonTooLarge> {
        let (mut values, mut open) = (0_usize, 0_usize);
        let mut rest = json.iter();
        while let Some(byte) = rest.next() {
            match byte {
                b'[' | b'{' => {
                    values += 1;
                    open += 1;
                }
                b',' => values += 1,
                b']' | b'}' => open = open.saturating_sub(1),
                b'"' => skip_string(&mut rest),
                _ => {}
            }
            if values > self.values {
                return Err(JsonTooLarge::Values { limit: self.values });
            }
            if open > self.depth {
                return Err(JsonTooLarge::Depth { limit: self.depth });
            }
        }
        Ok(values)
    }
}

/// Moves behind the end of a string, or to the end of the text.
fn skip_string(rest: &mut std::slice::Iter<'_, u8>) {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest.as_slice()) {
        if rest.nth(at) == Some(&b'"') {
            return;
        }
        // An escaped character does not end the string.
        rest.next();
    }
    *rest = [].iter();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_what_is_open_outside_of_strings() {
        let limits = JsonLimits {
            depth: 3,
            values: usize::MAX,
        };
        for text in [
            "[[[[]]]]",
            r#"{"a":"]]]","b":[[[0]]]}"#,
            r#"{"a\"]]]":[[[0]]]}"#,
            r#"["\\",[[[0]]]]"#,
            "[[[[",
            &"[".repeat(1_000_000),
        ] {
            let checked = limits.check(text.as_bytes());
            assert_eq!(checked, Err(JsonTooLarge::Depth { limit: 3 }), "{text:.40}");
        }
        for text in [
            "[[[0]],[[0]],[[0]]]",
            r#"[["[[[["],["[[\"[["]]"#,
            r#"[{"a\"[[[[":"{{{{\\"},[],[]]"#,
            "]]]][[[",
            "\"[[[[[",
            "\"[[[[[\\",
        ] {
            assert!(limits.check(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn values_are_counted_outside_of_strings() {
        let limits = JsonLimits {
            values: 3,
            ..JsonLimits::default()
        };
        for (text, values) in [
            ("", Some(0)),
            ("[1,2,3]", Some(3)),
            (r#"{"a":"[1,2],{","b\"[[":[]}"#, Some(3)),
            ("[[[[]]]]", None),
            ("[1,2,3,4]", None),
        ] {
            assert_eq!(limits.check(text.as_bytes()).ok(), values, "{text}");
        }
    }
}
