//! One run: options, plan, the engine that runs the cases, coverage, and the report with its verdict.

mod accepted;
mod case_report;
mod case_results;
mod causes;
mod cost;
mod coverage;
mod engine;
mod examined;
mod exchanges;
mod expectations;
mod judge;
mod millis;
mod not_a_node;
mod options;
mod plan;
mod recheck;
mod report;
mod sent_again;
mod verdict;

pub(crate) use engine::examine;
pub(crate) use examined::{Examined, ExaminedNode};
pub(crate) use expectations::nearest;
pub use expectations::{ExpectationError, Expectations};
pub(crate) use judge::judge;
pub use options::{Files, Options, RunLimits, Selection};
pub(crate) use plan::plan_text;
pub use plan::{PlannedRequest, PlannedSubmission, planned, wrong_submissions};
pub use recheck::Recheck;
pub(crate) use report::utc;
