//! Renders reports as text for a terminal.

mod case;
mod report;
mod style;

pub(crate) use case::details_text;
pub use case::{case_line, case_text};
pub use report::{compact, text};
pub use style::Style;
