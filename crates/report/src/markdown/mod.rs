//! Renders reports as Markdown, for job summaries and comments.

mod code;
mod summary;

pub(crate) use code::code;
pub use summary::{nodes_summary, summary};
