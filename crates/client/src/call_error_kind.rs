//! What an error means for a call.

/// What an error means for a contract call, or for a claim.
///
/// ```
/// use nodeproof_client::CallErrorKind;
///
/// /// Returns whether the call may have been paid for, or can be later. Then keep its file.
/// fn may_be_paid(kind: CallErrorKind) -> bool {
///     !matches!(kind, CallErrorKind::NotMade | CallErrorKind::OtherNetwork)
/// }
/// assert!(may_be_paid(CallErrorKind::Uncertain) && may_be_paid(CallErrorKind::Refused));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallErrorKind {
    /// Nothing was sent. Correct what the error names, or try later if it is retryable.
    NotMade,
    /// A wallet, or a saved transaction, is of another network than the node. Nothing was sent. Use a node,
    /// or a wallet, of the other network.
    OtherNetwork,
    /// An earlier claim about the asset, or its record, stands in the way. Nothing was sent.
    Earlier,
    /// A file or folder of saved transactions can't be used. This run sent nothing, but an earlier run may
    /// have. Making the call again does not help until the file is corrected.
    SavedFile,
    /// The node refused the transaction, so no fee was paid by now. Keep it: anyone who has it can still submit it, and a proxy can
    /// send an error in place of an acceptance. If the error is retryable, the node was busy in all submissions that the
    /// [policy](crate::contract_call::SubmitPolicy) allows: make the same call again later.
    Refused,
    /// The call may have been made. Submit the same transaction again: the same call with the same file, if
    /// it is saved. You pay once.
    Uncertain,
}
