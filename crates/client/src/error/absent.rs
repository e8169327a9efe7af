//! Whether a response means that the requested thing is missing.
//!
//! The contract shows no failures, so nodes report them in different ways. Some return a status that
//! blames the request, with or without a message. Others return a success with such a message.

use reqwest::StatusCode;

use super::{Error, ErrorKind};

/// Things that a node's message can be about, in lower case and without a plural `s`.
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

/// Words that mean that a thing is missing.
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

/// Whole messages that mean this without naming a thing.
const ALONE: [&str; 6] = [
    "not found",
    "not available",
    "unknown",
    "nothing",
    "nothing found",
    "none",
];

/// Words of a failure, or of something else than the requested thing.
const OTHER: [&str; 49] = [
    "backend",
    "busy",
    "cache",
    "computed",
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
    "overloaded",
    "page",
    "param",
    "parameter",
    "path",
    "peer",
    "permission",
    "reason",
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

/// Last words of a message about the request: `no wallet address given`.
const LAST: [&str; 4] = ["given", "provided", "specified", "supplied"];

/// Returns whether a message reports that the requested thing is missing.
///
/// The message has to name a thing of the contract and report it as missing, or consist of such a
/// report only. A message about a failure, such as `unknown error`, does not count.
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
    let is_other = words.iter().any(|word| OTHER.contains(word))
        || words.last().is_some_and(|word| LAST.contains(word));
    if is_other || !words.iter().any(is_thing) {
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
        // At the end, a thing or an identifier of one has to come before: `wallet 0x13 is unknown`.
        "unknown" if at + 1 == words.len() => {
            let subject = words.iter().take(at).rposition(|word| *word != "is");
            subject.is_some_and(|subject| thing_within(subject.saturating_sub(1), 2))
        }
        "unknown" => thing_within(at + 1, 1),
        _ => false,
    })
}

impl Error {
    /// Returns whether the node reports that it does not have the requested thing.
    ///
    /// It is true for [`ErrorKind::MissingBlock`], and for three kinds of responses:
    ///
    /// - The status 404 or 410, unless the body is a page. A server that is not a node can return
    ///   these, too.
    /// - Another 4xx with a message such as `Block not found` or `Trust score not available`. Both
    ///   were observed. A message about something else, such as `unknown error`, does not count.
    /// - The response `null`.
    ///
    /// The methods that return an [`Option`] return `None` for such a response.
    ///
    /// If a node refuses without a message, or with another one, see [`is_absent`](Self::is_absent).
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// match node.block_response(1200_u64).await {
    ///     Ok(block) => println!("created at {}", block.timestamp()?),
    ///     Err(error) if error.is_not_found() => println!("no block 1200"),
    ///     Err(error) if error.may_be_absent() => println!("perhaps no block 1200: {error}"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        match self.status() {
            // No node returns HTML or XML for a missing thing.
            Some(StatusCode::NOT_FOUND | StatusCode::GONE) => !self.0.is_page,
            Some(status) if blames_what_is_asked(status) => self.detail().is_some_and(says_absent),
            _ => self.is_null() || self.kind() == ErrorKind::MissingBlock,
        }
    }

    /// Returns whether the status of a well-formed request means that the requested thing is missing,
    /// whatever the message. These are 400, 404, 410, 416 and 422.
    ///
    /// The contract shows no failures. If the request is known to be well-formed, no other meaning is
    /// left. The node's message is in [`reason`](Self::reason).
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.status()
            .is_some_and(|status| matches!(status.as_u16(), 400 | 404 | 410 | 416 | 422))
    }

    /// Returns whether the response may mean that nothing is there. Use it to search for the end of
    /// something. It is true for `null`, and for each status from 400 to 499 except those about the
    /// sender or the rate of requests: 401, 403, 407, 408, 425 and 429.
    #[must_use]
    pub fn may_be_absent(&self) -> bool {
        match self.status() {
            Some(status) if status.is_client_error() => blames_what_is_asked(status),
            _ => self.is_null(),
        }
    }

    /// Returns whether the response is `null`.
    fn is_null(&self) -> bool {
        let body = self.body_excerpt().map(str::trim);
        self.is_decode() && body == Some("null")
    }
}

/// Returns whether a status blames the request, and not its sender or the rate of requests.
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
            "wallet unknown",
            "No record found for the given asset",
            "Block with the specified index does not exist",
            "Block not found on this node",
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
            "trust score could not be computed: reason unknown",
            "trust score: the cause is unknown",
            "no wallet address given",
            "no token specified",
            "balance not available: node overloaded",
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
