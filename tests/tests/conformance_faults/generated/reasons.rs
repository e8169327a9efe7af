//! The reasons why no case can catch some faults.

use super::{
    field::Field,
    kind::Kind::{
        self, Constant, Contradicting, Empty, Malformed, OfAnother, Rounded, Stale, Swapped,
        Truncated, WrongLater,
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
            " Only the hash of the block would show it, and nodes were seen to change blocks after they were hashed."
        )
    };
}

const MEANING: &str = only_the_hash!(
    "The meaning of `proof` and `status` is not documented (OPEN-2), so any integer may be right."
);

pub(crate) const BLOCKS: &[Reason] = &[
    reason(
        &["proof"],
        &[Constant, Swapped, Truncated, Rounded, OfAnother],
        MEANING,
    ),
    reason(&["status"], &[Truncated, Rounded], MEANING),
    reason(
        &["timestamp"],
        &[Constant, Truncated, Rounded, OfAnother],
        only_the_hash!(
            "A chain can have started at any time, and nothing says how much time is between two blocks."
        ),
    ),
    reason(
        &["creator_wallet", "expected_miner"],
        &[Constant, OfAnother],
        only_the_hash!("Nothing says which wallet makes which block."),
    ),
    reason(
        &["committee"],
        &[Empty, Truncated],
        only_the_hash!("Nothing says which wallets are in a committee, or how many."),
    ),
    reason(
        &["text.transactions"],
        &[Constant, Empty, Truncated],
        only_the_hash!(
            "Nothing else lists transactions. Of a claim that a run makes itself, the write tier notices it \
             (`submit-transaction/claim-in-block`)."
        ),
    ),
    reason(
        &["text.previous_block_receipts"],
        &[Constant, Empty, Truncated, OfAnother],
        "Nothing says how many votes a block has. Where no receipt is seen, the cases about receipts are \
         inconclusive.",
    ),
];

pub(crate) const BALANCES: &[Reason] = &[];

pub(crate) const STATE: &[Reason] = &[];

pub(crate) const TRUST: &[Reason] = &[reason(
    &["trust_score"],
    &[Truncated, Rounded],
    "No other endpoint has scores, and nothing says how they come about.",
)];

const SET_BY_THE_CALLER: &str =
    "A call does not name this member, and the caller can set it before signing.";

pub(crate) const CALLS: &[Reason] = &[
    reason(
        &["transaction.trans_code"],
        &[Contradicting, WrongLater],
        "The node chooses the code. Any two different codes may be right.",
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
            OfAnother,
            Rounded,
            Contradicting,
            WrongLater,
        ],
        "Calls are built within a moment of one another, and clocks differ by more than that.",
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
        OfAnother,
        Contradicting,
        WrongLater,
    ],
    "The wording of messages is not documented, and an empty one is a string as well.",
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
        "Whether a transaction that was refused is new to the node is not documented.",
    ),
];
