//! The outcome of a claim: output or failure.

use nodeproof_claims::{ClaimError, ClaimOutcome, ReadBack, SavedTransactionError};
use nodeproof_primitives::{WalletAddress, with_causes};
use serde::Serialize;

use super::record;
use crate::{
    commands::{call::mismatch, submit},
    failure::{Failure, Kind},
    io::{output::CommandResult, table::Columns},
};

/// A claim that the node accepted.
#[derive(Serialize)]
pub(super) struct AcceptedClaim<'o> {
    pub(super) trans_code: String,
    pub(super) verifier: Option<WalletAddress>,
    /// Whether the transaction was new to the node. Null if the response does not state it.
    pub(super) new_transaction: Option<bool>,
    /// Whether it was signed in an earlier run.
    pub(super) resumed: bool,
    pub(super) saved_in: String,
    /// The index of the block with the transaction. Null if the block was not found.
    pub(super) block: Option<u64>,
    /// Null only if the command did not wait for the record.
    pub(super) record: Option<record::RecordView<'o>>,
}

impl CommandResult for AcceptedClaim<'_> {
    fn for_a_person(&self) -> String {
        let mut columns = Columns::new();
        columns.row(["transaction", &self.trans_code]);
        columns.row(["saved in", &self.saved_in]);
        if let Some(block) = self.block {
            columns.row(["block", &block.to_string()]);
        }
        match &self.record {
            Some(record) => record.rows(&mut columns),
            None => columns.row(["record", "not waited for"]),
        }
        columns.text()
    }
}

/// Returns the failure if an accepted claim is not confirmed.
pub(super) fn unconfirmed(outcome: &ClaimOutcome, waited: bool) -> Option<Failure> {
    let code = outcome.trans_code();
    if let Some(shown) = outcome.read_back.contradiction()
        && outcome.recorded_earlier
    {
        let failure = Failure::unexpected(format!(
            "an earlier run read the record of transaction {code}, but the node now shows {shown}. \
             That is a contradiction, unless the record was deleted: look for it at another node"
        ));
        return Some(failure.with_maybe_sent(true));
    }
    let what = match &outcome.read_back {
        ReadBack::Recorded(_) => return None,
        ReadBack::Differs { differences, .. } => {
            let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
            let whose = match outcome.had_record {
                Some(false) => {
                    "was recorded, but not as requested: this verifier had no record about the \
                     asset before, and the new one differs in"
                }
                Some(true) => {
                    "was accepted, but this verifier had another record about the asset before, \
                     which stays: it differs in"
                }
                None => {
                    "was accepted, but this verifier's record about the asset is different, or \
                     was not recorded as requested: it differs in"
                }
            };
            format!(
                "transaction {code} {whose} {}. A node keeps one record for each asset and \
                 verifier, so the same claim again changes nothing; `nodectl claim get` with \
                 --verifier shows the record",
                differences.join("; ")
            )
        }
        ReadBack::Before(_) => format!(
            "transaction {code} was accepted, and this verifier's record about the asset is the \
             same as before, so it is unclear whether this transaction wrote it: a node \
             keeps one record for each"
        ),
        _ if !waited => return None,
        ReadBack::OtherVerifiers(_) => format!(
            "transaction {code} was accepted, and the node shows only the records of other \
             verifiers yet: run the same command again, or `nodectl claim get` with --verifier"
        ),
        _ => format!(
            "transaction {code} was accepted, and its record can't be read yet: run the same \
             command again, which submits the same transaction, or `nodectl claim get`"
        ),
    };
    Some(Failure::new(Kind::Unconfirmed, what))
}

/// Returns the failure of a claim that was not made, or may not have been made.
pub(super) fn failure(error: ClaimError) -> Failure {
    let maybe_sent = error.maybe_sent();
    let text = error.to_string();
    let failure = match error {
        ClaimError::Network(error) => error.into(),
        ClaimError::BuiltCallMismatch(error) => mismatch(error),
        ClaimError::Signing(error) => Failure::usage(with_causes(&error)),
        ClaimError::Refused {
            messages,
            maybe_accepted_before,
            ..
        } => {
            let refused = Failure::refused_with_text(text, &messages);
            if maybe_accepted_before {
                // A node that refuses it now may have accepted it in an earlier run.
                refused.with_kind(Kind::Unconfirmed)
            } else {
                refused.with_suffix("; --again makes a new claim and pays its fee")
            }
        }
        ClaimError::Submission { error, .. } => {
            let why = submit::why_not(&error).filter(|_| !maybe_sent);
            Failure::new(submit::kind_of(&error), text).with_suffix(why.unwrap_or_default())
        }
        ClaimError::ReadingBack { .. } => Failure::new(Kind::Unconfirmed, text)
            .with_suffix("; run the same command again, which submits the same transaction"),
        ClaimError::Saved(SavedTransactionError::DifferentNode {
            path,
            saved_for,
            node,
        }) => Failure::usage(format!(
            "an earlier run saved this claim's transaction in {} for the node at {saved_for}, and \
             now it is {node}: if that is a node of the same network, give --any-node to submit it \
             here; if not, give another file with --keep",
            path.display()
        )),
        ClaimError::Contradiction { .. } => Failure::unexpected(text).with_suffix(
            ": look for the record at another node; --again makes and pays another claim",
        ),
        ClaimError::NoLock { .. } => Failure::usage(text).with_suffix(
            ": give --keep with a file on a local disk and set XDG_STATE_HOME to one, or give \
             --without-lock",
        ),
        ClaimError::EarlierClaim { ref path, .. } => Failure::usage(text).with_suffix(&format!(
            ": `nodectl submit {}` submits the earlier one again, and --again makes and pays \
             another one",
            path.display()
        )),
        ClaimError::AlreadyRecorded { .. } => {
            Failure::usage(text).with_suffix("; `nodectl claim get` with --verifier shows it")
        }
        _ => Failure::usage(text),
    };
    failure.with_maybe_sent(maybe_sent)
}
