//! A node from a terminal: the library behind `nodectl`.
//!
//! The modules are layers. Each one uses only those below it:
//!
//! - `run`: a run from the command line to an exit status;
//! - `parser`: the command line, made of the commands' arguments;
//! - `commands`: one file per command;
//! - `session`: settings from the arguments, the environment and the configuration file; signers;
//! - `arguments`: arguments that several commands share;
//! - `io`: input, output for a person or a script, prompts;
//! - `failure`: failures with their exit status.
//!
//! What a node sent is escaped before it is shown. Private keys stay in `nodeproof-wallet`: what is
//! typed or read here goes there and is wiped.

mod arguments;
mod commands;
mod failure;
mod io;
mod parser;
mod run;
mod session;

pub use run::{command, main};
