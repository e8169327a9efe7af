//! Headers for every request, such as the key of a gateway. Their values are secrets.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::Error;

/// Headers that the client sets itself, or that change the meaning of a request.
const OWN: [&str; 8] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// The minimum length of a secret part of a value. Shorter parts occur in any text.
const MIN_LENGTH: usize = 8;

/// Adds a header. Its value is never shown.
pub(crate) fn add(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), Error> {
    let shown = nodeproof_primitives::escape::escaped_up_to(name, 60);
    let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|source| {
        Error::configuration(format!("\"{shown}\" is not the name of a header"), source)
    })?;
    if OWN.contains(&parsed.as_str()) {
        return Err(Error::unusable(format!(
            "the header \"{shown}\" is set by the client, and can't be a default header"
        )));
    }
    let mut value = HeaderValue::from_str(value).map_err(|source| {
        let message = format!(
            "the value of the header \"{shown}\" can't be sent: expected visible ASCII characters, \
             without line breaks"
        );
        Error::configuration(message, source)
    })?;
    value.set_sensitive(true);
    headers.insert(parsed, value);
    Ok(())
}

/// Replaces the headers' values, and parts of them, in a text that a node sent back. Returns `None` if
/// the text has none.
///
/// The text may have been cut in the middle of a value, and may have backslashes before some of its
/// characters, as JSON has.
pub(crate) fn redacted(headers: &HeaderMap, text: &str) -> Option<String> {
    let plain: Vec<(usize, u8)> = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| *byte != b'\\')
        .collect();
    let mut is_secret = vec![false; text.len()];
    let values = headers.values().filter_map(|value| value.to_str().ok());
    let values: Vec<String> = values.map(|value| value.replace('\\', "")).collect();
    let words = values.iter().flat_map(|value| value.split_whitespace());
    let parts = words.flat_map(|word| word.as_bytes().windows(MIN_LENGTH));
    let whole = values.iter().map(String::as_bytes);
    for part in parts.chain(whole.filter(|value| value.len() >= MIN_LENGTH)) {
        for place in plain.windows(part.len()) {
            if place.iter().map(|(_, byte)| *byte).eq(part.iter().copied())
                && let [(first, _), .., (last, _)] = place
            {
                is_secret[*first..=*last].fill(true);
            }
        }
    }
    is_secret.contains(&true).then(|| {
        let mut shown = String::new();
        let mut earlier = false;
        for (at, letter) in text.char_indices() {
            let hidden = is_secret[at];
            if !hidden {
                shown.push(letter);
            } else if !earlier {
                shown.push_str("[redacted]");
            }
            earlier = hidden;
        }
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_their_parts_are_replaced() {
        let mut headers = HeaderMap::new();
        add(&mut headers, "x-api-key", "ab/cd-0123456789").unwrap();
        add(&mut headers, "authorization", "Bearer abc").unwrap();
        add(&mut headers, "x-words", "abc1234 def5678").unwrap();
        for (text, shown) in [
            ("key ab/cd-0123456789!", Some("key [redacted]!")),
            // Cut at either end.
            ("key ab/cd-01", Some("key [redacted]")),
            (
                "\u{2026}-0123456789 caf\u{e9}",
                Some("\u{2026}[redacted] caf\u{e9}"),
            ),
            // Escaped as in JSON.
            (
                r#"{"key":"ab\/cd-0123456789"}"#,
                Some(r#"{"key":"[redacted]"}"#),
            ),
            ("ab/cd-0123456789ab/cd-0123456789", Some("[redacted]")),
            ("words abc1234 def5678", Some("words [redacted]")),
            ("abc1234, def5678, and no ab/cd", None),
            ("", None),
        ] {
            assert_eq!(redacted(&headers, text).as_deref(), shown, "{text}");
        }
        assert_eq!(redacted(&HeaderMap::new(), "ab/cd-0123456789"), None);
    }
}
