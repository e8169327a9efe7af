//! The result of a conformance run: its model and its renderers.
//!
//! The program `nodeproof` checks nodes and writes their results as `report.json`. This crate
//! reads that file, and renders it as JSON, JUnit XML, an HTML page or text for a terminal. It
//! sends no requests, so a program that only reads reports needs nothing else.
//!
//! A [`Report`] is the result of one node. A [`NodesReport`] is the result of several nodes and of
//! the comparison between them. Both have a JSON Schema: [`Report::json_schema`] and
//! [`NodesReport::json_schema`].
//!
//! ```
//! use nodeproof_report::{Outcome, Report, Style};
//!
//! let report: Report = serde_json::from_str(r#"{
//!     "version": 1,
//!     "target": {"base_url": "http://127.0.0.1:8420/", "network": "devnet"},
//!     "verdict": "does-not-conform", "exit_code": 1, "strict": false,
//!     "requests": 3, "started_at": "2026-11-20T23:40:00Z", "elapsed_ms": 12,
//!     "cases": [{
//!         "id": "get-block/proof", "level": "must", "outcome": "fail", "elapsed_ms": 5,
//!         "requirements": [{"id": "BLOCK-4", "text": "`proof` is an integer."}],
//!         "reason": "proof is missing"
//!     }],
//!     "coverage": {"operations": [], "unseen_fields": []}
//! }"#)?;
//!
//! assert_eq!(report.count(Outcome::Fail), 1);
//! assert!(nodeproof_report::text(&report, Style::Plain).contains("does not conform"));
//! # Ok::<_, serde_json::Error>(())
//! ```
//!
//! The fields of the model are public, and its structs can be built directly. Later versions add
//! fields: a pattern that names fields should end with `..`.

mod comparison;
mod github;
mod html;
mod json;
mod junit;
mod markdown;
mod model;
mod text;

pub use comparison::{
    CaseChange, Comparison, DifferentKinds, RunSummary, Slowdown, compare, markdown_of_comparison,
    text_of_changes, text_of_comparison,
};
pub use github::{github, github_error, nodes_github, without_old_commands};
pub use html::{GENERATOR, html, nodes_html};
pub use json::{JsonReport, json};
pub use junit::{junit, nodes_junit};
pub use markdown::{nodes_summary, summary};
pub use model::{
    AnyReport, Aspect, CaseReport, CostReport, Coverage, CrossCheck, CrossFinding, CrossValue,
    EndpointCost, ExchangeReport, ExitStatus, FindingReport, LatencyReport, Level, NodeHeight,
    NodesReport, OperationCoverage, Outcome, PartCoverage, ReadError, Report, RequirementReport,
    SamplesReport, SignedReport, SweepKind, SweepReport, SweptRecords, TargetReport, VERSION,
    Verdict,
};
pub use text::{
    LongText, Style, case_line, case_text, compact, long_texts, nodes_compact, nodes_text, text,
    text_with_files,
};
