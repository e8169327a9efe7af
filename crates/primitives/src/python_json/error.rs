//! The error for a document without a signed message.

/// The reason why a document has no signed message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The text is not a JSON document that CPython can read. Correct it at this byte. If a node
    /// sent it, use another node.
    #[error("not a JSON document: {what} at byte {at}")]
    Syntax {
        /// The fault.
        what: &'static str,
        /// The number of bytes before the fault.
        at: usize,
    },
    /// Arrays and objects are nested deeper than nodes can read. Use fewer levels.
    #[error("arrays and objects are nested deeper than {limit} levels, which no node reads")]
    TooDeep {
        /// The maximum depth.
        limit: usize,
    },
    /// An integer has more digits than CPython converts. Give at most `limit` digits.
    #[error("an integer of {digits} digits at byte {at}: no node reads more than {limit}")]
    IntegerTooLong {
        /// The number of digits.
        digits: usize,
        /// The maximum number of digits.
        limit: usize,
        /// The number of bytes before it.
        at: usize,
    },
}
