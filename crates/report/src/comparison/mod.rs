//! The comparison of two runs.

mod cause;
mod compare;
mod render;
mod result;
mod run;
mod slower;

pub use compare::{DifferentKinds, compare};
pub use render::{markdown_of_comparison, text_of_changes, text_of_comparison};
pub use result::{CaseChange, Comparison, RunSummary, Slowdown};
