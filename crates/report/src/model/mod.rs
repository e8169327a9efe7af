//! The model of `report.json`.

mod any;
mod case;
mod cost;
mod coverage;
mod exchange;
mod exit_status;
mod nodes;
mod outcome;
mod report;
mod samples;
mod sweep;
mod verdict;

pub use any::{AnyReport, ReadError};
pub use case::{CaseReport, FindingReport, RequirementReport, SignedReport};
pub(crate) use cost::figure;
pub use cost::{CostReport, EndpointCost, LatencyReport};
pub use coverage::{Coverage, OperationCoverage, PartCoverage};
pub use exchange::ExchangeReport;
pub use exit_status::ExitStatus;
pub(crate) use exit_status::severity;
pub use nodes::{CrossCheck, CrossFinding, CrossValue, NodeHeight, NodesReport};
pub use outcome::{Aspect, Level, Outcome};
pub use report::{Report, TargetReport, VERSION};
pub use samples::SamplesReport;
pub use sweep::{SweepKind, SweepReport, SweptRecords};
pub use verdict::Verdict;
