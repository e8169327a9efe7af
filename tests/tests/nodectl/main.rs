//! `nodectl` as people and scripts use it: the real binary, real nodes, files on disk.

#![expect(
    clippy::expect_used,
    reason = "a test that can't go on says so by failing"
)]

mod claims;
mod endings;
mod hostile;
mod manual;
mod program;
mod raw_server;
mod reading;
mod settings;
mod signing;
mod wallets;
mod watching;
