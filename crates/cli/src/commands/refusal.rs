//! The node's message about a missing thing.

use nodeproof_client::{
    Error,
    generated::{self, ResponseValue},
};

/// Returns the node's message about a missing thing, after a colon: the reason why it refuses the
/// request for it. The text is empty if the node has the thing now.
pub(super) async fn refusal<T>(outcome: Result<ResponseValue<T>, generated::Error<()>>) -> String {
    match outcome {
        Ok(_) => String::new(),
        Err(failure) => format!(": {}", Error::from_generated(failure).await.reason()),
    }
}
