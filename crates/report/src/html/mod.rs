//! Renders reports as one self-contained HTML page.
//!
//! A node's text appears as text only: maud escapes it, and [`escape`] makes invisible and control
//! characters visible. The page's Content-Security-Policy is a second barrier. It allows only the
//! one script and the one style sheet whose hashes it contains, and no other resources.

mod banner;
mod case;
mod coverage;
mod document;
mod escape;
mod exchange;
mod finding;
mod findings;
mod latency;
mod parts;
mod report;

pub use document::GENERATOR;
pub use report::html;
