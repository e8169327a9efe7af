//! The outcome of a claim: output or failure.

use nodeproof_claims::{CallErrorKind, ClaimError, ClaimOutcome, ReadBack};
use nodeproof_primitives::WalletAddress;
use serde::Serialize;

use super::record;
use crate::{
    commands::not_made,
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
    let shown = &outcome.read_back;
    if shown.record().is_none() && outcome.recorded_earlier {
        let failure = Failure::unexpected(format!(
            "an earlier run read the record of transaction {code}, but the node now shows {shown}. \
             That is a contradiction, unless the record was deleted or the chain was replaced: look for \
             it at another node"
        ));
        return Some(failure.with_maybe_sent(true));
    }
    let what = match &outcome.read_back {
        ReadBack::Recorded(_) => return None,
        ReadBack::Differs { differences, .. } => {
            let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
            let whose = match outcome.resumed {
                false => {
                    "was recorded, but not as requested: this verifier had no record about the \
                     asset before, and the new one differs in"
                }
                true => {
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
    let is_refused = error.kind() == CallErrorKind::Refused;
    let text = error.to_string();
    match error {
        ClaimError::Call(error) => {
            let failure = not_made::saved_call(error);
            match is_refused {
                true => failure.with_suffix("; --again makes a new claim and pays its fee"),
                false => failure,
            }
        }
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
            nodeproof_files::quoted(path)
        )),
        ClaimError::UnreadClaim { .. } => Failure::usage(text).with_suffix(
            ": restore the file or mount its volume; if you know what became of its claim, remove the file, or the \
             link to it in the folder of claims; --again makes and pays another claim",
        ),
        ClaimError::AlreadyRecorded { .. } => {
            Failure::usage(text).with_suffix("; `nodectl claim get` with --verifier shows it")
        }
        _ => Failure::usage(text),
    }
}
