//! What a person does with a node from a terminal: the library behind `nodectl`.
//!
//! A run has four steps, each in modules of its own: the command line is read (`cli`),
//! settings are put together from it, the environment and the configuration file
//! (`settings`), a command does its work (`commands`), and what came of it is shown for a
//! person or a script (`output`), or told as a failure with an exit status (`failure`).
//!
//! What a node sent is escaped before it is shown. Private keys stay in `nodeproof-wallet`: what
//! is typed or read here goes there and is wiped.

mod cli;
mod commands;
mod config_file;
mod failure;
mod files;
mod interrupt;
mod key_access;
mod output;
mod prompt;
mod run;
mod seconds;
mod settings;
mod table;
mod withheld;

pub use run::main;
