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

/// Replaces the headers' values in a text that a node sent back.
pub(crate) fn redacted(headers: &HeaderMap, text: &str) -> Option<String> {
    let values = headers.values().filter_map(|value| value.to_str().ok());
    let mut secrets: Vec<&str> = values
        .flat_map(|value| value.split_whitespace().chain([value]))
        .filter(|secret| secret.len() >= MIN_LENGTH && text.contains(secret))
        .collect();
    // The longest first, because it can contain the others.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    (!secrets.is_empty()).then(|| {
        let replace = |text: String, secret: &&str| text.replace(secret, "[redacted]");
        secrets.iter().fold(text.to_owned(), replace)
    })
}
