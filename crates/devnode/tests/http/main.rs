//! Tests of a node over HTTP, from the view of its clients.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod abuse;
mod browser;
mod calls;
mod determinism;
mod docs;
mod forms;
mod injected_faults;
mod peer;
mod queries;
mod refusals;
mod saved_chain;
mod submissions;
