//! Decoding, with errors that name the first wrong place.

use nodeproof_primitives::escape::escaped_up_to;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_path_to_error::{Path, Segment};

use crate::{InputError, json_text::kind_of};

/// The maximum length of a path and of a reason, in characters.
const MAX_LENGTH: usize = 200;

/// Decodes a JSON text of your own, such as a saved response.
///
/// Use it for every type of this crate that is [`Deserialize`](serde::Deserialize).
///
/// # Errors
/// If the text is not JSON, or not of the form of `T`. The error names the first wrong place.
///
/// ```
/// use nodeproof_client::{TrustScore, from_json};
///
/// let trust: TrustScore = from_json(br#"{"status": "SUCCESS", "trust_score": 3}"#)?;
/// assert_eq!(trust.trust_score, 3);
///
/// let text = br#"{"status": "SUCCESS", "trust_score": "3"}"#;
/// let error = from_json::<TrustScore>(text).unwrap_err();
/// assert_eq!(error.to_string(), "`trust_score`: expected an integer, received the string \"3\"");
/// # Ok::<(), nodeproof_client::InputError>(())
/// ```
pub fn from_json<T: DeserializeOwned>(json: &[u8]) -> Result<T, InputError> {
    // Checking all the bytes at once is faster than checking each string.
    match str::from_utf8(json) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(json),
    }
    .map_err(|error| InputError::new(first_mismatch::<T>(json, &error)))
}

/// Describes the first place where a text is not of the form of `T`.
///
/// Only a failure pays for this: it decodes the text again, and keeps the path.
pub(crate) fn first_mismatch<T: DeserializeOwned>(
    json: &[u8],
    error: &serde_json::Error,
) -> String {
    if let Some(reason) = not_json(json) {
        return reason.to_owned();
    }
    // A number that is out of range counts as a fault of the syntax, too.
    let is_json = serde_json::from_slice::<IgnoredAny>(json).is_ok();
    if !is_json {
        return escaped_up_to(&error.to_string(), MAX_LENGTH);
    }
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
        Err(error) => described(json, error.path(), &error.inner().to_string()),
        // Text after the value.
        Ok(_) => escaped_up_to(&error.to_string(), MAX_LENGTH),
    }
}

/// Returns the reason for a body that a JSON parser only calls unexpected.
fn not_json(body: &[u8]) -> Option<&'static str> {
    let starts: [(&[u8], _); 4] = [
        (
            b"\xef\xbb\xbf",
            "it begins with a byte order mark, which JSON does not have",
        ),
        (
            b"\x1f\x8b",
            "it is compressed with gzip, which was not requested",
        ),
        (b"\xff\xfe", "it is UTF-16, and not UTF-8"),
        (b"\xfe\xff", "it is UTF-16, and not UTF-8"),
    ];
    let found = starts.iter().find(|(start, _)| body.starts_with(start));
    if let Some((_, reason)) = found {
        return Some(reason);
    }
    match body.trim_ascii_start().first() {
        None => Some("it is empty"),
        Some(b'<') => Some("it looks like HTML or XML, and not like JSON"),
        Some(_) => None,
    }
}

fn described(json: &[u8], path: &Path, reason: &str) -> String {
    // The parser adds a position, which is less exact than the path.
    let reason = reason
        .rsplit_once(" at line ")
        .map_or(reason, |(reason, _)| reason);
    let at = match path.iter().next() {
        None => String::new(),
        Some(_) => path.to_string(),
    };
    for (prefix, fault) in [
        ("missing field `", "is missing"),
        ("duplicate field `", "occurs more than once"),
    ] {
        if let Some(name) = reason.strip_prefix(prefix) {
            let separator = if at.is_empty() { "" } else { "." };
            let name = format!("{at}{separator}{}", name.trim_end_matches('`'));
            return format!("`{}` {fault}", escaped_up_to(&name, MAX_LENGTH));
        }
    }
    // A part that was decoded from its own text has named the place within the part.
    if let Some(within) = reason.strip_prefix('`') {
        let separator = if within.starts_with('[') { "" } else { "." };
        return format!(
            "`{}{separator}{}",
            escaped_up_to(&at, MAX_LENGTH),
            // It has a path and a reason of its own.
            escaped_up_to(within, 3 * MAX_LENGTH)
        );
    }
    let place = if at.is_empty() {
        String::new()
    } else {
        format!("`{}`: ", escaped_up_to(&at, MAX_LENGTH))
    };
    // The part itself is wrong, and has named both sides.
    if reason.starts_with("expected ") && reason.contains(", received ") {
        return format!("{place}{}", escaped_up_to(reason, MAX_LENGTH));
    }
    let expected = match expected(reason) {
        Some(expected) => format!("expected {}", escaped_up_to(expected, MAX_LENGTH)),
        None => escaped_up_to(of_no_form(reason).unwrap_or(reason), MAX_LENGTH),
    };
    match received(json, path) {
        Some(received) => format!("{place}{expected}, received {received}"),
        None => format!("{place}{expected}"),
    }
}

/// Returns the expectation that a reason names.
fn expected(reason: &str) -> Option<&str> {
    // Exact numbers are read from their text.
    for (message, kind) in [("JSON integer", "an integer"), ("JSON number", "a number")] {
        if reason.contains(&format!(" is not a {message}, such as ")) {
            return Some(kind);
        }
    }
    let rest = reason
        .strip_prefix("invalid type: ")
        .or_else(|| reason.strip_prefix("invalid value: "))?;
    let (_, expected) = rest.rsplit_once(", expected ")?;
    Some(in_json(expected).unwrap_or(expected))
}

/// Returns what serde calls by a word of Rust, in JSON's words.
fn in_json(expected: &str) -> Option<&'static str> {
    [
        ("struct ", "an object"),
        ("a map", "an object"),
        ("a sequence", "an array"),
        ("tuple ", "an array"),
        ("unit", "null"),
    ]
    .into_iter()
    .find_map(|(start, in_json)| expected.starts_with(start).then_some(in_json))
}

/// Returns what is wrong where one of several forms was expected.
fn of_no_form(reason: &str) -> Option<&'static str> {
    reason
        .starts_with("data did not match any variant of ")
        .then_some("it has none of the documented forms")
}

/// Returns the kind of the value at a path.
fn received(json: &[u8], path: &Path) -> Option<String> {
    let root: serde_json::Value = serde_json::from_slice(json).ok()?;
    let value = path
        .iter()
        .try_fold(&root, |value, segment| match segment {
            Segment::Seq { index } => value.get(index),
            Segment::Map { key } => value.get(key),
            Segment::Enum { .. } | Segment::Unknown => Some(value),
        })?;
    Some(kind_of(&value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Receipt, SubmitResponse, TrustScore, generated::types::TokenHolders};

    fn reason<T: DeserializeOwned>(json: &str) -> String {
        match from_json::<T>(json.as_bytes()) {
            Ok(_) => "decoded".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn names_the_first_wrong_place_with_both_sides() {
        for (json, expected) in [
            ("", "it is empty"),
            ("<html>", "it looks like HTML or XML, and not like JSON"),
            (
                "\u{feff}{}",
                "it begins with a byte order mark, which JSON does not have",
            ),
            ("{", "EOF while parsing an object at line 1 column 1"),
            ("[]", "expected an object, received an array"),
            ("{}", "`status` is missing"),
            (
                r#"{"status":"a","trust_score":1,"trust_score":1}"#,
                "`trust_score` occurs more than once",
            ),
            (r#"{"status":"SUCCESS"}"#, "`trust_score` is missing"),
            (
                r#"{"status":null}"#,
                "`status`: expected a string, received null",
            ),
            (
                r#"{"status":"SUCCESS","trust_score":1.5}"#,
                "`trust_score`: expected an integer, received the number 1.5",
            ),
            (
                r#"{"status":"SUCCESS","trust_score":1,"more":[1.5]}"#,
                "decoded",
            ),
        ] {
            assert_eq!(reason::<TrustScore>(json), expected, "{json}");
        }
        assert_eq!(
            reason::<SubmitResponse>(r#"{"status":"SUCCESS","response":{"valid":1,"msg":"a"}}"#),
            "`response.valid`: expected a boolean, received the number 1"
        );
        assert_eq!(
            reason::<SubmitResponse>(r#"{"status":"SUCCESS","response":{"valid":true,"msg":5}}"#),
            "`response.msg`: it has none of the documented forms, received the number 5"
        );
        assert_eq!(
            reason::<TokenHolders>(r#"{"balance":"x"}"#),
            "`balance`: expected an array, received the string \"x\""
        );
    }

    #[test]
    fn a_body_in_another_encoding_is_named() {
        for (body, expected) in [
            (&b"\x1f\x8b\x08\x00"[..], "compressed with gzip"),
            (b"\xff\xfe{\x00}\x00", "UTF-16"),
            (b"\xfe\xff\x00{\x00}", "UTF-16"),
        ] {
            let error = from_json::<TrustScore>(body).err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn names_a_place_inside_of_a_kept_text_and_of_a_list() {
        let receipt = r#"{"public_key":"ab","signature":"cd","data":{"vote":1,"block_index":"7"}}"#;
        assert_eq!(
            reason::<Receipt>(receipt),
            "`data.block_index`: expected an integer, received the string \"7\""
        );
        let block = format!(
            r#"{{"index":9,"timestamp":1,"previous_hash":"0","text":{{"transactions":[],"previous_block_receipts":[{receipt}]}}}}"#
        );
        assert_eq!(
            reason::<Block>(&block),
            "`text.previous_block_receipts[0].data.block_index`: expected an integer, received the \
             string \"7\""
        );
    }

    #[test]
    fn a_reason_is_short_and_safe_to_print() {
        let name = "\u{1b}[31m".repeat(500);
        let json = format!(
            r#"{{"status":"SUCCESS","trust_score":{}}}"#,
            serde_json::json!(name)
        );
        let reason = reason::<TrustScore>(&json);
        assert!(reason.len() < 500 && !reason.contains('\u{1b}'), "{reason}");
    }
}
