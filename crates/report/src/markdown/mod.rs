//! Renders reports as Markdown, for job summaries and comments.

mod code;
mod comparison;
mod summary;

pub use comparison::markdown_of_comparison;
pub use summary::{nodes_summary, summary};
