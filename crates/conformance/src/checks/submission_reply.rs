//! What the refusal of a faulty submission proves.
//!
//! A node may refuse every submission: the wallet is unknown or has no money, or the endpoint does
//! not exist. So each run also submits a control: the same kind of transaction, correctly signed.
//! [`judge`] compares the responses. Its test is the whole rule as a table.

use crate::{
    api::{is_valid, message},
    http::Exchange,
};

/// A response to a submission, in a form that can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Accepted,
    Refused {
        status: u16,
        /// The words of the message, without codes, addresses and numbers.
        words: String,
    },
}

impl Reply {
    pub(crate) fn of(response: &Exchange) -> Self {
        if is_valid(response) {
            return Self::Accepted;
        }
        Self::Refused {
            status: response.status,
            words: words(&message(response)),
        }
    }
}

/// Returns the words of a message in lower case, without words that have a digit: those are
/// specific to one submission.
fn words(message: &str) -> String {
    let lower = message.to_lowercase();
    let words = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty() && !word.chars().any(|letter| letter.is_ascii_digit()));
    words.collect::<Vec<_>>().join(" ")
}

/// What the response to a faulty submission proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyVerdict {
    /// The node accepts the submission.
    Accepts,
    /// The node refuses the submission because of its fault.
    Refuses,
    /// The node refuses it like a correct one, and does not verify the altered content.
    IgnoresAlteration,
    /// The node refuses it like a correct one, so the refusal proves nothing.
    ProvesNothing,
}

/// Classifies the response to a faulty submission.
///
/// `wrong_signature` is the response to a wrong signature of the same wallet. It is given if a node
/// that verifies signatures must give both the same response.
pub(crate) fn judge(bad: &Reply, control: &Reply, wrong_signature: Option<&Reply>) -> ReplyVerdict {
    match (bad, control) {
        (Reply::Accepted, _) => ReplyVerdict::Accepts,
        (_, Reply::Accepted) => ReplyVerdict::Refuses,
        _ if bad != control => ReplyVerdict::Refuses,
        _ => match wrong_signature {
            Some(wrong @ Reply::Refused { .. }) if wrong != control => {
                ReplyVerdict::IgnoresAlteration
            }
            _ => ReplyVerdict::ProvesNothing,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str) -> Reply {
        match text {
            "valid" => Reply::Accepted,
            text => Reply::Refused {
                status: 200,
                words: words(text),
            },
        }
    }

    #[test]
    fn a_refusal_counts_only_if_a_correct_submission_gets_another_response() {
        let (poor, wrong) = ("no money", "bad signature");
        for (bad, control, wrong_signature, shows) in [
            ("valid", "valid", None, ReplyVerdict::Accepts),
            ("valid", poor, None, ReplyVerdict::Accepts),
            ("valid", poor, Some("valid"), ReplyVerdict::Accepts),
            (wrong, "valid", None, ReplyVerdict::Refuses),
            (poor, "valid", Some(wrong), ReplyVerdict::Refuses),
            (wrong, poor, None, ReplyVerdict::Refuses),
            (wrong, poor, Some(wrong), ReplyVerdict::Refuses),
            (poor, poor, None, ReplyVerdict::ProvesNothing),
            (poor, poor, Some(poor), ReplyVerdict::ProvesNothing),
            (poor, poor, Some("valid"), ReplyVerdict::ProvesNothing),
            (poor, poor, Some(wrong), ReplyVerdict::IgnoresAlteration),
        ] {
            let wrong_signature = wrong_signature.map(reply);
            let judged = judge(&reply(bad), &reply(control), wrong_signature.as_ref());
            assert_eq!(judged, shows, "{bad}, {control}, {wrong_signature:?}");
        }
    }

    #[test]
    fn what_names_one_submission_does_not_tell_two_replies_apart() {
        let one = "Wallet 0xd6c025a5 of transaction 7db45f74 has 12 DEVN, not enough";
        let other = "wallet 0x1342abcd of transaction 01ab has 7 DEVN: not enough";
        assert_eq!(reply(one), reply(other));
        assert_ne!(reply("Fee validation failed"), reply("Invalid signature"));
        let status = |status| Reply::Refused {
            status,
            words: String::new(),
        };
        assert_ne!(status(400), status(500));
    }
}
