//! Conformance checks for any node of the network, given by base URL and network.
//!
//! A run goes through five steps, and each has a module:
//!
//! 1. reach the target ([`Target`], `node`): every request is counted, bounded in size and time,
//!    and kept as an [`exchange`];
//! 2. discover what to ask about (`discovery`): blocks, wallets, tokens, contracts and assets, from
//!    the chain itself;
//! 3. run the [`cases`]: each tests one sentence of the contract and quotes it;
//! 4. judge: the raw answer against the documented schema ([`spec`]), the decode through
//!    `nodeproof-client`, and the [`snapshot`] of the answer's normalised shape;
//! 5. [`report`]: the crate `nodeproof-report` has its model, and renders it.
//!
//! Several nodes are checked side by side, and then held against one another ([`run_several`]).
//!
//! A [`Sweep`] has the cases about blocks look at every block of a range, and not at a few.
//!
//! This crate knows a target by its base URL and network, and nothing else: it has no idea whose
//! node it is, and never links one.

mod api;
pub mod cases;
mod checks;
pub mod cli;
mod context;
mod coverage;
mod discovery;
mod expectations;
mod http;
mod nodes;
mod options;
pub mod plan;
mod progress;
pub mod run;
mod run_report;
pub mod spec;
mod sweep;
mod targets;

pub use nodeproof_report as report;

pub use api::Tier;
pub use context::{Baseline, BaselineError, SigningWallet, Submitting};
pub use expectations::{ExpectationError, Expectations};
pub use http::{Method, Target, TargetError};
pub use nodes::{NodeToCheck, run_several};
pub use options::Options;
pub use run::run;
pub use sweep::{BlockRange, ParseBlockRangeError, State, StateError, Sweep, SweepProgress};
