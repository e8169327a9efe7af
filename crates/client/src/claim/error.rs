//! Why a claim was not made.

use std::path::PathBuf;

use nodeproof_primitives::{TransactionCode, escape::escaped};

use super::{DocumentError, EchoError, FeeError, KeptError, SignError, SubmitError};
use crate::{Error, VerificationRecord};

/// A claim was not made, or it is not known whether it was.
///
/// [`maybe_sent`](Self::maybe_sent) tells the two apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// What was given can't be claimed.
    #[error("{0}")]
    Input(String),
    /// The fee can't be paid as it is given.
    #[error(transparent)]
    Fee(#[from] FeeError),
    /// A document can't be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// This verifier has a record about the asset already.
    #[error(
        "this verifier has a record about the asset already, and a node keeps one; nothing was \
         signed"
    )]
    AlreadyRecorded {
        /// The record.
        record: Box<VerificationRecord>,
    },
    /// The node could not be asked before anything was signed.
    #[error(transparent)]
    Network(#[from] Error),
    /// The node built something else than it was asked for.
    #[error("{0}; nothing was signed")]
    NotEchoed(#[from] EchoError),
    /// A signer did not sign.
    #[error(transparent)]
    Signing(#[from] SignError),
    /// The file of the kept transaction can't be used.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// The node refuses the transaction.
    #[error(
        "the node refuses transaction {trans_code}: {}{}{}",
        told(messages),
        if *maybe_taken_before {
            "; it may have taken it from an earlier submission all the same"
        } else {
            ""
        },
        still_kept(kept.as_ref())
    )]
    Refused {
        /// What the node says.
        messages: Vec<String>,
        /// The transaction.
        trans_code: TransactionCode,
        /// Whether it was new to the node, where the node says so.
        new_transaction: Option<bool>,
        /// Whether an earlier submission may have been taken: one without an answer, in this run or
        /// before, or one that was accepted before.
        maybe_taken_before: bool,
        /// The file in which it is still kept.
        kept: Option<PathBuf>,
    },
    /// There was no answer to the submission.
    #[error("{source}{}", again(kept.as_ref(), source.maybe_sent()))]
    Submission {
        /// What went wrong.
        source: SubmitError,
        /// The transaction.
        trans_code: TransactionCode,
        /// The file in which it is kept.
        kept: Option<PathBuf>,
    },
    /// The transaction was accepted, and the node could not be asked for its record.
    #[error("transaction {trans_code} was accepted, and its record can't be asked for: {source}")]
    ReadingBack {
        /// What went wrong.
        source: Error,
        /// The transaction.
        trans_code: TransactionCode,
    },
}

impl ClaimError {
    /// Whether the signed transaction may have reached the node and been taken, in this run or in
    /// an earlier one that kept it in the same file.
    ///
    /// Where it is true, the claim may well be made: claim the same again with the same file.
    /// It is true of a [refusal](Self::Refused) as well, which is an answer to a transaction that
    /// arrived.
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        match self {
            Self::Refused { .. } | Self::ReadingBack { .. } => true,
            Self::Submission { source, .. } => source.maybe_sent(),
            _ => false,
        }
    }

    /// The client's error, where the network or the node is at fault.
    #[must_use]
    pub fn client_error(&self) -> Option<&Error> {
        match self {
            Self::Network(error) | Self::ReadingBack { source: error, .. } => Some(error),
            Self::Submission { source, .. } => source.client_error(),
            _ => None,
        }
    }
}

fn told(messages: &[String]) -> String {
    if messages.is_empty() {
        return "it does not say why".to_owned();
    }
    nodeproof_primitives::escape::escaped_up_to(&messages.join("; "), 400)
}

fn still_kept(kept: Option<&PathBuf>) -> String {
    kept.map(|path| {
        format!(
            "; it is kept in {}, which is the only proof of it: claim the same again to submit the \
             same transaction once more",
            escaped(&path.to_string_lossy())
        )
    })
    .unwrap_or_default()
}

fn again(kept: Option<&PathBuf>, maybe_sent: bool) -> String {
    match (kept, maybe_sent) {
        (Some(path), maybe_sent) => format!(
            "; {} kept in {}: claim the same again to submit the same transaction",
            if maybe_sent {
                "the transaction may have been taken, in this run or an earlier one, and is"
            } else {
                "the transaction was not taken, and is"
            },
            escaped(&path.to_string_lossy())
        ),
        (None, true) => "; the transaction may have arrived: look for its record before you claim \
                         again"
            .to_owned(),
        (None, false) => String::new(),
    }
}
