//! `POST /submit-transaction`, with one kind of wrong submission for each case.

use nodeproof_report::{Aspect, Level};

use super::{
    case::Case,
    cause::Cause,
    check::Check::{WholeRun, WrongSubmissions},
    submit_transaction::{BASE, BY_UNVERIFIED, UNVERIFIED, with_control},
};
use crate::rules::authority;

/// The rows of the table with the ID of the case are refused.
const WRONG: Case = Case {
    check: WrongSubmissions,
    ..BASE
};

/// Somebody who must sign has not signed what is submitted.
const UNSIGNED: Case = Case {
    aspect: Aspect::Spending,
    ..WRONG
};

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "submit-transaction/unsigned",
        requirements: &["SUBMIT-3"],
        checks: "A transaction without signatures, and one without signers, are refused.",
        sends: &with_control("an unsigned transaction, with its signer or without any"),
        explained_by: BY_UNVERIFIED,
        // Without this case, the tier has tested nothing.
        is_essential: true,
        ..UNSIGNED
    },
    Case {
        id: "submit-transaction/half-signed",
        requirements: &["SUBMIT-3", "TX-10"],
        checks: "A transaction of two signers is refused if one signature is missing, or one wallet signed twice.",
        sends: &with_control(
            "a transaction that one of its two signers did not sign: either one, and one that signed twice",
        ),
        explained_by: BY_UNVERIFIED,
        ..UNSIGNED
    },
    Case {
        id: "submit-transaction/unlisted-signer",
        requirements: &["SUBMIT-3", "TX-11"],
        checks: "A transaction that only a wallet outside of `signers` signed is refused.",
        sends: &with_control("a transaction signed only by a wallet that is not a signer"),
        explained_by: BY_UNVERIFIED,
        ..UNSIGNED
    },
    Case {
        id: "submit-transaction/another-wallets-key",
        requirements: &["SUBMIT-3"],
        checks: "A signature that another wallet's key made is refused, alone and as one of two, also beside its public key, and however the signer is written.",
        sends: &with_control(
            "a transaction with a signature of another wallet's key: the only one, the first or the second, beside its public key, or with the signer in other letters, in blanks or named twice",
        ),
        explained_by: &[UNVERIFIED],
        ..UNSIGNED
    },
    Case {
        id: "submit-transaction/signature-altered",
        requirements: &["SUBMIT-3"],
        checks: "A signature with one digit changed, with its halves swapped, with a half of 0, or over almost the same transaction is refused.",
        sends: &with_control(
            "a signature with one digit or a half changed, with its halves swapped, or over the same transaction before its fee was set",
        ),
        ..UNSIGNED
    },
    Case {
        id: "submit-transaction/params-altered",
        requirements: &["SUBMIT-3"],
        checks: "A transaction is refused if anything in `params` changed after signing: a value or its type, an entry of a list, their order, or one more member.",
        sends: &with_control(
            "a transaction with one value in its params changed after signing, or one added, once for each value",
        ),
        explained_by: &[UNVERIFIED],
        ..UNSIGNED
    },
    Case {
        id: "submit-transaction/fee-altered",
        requirements: &["SUBMIT-3"],
        checks: "A transaction whose `fee` changed or was put in quotes after signing is refused.",
        sends: &with_control("a transaction whose fee was changed or quoted after it was signed"),
        explained_by: &[UNVERIFIED],
        ..UNSIGNED
    },
    Case {
        id: "submit-transaction/transaction-altered",
        requirements: &["SUBMIT-3"],
        checks: "A transaction of which any other member changed after signing is refused, also its signers, the spelling of a value, or a member that was added. So is one with the signature of an earlier transaction.",
        sends: &with_control(
            "a transaction with one other member changed, quoted or added after signing, once for each member, or with other signers, or with the signature of the control",
        ),
        explained_by: &[UNVERIFIED],
        ..UNSIGNED
    },
    Case {
        id: "submit-transaction/signature-not-hex",
        requirements: &["SUBMIT-3", "TX-11", "FORM-6"],
        checks: "A `msgsign` that is not hexadecimal text, empty, null, too short, too long, all zeros or twice the order of the curve is refused, alone and beside a right one.",
        sends: &with_control(
            "a signature that is not hexadecimal, is empty, null, too short, too long, all zeros, or twice the order of the curve, alone or as one of two",
        ),
        explained_by: BY_UNVERIFIED,
        ..UNSIGNED
    },
    Case {
        id: "submit-transaction/body-malformed",
        requirements: &["SUBMIT-2", "SUBMIT-3", "HTTP-3"],
        checks: "A body that is not a JSON object with an object `transaction` and an array `signatures` is refused.",
        sends: &with_control(
            "a submission without a transaction or signatures, or with null or another type in their place, an empty object, an array, a text, a body that is not JSON, or none",
        ),
        ..WRONG
    },
    Case {
        id: "submit-transaction/fee-negative",
        requirements: &["CONSISTENT-9", "TX-4", "TX-5"],
        checks: "A fee that nobody can pay is refused: a negative one, for which the network would pay the sender, one in a currency that does not exist, also if its code is almost that of a token, one that is more than there is, and one of one unit more than the wallet holds, also if it holds more of another token.",
        sends: &with_control(
            "a transaction whose fee is negative, in a currency that does not exist or is almost written like a token, more than there is, or one more than its wallet holds of this token or of another one, signed as the control is",
        ),
        ..WRONG
    },
    Case {
        id: "submit-transaction/fee-zero",
        level: Level::Observed,
        requirements: &["SUBMIT-10"],
        checks: "A `fee` of 0 is refused.",
        aspect: Aspect::Style,
        sends: &with_control("a transaction whose fee is 0, signed as the control is"),
        ..WRONG
    },
    Case {
        id: "submit-transaction/transaction-malformed",
        level: Level::Should,
        requirements: &[
            "TX-1", "TX-2", "TX-3", "TX-4", "TX-5", "TX-8", "TX-10", "SUBMIT-2", "FORM-5",
        ],
        checks: "A correctly signed transaction that lacks a documented member, or has one in another form, is refused.",
        sends: &with_control(
            "a transaction without one of its members, or with one in another form, signed as the control is, once for each",
        ),
        ..WRONG
    },
    Case {
        id: "submit-transaction/oversized",
        level: Level::Observed,
        requirements: &["SUBMIT-11"],
        checks: "A transaction of more than 10 kB is refused.",
        aspect: Aspect::Style,
        sends: &with_control("a transaction of 20,000 bytes"),
        ..WRONG
    },
    Case {
        id: "submit-transaction/authority",
        requirements: &["SUBMIT-3", "TX-10", "TX-11"],
        checks: "No submission of the whole run is accepted whose signatures are missing, malformed, of another wallet or over another text, whenever it was sent. The other cases decide whether a refusal is due to the signatures.",
        sends: &with_control("transactions that are not signed as they must be, in each way"),
        explained_by: &[Cause::of(&[
            "submit-transaction/unsigned",
            "submit-transaction/half-signed",
            "submit-transaction/unlisted-signer",
            "submit-transaction/another-wallets-key",
            "submit-transaction/signature-altered",
            "submit-transaction/params-altered",
            "submit-transaction/fee-altered",
            "submit-transaction/transaction-altered",
            "submit-transaction/signature-not-hex",
            "submit-transaction/known-code-altered",
        ])],
        check: WholeRun(authority, true),
        aspect: Aspect::Spending,
        ..BASE
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::context::planned_rows;

    #[test]
    fn each_row_has_a_case_and_each_case_has_a_row() {
        let of_rows: BTreeSet<_> = planned_rows().iter().map(|(case, ..)| *case).collect();
        let cases = CASES.iter().filter(|case| !case.runs_last());
        assert_eq!(of_rows, cases.map(|case| case.id).collect());
    }
}
