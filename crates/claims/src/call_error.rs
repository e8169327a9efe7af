//! The error of a saved call.

use std::path::PathBuf;

use nodeproof_client::{BuiltCallMismatch, CallErrorKind, Error, InputError, Refusal, SubmitError};
use nodeproof_primitives::{SignerError, TransactionCode, WalletAddress, escape::escaped};

use crate::saved::SavedTransactionError;

/// A contract call was not made, or it is unknown whether it was made.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     call: nodeproof_claims::SavedCall,
/// #     wallet: &dyn nodeproof_client::Signer,
/// # ) {
/// use nodeproof_claims::CallErrorKind;
///
/// match call.make(&node, &[wallet]).await {
///     Ok(outcome) => println!("{}", outcome.trans_code()),
///     Err(error) if error.kind() == CallErrorKind::Refused => {
///         println!("refused: {:?}", error.refusal());
///     }
///     Err(error) if error.signer_error().is_some() => println!("look at the signer: {error}"),
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
    /// wallet or the device, or pass the missing signer. Then try again. See
    /// [`signer_error`](SavedCallError::signer_error).
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
        "{}; transaction {trans_code} {} saved in {}, which is the only proof of it: repeat the same \
         call with this file to submit the same transaction{}",
        format_args!("{error:#}"),
        if error.maybe_sent() {
            "may have been accepted, in this run or an earlier one, and is"
        } else {
            "was not accepted, and is"
        },
        escaped(&saved_in.to_string_lossy()),
        if error.sent() > 0 && !error.maybe_sent() {
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
        /// The file in which it is saved.
        saved_in: PathBuf,
    },
    /// The node accepted the transaction, but the requests for its block, or for a claim's record, failed.
    /// The same call with the same file submits the same transaction again.
    #[error(
        "transaction {trans_code} was accepted, but its effect could not be read: {}",
        format_args!("{error:#}")
    )]
    Waiting {
        /// The error.
        error: Error,
        /// The transaction.
        trans_code: TransactionCode,
    },
    /// A block has another transaction with the code of the saved one, or shows it with other contents. The node may have
    /// given two transactions one code, and then the saved one is never executed. Look at the block, and keep the file.
    #[error(
        "block {block} has another transaction with the code {trans_code}: {difference}; the one that was signed may not \
         have been executed, and is saved in {}",
        escaped(&saved_in.to_string_lossy())
    )]
    AnotherInBlock {
        /// The block.
        block: u64,
        /// The transaction that was saved.
        trans_code: TransactionCode,
        /// The first difference.
        difference: String,
        /// The file in which it is saved.
        saved_in: PathBuf,
    },
}

impl SavedCallError {
    /// Returns what the error means for the call.
    #[must_use]
    pub fn kind(&self) -> CallErrorKind {
        match self {
            Self::Input(error) => error.kind(),
            Self::Network(_) | Self::BuiltCallMismatch(_) => CallErrorKind::NotMade,
            Self::Saved(SavedTransactionError::DifferentNetwork { .. }) => {
                CallErrorKind::OtherNetwork
            }
            Self::Saved(_) => CallErrorKind::SavedFile,
            Self::Submission { error, .. } => error.kind(),
            Self::Waiting { .. } | Self::AnotherInBlock { .. } => CallErrorKind::Uncertain,
        }
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

    /// Returns why the node refused the transaction, if its response says so. `None` after an error status.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Submission { error, .. } => error.refusal(),
            _ => None,
        }
    }

    /// Returns the wallet whose signer failed or refused, and the signer's error, if that is the reason.
    #[must_use]
    pub fn signer_error(&self) -> Option<(WalletAddress, &SignerError)> {
        match self {
            Self::Input(error) => error.signer_error(),
            _ => None,
        }
    }

    /// Returns the client's error, if a request failed.
    #[must_use]
    pub fn client_error(&self) -> Option<&Error> {
        match self {
            Self::Network(error) | Self::Waiting { error, .. } => Some(error),
            Self::Submission { error, .. } => error.client_error(),
            _ => None,
        }
    }
}

impl From<Error> for SavedCallError {
    fn from(error: Error) -> Self {
        match BuiltCallMismatch::try_from(error) {
            Ok(mismatch) => Self::BuiltCallMismatch(mismatch),
            Err(error) => Self::Network(error),
        }
    }
}
