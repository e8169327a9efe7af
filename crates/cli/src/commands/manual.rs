//! `nodectl completions` and `man`.

use std::{io, path::PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::{failure::Failure, io::output};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write the pages of nodectl and of all its commands to this folder, which must exist
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "nodectl", &mut script);
    output::write(&String::from_utf8_lossy(&script))
}

pub(crate) fn man(args: &ManArgs, command: Command) -> Result<(), Failure> {
    let failed = |error: io::Error| match &args.dir {
        Some(folder) => Failure::usage(format!(
            "the pages can't be written to {}: {error}",
            folder.display()
        )),
        None => Failure::usage(error),
    };
    match &args.dir {
        Some(folder) => clap_mangen::generate_to(command, folder).map_err(failed),
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command)
                .render(&mut page)
                .map_err(failed)?;
            output::write(&String::from_utf8_lossy(&page))
        }
    }
}
