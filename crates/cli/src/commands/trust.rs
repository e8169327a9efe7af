//! `nodectl trust`.

use clap::Args;
use nodeproof_primitives::{Integer, WalletAddress};
use serde::Serialize;

use super::refusal::refusal;
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
    let Some(trust) = client.trust_score(args.from, args.to).await? else {
        let request = client.generated();
        let words = refusal(request.get_trustscore_wallets(&args.to, &args.from).await).await;
        return Err(Failure::not_found(format!(
            "the node has no trust score of {} for {}{words}",
            args.from, args.to
        )));
    };
    session.output.show(&Trust {
        from: args.from,
        to: args.to,
        trust_score: trust.trust_score,
    })
}
