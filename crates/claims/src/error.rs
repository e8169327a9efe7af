//! The errors of a claim.

use std::path::PathBuf;

use nodeproof_client::{BuiltCallMismatch, Error, InputError, SubmitError, VerificationRecord};
use nodeproof_primitives::{
    TransactionCode, WalletAddress,
    escape::{escaped, escaped_up_to},
};

use crate::{
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
/// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
/// # ) -> Result<(), nodeproof_claims::ClaimError> {
/// use nodeproof_claims::{ClaimErrorKind, ClaimOptions};
///
/// let options = ClaimOptions::default().save_to("asset-7.claim.json");
/// match claim.make(&node, &[wallet], &options).await {
///     Ok(outcome) => println!("{}", outcome.trans_code()),
///     Err(error) if error.same_record().is_some() => println!("recorded already"),
///     Err(error) if error.is_refused() => println!("correct the cause, then repeat: {error}"),
///     Err(error) if error.kind() == ClaimErrorKind::Uncertain => {
///         println!("make the same claim again: {error}");
///     }
///     Err(error) if error.client_error().is_some_and(|error| error.is_retryable()) => {
///         println!("not made; try later: {error}");
///     }
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
    /// empty, the record states what was claimed, and nothing is left to do. With
    /// `ClaimOptions::allow_existing_record`, the claim is made anyway, but its fee may be lost.
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
    /// A node showed the record of an earlier claim about the same asset, and now the node shows
    /// something else. Nothing was signed. Use another node. If the record was deleted, make the claim
    /// with `ClaimOptions::again`.
    #[error(
        "an earlier run read the record of transaction {trans_code}, which is saved in {}, but the \
         node now shows {shown}. That is a contradiction, unless the record was deleted; nothing was \
         signed",
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
    /// A request failed before anything was signed. Try again if `Error::is_retryable` is true.
    /// Otherwise see `ErrorKind` for what to do.
    #[error(transparent)]
    Network(#[from] Error),
    /// The built transaction is not the requested call. Nothing was signed. Use another node. For
    /// `BuiltCallMismatch::Untimely`, check the local clock first.
    #[error("{0}; nothing was signed")]
    BuiltCallMismatch(#[from] BuiltCallMismatch),
    /// A signer did not sign. This run sent nothing. Unlock the wallet or the device, or pass the
    /// missing signer. Then try again.
    #[error(transparent)]
    Signing(#[from] InputError),
    /// The file of the saved transaction can't be used. This run sent nothing, but an earlier run
    /// may have. Keep the file, and see [`SavedTransactionError`] for what to do.
    #[error(transparent)]
    Saved(#[from] SavedTransactionError),
    /// The node refuses the transaction, but anyone who has it can still submit it. Make the same
    /// claim again with the file `saved_in`, without `ClaimOptions::again`: it submits the same
    /// transaction, so you pay once. Any other claim is a new transaction: you may pay for both.
    #[error(
        "the node refuses transaction {trans_code}: {}{}{}{ANYONE}{}",
        reasons(messages),
        shortage.as_deref().map(|what| format!("; {what}")).unwrap_or_default(),
        if *maybe_accepted_before {
            "; it may have accepted it from an earlier submission"
        } else {
            ""
        },
        still_saved(saved_in.as_ref())
    )]
    Refused {
        /// The node's messages.
        messages: Vec<String>,
        /// The transaction.
        trans_code: TransactionCode,
        /// Whether it was new to the node, if the node reports it.
        new_transaction: Option<bool>,
        /// Whether the node may have accepted an earlier submission: one without a response, in this run
        /// or before, or one that was accepted before.
        maybe_accepted_before: bool,
        /// What the paying wallet lacks, if the node shows that its balance is below the fee. The text
        /// is safe to print.
        shortage: Option<String>,
        /// The file in which it is still saved.
        saved_in: Option<PathBuf>,
    },
    /// No response shows whether the node accepted the transaction. Make the same claim again with the
    /// file `saved_in`, without `ClaimOptions::again`: it submits the same transaction, so you pay
    /// once. Without a file, look for the record first if [`ClaimError::maybe_sent`] is true: a new
    /// claim may pay twice.
    #[error("{}{}", error.full_message(), again(saved_in.as_ref(), error))]
    Submission {
        /// The error.
        error: SubmitError,
        /// The transaction.
        trans_code: TransactionCode,
        /// The file in which it is saved.
        saved_in: Option<PathBuf>,
    },
    /// The transaction was accepted, but the requests for its record failed. Call `wait_for_claim`,
    /// or make the same claim again with the same file, without `ClaimOptions::again`. A claim
    /// without the file is a new transaction: you may pay for both.
    #[error(
        "transaction {trans_code} was accepted, but its record could not be read: {}",
        error.full_message()
    )]
    ReadingBack {
        /// The error.
        error: Error,
        /// The transaction.
        trans_code: TransactionCode,
    },
}

/// What an error says about the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimErrorKind {
    /// Nothing was sent. Correct what the error names, or try later if
    /// [`client_error`](ClaimError::client_error) is retryable.
    NotMade,
    /// An earlier claim about the asset, or its record, stands in the way. Nothing was sent.
    Earlier,
    /// The node received the claim and refused it. No fee was paid. If
    /// [`client_error`](ClaimError::client_error) is
    /// [rate limited](nodeproof_client::Error::is_rate_limited), the node was busy in all submissions that
    /// the [policy](nodeproof_client::contract_call::SubmitPolicy) allows: make the same claim again later.
    Refused,
    /// The claim may have been made. Make the same claim again with the same file: you pay once.
    Uncertain,
}

impl ClaimError {
    /// Returns whether a node may have received and accepted the signed transaction. Earlier runs that
    /// saved it in the same file count too.
    ///
    /// If it is true, the claim may have been made: make the same claim again with the same file.
    /// It is also true for a [refusal](Self::Refused), because the transaction arrived. It is false
    /// for [`Saved`](Self::Saved), although an earlier run may have sent the transaction.
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        match self {
            Self::Refused { .. } | Self::ReadingBack { .. } => true,
            Self::Submission { error, .. } => error.maybe_accepted(),
            _ => false,
        }
    }

    /// Returns what the error says about the claim.
    ///
    /// ```
    /// use nodeproof_claims::{ClaimError, ClaimErrorKind};
    ///
    /// let error = ClaimError::Input("an asset ID is empty".to_owned());
    /// assert_eq!(error.kind(), ClaimErrorKind::NotMade);
    /// assert!(!error.maybe_sent());
    /// ```
    #[must_use]
    pub fn kind(&self) -> ClaimErrorKind {
        match self {
            Self::AlreadyRecorded { .. }
            | Self::EarlierClaim { .. }
            | Self::Contradiction { .. } => ClaimErrorKind::Earlier,
            Self::Refused {
                maybe_accepted_before: false,
                ..
            } => ClaimErrorKind::Refused,
            _ if self.maybe_sent() => ClaimErrorKind::Uncertain,
            Self::Submission { error, .. } if error.sent() > 0 => ClaimErrorKind::Refused,
            // An earlier run may have sent it.
            Self::Saved(_) => ClaimErrorKind::Uncertain,
            _ => ClaimErrorKind::NotMade,
        }
    }

    /// Returns whether the node refused the claim, and accepted it at no time that is known.
    ///
    /// Anyone who has the transaction can still submit it. So correct the cause, such as a missing
    /// balance, and make the same claim again with its file.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.kind() == ClaimErrorKind::Refused
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

    /// Returns the client's error, if a request failed.
    #[must_use]
    pub fn client_error(&self) -> Option<&Error> {
        match self {
            Self::Network(error) | Self::ReadingBack { error, .. } => Some(error),
            Self::Submission { error, .. } => error.request_error(),
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

fn reasons(messages: &[String]) -> String {
    if messages.is_empty() {
        return "it gives no reason".to_owned();
    }
    escaped_up_to(&messages.join("; "), 400)
}

fn still_saved(saved_in: Option<&PathBuf>) -> String {
    saved_in.map(|path| {
        format!(
            "; it is saved in {}, which is the only proof of it: repeat the same claim to submit the \
             same transaction once more",
            escaped(&path.to_string_lossy())
        )
    })
    .unwrap_or_default()
}

/// A warning: a refused transaction can still be submitted.
const ANYONE: &str = "; the refusal is not final: anyone with the transaction can still submit it";

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

fn again(saved_in: Option<&PathBuf>, error: &SubmitError) -> String {
    let refused = if error.maybe_accepted() || error.sent() == 0 {
        ""
    } else {
        ANYONE
    };
    match (saved_in, error.maybe_accepted()) {
        (Some(path), maybe_sent) => format!(
            "; {} saved in {}: repeat the same claim to submit the same transaction{refused}",
            if maybe_sent {
                "the transaction may have been accepted, in this run or an earlier one, and is"
            } else {
                "the transaction was not accepted, and is"
            },
            escaped(&path.to_string_lossy())
        ),
        (None, true) => "; the transaction may have arrived: look for its record before you claim \
                         again"
            .to_owned(),
        (None, false) => refused.to_owned(),
    }
}
