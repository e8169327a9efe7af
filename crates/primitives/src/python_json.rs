//! The text that wallets and committees sign.
//!
//! The network signs a document as CPython's `json.dumps(json.loads(text))`
//! writes it, so this module is that pair of functions with their default
//! settings, from text to text, to the byte. Observed on a real node; the
//! contract says "the exact message that is signed: not shown".

mod number;
mod parse;

use parse::{Members, Parser};

/// Why a document has no signed message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The text is not a JSON document as CPython reads one.
    #[error("not a JSON document: {what} at byte {at}")]
    Syntax {
        /// What was wrong.
        what: &'static str,
        /// How many bytes stand before the place.
        at: usize,
    },
    /// Arrays and objects are nested deeper than CPython's `json` follows.
    #[error("arrays and objects are nested deeper than {limit} levels, which no node reads")]
    TooDeep {
        /// The deepest nesting that is read.
        limit: usize,
    },
    /// An integer has more digits than CPython converts.
    #[error("an integer of {digits} digits at byte {at}: no node reads more than {limit}")]
    IntegerTooLong {
        /// How many digits it has.
        digits: usize,
        /// The most digits that are read.
        limit: usize,
        /// How many bytes stand before it.
        at: usize,
    },
}

/// The message that is signed for a document: `json.dumps(json.loads(text))`.
///
/// Members keep their order; of members with one name the last value stays, in
/// the first one's place. Separators are `", "` and `": "`, everything beyond
/// ASCII is written as `\uXXXX`, and numbers are written as Python writes them.
///
/// CPython reads more than JSON, and what it reads has a message here too: `NaN`, `Infinity`
/// and `-Infinity`, numbers beyond the largest float, which it writes as those words, and
/// escapes of lone surrogates, which stay what they are. What it can't hold is an error:
/// integers of more than 4300 digits, and nesting beyond 900 levels, which is a little less
/// than it follows itself, as nodes call it from within other calls.
///
/// ```
/// let message = nodeproof_primitives::signed_message(r#"{"fee":1e16,"descr":"é"}"#)?;
/// assert_eq!(message, r#"{"fee": 1e+16, "descr": "\u00e9"}"#);
/// # Ok::<(), nodeproof_primitives::MessageError>(())
/// ```
///
/// # Errors
/// When CPython's `json.loads` would refuse the text.
pub fn signed_message(text: &str) -> Result<String, MessageError> {
    Parser::new(text, Members::AsTheyStand).document()
}

/// The same with members sorted by name: `json.dumps(json.loads(text), sort_keys=True)`.
///
/// This is the text that a block's hash is made of. Observed on a real node.
///
/// # Errors
/// When CPython's `json.loads` would refuse the text.
pub fn sorted_message(text: &str) -> Result<String, MessageError> {
    Parser::new(text, Members::Sorted).document()
}

#[cfg(test)]
mod tests;
