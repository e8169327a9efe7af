//! What a run sends only so that rules can judge the responses.

mod height;
mod repeat;

pub(crate) use height::Height;
pub(crate) use repeat::{repeat_blocks, repeat_values};
