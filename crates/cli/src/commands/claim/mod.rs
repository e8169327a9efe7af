//! `nodectl claim`.

mod add;
mod get;
mod outcome;
mod progress;
mod record;
mod saved_claims;

use clap::{Args, Subcommand};

use crate::{failure::Failure, session::settings::Session};

#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    #[command(subcommand)]
    command: ClaimCommand,
}

#[derive(Debug, Subcommand)]
enum ClaimCommand {
    /// Make a claim: hash documents, build, check, sign, save, submit, and wait for the record.
    ///
    /// The signed transaction is saved in a file before it is sent. After a crash or a lost
    /// connection, run the same command again: it submits the same transaction, so you pay once.
    Add(Box<add::AddArgs>),
    /// Read the records of the claims about an asset
    Get(get::GetArgs),
}

pub(crate) async fn run(args: &ClaimArgs, session: &Session) -> Result<(), Failure> {
    match &args.command {
        ClaimCommand::Add(args) => add::run(args, session).await,
        ClaimCommand::Get(args) => get::run(args, session).await,
    }
}
