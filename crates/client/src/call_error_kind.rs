//! What an error means for a call.

/// What an error means for a contract call, or for a claim.
///
/// ```
/// use nodeproof_client::CallErrorKind;
///
/// /// Returns whether the call may be dropped, or has to be made again with the same file.
/// fn is_settled(kind: CallErrorKind) -> bool {
///     kind != CallErrorKind::Uncertain
/// }
/// assert!(is_settled(CallErrorKind::Refused));
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
    /// The node received the transaction and refused it. No fee was paid. If the error is retryable, the
    /// node was busy in all submissions that the [policy](crate::contract_call::SubmitPolicy) allows: make
    /// the same call again later.
    Refused,
    /// The call may have been made. Submit the same transaction again: the same call with the same file, if
    /// it is saved. You pay once.
    Uncertain,
}
