//! Renders reports as text for a terminal.

mod case;
mod compact;
mod nodes;
mod report;
mod style;
mod sweep;

pub use case::{case_line, case_text};
pub use compact::{compact, nodes_compact};
pub use nodes::nodes_text;
pub use report::{LongText, long_texts, text, text_with_files};
pub use style::Style;
