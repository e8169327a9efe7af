//! `nodeproof completions` and `nodeproof man`.

use std::{io, path::Path};

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::{args::Nodeproof, error::UsageError, output::print};

/// Prints the completions of a shell.
pub(crate) fn completions(shell: Shell) -> Result<(), UsageError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Nodeproof::command(), "nodeproof", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page, or writes the pages of all commands to a folder.
pub(crate) fn man(folder: Option<&Path>) -> Result<(), UsageError> {
    let command = Nodeproof::command();
    match folder {
        Some(folder) => clap_mangen::generate_to(command, folder)
            .map_err(|error| UsageError::file("the manual can't be written to {}", folder, error)),
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command)
                .render(&mut page)
                .map_err(|error: io::Error| UsageError::Output(error.to_string()))?;
            print(&String::from_utf8_lossy(&page))
        }
    }
}
