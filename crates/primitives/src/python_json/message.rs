//! The messages of a document.

use super::{
    error::MessageError,
    parse::{Members, Parser},
};

/// Returns the message that is signed for a document: `json.dumps(json.loads(text))`.
///
/// Members keep their order. If several members have the same name, the last value counts. It
/// takes the place of the first. Separators are `", "` and `": "`. Characters beyond ASCII are
/// written as `\uXXXX`. Numbers are written as Python writes them.
///
/// CPython accepts more than JSON, and so does this function: `NaN`, `Infinity` and `-Infinity`,
/// numbers beyond the largest float (written as these words), and escapes of lone surrogates
/// (unchanged).
///
/// Integers may have at most 4300 digits, which is CPython's limit. Nesting is limited to 900
/// levels. CPython's own limit is a little higher, but nodes call it within other calls.
///
/// ```
/// let message = nodeproof_primitives::signed_message(r#"{"fee":1e16,"descr":"é"}"#)?;
/// assert_eq!(message, r#"{"fee": 1e+16, "descr": "\u00e9"}"#);
/// # Ok::<(), nodeproof_primitives::MessageError>(())
/// ```
///
/// # Errors
/// If CPython's `json.loads` would reject the text.
pub fn signed_message(text: &str) -> Result<String, MessageError> {
    Parser::new(text, Members::Unsorted).document()
}

/// Returns the message with its members sorted: `json.dumps(json.loads(text), sort_keys=True)`.
///
/// A block's hash is the SHA-256 of this text, as observed on a real node.
///
/// ```
/// let message = nodeproof_primitives::sorted_message(r#"{"proof":1,"index":[2,3]}"#)?;
/// assert_eq!(message, r#"{"index": [2, 3], "proof": 1}"#);
/// # Ok::<(), nodeproof_primitives::MessageError>(())
/// ```
///
/// # Errors
/// If CPython's `json.loads` would reject the text.
pub fn sorted_message(text: &str) -> Result<String, MessageError> {
    Parser::new(text, Members::Sorted).document()
}

#[cfg(test)]
mod tests;
