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
//!    `node-client`, and the [`snapshot`] of the answer's normalised shape;
//! 5. [`report`]: for a person, and as `report.json`.
//!
//! This crate knows a target by its base URL and network, and nothing else: it has no idea whose
//! node it is, and never links one.

pub mod cases;
pub mod cli;
mod discovery;
pub mod exchange;
mod expectations;
mod field;
mod judge;
mod node;
pub mod outcome;
mod progress;
pub mod report;
pub mod run;
mod sample;
pub mod snapshot;
pub mod spec;
mod target;

pub use expectations::{ExpectationError, Expectations};
pub use run::{Options, run};
pub use target::{Target, TargetError};
