//! Reading members from a signed message.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// Reads members from a signed message.
///
/// A document can have a member twice. The message contains only the one that is signed.
pub(crate) fn members_of<T: DeserializeOwned>(message: &str) -> Result<T, String> {
    serde_json::from_str(&without_python_words(message)).map_err(|error| error.to_string())
}

/// Replaces `NaN`, `Infinity` and `-Infinity` with `null`.
///
/// Python writes these words for numbers beyond the largest float. JSON does not allow them. None of
/// the members read here is such a number.
fn without_python_words(message: &str) -> Cow<'_, str> {
    if !message.contains("Infinity") && !message.contains("NaN") {
        return Cow::Borrowed(message);
    }
    let mut text = String::with_capacity(message.len());
    // The message is well formed, so an unescaped quote begins or ends a string.
    let (mut inside, mut escaped) = (false, false);
    let mut rest = message;
    while let Some(character) = rest.chars().next() {
        let word = ["NaN", "Infinity", "-Infinity"]
            .into_iter()
            .find(|word| !inside && rest.starts_with(word));
        if let Some(word) = word {
            text.push_str("null");
            rest = &rest[word.len()..];
            continue;
        }
        inside ^= character == '"' && !escaped;
        escaped = inside && character == '\\' && !escaped;
        text.push(character);
        rest = &rest[character.len_utf8()..];
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_outside_of_strings_are_replaced() {
        let message = r#"{"Infinity": [Infinity, -Infinity, NaN, -1], "a\"": "\\", "b": "NaN"}"#;
        let json = r#"{"Infinity": [null, null, null, -1], "a\"": "\\", "b": "NaN"}"#;
        assert_eq!(without_python_words(message), json);
        assert_eq!(without_python_words(json), json);
    }
}
