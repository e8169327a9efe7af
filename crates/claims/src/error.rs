//! The errors of a claim.

use std::path::PathBuf;

use nodeproof_client::{CallErrorKind, Error, InputError, Refusal, VerificationRecord};
use nodeproof_primitives::{SignerError, TransactionCode, WalletAddress, escape::escaped};

use crate::{
    call_error::SavedCallError,
    document::DocumentError,
    read_back::Difference,
    saved::{SavedTransactionError, TransactionState},
};

/// A claim was not made, or it is unknown whether it was made.
///
/// [`kind`](Self::kind) separates the cases.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     claim: nodeproof_claims::Claim,
/// #     wallet: &dyn nodeproof_client::Signer,
/// # ) -> Result<(), nodeproof_claims::ClaimError> {
/// use nodeproof_claims::{CallErrorKind, ClaimOptions};
///
/// match claim.make(&node, &[wallet], "asset-7.claim.json", &ClaimOptions::default()).await {
///     Ok(outcome) => println!("{}", outcome.trans_code()),
///     Err(error) if error.same_record().is_some() => println!("recorded already"),
///     Err(error) if error.kind() == CallErrorKind::Refused => println!("correct the cause, then repeat: {error}"),
///     Err(error) if error.kind() == CallErrorKind::Uncertain => {
///         println!("make the same claim again: {error}");
///     }
///     Err(error) if error.is_retryable() => println!("not made; try later: {error}"),
///     Err(error) => return Err(error),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// The input is not a valid claim. This run sent nothing. Correct the claim or its signers.
    #[error("{0}")]
    Input(String),
    /// A document can't be read. This run sent nothing. Make the file readable, or give its hash.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// This verifier already has a record about the asset. Nothing was signed. If `differences` is
    /// empty, the record states what was claimed, and nothing is left to do. A claim that was made anyway
    /// would be paid for without effect.
    #[error(
        "{} has a record about {:?} already, {}. A node keeps one for each verifier and asset; \
         nothing was signed",
        record.verifier_address,
        record.asset_id,
        difference_text(differences)
    )]
    AlreadyRecorded {
        /// The record.
        record: Box<VerificationRecord>,
        /// The fields in which it differs from the claim.
        differences: Vec<Difference>,
    },
    /// An earlier claim about the same asset by the same verifier is saved. It may still be recorded,
    /// whatever a node reports about it. This run sent nothing. Make the earlier claim again with the
    /// file `path`: you pay once. With `ClaimOptions::again`, you may pay for both claims.
    #[error(
        "an earlier claim about {asset_id:?} by {verifier} {}: transaction {trans_code}, saved in \
         {}{}{}. A node keeps one record for each asset and verifier, so another claim would be paid \
         for without effect; nothing was sent",
        earlier_state(*state),
        escaped(&path.to_string_lossy()),
        refused_earlier(*state),
        other_claims(others)
    )]
    EarlierClaim {
        /// The file of the earlier transaction.
        path: PathBuf,
        /// The earlier transaction.
        trans_code: TransactionCode,
        /// Its last known state.
        state: TransactionState,
        /// The asset.
        asset_id: String,
        /// The verifier.
        verifier: WalletAddress,
        /// Further earlier claims about the asset: their files, and their last known states.
        others: Vec<(PathBuf, TransactionState)>,
    },
    /// A file can't be read that contains an earlier claim about the asset, or may contain one. This run sent nothing.
    /// Restore the file, or mount its volume. If its claim was never made, or you know what became of it, remove the
    /// file, or the link to it in the state folder. With `ClaimOptions::again`, you may pay for both claims.
    #[error(
        "it is unknown whether an earlier claim about {asset_id:?} was made: {source}; nothing was sent"
    )]
    UnreadClaim {
        /// The asset.
        asset_id: String,
        /// The file, and why it can't be read.
        source: Box<SavedTransactionError>,
    },
    /// A node showed the record of an earlier claim about the same asset, and now the node shows
    /// something else. Nothing was signed. Use another node. If the record was deleted, make the claim
    /// with `ClaimOptions::again`. If the chain was replaced, make the earlier claim again with its file.
    #[error(
        "an earlier run read the record of transaction {trans_code}, which is saved in {}, but the \
         node now shows {shown}. That is a contradiction, unless the record was deleted or the chain was \
         replaced; nothing was signed",
        escaped(&path.to_string_lossy())
    )]
    Contradiction {
        /// The file of the earlier transaction.
        path: PathBuf,
        /// The earlier transaction.
        trans_code: TransactionCode,
        /// What the node shows now. The text is safe to print.
        shown: String,
    },
    /// The file system of a folder with saved claims has no locks, so another process could pay for the
    /// same asset at the same time. This run sent nothing. Use a folder on a local disk, or make sure
    /// that no other process makes claims, and set `ClaimOptions::without_lock`.
    #[error(
        "the file system of {} has no locks, so another process could pay for a claim about the same \
         asset at the same time; nothing was sent",
        escaped(&folder.to_string_lossy())
    )]
    NoLock {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder with saved claims has more than 10,000 files, or more than 256 MiB of files that can be
    /// saved claims. So there may be an earlier claim about the asset that the search did not reach.
    /// This run sent nothing. Move the claims about other assets to another folder. With
    /// `ClaimOptions::again`, no folder is searched, and you may pay for two claims.
    #[error(
        "{} has more than 10000 files or 256 MiB of them, so an earlier claim about the asset may have \
         been missed; nothing was sent; move the claims about other assets to another folder",
        escaped(&folder.to_string_lossy())
    )]
    TooManyFiles {
        /// The folder.
        folder: PathBuf,
    },
    /// The claim's contract call was not made, or it is unknown whether it was made. See
    /// [`SavedCallError`] for what to do.
    #[error(transparent)]
    Call(#[from] SavedCallError),
}

impl From<InputError> for ClaimError {
    fn from(error: InputError) -> Self {
        Self::Call(error.into())
    }
}

// A search for earlier claims reads saved files, too.
impl From<SavedTransactionError> for ClaimError {
    fn from(error: SavedTransactionError) -> Self {
        Self::Call(error.into())
    }
}

impl ClaimError {
    /// Returns what the error means for the claim.
    ///
    /// ```
    /// use nodeproof_claims::{CallErrorKind, ClaimError};
    ///
    /// let error = ClaimError::Input("an asset ID is empty".to_owned());
    /// assert_eq!(error.kind(), CallErrorKind::NotMade);
    /// assert!(!error.maybe_sent());
    /// ```
    #[must_use]
    pub fn kind(&self) -> CallErrorKind {
        match self {
            Self::AlreadyRecorded { .. }
            | Self::EarlierClaim { .. }
            | Self::Contradiction { .. } => CallErrorKind::Earlier,
            Self::UnreadClaim { .. } | Self::NoLock { .. } | Self::TooManyFiles { .. } => {
                CallErrorKind::SavedFile
            }
            Self::Call(error) => error.kind(),
            _ => CallErrorKind::NotMade,
        }
    }

    /// Returns whether a node may have accepted the signed transaction. Earlier runs that saved it in the
    /// same file count too.
    ///
    /// If it is true, the claim may have been made: make the same claim again with the same file. See
    /// [`SavedCallError::maybe_sent`].
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        matches!(self, Self::Call(error) if error.maybe_sent())
    }

    /// Returns whether the same claim with the same file can succeed later, without a change.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Call(error) if error.is_retryable())
    }

    /// Returns the record that states what was claimed, if it exists already. Then the claim is done.
    #[must_use]
    pub fn same_record(&self) -> Option<&VerificationRecord> {
        match self {
            Self::AlreadyRecorded {
                record,
                differences,
            } if differences.is_empty() => Some(record),
            _ => None,
        }
    }

    /// Returns why the node refused the claim, if its response says so. `None` after an error status.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Call(error) => error.refusal(),
            _ => None,
        }
    }

    /// Returns the wallet whose signer failed or refused, and the signer's error, if that is the reason.
    #[must_use]
    pub fn signer_error(&self) -> Option<(WalletAddress, &SignerError)> {
        match self {
            Self::Call(error) => error.signer_error(),
            _ => None,
        }
    }

    /// Returns the client's error, if a request failed.
    #[must_use]
    pub fn client_error(&self) -> Option<&Error> {
        match self {
            Self::Call(error) => error.client_error(),
            _ => None,
        }
    }
}

fn difference_text(differences: &[Difference]) -> String {
    if differences.is_empty() {
        return "and it states what is claimed".to_owned();
    }
    let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
    format!("and it differs from the claim ({})", differences.join("; "))
}

fn earlier_state(state: TransactionState) -> &'static str {
    if state == TransactionState::Recorded {
        "was recorded"
    } else {
        "is pending"
    }
}

/// The largest number of further earlier claims that an error names.
const MAX_OTHERS: usize = 3;

/// Names further earlier claims.
fn other_claims(others: &[(PathBuf, TransactionState)]) -> String {
    let named = others.iter().take(MAX_OTHERS).map(|(path, state)| {
        let path = escaped(&path.to_string_lossy()).to_string();
        format!("; another one {}, saved in {path}", earlier_state(*state))
    });
    let more = match others.len().saturating_sub(MAX_OTHERS) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    named.chain([more]).collect()
}

fn refused_earlier(state: TransactionState) -> &'static str {
    if state == TransactionState::Refused {
        " (a node refused it, but anyone with it can still submit it)"
    } else {
        ""
    }
}
