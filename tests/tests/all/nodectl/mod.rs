//! `nodectl` as users and scripts run it: the real binary, real nodes, files on disk.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

mod absence;
mod blocking;
mod claims;
mod confirming;
mod endings;
mod exposure;
#[cfg(unix)]
mod folders;
mod hostile;
mod ingress;
mod kinds;
mod lying;
mod manual;
mod networks;
#[cfg(unix)]
mod passphrases;
mod paying_once;
#[cfg(target_os = "linux")]
mod processes;
mod program;
mod proxies;
mod raw_server;
mod reading;
mod refusals;
mod secrets;
mod settings;
mod signing;
mod tampering;
#[cfg(unix)]
mod terminal;
mod transfers;
mod untrue;
mod wallets;
mod watching;
