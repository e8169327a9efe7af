//! An error with its causes.

use std::error::Error;

/// Returns an error's message and the messages of its causes, on one line: `can't connect: Connection
/// refused`.
///
/// A cause that the message before already ends with is left out.
///
/// ```
/// use nodeproof_primitives::{ParseIntegerError, with_causes};
///
/// let error: ParseIntegerError = "1.5".parse::<nodeproof_primitives::Integer>().unwrap_err();
/// assert_eq!(with_causes(&error), error.to_string());
/// ```
#[must_use]
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.ends_with(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        cause = error.source();
    }
    text
}
