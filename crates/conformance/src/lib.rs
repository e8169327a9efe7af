//! Conformance checks for any node of the network, given its base URL and network.
//!
//! The folders are layers. A file uses only its own folder and those below it:
//!
//! - `cli`: the command line;
//! - `monitor`: checks nodes continuously, and serves metrics;
//! - `nodes`: one node, or several that are compared with each other ([`run`]);
//! - `run`: the run against one node: [`Options`], [`plan`], the engine, coverage, and the verdict;
//! - `har`: the exchanges of a run as an HTTP Archive;
//! - `sweep`: every block of a range ([`Sweep`]);
//! - [`cases`]: one file for each operation;
//! - `rules`: general checks of the whole run: functions from a history to findings;
//! - `script`: what a run sends only for the rules;
//! - `checks`: the oracles: the documented schema (with `nodeproof-openapi`), decoding with
//!   `nodeproof-client`, snapshots, single fields, consecutive blocks;
//! - `context`: what cases share: each request is sent once;
//! - `discovery`: finds blocks, wallets, tokens, contracts and assets on the chain itself;
//! - `history`: all exchanges of a run, in order, each understood once;
//! - `api`: what requests and responses mean;
//! - `http`: sends requests, within limits, and keeps each exchange;
//! - `platform`: what differs between operating systems.
//!
//! The crate `nodeproof-report` has the model of the result, and renders it ([`report`]).
//!
//! A target is described by its base URL and network alone.

mod api;
pub mod cases;
mod checks;
pub mod cli;
mod context;
mod discovery;
mod har;
mod history;
mod http;
mod monitor;
mod nodes;
mod platform;
mod rules;
mod run;
mod script;
mod sweep;

pub use nodeproof_report as report;

pub use api::Tier;
pub use context::{Baseline, BaselineError, SigningWallet, Submitting};
pub use http::{Method, Target};
pub use nodes::{NodeToCheck, run};
pub use run::{ExpectationError, Expectations, Files, Options, Recheck, RunLimits, Selection};
pub use sweep::{
    BlockRange, Observer, ParseBlockRangeError, Part, PartError, StateError, Sweep, SweepProgress,
};

/// The kinds of requests that a run sends.
pub mod plan {
    pub use crate::{
        cases::RequestKind,
        context::Moment,
        run::{PlannedRequest, PlannedSubmission, planned, wrong_submissions},
    };
}
