//! The tests that need no list of their own, in one program. Most of them wait for nodes and programs, and
//! only tests of one program can run while others wait. They start in the order of their names, so what takes longest comes
//! early.
//!
//! The first part of a test's name is its module: `cargo test --workspace --test all nodectl::` runs those of `nodectl`.

mod another_language;
mod claims;
mod client_calls;
mod client_devnode;
mod client_examples;
mod client_follow;
mod conformance_harness_fault;
mod conformance_heights;
mod conformance_nodes;
mod conformance_reports;
mod conformance_sweep;
mod conformance_tiers;
mod conformance_transport;
mod description;
mod devnode_forms;
mod devnode_readme;
mod dist;
mod docs;
mod help;
mod hostile;
mod independent_signer;
mod nodectl;
mod nodeproof;
mod packages;
mod signing_guide;
mod spec_examples;
mod spec_views;
mod xtask_conformance;
