//! `nodectl` as people and scripts use it: the real binary, real nodes, files on disk.

#![expect(
    clippy::expect_used,
    reason = "a test that can't go on says so by failing"
)]

mod absence;
mod blocking;
mod claims;
mod endings;
mod hostile;
mod kinds;
mod manual;
mod paying_once;
mod program;
mod raw_server;
mod reading;
mod secrets;
mod settings;
mod signing;
#[cfg(unix)]
mod terminal;
mod untrue;
mod wallets;
mod watching;
