//! A local node as a command.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;
use nodeproof_devnode::cli::{DevnodeArgs, exit_with};

/// Runs a local node for development and tests. With --start-time, its blocks follow from its
/// options.
#[derive(Parser)]
#[command(name = "devnode", version, args_conflicts_with_subcommands = true)]
struct Devnode {
    #[command(subcommand)]
    command: Option<Manual>,
    #[command(flatten)]
    args: DevnodeArgs,
}

/// What the command can do instead of running a node.
#[derive(Subcommand)]
enum Manual {
    /// Print the completions of a shell
    Completions {
        /// The shell
        #[arg(value_enum, value_name = "SHELL")]
        shell: Shell,
    },
    /// Print the manual page, or write the pages of all commands to a folder
    Man {
        /// Write the pages to this folder, which must exist
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

/// Exit status if the manual can't be written.
const EXIT_USAGE: u8 = 2;

#[tokio::main]
async fn main() -> ExitCode {
    let devnode = Devnode::try_parse().unwrap_or_else(|error| exit_with(&error));
    let Some(manual) = devnode.command else {
        return nodeproof_devnode::cli::run(devnode.args).await;
    };
    match manual.write() {
        Ok(()) => ExitCode::SUCCESS,
        // The reader needs no more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // If even standard error can't be written to, nothing else can be done.
            let _written = writeln!(io::stderr(), "error: the manual can't be written: {error}");
            ExitCode::from(EXIT_USAGE)
        }
    }
}

impl Manual {
    fn write(self) -> io::Result<()> {
        let mut command = Devnode::command();
        let mut text = Vec::new();
        match self {
            Self::Completions { shell } => {
                clap_complete::generate(shell, &mut command, "devnode", &mut text);
            }
            Self::Man { dir: Some(folder) } => return clap_mangen::generate_to(command, folder),
            Self::Man { dir: None } => clap_mangen::Man::new(command).render(&mut text)?,
        }
        io::stdout().write_all(&text)
    }
}
