//! Reading JSON for validation, so that an integer stays one at any size, and a decimal does too.
//!
//! `serde_json` reads an integer beyond 64 bits as a float, refuses a float beyond 64 bits, and
//! from the value that it has read nobody can tell `1e30` from the integer that it stands for. The
//! contract bounds no number. So, for validation only, numbers that do not fit are read as others
//! of their kind: whether a value *is* an integer is kept, and no schema of ours asks how large.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Value;

/// The JSON document in `text`, every integer of it as an integer and every decimal as a float.
///
/// # Errors
/// Where `text` is not one JSON document. The column may be off in a line that holds numbers which
/// do not fit into 64 bits.
pub fn read_for_validation(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(&with_numbers_that_fit(text))
}

fn with_numbers_that_fit(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut rewritten = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            at = end_of_string(bytes, at);
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

/// The position after the string that opens at `start`.
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

fn is_numeric(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

/// What to read for a number of which `serde_json` would not keep whether it is an integer.
fn clamped(number: &str) -> Option<&'static str> {
    // It reads -0 as the float -0.0.
    if number == "-0" {
        return Some("0");
    }
    // What is no number in JSON is left for the parser to tell.
    let fits = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    if fits || serde_json::from_str::<IgnoredAny>(number).is_err() {
        return None;
    }
    if number.contains(['.', 'e', 'E']) {
        let whole_to_jsonschema = number
            .parse::<f64>()
            .is_ok_and(|value| value.abs() >= TWO_TO_63);
        return whole_to_jsonschema.then_some("0.5");
    }
    Some(if number.starts_with('-') {
        "-9223372036854775808"
    } else {
        "18446744073709551615"
    })
}

/// From here on, `jsonschema` takes every float for an integer.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_integers_of_any_size_integers() {
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
        assert_eq!(with_numbers_that_fit(text), text);
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
            "",
        ] {
            assert!(read_for_validation(text).is_err(), "{text} was read");
        }
    }
}
