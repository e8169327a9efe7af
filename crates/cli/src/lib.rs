//! The library behind `nodectl`, the command line for a node.
//!
//! The modules are layers. Each one uses only those below it:
//!
//! - `run`: executes the command line and returns an exit status;
//! - `parser`: the command line, made of the commands' arguments;
//! - `commands`: one file per command;
//! - `session`: settings from the arguments, the environment and the configuration file; signers;
//! - `arguments`: arguments that several commands share;
//! - `io`: input, output for a person or a script, prompts;
//! - `failure`: failures with their exit status.
//!
//! Everything from a node is escaped before it is shown. Private keys stay in `nodeproof-wallet`: keys
//! that are typed or read here are passed on to it and wiped.

mod arguments;
mod commands;
mod failure;
mod io;
mod parser;
mod platform;
mod run;
mod session;

pub use run::{command, main};
