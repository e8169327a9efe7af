//! The comparison of two runs.

mod compare;
mod render;
mod slower;

pub use compare::{CaseChange, Change, Comparison, Run, compare};
pub use render::{markdown_of_comparison, text_of_changes, text_of_comparison};
pub use slower::Slowdown;
