//! The nesting of a JSON text.

/// Returns whether a JSON text is nested deeper than this many levels at any point. Strings are skipped.
///
/// It does not recurse, so call it before a recursive parser reads a text from elsewhere.
///
/// ```
/// use nodeproof_primitives::is_nested_deeper;
///
/// assert!(is_nested_deeper(b"[[[0]]]", 2));
/// assert!(!is_nested_deeper(br#"[["[[["]]"#, 2));
/// ```
#[must_use]
pub fn is_nested_deeper(json: &[u8], levels: usize) -> bool {
    let mut open = 0_usize;
    let mut rest = json.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'[' | b'{' => {
                open += 1;
                if open > levels {
                    return true;
                }
            }
            b']' | b'}' => open = open.saturating_sub(1),
            b'"' => loop {
                let Some(at) = memchr::memchr2(b'"', b'\\', rest.as_slice()) else {
                    return false;
                };
                if rest.nth(at) == Some(&b'"') {
                    break;
                }
                // An escaped character does not end the string.
                rest.next();
            },
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_what_is_open_outside_of_strings() {
        for text in [
            "[[[[]]]]",
            r#"{"a":"]]]","b":[[[0]]]}"#,
            r#"{"a\"]]]":[[[0]]]}"#,
            r#"["\\",[[[0]]]]"#,
            "[[[[",
            &"[".repeat(1_000_000),
        ] {
            assert!(is_nested_deeper(text.as_bytes(), 3), "{text:.40}");
        }
        for text in [
            "[[[0]],[[0]],[[0]]]",
            r#"[["[[[["],["[[\"[["]]"#,
            r#"[{"a\"[[[[":"{{{{\\"},[],[]]"#,
            "]]]][[[",
            "\"[[[[[",
            "\"[[[[[\\",
        ] {
            assert!(!is_nested_deeper(text.as_bytes(), 3), "{text}");
        }
    }
}
