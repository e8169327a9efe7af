//! What each command does.

pub(crate) mod balance;
pub(crate) mod block;
pub(crate) mod call;
pub(crate) mod claim;
mod described;
pub(crate) mod docs;
mod following;
pub(crate) mod manual;
pub(crate) mod sign;
mod signing;
pub(crate) mod state;
pub(crate) mod submit;
mod to_sign;
mod transaction_input;
pub(crate) mod trust;
pub(crate) mod verify;
pub(crate) mod wallet;
pub(crate) mod watch;

use crate::{cli::Command, failure::Failure, settings::Session};

/// Does what the command line says.
pub(crate) async fn run(command: Command, session: &Session) -> Result<(), Failure> {
    match command {
        Command::Block(args) => block::run(&args, session).await,
        Command::Balance(args) => balance::one(&args, session).await,
        Command::Balances(args) => balance::of_wallet(&args, session).await,
        Command::Holders(args) => balance::of_token(&args, session).await,
        Command::Trust(args) => trust::run(&args, session).await,
        Command::State(args) => state::run(&args, session).await,
        Command::Wallet(args) => wallet::run(&args, session),
        Command::Call(args) => call::run(&args, session).await,
        Command::Claim(args) => claim::run(&args, session).await,
        Command::Sign(args) => sign::run(&args, session).await,
        Command::Submit(args) => submit::run(&args, session).await,
        Command::Verify(args) => verify::run(&args, session),
        Command::Docs(args) => docs::run(&args, session).await,
        Command::Watch(args) => watch::run(&args, session).await,
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
    }
}
