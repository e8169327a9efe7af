//! From the results of a run to its report.
//!
//! The crate `nodeproof-report` has the report's model and its renderers. What needs the types of a
//! run is here.

mod build;
mod case;
mod exchanges;
mod millis;
mod verdict;

pub(crate) use build::build;
pub(crate) use case::case_report;
pub(crate) use verdict::Conclusion;
