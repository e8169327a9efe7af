//! The status inside a response.

use super::{ExtraFields, Field, FieldError, FieldFault};
use nodeproof_primitives::escape::escaped_up_to;

/// The `status` of a successful response. The contract shows no other.
pub(crate) const SUCCESS: &str = "SUCCESS";

/// Checks that a status means success. The error includes the node's message.
pub(crate) fn check_status(status: &Field<String>, beside: &ExtraFields) -> Result<(), FieldError> {
    const NAME: &str = "status";
    let found = status.require(NAME)?;
    if found == SUCCESS {
        return Ok(());
    }
    let found = escaped_up_to(found, 60);
    let mut reason = format!("expected \"{SUCCESS}\", found \"{found}\"");
    if let Some(words) = beside.detail() {
        reason.push_str(&format!(
            "; the node's message: {}",
            escaped_up_to(&words, 100)
        ));
    }
    Err(FieldError::new(NAME, FieldFault::Doubtful(reason)))
}
