//! A case without a result.

use crate::http::InconclusiveReason;

pub(crate) fn unknown<T>(reason: impl Into<String>) -> Result<T, InconclusiveReason> {
    Err(InconclusiveReason::NoSample(reason.into()))
}
