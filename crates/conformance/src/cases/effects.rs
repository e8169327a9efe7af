//! What submissions do to balances, judged by the rule *effect*, and whether the queries for balances then agree.

use nodeproof_report::Aspect;

use super::{
    case::{Case, Example},
    cause::Cause,
    check::Check::{Agree, Effects},
    claim::{self, EARLIER_STEP, FEE_BALANCE, RECORD, SUBMIT},
    get_balances::{self, BALANCE, HELD, HOLDERS, NO_BALANCES, NO_LISTS},
    request_kind::RequestKind,
    submit_transaction::{
        self, BUILD, EVERY_REFUSAL, REFUSED_STORED, UNVERIFIED, UNVERIFIED_PAYER,
    },
};
use crate::rules::Effect;

/// The causes of a wrong balance: the cases that are named, wrong balances before anything is submitted, or a fault that comes
/// before the effect.
macro_rules! explained_by {
    ($($id:literal),*) => {
        &[
            $(Cause::of(&[$id]),)*
            NO_BALANCES,
            NO_LISTS,
            UNVERIFIED,
            UNVERIFIED_PAYER,
            EARLIER_STEP,
            REFUSED_STORED,
        ]
    };
}

const REFUSED: &[RequestKind] = &[BUILD, EVERY_REFUSAL, FEE_BALANCE, HOLDERS];

const PAID: &[RequestKind] = &[BUILD, SUBMIT, RECORD, FEE_BALANCE, HELD, HOLDERS];

/// A wrong payment may show in one query only.
const PAID_WRONGLY: Cause = Cause::of(&[
    "submit-transaction/fee-paid",
    "submit-transaction/fee-paid-by-no-other",
    "submit-transaction/refused-costs-nothing",
    "submit-transaction/nothing-created",
]);

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "submit-transaction/refused-costs-nothing",
        requirements: &["CONSISTENT-6", "SUBMIT-3"],
        checks: "While submissions are refused, the balance of no wallet that they name changes, and their wallet can still pay with all that it holds. The case is inconclusive if a block since then may explain a change.",
        example: Example::Text("Balance before: 5000000. Balance after: 5000000."),
        matters: "A fee for a claim that was refused is a payment that nobody agreed to.",
        aspect: Aspect::Spending,
        sends: REFUSED,
        explained_by: explained_by!(),
        check: Effects(Effect::Refusal),
        ..submit_transaction::BASE
    },
    Case {
        id: "submit-transaction/fee-paid",
        requirements: &["CONSISTENT-9", "TX-5"],
        checks: "The balance of a wallet goes down by the fees of its accepted transactions, at each time that it is read: by no more than those submitted so far, and in the end by all that are in blocks. A transfer moves its amount once, and nobody spends more than what is there. No accepted transfer that its wallet can pay is listed as failed, and blocks leave out no such transfer and no claim. Two signers pay a fee together. The case is inconclusive if a block since then may explain a change.",
        example: Example::Text("Balance before: 5000000. Fee: 1000000. Balance after: 4000000."),
        matters: "A wallet agrees to a fee by its signature. A node that takes more takes what is not its own.",
        // A node that also takes a fee for what it refuses, one that also drops claims, one where another transaction takes the
        // place of one, and one that has a record of another wallet in place of a claim.
        explained_by: explained_by![
            "submit-transaction/refused-costs-nothing",
            "submit-transaction/claim-readable",
            "submit-transaction/resubmission-not-new",
            "submit-transaction/claim-in-block-as-signed",
            "sc-state/new-records"
        ],
        sends: PAID,
        aspect: Aspect::Spending,
        check: Effects(Effect::Fee),
        ..claim::BASE
    },
    Case {
        id: "submit-transaction/fee-paid-by-no-other",
        requirements: &["CONSISTENT-9", "BALANCE-4"],
        checks: "No balance of a wallet that signed nothing goes down while the run submits. The case is inconclusive if a block since then may explain a change.",
        example: Example::Text(
            "Balance of another wallet before: 5000000. Balance after: 5000000.",
        ),
        matters: "A wallet agrees to a fee by its signature. Nobody else has agreed to it.",
        // What another wallet paid, those who signed have not paid.
        explained_by: explained_by!["submit-transaction/fee-paid"],
        sends: PAID,
        aspect: Aspect::Spending,
        check: Effects(Effect::Others),
        ..claim::BASE
    },
    Case {
        id: "submit-transaction/nothing-created",
        requirements: &["CONSISTENT-9"],
        checks: "No balance falls below 0 or wraps to nearly 2^64, and the holders of the fee's token gain no more together than the accepted transactions cost. Holders that a block names are left out. If other holders receive all of some fees, or all but a few units, nothing is lost, and no fee of a failed transaction is refunded while its receiver keeps it. If blocks have no reward, what is paid makes no money.",
        example: Example::Text("Gained by all holders: 1000000. Fees: 1000000."),
        matters: "Money that nobody paid makes all other money worthless. Money that nobody received is lost.",
        sends: REFUSED,
        // A balance that is wrong also makes a sum wrong.
        explained_by: explained_by!["submit-transaction/fee-paid"],
        aspect: Aspect::Spending,
        check: Effects(Effect::Created),
        ..submit_transaction::BASE
    },
    Case {
        id: "get-balances/agree",
        requirements: &["CONSISTENT-5", "BALANCE-2", "BALANCE-3", "BALANCE-4"],
        checks: "The balance of a token in a wallet is the same by all three queries, in all responses of the run, also after its claims. A list has no entry about another wallet or token. A list in another form than the known ones is not compared, and names each wallet or token that has a balance.",
        example: Example::Text(
            "Balance: 4000000. In the list of the wallet: 4000000. In the list of the token: 4000000.",
        ),
        aspect: Aspect::Consistency,
        sends: &[HOLDERS, BALANCE],
        explained_by: &[NO_LISTS, PAID_WRONGLY],
        check: Agree,
        ..get_balances::BASE
    },
];
