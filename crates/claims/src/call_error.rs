//! The error of a saved call.

use std::path::PathBuf;

use nodeproof_client::{BuiltCallMismatch, Error, InputError, SubmitError};
use nodeproof_primitives::{TransactionCode, escape::escaped};

use crate::saved::SavedTransactionError;

/// A contract call was not made, or it is unknown whether it was made.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     call: nodeproof_claims::SavedCall,
/// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
/// # ) {
/// match call.make(&node, &[wallet]).await {
///     Ok(outcome) => println!("{}", outcome.trans_code()),
///     Err(error) if error.is_refused() => println!("nothing was paid: {error}"),
///     Err(error) if error.maybe_sent() => println!("make it again with the same file: {error}"),
///     Err(error) if error.is_retryable() => {
///         let pause = error.client_error().and_then(|error| error.retry_after());
///         println!("not made; try later, in {pause:?}: {error}");
///     }
///     Err(error) => println!("not made: {error}"),
/// }
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedCallError {
    /// A signer is missing, is bound to another network, or did not sign. This run sent nothing. Unlock the
    /// wallet or the device, or pass the missing signer. Then try again.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A request failed before anything was signed. Try again if `Error::is_retryable` is true. Otherwise
    /// see `ErrorKind` for what to do.
    #[error(transparent)]
    Network(Error),
    /// The built transaction is not the requested call. Nothing was signed. Use another node. For
    /// `BuiltCallMismatch::Untimely`, check the local clock first.
    #[error("{0}; nothing was signed")]
    BuiltCallMismatch(#[from] BuiltCallMismatch),
    /// The file of the saved transaction can't be used. This run sent nothing, but an earlier run may
    /// have. Keep the file, and see [`SavedTransactionError`] for what to do.
    #[error(transparent)]
    Saved(#[from] SavedTransactionError),
    /// The node refuses the transaction, or no response shows that it accepted it. Anyone who has the
    /// transaction can still submit it. The same call with the same file submits the same transaction, so
    /// you pay once. Any other call is a new transaction: you may pay for both.
    #[error(
        "{}{}; transaction {trans_code} {} saved in {}, which is the only proof of it: repeat the same \
         call with this file to submit the same transaction{}",
        error.full_message(),
        shortage.as_deref().map(|what| format!("; {what}")).unwrap_or_default(),
        if error.maybe_accepted() {
            "may have been accepted, in this run or an earlier one, and is"
        } else {
            "was not accepted, and is"
        },
        escaped(&saved_in.to_string_lossy()),
        if error.is_refused() || (error.sent() > 0 && !error.maybe_accepted()) {
            "; the refusal is not final: anyone with the transaction can still submit it"
        } else {
            ""
        }
    )]
    Submission {
        /// The error.
        error: SubmitError,
        /// The transaction.
        trans_code: TransactionCode,
        /// What the paying wallet lacks, if the node refuses the transaction and shows that the balance is
        /// below the fee. The text is safe to print.
        shortage: Option<String>,
        /// The file in which it is saved.
        saved_in: PathBuf,
    },
    /// The node accepted the transaction, but the requests for its block, or for a claim's record, failed.
    /// The same call with the same file submits the same transaction again.
    #[error(
        "transaction {trans_code} was accepted, but its effect could not be read: {}",
        error.full_message()
    )]
    Waiting {
        /// The error.
        error: Error,
        /// The transaction.
        trans_code: TransactionCode,
    },
}

/// What an error says about the call, or about the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallErrorKind {
    /// Nothing was sent. Correct what the error names, or try later if it is retryable.
    NotMade,
    /// An earlier claim about the asset, or its record, stands in the way. Nothing was sent.
    Earlier,
    /// The file of the saved transaction can't be used. This run sent nothing, but an earlier run may have.
    SavedFile,
    /// The node received the transaction and refused it. No fee was paid. If the error is
    /// [rate limited](nodeproof_client::Error::is_rate_limited), the node was busy in all submissions that
    /// the [policy](nodeproof_client::contract_call::SubmitPolicy) allows: make the same call again later.
    Refused,
    /// The call may have been made. Make the same call again with the same file: you pay once.
    Uncertain,
}

impl SavedCallError {
    /// Returns what the error says about the call.
    #[must_use]
    pub fn kind(&self) -> CallErrorKind {
        match self {
            Self::Input(_) | Self::Network(_) | Self::BuiltCallMismatch(_) => {
                CallErrorKind::NotMade
            }
            Self::Saved(_) => CallErrorKind::SavedFile,
            Self::Submission { error, .. } if error.maybe_accepted() => CallErrorKind::Uncertain,
            Self::Submission { error, .. } if error.sent() == 0 => CallErrorKind::NotMade,
            Self::Submission { .. } => CallErrorKind::Refused,
            Self::Waiting { .. } => CallErrorKind::Uncertain,
        }
    }

    /// Returns whether the node refused the transaction, and no earlier submission can have been
    /// accepted.
    ///
    /// Anyone who has the transaction can still submit it. So correct the cause, such as a missing
    /// balance, and make the same call again with its file.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.kind() == CallErrorKind::Refused
    }

    /// Returns whether the same call with the same file can succeed later, without a change.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.maybe_sent() || self.client_error().is_some_and(Error::is_retryable)
    }

    /// Returns whether a node may have accepted the transaction. Another call, with another file, may
    /// then pay twice.
    ///
    /// It is false for [`Saved`](Self::Saved), although an earlier run may have sent the transaction.
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        self.kind() == CallErrorKind::Uncertain
    }

    /// Returns the client's error, if a request failed.
    #[must_use]
    pub fn client_error(&self) -> Option<&Error> {
        match self {
            Self::Network(error) | Self::Waiting { error, .. } => Some(error),
            Self::Submission { error, .. } => error.request_error(),
            _ => None,
        }
    }
}

impl From<Error> for SavedCallError {
    fn from(error: Error) -> Self {
        match error.into_mismatch() {
            Ok(mismatch) => Self::BuiltCallMismatch(mismatch),
            Err(error) => Self::Network(error),
        }
    }
}
