//! Renders reports as text for a terminal.

mod case;
mod report;
mod style;

pub use case::{case_line, case_text};
pub(crate) use case::{case_line_and_differences, details_text};
pub use report::{compact, text};
pub use style::Style;
