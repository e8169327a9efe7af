//! Renders reports as one HTML page that needs no other file.
//!
//! What a node sent appears as text only: maud escapes it, and [`escape`] makes invisible and
//! control characters visible. If that ever failed, the page's Content-Security-Policy would still
//! allow only the one script and the one style sheet whose hashes it contains, and would load
//! nothing.

mod case;
mod chain;
mod coverage;
mod document;
mod duration;
mod escape;
mod exchange;
mod finding;
mod heights;
mod latency;
mod nodes;
mod parts;
mod report;
mod scale;
mod verdict;

pub use document::GENERATOR;
pub use nodes::html_of_nodes;
pub use report::html;
