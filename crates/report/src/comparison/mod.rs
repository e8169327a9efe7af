//! The comparison of two runs.

mod cause;
mod compare;
mod result;
mod run;
mod slower;

pub(crate) use cause::Cause;
pub use compare::{DifferentKinds, compare};
pub use result::{CaseChange, Comparison, RunSummary, Slowdown};
