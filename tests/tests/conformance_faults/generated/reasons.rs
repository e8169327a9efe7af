//! The reasons why no case can catch some faults.

use super::{
    field::Field,
    kind::Kind::{
        self, Constant, Contradicting, Empty, FromAnotherObject, Malformed, Rounded, Stale,
        Swapped, Truncated, WrongLater,
    },
};

/// A reason why no case can catch some faults of some fields.
pub(crate) struct Reason {
    fields: &'static [&'static str],
    kinds: &'static [Kind],
    pub(crate) text: &'static str,
}

/// Returns the reason for a field with a kind of fault.
pub(crate) fn of<'r>(reasons: &'r [Reason], field: &Field, kind: Kind) -> Option<&'r Reason> {
    let name = field.name();
    reasons
        .iter()
        .find(|reason| reason.kinds.contains(&kind) && reason.fields.contains(&name.as_str()))
}

const fn reason(
    fields: &'static [&'static str],
    kinds: &'static [Kind],
    text: &'static str,
) -> Reason {
    Reason {
        fields,
        kinds,
        text,
    }
}

/// The part of a reason about the hash of a block.
macro_rules! only_the_hash {
    ($text:literal) => {
        concat!(
            $text,
            " If every block is changed so, no hash matches (`chain/block-hashes`), and the node may compute \
             hashes in another way."
        )
    };
}

const MEANING: &str = only_the_hash!(
    "The meaning of `proof` and `status` is not documented (OPEN-2), so any integer may be valid."
);

pub(crate) const BLOCKS: &[Reason] = &[
    reason(&["proof", "status"], &[Truncated, Rounded], MEANING),
    reason(
        &["timestamp"],
        &[Rounded],
        only_the_hash!(
            "A chain can start at any time, and the specification does not define the time between blocks."
        ),
    ),
    reason(
        &["committee"],
        &[Empty, Truncated],
        only_the_hash!(
            "The specification does not define which wallets are in a committee, or how many."
        ),
    ),
];

pub(crate) const BALANCES: &[Reason] = &[];

pub(crate) const STATE: &[Reason] = &[];

pub(crate) const TRUST: &[Reason] = &[reason(
    &["trust_score"],
    &[Constant, Truncated, Rounded, FromAnotherObject],
    "No other endpoint returns scores, and the specification does not define how they are computed.",
)];

const SET_BY_THE_CALLER: &str =
    "The request does not contain this member, and the caller can set it before signing.";

pub(crate) const CALLS: &[Reason] = &[
    reason(
        &["transaction.trans_code"],
        &[Contradicting, WrongLater],
        "The node chooses the code. Any two different codes are valid.",
    ),
    reason(
        &["transaction.currency"],
        &[Empty, Swapped, Truncated, Contradicting, WrongLater],
        SET_BY_THE_CALLER,
    ),
    reason(
        &["transaction.descr"],
        &[Swapped, Contradicting, WrongLater],
        SET_BY_THE_CALLER,
    ),
    reason(
        &["transaction.fee"],
        &[Contradicting, WrongLater],
        SET_BY_THE_CALLER,
    ),
    reason(
        &["transaction.timestamp"],
        &[
            Constant,
            Stale,
            FromAnotherObject,
            Rounded,
            Contradicting,
            WrongLater,
        ],
        "Calls are built milliseconds apart, and clocks differ by more than that.",
    ),
];

/// The wording of a message can't be checked.
const MESSAGE: Reason = reason(
    &["response.msg"],
    &[
        Empty,
        Constant,
        Stale,
        Truncated,
        FromAnotherObject,
        Contradicting,
        WrongLater,
    ],
    "The wording of messages is not documented, and an empty message is also a string.",
);

pub(crate) const ACCEPTED: &[Reason] = &[MESSAGE];

pub(crate) const REFUSED: &[Reason] = &[
    MESSAGE,
    reason(
        &["status"],
        &[Malformed, Empty, Truncated, Contradicting, WrongLater],
        "Only the status of a success is documented.",
    ),
    reason(
        &["response.new_transaction"],
        &[Contradicting, WrongLater],
        "The specification does not define whether a refused transaction counts as new.",
    ),
];
