//! What a run sent a request for.

use serde::{Deserialize, Serialize};

/// What a run sent a request for. The cases find the exchange again by it, also in a recorded history.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Step {
    /// The correct submission that others are compared with.
    Control,
    /// A submission of one of the tables, by the description of its row.
    Row(String),
    /// A transaction with another key's signature.
    WrongAtFirst,
    /// The same transaction, signed correctly.
    RightThen,
    /// A batch of submissions.
    Batch(BatchStep),
    /// One of several transactions of a wallet that can pay one of them. They have the number of their moment.
    Payable(u8),
    /// A transaction that an old block has.
    OfABlock,
    /// A refused transfer of two signers, with its signatures in the other order.
    Reordered,
    /// A request with an unusual value, by the parameter or member that has it, and a description.
    Probe(String, String),
    /// A step of the claim with this number.
    Claim(u8, Act),
    /// Keeps all exchanges. Nothing is sent: the reason is why some were left out.
    KeepAll,
}

/// What is in a batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub(crate) struct BatchStep {
    /// The code of the right submission, if a right one was made for this batch.
    pub(crate) control: Option<String>,
    /// The codes of the wrong ones, and their descriptions.
    pub(crate) wrong: Vec<(String, String)>,
}

/// A step of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Act {
    /// Has the node build the claim.
    Build,
    /// Compares the built transaction with the call. Nothing is sent: the reason describes the contradiction.
    Compare,
    /// Reads the time and the form of the built transaction. Nothing is sent: the reason is why it is not signed.
    Check,
    /// Reads the balance that pays the fee.
    Balance,
    /// Submits the claim with the fault, or in the form, that this row of a table describes.
    Row(String),
    /// Reads another record, before and after the claim.
    OtherRecord,
    /// Submits it in an unusual form, before the usual one.
    Unusual,
    /// Submits it with its signatures in the reverse order of its signers.
    Reversed,
    /// Submits it.
    Submit,
    /// Submits it again, once it is accepted.
    Again,
    /// Submits it with a fault at the same moment or later. The node knows its code.
    KnownCode,
    /// Submits a transaction of a wallet without money that has its code.
    OfAnother,
    /// The same with a code that has nothing in common with it.
    OtherCode,
    /// The same with a code that differs from it in one digit.
    SimilarCode,
    /// Reads its record, until there is one.
    Record,
    /// Reads its record again, after all claims.
    RecordAgain,
}

/// A step that was not taken, or whose request got no response, and the reason.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct MissingStep {
    pub(crate) step: Step,
    pub(crate) reason: super::InconclusiveReason,
}
