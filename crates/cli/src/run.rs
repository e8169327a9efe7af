//! A run: from the command line to an exit status.

use std::{process::ExitCode, thread, time::Duration};

use clap::{Parser, error::ErrorKind};
use tokio::sync::oneshot;

use crate::{
    cli::Cli,
    commands, config_file,
    failure::{Failure, Kind},
    interrupt,
    output::Output,
    prompt,
    settings::Session,
    withheld::withheld,
};

/// How long a run that was interrupted may take to end in good order.
const GRACE: Duration = Duration::from_millis(500);

/// Does what this process' command line says, and hands back the exit status.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_a_command_line(&error),
    };
    let output = Output::new(cli.global.json, cli.global.quiet);
    let takes_key_files = cli.command.takes_key_files();
    let status = match work(cli, output) {
        Ok(()) => 0,
        Err(failure) => {
            let key_given = || {
                std::env::args_os().any(|argument| {
                    let argument = argument.to_string_lossy();
                    withheld(&argument) != argument
                })
            };
            let failure = if takes_key_files && key_given() {
                failure.rewritten(withheld)
            } else {
                failure
            };
            output.fail(&failure);
            failure.kind.status()
        }
    };
    ExitCode::from(status)
}

fn work(cli: Cli, output: Output) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("the program can't start: {error}")))?;
    // It is never taken down: what still reads or hashes must not hold up the end.
    let runtime: &'static tokio::runtime::Runtime = Box::leak(Box::new(runtime));
    runtime.block_on(async {
        // Files and standard input may block for ever, so all of it has a thread of its own.
        let begin = async {
            let (done, outcome) = oneshot::channel();
            let run = move || {
                // Who was to be told may have gone already.
                let _told = done.send(runtime.block_on(until_interrupted(cli, output)));
            };
            match thread::Builder::new().name("command".to_owned()).spawn(run) {
                Ok(thread) => Ok((thread, outcome)),
                Err(error) => Err(Failure::usage(format!("the program can't start: {error}"))),
            }
        };
        let mut pressed = std::pin::pin!(tokio::signal::ctrl_c());
        let (thread, mut outcome) = tokio::select! {
            // Looked at first, so that it is listened to before anything begins.
            biased;
            pressed = &mut pressed => return Err(pressed_or_deaf(pressed)),
            begun = begin => begun?,
        };
        let told = tokio::select! {
            biased;
            told = &mut outcome => told,
            pressed = &mut pressed => {
                let failure = pressed_or_deaf(pressed);
                if prompt::close() {
                    // Who waits for something that is typed waits for ever.
                    return Err(failure);
                }
                match tokio::time::timeout(GRACE, outcome).await {
                    Ok(told) => told,
                    Err(_elapsed) => Ok(Err(failure)),
                }
            }
        };
        match told {
            Ok(outcome) => outcome,
            // Only a panic leaves nothing told.
            Err(_gone) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => Err(Failure::usage("the command ended without a word")),
            },
        }
    })
}

/// Does what the command line says, or drops it half-way when Ctrl-C comes.
async fn until_interrupted(cli: Cli, output: Output) -> Result<(), Failure> {
    tokio::select! {
        biased;
        pressed = tokio::signal::ctrl_c() => Err(pressed_or_deaf(pressed)),
        done = command(cli, output) => done,
    }
}

async fn command(cli: Cli, output: Output) -> Result<(), Failure> {
    let file = if cli.command.needs_settings() {
        config_file::read(cli.global.config.as_deref())?
    } else {
        config_file::ConfigFile::default()
    };
    let session = Session::new(cli.global, file, output);
    commands::run(cli.command, &session).await
}

fn pressed_or_deaf(pressed: std::io::Result<()>) -> Failure {
    match pressed {
        Ok(()) => interrupted(),
        Err(error) => Failure::usage(format!("Ctrl-C can't be listened to: {error}")),
    }
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
    let message = error.to_string();
    let harmless = withheld(&message);
    if !shown && (json || harmless != message) {
        let message = harmless.trim_start_matches("error: ").trim_end();
        Output::new(json, false).fail(&Failure::lines(message));
    } else {
        // When nobody reads it, nothing is left to be done.
        let _shown = error.print();
    }
    ExitCode::from(if shown { 0 } else { Kind::Usage.status() })
}
