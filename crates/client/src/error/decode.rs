//! A body that does not have the expected form.

use nodeproof_primitives::escape::escaped_up_to;

/// A body does not have the expected form.
///
/// If a server sent the body, check the base URL, or use another node. After a submission, check
/// [`Error::maybe_sent`](crate::Error::maybe_sent) first. If it is your own text, correct it:
/// [`reason`](Self::reason) describes the fault. The message is one line, and safe to print.
///
/// ```
/// use nodeproof_client::Block;
///
/// let page = Block::from_slice(b"<html>").unwrap_err();
/// assert!(page.is_syntax());
/// assert_eq!(page.to_string(), "not a block: it looks like HTML or XML, and not like JSON");
///
/// let list = Block::from_slice(b"[]").unwrap_err();
/// assert_eq!((list.what(), list.is_syntax()), ("a block", false));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("not {what}: {reason}")]
pub struct DecodeError {
    what: &'static str,
    reason: String,
    #[source]
    source: Option<serde_json::Error>,
}

impl DecodeError {
    pub(crate) fn new(what: &'static str, body: &[u8], source: serde_json::Error) -> Self {
        let reason = match plain_reason(body) {
            Some(reason) => reason.to_owned(),
            None => escaped_up_to(&source.to_string(), 300),
        };
        Self {
            what,
            reason,
            source: Some(source),
        }
    }

    /// Creates the error for a fault that the JSON parser does not find.
    pub(crate) fn because(what: &'static str, reason: &str) -> Self {
        Self {
            what,
            reason: escaped_up_to(reason, 300),
            source: None,
        }
    }

    /// Returns the expected form of the body, such as `a block`.
    #[must_use]
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// Returns the reason why the body does not have it.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Returns whether the body is not JSON at all, rather than JSON of another form.
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        self.source
            .as_ref()
            .is_some_and(|source| source.is_syntax() || source.is_eof())
    }
}

/// Returns a plain reason for a body that a JSON parser only calls unexpected.
fn plain_reason(body: &[u8]) -> Option<&'static str> {
    if body.starts_with(b"\xef\xbb\xbf") {
        return Some("it begins with a byte order mark, which JSON does not have");
    }
    match body.trim_ascii_start().first() {
        None => Some("it is empty"),
        Some(b'<') => Some("it looks like HTML or XML, and not like JSON"),
        Some(_) => None,
    }
}
