//! A case without a result.

pub(crate) use crate::http::unknown;
