//! `nodectl`: a blockchain node from a terminal.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodeproof_cli::main()
}
