//! Headers for every request, such as the key of a gateway. Their values are secrets.

use std::ops::Deref;

use nodeproof_primitives::{escape::escaped_up_to, redact::Secrets};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::Error;

/// Headers that the client sets itself, or that change the meaning of a request or a response.
const OWN: [&str; 12] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The minimum length of a secret part of a value. Shorter parts occur in any text.
const MIN_LENGTH: usize = 8;

/// Headers for every request to a node, such as the key of a gateway in front of it.
///
/// Their values are secrets: `Debug` shows only the names. They do not appear in logs or errors, even
/// if the node sends them back. Only words of fewer than 8 characters are not recognised in what a node
/// sends. For a client, they are in [`ClientOptions::headers`](crate::ClientOptions::headers).
///
/// ```
/// use nodeproof_client::transport::SecretHeaders;
///
/// let mut headers = SecretHeaders::default();
/// headers.add("X-Api-Key", "0123456789abcdef")?;
/// assert!(headers.contains_key("x-api-key"));
/// assert!(!format!("{headers:?}").contains("0123"));
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretHeaders(HeaderMap);

impl SecretHeaders {
    /// Adds a header. It replaces an earlier one with the same name.
    ///
    /// ```
    /// use nodeproof_client::transport::SecretHeaders;
    ///
    /// let error = SecretHeaders::default().add("Host", "node.example.org").unwrap_err();
    /// assert!(error.to_string().contains("is set by the client"));
    /// ```
    ///
    /// # Errors
    /// If it is not a valid header, or is one that the client sets itself, such as `content-type`.
    pub fn add(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let shown = escaped_up_to(name, 60);
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
                "the value of the header \"{shown}\" can't be sent: expected visible ASCII \
                 characters, without line breaks"
            );
            Error::configuration(message, source)
        })?;
        value.set_sensitive(true);
        self.0.insert(parsed, value);
        Ok(())
    }

    /// The text that replaces a value.
    pub const REDACTED: &str = "[redacted]";

    /// Adds the values to secrets, of which pieces of 8 characters or more are found, and the credentials for the proxies that the
    /// environment names.
    ///
    /// ```
    /// use nodeproof_client::transport::SecretHeaders;
    /// use nodeproof_primitives::redact::Secrets;
    ///
    /// let (mut headers, mut secrets) = (SecretHeaders::default(), Secrets::default());
    /// headers.add("x-api-key", "0123456789abcdef")?;
    /// headers.add_to(&mut secrets);
    /// assert!(!secrets.is_empty());
    /// # Ok::<(), nodeproof_client::Error>(())
    /// ```
    pub fn add_to(&self, secrets: &mut Secrets) {
        for value in self.0.values().filter_map(|value| value.to_str().ok()) {
            secrets.add(value, MIN_LENGTH);
        }
        super::proxies::add_credentials(secrets, MIN_LENGTH);
    }

    /// Returns the first result for a header, by its name and its value. With it, a program can reject a value that must
    /// not be sent.
    ///
    /// ```
    /// let mut headers = nodeproof_client::transport::SecretHeaders::default();
    /// headers.add("x-api-key", "0123456789abcdef")?;
    /// let long = headers.find_map(|name, value| (value.len() > 8).then(|| name.to_owned()));
    /// assert_eq!(long.as_deref(), Some("x-api-key"));
    /// # Ok::<(), nodeproof_client::Error>(())
    /// ```
    pub fn find_map<T>(&self, mut find: impl FnMut(&str, &str) -> Option<T>) -> Option<T> {
        let mut headers = self.0.iter();
        headers.find_map(|(name, value)| find(name.as_str(), value.to_str().ok()?))
    }
}

/// The headers, for a request of your own. Their values are marked as sensitive.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_client::{BaseUrl, transport::{SecretHeaders, TransportOptions, http_client}};
///
/// let mut headers = SecretHeaders::default();
/// headers.add("x-api-key", "0123456789abcdef")?;
/// let base: BaseUrl = "https://node.example.org".parse()?;
/// let http = http_client(&base, &TransportOptions::default())?;
/// let request = http.get(base.join("docs")).headers((*headers).clone());
/// println!("{}", request.send().await?.status());
/// # Ok(())
/// # }
/// ```
impl Deref for SecretHeaders {
    type Target = HeaderMap;

    fn deref(&self) -> &HeaderMap {
        &self.0
    }
}

/// Adds all headers of other lists. They replace earlier ones with the same name.
impl<'h> Extend<&'h Self> for SecretHeaders {
    fn extend<I: IntoIterator<Item = &'h Self>>(&mut self, lists: I) {
        for (name, value) in lists.into_iter().flat_map(|list| &list.0) {
            self.0.insert(name, value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(headers: &SecretHeaders, text: &str) -> Option<String> {
        let mut secrets = Secrets::default();
        headers.add_to(&mut secrets);
        secrets.redact(text, SecretHeaders::REDACTED)
    }

    #[test]
    fn values_and_their_parts_are_replaced() {
        let mut headers = SecretHeaders::default();
        headers.add("x-api-key", "ab/cd-0123456789").unwrap();
        headers.add("authorization", "Bearer abc").unwrap();
        headers.add("x-words", "abc1234 def5678").unwrap();
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
            ("words abc1234 def5678", Some("words [redacted]")),
            ("abc1234, and no ab/cd", None),
            ("", None),
        ] {
            assert_eq!(redacted(&headers, text).as_deref(), shown, "{text}");
        }
        assert_eq!(
            redacted(&SecretHeaders::default(), "ab/cd-0123456789"),
            None
        );
    }

    #[test]
    fn the_value_of_a_header_that_is_not_valid_is_in_no_error() {
        const SECRET: &str = "5ec2e75ec2e7";

        for (name, value, words) in [
            (
                "x-key",
                format!("{SECRET}\n{SECRET}"),
                "without line breaks",
            ),
            ("Accept", SECRET.to_owned(), "is set by the client"),
            ("accept-encoding", SECRET.to_owned(), "is set by the client"),
            (
                "Transfer-Encoding",
                SECRET.to_owned(),
                "is set by the client",
            ),
            ("x key", SECRET.to_owned(), "is not the name of a header"),
        ] {
            let error = SecretHeaders::default().add(name, &value).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
            assert!(!format!("{error} {error:?}").contains(SECRET), "{error:?}");
        }
    }
}
