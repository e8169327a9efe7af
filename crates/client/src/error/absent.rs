//! Whether an answer means that what was asked for is not there.
//!
//! The contract shows no failures, so nodes say it each in a way of their own: with any status
//! that blames the request, with or without words, or with a success that carries none.

use reqwest::StatusCode;

use super::{Error, ErrorKind};

/// What a node's message can be about. In lower case and without a plural `s`.
const THINGS: [&str; 20] = [
    "account",
    "address",
    "asset",
    "balance",
    "block",
    "claim",
    "contract",
    "entry",
    "height",
    "holder",
    "index",
    "pair",
    "record",
    "row",
    "score",
    "token",
    "transaction",
    "trust",
    "verification",
    "wallet",
];

/// What says that it is not there.
const ABSENT: [&str; 13] = [
    "not found",
    "not available",
    "not exist",
    "not exists",
    "doesnt exist",
    "didnt exist",
    "not find",
    "cannot find",
    "cant find",
    "couldnt find",
    "not known",
    "out of range",
    "out of bounds",
];

/// Whole messages that say so without naming a thing.
const ALONE: [&str; 6] = [
    "not found",
    "not available",
    "unknown",
    "nothing",
    "nothing found",
    "none",
];

/// Words of a failure, or of something that is not what the request was about.
const OTHER: [&str; 46] = [
    "backend",
    "busy",
    "cache",
    "column",
    "connection",
    "database",
    "db",
    "denied",
    "disk",
    "endpoint",
    "error",
    "exception",
    "fail",
    "failed",
    "failure",
    "field",
    "file",
    "forbidden",
    "function",
    "gateway",
    "host",
    "internal",
    "key",
    "locked",
    "method",
    "module",
    "operation",
    "page",
    "param",
    "parameter",
    "path",
    "peer",
    "permission",
    "required",
    "route",
    "server",
    "service",
    "signature",
    "storage",
    "sync",
    "syncing",
    "table",
    "temporarily",
    "timeout",
    "type",
    "upstream",
];

/// Whether a message says that the requested thing is not there.
///
/// The message has to name a thing of the contract and say that it is absent, or be no more than
/// such a word. A message about a failure, such as `unknown error`, does not count.
pub(crate) fn says_absent(text: &str) -> bool {
    let text = text.to_lowercase().replace(['\'', '\u{2019}'], "");
    let words: Vec<&str> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    if ALONE.contains(&words.join(" ").as_str()) {
        return true;
    }
    let is_thing = |word: &&str| {
        THINGS.contains(word)
            || word
                .strip_suffix('s')
                .is_some_and(|one| THINGS.contains(&one))
    };
    if words.iter().any(|word| OTHER.contains(word)) || !words.iter().any(is_thing) {
        return false;
    }
    let sentence = format!(" {} ", words.join(" "));
    if ABSENT
        .iter()
        .any(|phrase| sentence.contains(&format!(" {phrase} ")))
    {
        return true;
    }
    // `no block 13`, `no such record`, `unknown wallet`, `the wallet is unknown`.
    let thing_within =
        |start: usize, most: usize| words.iter().skip(start).take(most).any(&is_thing);
    words.iter().enumerate().any(|(at, word)| match *word {
        "no" => thing_within(at + 1, 2),
        "unknown" => thing_within(at + 1, 1) || at + 1 == words.len(),
        _ => false,
    })
}

impl Error {
    /// Whether the node says that it does not have what was requested.
    ///
    /// That is a status 404 or 410, which a server that is not a node returns, too; another 4xx with
    /// a message such as `Block not found` or `Trust score not available`, as nodes were seen to
    /// return; or the response `null`. A message about something else, such as `unknown error`, does
    /// not count. The methods that return an [`Option`] return `None` for such a response.
    ///
    /// If a node refuses without a message, or with another one, see [`is_absent`](Self::is_absent).
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        match self.status() {
            Some(StatusCode::NOT_FOUND | StatusCode::GONE) => true,
            Some(status) if blames_what_is_asked(status) => self.detail().is_some_and(says_absent),
            _ => self.is_null() || self.kind() == ErrorKind::MissingBlock,
        }
    }

    /// Whether the answer to a well-formed question about one thing means that it is not there,
    /// whatever the node's words are: the statuses 400, 404, 410, 416 and 422.
    ///
    /// The contract shows no failures, and a client that knows the question to be well-formed is
    /// left with no other meaning. What the node says is in [`reason`](Self::reason).
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.status()
            .is_some_and(|status| matches!(status.as_u16(), 400 | 404 | 410 | 416 | 422))
    }

    /// Whether the answer may mean that nothing is there, for who looks for an end: any status
    /// from 400 to 499 but for those about who asks and how often (401, 403, 407, 408, 425, 429),
    /// and the answer `null`.
    #[must_use]
    pub fn may_be_absent(&self) -> bool {
        match self.status() {
            Some(status) if status.is_client_error() => blames_what_is_asked(status),
            _ => self.is_null(),
        }
    }

    /// Whether the response is `null`.
    fn is_null(&self) -> bool {
        let body = self.body_excerpt().map(str::trim);
        self.is_decode() && body == Some("null")
    }
}

/// Whether a status says that the request is at fault, and not who sends it or when.
fn blames_what_is_asked(status: StatusCode) -> bool {
    status.is_client_error() && !matches!(status.as_u16(), 401 | 403 | 407 | 408 | 425 | 429)
}

#[cfg(test)]
mod tests {
    use super::says_absent;

    #[test]
    fn a_message_counts_only_if_it_says_that_the_requested_thing_is_not_there() {
        for text in [
            // Observed.
            "Block not found",
            "Trust score not available",
            // Made up.
            "the block does not exist",
            "Block 12 doesn't exist",
            "block 12 doesn\u{2019}t exist.",
            "No such block",
            "no block 13",
            "No matching records",
            "there is no trust between these wallets",
            "Unknown wallet",
            "unknown token TKN",
            "the wallet 0x1342 is unknown",
            "could not find asset \"a\"",
            "block_index: out of range",
            "index out of bounds",
            "Not found",
            "NOT_FOUND",
            "unknown",
            "nothing found",
        ] {
            assert!(says_absent(text), "{text}");
        }
        for text in [
            "unknown error",
            "Unknown error while reading block 7",
            "An unknown exception occurred",
            "nothing to do",
            "Method not found",
            "service not available",
            "Trust score service not available",
            "the database is not available",
            "block store: file not found",
            "no such table: verification",
            "no such column: asset",
            "Endpoint not found",
            "unknown parameter wallet",
            "unknown balance_type",
            "query.block_index: field required",
            "no wallet address is required",
            "no connection to the block producer",
            "no space left",
            "fee out of range",
            "the wallet is locked",
            "wallet address is malformed",
            "block index must not be negative",
            "token code has no digits",
            "busy",
            "null",
            "",
        ] {
            assert!(!says_absent(text), "{text}");
        }
    }
}
