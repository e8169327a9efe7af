//! The command line, shared by `cargo xtask conformance` and `nodeproof`.

mod args;
mod error;
mod execute;
mod explain;
mod options_from_args;
mod output;
mod progress;
mod report_folder;
mod several;
mod signals;
mod sweep_state;
mod targets;

pub use args::{Command, ConformanceArgs, Format};
pub use execute::{LocalNode, StartLocal, execute, remove_stale_reports};
pub use output::exit_with;
