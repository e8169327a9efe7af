//! The status inside an answer.

use super::{ExtraFields, Field, FieldError, FieldFault};
use nodeproof_primitives::escape::escaped_up_to;

/// What is in `status` where the answer is one of success; the only one that the contract shows.
pub(crate) const SUCCESS: &str = "SUCCESS";

/// Checks that a status is the one of success; what the node says beside another one is told.
pub(crate) fn check_status(status: &Field<String>, beside: &ExtraFields) -> Result<(), FieldError> {
    const NAME: &str = "status";
    let found = status.require(NAME)?;
    if found == SUCCESS {
        return Ok(());
    }
    let found = escaped_up_to(found, 60);
    let mut reason = format!("\"{SUCCESS}\" belongs here, and this is \"{found}\"");
    if let Some(words) = beside.detail() {
        reason.push_str(&format!(
            "; the node's message: {}",
            escaped_up_to(&words, 100)
        ));
    }
    Err(FieldError::new(NAME, FieldFault::Doubtful(reason)))
}
