//! The texts of a receipt.

/// The texts of a receipt, unchanged: the signed data, the voter's public key, and the signature.
///
/// Source: RECEIPT-1 to RECEIPT-7 of the specification.
///
/// ```
/// use nodeproof_primitives::ReceiptText;
///
/// let receipt = ReceiptText {
///     data: r#"{"block_index": 7, "vote": 1}"#,
///     public_key: "6915eb60",
///     signature: "56a84c36",
/// };
/// assert!(receipt.data.contains("vote"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptText<'r> {
    /// The vote, as JSON. The signature is over this text, with the layout of the
    /// [signed message](crate::signed_message).
    pub data: &'r str,
    /// The public key of the voter, hexadecimal.
    pub public_key: &'r str,
    /// The signature of the voter, hexadecimal.
    pub signature: &'r str,
}
