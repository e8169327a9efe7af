//! Parses JSON for validation. An integer of up to 128 bits stays an integer, and a decimal a decimal.
//!
//! `serde_json` parses an integer beyond 64 bits as a float and rejects a float beyond its range.
//! In the parsed value, `1e30` looks like the integer of that size. The specification sets no bound
//! on numbers. For validation only, a number that does not fit is replaced by one of the same kind
//! that fits. An integer beyond 128 bits stays too large for every schema of an integer.
//!
//! `serde_json` also rejects one half of a surrogate pair, which JSON may have as `\ud800`, and Python writes. In the parsed
//! value, it is U+FFFD.

use std::{borrow::Cow, ops::Range};

use serde_json::{Value, value::RawValue};

/// Parses the JSON document in `text`, with every integer as an integer and every decimal as a float.
///
/// A number that does not fit into 64 bits gets another value, and half of a surrogate pair becomes U+FFFD.
///
/// ```
/// let value = nodeproof_openapi::read_for_validation("[123456789012345678901234567890, 1e30]")?;
/// assert!(value[0].is_u64() && value[1].is_f64());
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// If `text` is not exactly one JSON document. The column of the error can be wrong in a line with
/// numbers that do not fit into 64 bits.
pub fn read_for_validation(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(&with_values_that_fit(text))
}

fn with_values_that_fit(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut rewritten = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            let end = end_of_string(bytes, at);
            let has_escapes = bytes[at..end].contains(&b'\\');
            let halves = has_escapes.then(|| lone_halves(bytes, at..end));
            for half in halves.into_iter().flatten() {
                rewritten.push_str(&text[copied..half]);
                rewritten.push_str("\\ufffd");
                copied = half + ESCAPE;
            }
            at = end;
            continue;
        }
        if byte != b'-' && !byte.is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = at
            + bytes[at..]
                .iter()
                .take_while(|byte| is_numeric(**byte))
                .count();
        if let Some(clamped) = clamped(&text[at..end]) {
            rewritten.push_str(&text[copied..at]);
            rewritten.push_str(clamped);
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    rewritten.push_str(&text[copied..]);
    Cow::Owned(rewritten)
}

/// Returns the position after the string that opens at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => return at,
            b'\\' => at += 1,
            _ => {}
        }
    }
    bytes.len()
}

/// Length of an escape such as `\ud800`.
const ESCAPE: usize = 6;

/// Returns the code unit that is escaped at a position.
fn escaped(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + ESCAPE)?.strip_prefix(b"\\u")?;
    let is_hexadecimal = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| is_hexadecimal)?;
    u16::from_str_radix(digits, 16).ok()
}

/// Returns the positions of escapes in a string that are one half of a surrogate pair without the other.
fn lone_halves(bytes: &[u8], string: Range<usize>) -> Vec<usize> {
    let (mut at, mut halves) = (string.start, Vec::new());
    while at < string.end {
        at += match (bytes.get(at), escaped(bytes, at)) {
            (_, Some(0xD800..=0xDBFF))
                if matches!(escaped(bytes, at + ESCAPE), Some(0xDC00..=0xDFFF)) =>
            {
                2 * ESCAPE
            }
            (_, Some(0xD800..=0xDFFF)) => {
                halves.push(at);
                ESCAPE
            }
            (Some(b'\\'), _) => 2,
            _ => 1,
        };
    }
    halves
}

fn is_numeric(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Returns a replacement for a number that `serde_json` would parse as the wrong kind.
fn clamped(number: &str) -> Option<&'static str> {
    // `serde_json` parses -0 as the float -0.0.
    if number == "-0" {
        return Some("0");
    }
    // The parser reports text that is not a JSON number.
    let fits = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    if fits || serde_json::from_str::<&RawValue>(number).is_err() {
        return None;
    }
    if number.contains(['.', 'e', 'E']) {
        let whole_to_jsonschema = number
            .parse::<f64>()
            .is_ok_and(|value| value.abs() >= TWO_TO_63);
        return whole_to_jsonschema.then_some("0.5");
    }
    match (number.parse::<i128>(), number.parse::<f64>()) {
        (Ok(..0), _) => Some("-9223372036854775808"),
        (Ok(_), _) => Some("18446744073709551615"),
        // The parser takes no number that is infinite as a float.
        (Err(_), Ok(value)) if value.is_infinite() => {
            Some(if value < 0.0 { "-1e308" } else { "1e308" })
        }
        (Err(_), _) => None,
    }
}

/// `jsonschema` treats every float from here on as an integer.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_integers_of_up_to_128_bits_integers() {
        for text in [
            "[123456789012345678901234567890]",
            "[-99999999999999999999]",
            "[-0]",
            "[7]",
        ] {
            let value = read_for_validation(text).unwrap_or_default();
            assert!(
                value[0].is_i64() || value[0].is_u64(),
                "{text} became {value}"
            );
        }
    }

    #[test]
    fn larger_integers_stay_large() {
        let long = format!("[-{}]", "9".repeat(400));
        for text in ["[170141183460469231731687303715884105728]", &long] {
            let value = read_for_validation(text).unwrap_or_default();
            let size = value[0].as_f64().map(f64::abs);
            assert!(size.is_some_and(|size| size >= 1.7e38), "{text}: {value}");
        }
    }

    #[test]
    fn keeps_decimals_of_any_size_decimals() {
        for text in [
            "[1e30]",
            "[-1.5E400]",
            "[99999999999999999999.0]",
            "[1e3]",
            "[1.0]",
        ] {
            let value = read_for_validation(text).unwrap_or_default();
            assert!(
                value[0].as_f64().is_some_and(|value| value.abs() < 2e3),
                "{text}: {value}"
            );
            assert!(value[0].is_f64(), "{text} became {value}");
        }
    }

    #[test]
    fn leaves_fractions_strings_and_small_integers_as_they_are() {
        let text = r#"{"a":1.0,"b":"99999999999999999999 \" 99999999999999999999","c":1e3,"d":-5}"#;
        assert_eq!(with_values_that_fit(text), text);
    }

    #[test]
    fn half_of_a_surrogate_pair_is_replaced() {
        for (text, read) in [
            (r#"["\ud800"]"#, "\u{fffd}"),
            (
                r#"["a\uDFFFb\ud800\ud83d\ude00"]"#,
                "a\u{fffd}b\u{fffd}\u{1f600}",
            ),
            (r#"["\ud800\u0041"]"#, "\u{fffd}A"),
            (r#"["\ud83d\ude00"]"#, "\u{1f600}"),
            (r#"["\\ud800"]"#, "\\ud800"),
            (r#"["\\\ud800\""]"#, "\\\u{fffd}\""),
        ] {
            let value = read_for_validation(text).unwrap_or_default();
            assert_eq!(value[0], read, "{text}");
        }
    }

    #[test]
    fn does_not_mend_what_is_not_json() {
        for text in [
            "[00000000000000000000000]",
            "[--0]",
            "[1e999999,]",
            "[99999999999999999999",
            "\"",
            "\"\\",
            r#"["\ud80"]"#,
            r#"["\ud800]"#,
            "",
        ] {
            assert!(read_for_validation(text).is_err(), "{text} was read");
        }
    }
}
