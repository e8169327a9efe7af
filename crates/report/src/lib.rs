//! The result of a conformance run: its model and its renderers.
//!
//! The program `nodeproof` checks nodes and writes their results as `report.json`. This crate
//! reads that file, and renders it as JSON, JUnit XML, an HTML page or text for a terminal. It
//! sends no requests, so a program that only reads reports needs nothing else.
//!
//! A [`Report`] has a [`NodeReport`] for each node, and the comparison between several nodes. It has a
//! JSON Schema: [`Report::json_schema`].
//!
//! ```
//! use nodeproof_report::{Outcome, Report, Style};
//!
//! let report = Report::from_json(r#"{
//!     "version": 2, "verdict": "does-not-conform", "exit_code": 1,
//!     "nodes": [{
//!         "target": {"base_url": "http://127.0.0.1:8420/", "network": "devnet"},
//!         "verdict": "does-not-conform", "exit_code": 1, "strict": false,
//!         "requests": 3, "started_at": "2026-11-20T23:40:00Z", "elapsed_ms": 12,
//!         "cases": [{
//!             "id": "get-block/proof", "level": "must", "outcome": "fail", "elapsed_ms": 5,
//!             "requirements": [{"id": "BLOCK-4", "text": "`proof` is an integer."}],
//!             "reason": "proof is missing"
//!         }],
//!         "coverage": {"operations": [], "unseen_fields": []}
//!     }]
//! }"#)?;
//!
//! assert_eq!(report.nodes[0].count(Outcome::Fail), 1);
//! assert!(nodeproof_report::text(&report, Style::Plain).contains("does not conform"));
//! # Ok::<_, nodeproof_report::ReadError>(())
//! ```
//!
//! The fields of the model are public, and its structs can be built directly. Later versions add
//! fields: a pattern that names fields should end with `..`.

mod comparison;
mod details;
mod github;
mod html;
mod json;
mod junit;
mod markdown;
mod model;
mod text;

pub use comparison::{
    CaseChange, Change, Comparison, Run, Slowdown, compare, markdown_of_comparison,
    text_of_changes, text_of_comparison,
};
pub use github::{github, github_error};
pub use html::{GENERATOR, html};
pub use json::json;
pub use junit::junit;
pub use markdown::summary;
pub use model::{
    Aspect, CaseReport, Cause, CostReport, Coverage, EndpointCost, ExchangeReport, ExitStatus,
    FindingReport, LatencyReport, Level, NodeReport, NodeValue, OperationCoverage, Outcome,
    PartCoverage, ReadError, Report, RequirementReport, SamplesReport, SignedReport, SweepKind,
    SweepReport, SweptRecords, TargetReport, VERSION, Verdict,
};
pub use text::{Style, case_line, case_text, compact, text};
