//! Executes the command line, and returns an exit status.

use std::{process::ExitCode, thread, time::Duration};

use clap::{CommandFactory, Parser, error::ErrorKind};
use nodeproof_primitives::redact::{given_keys, redact_parts};
use tokio::sync::oneshot;

use crate::{
    commands,
    failure::{Failure, Kind},
    io::{interrupt, output::Output, prompt},
    parser::{Cli, Command},
    platform::{self, Ended},
    session::{config_file, exposure, settings::Session},
};

/// Time limit for an interrupted run to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// Returns the definition of the command line, for programs that document or test it.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command of this process's command line, and returns the exit status.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_a_command_line(&error),
    };
    let output = Output::new(cli.global.json, cli.global.quiet);
    if let Err(error) = nodeproof_wallet::forbid_core_dumps() {
        output.warn(&format!(
            "a core dump of this process could hold a key, and can't be forbidden: {error}"
        ));
    }
    let status = match work(cli, output) {
        Ok(()) => 0,
        Err(failure) => {
            let keys = given_keys("NODECTL_");
            let failure = if keys.is_empty() {
                failure
            } else {
                failure.rewritten(|text| redact_parts(text, &keys))
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
    // Never shut down, because a task that still reads or hashes would delay the end.
    let runtime: &'static tokio::runtime::Runtime = Box::leak(Box::new(runtime));
    runtime.block_on(async {
        // Files and standard input may block forever, so the command runs on a separate thread.
        let begin = async {
            let (done, outcome) = oneshot::channel();
            let run = move || {
                // Sending fails if the receiver is gone. That is harmless.
                let _sent = done.send(runtime.block_on(until_interrupted(cli, output)));
            };
            match thread::Builder::new().name("command".to_owned()).spawn(run) {
                Ok(thread) => Ok((thread, outcome)),
                Err(error) => Err(Failure::usage(format!("the program can't start: {error}"))),
            }
        };
        let mut pressed = std::pin::pin!(platform::ended());
        let (thread, mut outcome) = tokio::select! {
            // Polled first, so the signal handler exists before the command begins.
            biased;
            pressed = &mut pressed => return Err(interrupt_failure(pressed)),
            begun = begin => begun?,
        };
        let ended = tokio::select! {
            biased;
            ended = &mut outcome => ended,
            pressed = &mut pressed => {
                let failure = interrupt_failure(pressed);
                if prompt::close() {
                    // An open prompt would wait forever.
                    return Err(failure);
                }
                match tokio::time::timeout(GRACE, outcome).await {
                    Ok(ended) => ended,
                    Err(_elapsed) => Ok(Err(failure)),
                }
            }
        };
        match ended {
            Ok(outcome) => outcome,
            // The sender is dropped without a result only after a panic.
            Err(_gone) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => Err(Failure::usage("the command ended without a result")),
            },
        }
    })
}

/// Runs the command, or drops it on Ctrl-C or SIGTERM.
async fn until_interrupted(cli: Cli, output: Output) -> Result<(), Failure> {
    tokio::select! {
        biased;
        pressed = platform::ended() => Err(interrupt_failure(pressed)),
        done = configured(cli, output) => done,
    }
}

async fn configured(cli: Cli, output: Output) -> Result<(), Failure> {
    let file = if cli.command.needs_settings() {
        config_file::read(cli.global.config.as_deref())?
    } else {
        config_file::ConfigFile::default()
    };
    let session = Session::new(cli.global, file, output);
    exposure::check_arguments(&session)?;
    dispatch(cli.command, &session)
        .await
        .map_err(|failure| session.without_secrets(failure))
}

/// Runs a command.
async fn dispatch(command: Command, session: &Session) -> Result<(), Failure> {
    match command {
        Command::Block(args) => commands::block::run(&args, session).await,
        Command::Balance(args) => commands::balance::balance(&args, session).await,
        Command::Balances(args) => commands::balance::wallet_balances(&args, session).await,
        Command::Holders(args) => commands::balance::token_holders(&args, session).await,
        Command::Trust(args) => commands::trust::run(&args, session).await,
        Command::State(args) => commands::state::run(&args, session).await,
        Command::Wallet(args) => commands::wallet::run(&args, session),
        Command::Call(args) => commands::call::run(&args, session).await,
        Command::Transfer(args) => commands::transfer::run(&args, session).await,
        Command::Claim(args) => commands::claim::run(&args, session).await,
        Command::Sign(args) => commands::sign::run(&args, session).await,
        Command::Submit(args) => commands::submit::run(&args, session).await,
        Command::Verify(args) => commands::verify::run(&args, session),
        Command::Docs(args) => commands::docs::run(&args, session).await,
        Command::Watch(args) => commands::watch::run(&args, session).await,
        Command::Completions(args) => commands::manual::completions(&args, Cli::command()),
        Command::Man(args) => commands::manual::man(&args, Cli::command()),
    }
}

fn interrupt_failure(ended: std::io::Result<Ended>) -> Failure {
    let (kind, what) = match ended {
        Ok(Ended::Interrupted) => (Kind::Interrupted, "interrupted"),
        Ok(Ended::Terminated) => (Kind::Terminated, "terminated"),
        Err(error) => return Failure::usage(format!("can't handle Ctrl-C: {error}")),
    };
    match interrupt::known() {
        Some(known) => Failure::new(kind, format!("{what}; {known}")).with_maybe_sent(true),
        None => Failure::new(kind, format!("{what}; no transaction was sent")),
    }
}

/// Shows help and version, or the error of an invalid command line.
fn not_a_command_line(error: &clap::Error) -> ExitCode {
    let shown = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    let json = std::env::args_os().any(|argument| argument == "--json");
    let message = error.to_string();
    let harmless = redact_parts(&message, &given_keys("NODECTL_"));
    if !shown && (json || harmless != message) {
        let message = harmless.trim_start_matches("error: ").trim_end();
        Output::new(json, false).fail(&Failure::lines(message));
    } else {
        // If this fails, nothing else can be done.
        let _shown = error.print();
    }
    ExitCode::from(if shown { 0 } else { Kind::Usage.status() })
}
