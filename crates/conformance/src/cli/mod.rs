//! The command line, shared by `cargo xtask conformance` and `nodeproof`.

mod access;
mod args;
mod diff;
mod error;
mod execute;
mod explain;
mod judge;
mod manual;
mod monitor;
mod named_targets;
mod options_from_args;
mod output;
mod outputs;
mod progress;
mod report_folder;
mod runs;
mod signals;
mod summary_file;
mod sweep_state;
mod targets;
mod watch;

pub use crate::monitor::LogFormat;
pub use args::{
    CheckArgs, Command, ConformanceArgs, DiffFormat, Format, JudgeArgs, MonitorArgs, Nodeproof,
};
pub use execute::{LocalNode, StartLocal, execute, remove_stale_reports};
pub use output::{can_not_start, exit_with};
