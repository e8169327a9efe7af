//! `nodectl trust`.

use clap::Args;
use nodeproof_primitives::{Integer, WalletAddress};
use serde::Serialize;

use crate::{
    arguments::addresses::wallet_address, failure::Failure, io::output::CommandResult,
    session::settings::Session,
};

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Address of the wallet that trusts: 0x and 40 lower-case hexadecimal digits
    #[arg(value_name = "FROM", value_parser = wallet_address)]
    from: WalletAddress,
    /// Address of the wallet that is trusted
    #[arg(value_name = "TO", value_parser = wallet_address)]
    to: WalletAddress,
}

#[derive(Serialize)]
struct Trust {
    from: WalletAddress,
    to: WalletAddress,
    trust_score: Integer,
}

impl CommandResult for Trust {
    fn for_a_person(&self) -> String {
        format!("{}\n", self.trust_score)
    }
}

pub(crate) async fn run(args: &TrustArgs, session: &Session) -> Result<(), Failure> {
    let client = session.client()?;
    let none = |words: &str| {
        Failure::not_found(format!(
            "the node has no trust score of {} for {}: {words}",
            args.from, args.to
        ))
    };
    let response = match client.trust_response(args.from, args.to).await {
        Ok(response) => response,
        Err(error) if error.is_absent() => return Err(none(error.reason())),
        Err(error) => return Err(error.into()),
    };
    if let Err(fault) = response.check_status() {
        if response.score().is_err() && response.extra().say_absent() {
            let words = response.extra().detail().unwrap_or_default();
            return Err(none(&format!("its message: {words}")));
        }
        return Err(Failure::unexpected(format!("in the response, {fault}")));
    }
    let score = response
        .score()
        .map_err(|fault| Failure::unexpected(format!("the response has no score: {fault}")))?;
    session.output.show(&Trust {
        from: args.from,
        to: args.to,
        trust_score: score.clone(),
    })
}
