//! A run: from the command line to an exit status.

use std::process::ExitCode;

use clap::{Parser, error::ErrorKind};

use crate::{
    cli::Cli,
    commands, config_file,
    failure::{Failure, Kind},
    interrupt,
    output::Output,
    settings::Session,
};

/// Does what this process' command line says, and hands back the exit status.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_a_command_line(&error),
    };
    let output = Output::new(cli.global.json, cli.global.quiet);
    let status = match work(cli, output) {
        Ok(()) => 0,
        Err(failure) => {
            output.fail(&failure);
            failure.kind.status()
        }
    };
    ExitCode::from(status)
}

fn work(cli: Cli, output: Output) -> Result<(), Failure> {
    let file = if cli.command.needs_settings() {
        config_file::read(cli.global.config.as_deref())?
    } else {
        config_file::ConfigFile::default()
    };
    let session = Session::new(cli.global, file, output);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("the program can't start: {error}")))?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            // Looked at first, so that it is listened to before anything begins.
            biased;
            pressed = tokio::signal::ctrl_c() => Err(match pressed {
                Ok(()) => interrupted(),
                Err(error) => Failure::usage(format!("Ctrl-C can't be listened to: {error}")),
            }),
            done = commands::run(cli.command, &session) => done,
        }
    });
    // What still hashes or waits in the background must not hold up the end.
    runtime.shutdown_background();
    outcome.map_err(|failure| {
        if interrupt::was_typed_at_prompt() {
            interrupted()
        } else {
            failure
        }
    })
}

fn interrupted() -> Failure {
    match interrupt::known() {
        Some(known) => Failure::new(Kind::Interrupted, format!("interrupted; {known}")).sent(true),
        None => Failure::new(Kind::Interrupted, "interrupted; no transaction was sent"),
    }
}

/// Shows help and version, and tells what is wrong with a command line.
fn not_a_command_line(error: &clap::Error) -> ExitCode {
    let shown = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    let json = std::env::args_os().any(|argument| argument == "--json");
    if json && !shown {
        let message = error.to_string();
        let message = message.trim_start_matches("error: ").trim_end();
        Output::new(true, false).fail(&Failure::usage(message));
    } else {
        // When nobody reads it, nothing is left to be done.
        let _shown = error.print();
    }
    ExitCode::from(if shown { 0 } else { Kind::Usage.status() })
}
