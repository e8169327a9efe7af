//! Renders reports as text for a terminal.

mod case;
mod compact;
mod comparison;
mod nodes;
mod report;
mod style;
mod sweep;

pub use case::{line_of_case, text_of_case};
pub use compact::{compact, compact_of_nodes};
pub use comparison::text_of_comparison;
pub use nodes::text_of_nodes;
pub use report::{LongText, long_texts, text, text_with_files};
pub use style::Style;
