//! The model of `report.json`.

mod case;
mod cost;
mod coverage;
mod exchange;
mod exit_status;
mod node;
mod outcome;
mod report;
mod samples;
mod sweep;
mod verdict;

pub use case::{CaseReport, FindingReport, NodeValue, RequirementReport, SignedReport};
pub(crate) use cost::figure;
pub use cost::{CostReport, EndpointCost, LatencyReport};
pub use coverage::{Coverage, OperationCoverage, PartCoverage};
pub use exchange::ExchangeReport;
pub use exit_status::ExitStatus;
pub(crate) use exit_status::severity;
pub(crate) use node::by_reason;
pub use node::{NodeReport, TargetReport};
pub use outcome::{Aspect, Level, Outcome};
pub use report::{Cause, ReadError, Report, VERSION};
pub use samples::SamplesReport;
pub use sweep::{SweepKind, SweepReport, SweptRecords};
pub use verdict::Verdict;
