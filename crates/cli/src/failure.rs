//! The failure of a command, and its exit status.

use nodeproof_client::ErrorKind;
use nodeproof_primitives::escape::{escaped, escaped_lines};
use serde::Serialize;

use nodeproof_primitives::redact::redact;

/// The kind of a failure. Each kind has its own exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The requested item does not exist.
    NotFound,
    /// A signature is wrong or missing.
    NotValid,
    /// The command line, the configuration or a file is invalid. Nothing was sent.
    Usage,
    /// The node was not reached, did not respond in time, or returned an error status.
    Unreachable,
    /// The node refused the transaction.
    Refused,
    /// Something was or may have been sent, and the result is not known.
    Unconfirmed,
    /// The response does not conform to the specification, or does not match the request.
    Unexpected,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// Another program ended this one with SIGTERM.
    Terminated,
    /// The reader of the output is gone. This is not an error, and nothing is printed.
    ReaderGone,
}

impl Kind {
    pub(crate) const fn status(self) -> u8 {
        match self {
            Self::ReaderGone => 0,
            Self::NotFound | Self::NotValid => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::Refused => 4,
            Self::Unconfirmed => 5,
            Self::Unexpected => 6,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

/// The failure of a command. Its text is escaped.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    status: u8,
    pub(crate) message: String,
    /// Whether a transaction may have reached the node.
    maybe_sent: bool,
    /// The node's messages about a refused transaction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    node_messages: Vec<String>,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            status: kind.status(),
            message: escaped(&message.into()),
            maybe_sent: matches!(kind, Kind::Unconfirmed),
            node_messages: Vec::new(),
        }
    }

    pub(crate) fn usage(message: impl std::fmt::Display) -> Self {
        Self::new(Kind::Usage, message.to_string())
    }

    /// Creates a usage failure with several lines, whose line breaks are our own.
    pub(crate) fn lines(message: &str) -> Self {
        let mut failure = Self::new(Kind::Usage, "");
        failure.message = escaped_lines(message);
        failure
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    pub(crate) fn unexpected(message: impl std::fmt::Display) -> Self {
        Self::new(Kind::Unexpected, message.to_string())
    }

    pub(crate) fn reader_gone() -> Self {
        Self::new(Kind::ReaderGone, "")
    }

    /// Creates the failure of a transaction that the node refused, with the node's messages.
    pub(crate) fn refused(text: impl Into<String>, messages: &[String]) -> Self {
        let mut failure = Self::new(Kind::Refused, text);
        failure.maybe_sent = true;
        failure.node_messages = bounded(messages);
        failure
    }

    /// Appends text to the message.
    pub(crate) fn with_suffix(mut self, suffix: &str) -> Self {
        self.message.push_str(&escaped(suffix));
        self
    }

    /// Changes the message, and the node's messages, with a function.
    pub(crate) fn rewritten(mut self, change: impl Fn(&str) -> String) -> Self {
        self.message = change(&self.message);
        for message in &mut self.node_messages {
            *message = change(message);
        }
        self
    }

    /// Changes the kind of failure.
    pub(crate) const fn with_kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self.status = kind.status();
        self
    }

    /// Sets whether a transaction may have reached the node.
    pub(crate) const fn with_maybe_sent(mut self, maybe_sent: bool) -> Self {
        self.maybe_sent = maybe_sent;
        self
    }
}

/// Maximum number of a node's messages that are shown, and of characters of each. A message may be as
/// long as a response.
const MAX_MESSAGES: usize = 10;
const MAX_CHARACTERS: usize = 500;

fn bounded(messages: &[String]) -> Vec<String> {
    let shown = messages.iter().take(MAX_MESSAGES).map(|message| {
        let mut start: String = message.chars().take(MAX_CHARACTERS).collect();
        if start.len() < message.len() {
            start.push('…');
        }
        start
    });
    let mut shown: Vec<_> = shown.collect();
    if messages.len() > MAX_MESSAGES {
        shown.push(format!("and {} more", messages.len() - MAX_MESSAGES));
    }
    shown
}

/// Converts the error of a request. Submissions have other failures: see `commands::submit`.
impl From<nodeproof_client::Error> for Failure {
    fn from(error: nodeproof_client::Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Configuration => Kind::Usage,
            ErrorKind::Decode
            | ErrorKind::Mismatch
            | ErrorKind::BodyTooLarge
            | ErrorKind::MissingBlock
            | ErrorKind::ChainReplaced
            | ErrorKind::NoTransactions => Kind::Unexpected,
            // The specification documents one kind of success, and its responses have a body.
            ErrorKind::Status if error.status().is_some_and(|status| status.is_success()) => {
                Kind::Unexpected
            }
            _ => Kind::Unreachable,
        };
        Self::new(kind, format!("{error:#}"))
    }
}

impl From<nodeproof_client::InputError> for Failure {
    fn from(error: nodeproof_client::InputError) -> Self {
        // The error may contain the user's text, which may be a key.
        Self::usage(error).rewritten(redact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_node_says_is_told_in_part_where_it_is_long() {
        let long = vec!["x".repeat(100_000); 40];
        let failure = Failure::refused("no", &long);
        assert_eq!(failure.node_messages.len(), MAX_MESSAGES + 1);
        assert_eq!(failure.node_messages[MAX_MESSAGES], "and 30 more");
        assert!(failure.node_messages[0].len() < 600);
        let short = Failure::refused("no", &["no fee".to_owned()]);
        assert_eq!(short.node_messages, ["no fee"]);
    }

    #[test]
    fn what_a_node_says_can_not_act_on_a_terminal() {
        let failure = Failure::unexpected("\u{1b}[2Jgone\r\u{202e}");
        assert_eq!(failure.message, "\\u{1b}[2Jgone\\r\\u{202e}");
    }
}
