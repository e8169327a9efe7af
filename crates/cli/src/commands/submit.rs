//! `nodectl submit`.

use std::path::PathBuf;

use clap::Args;
use node_client::{Client, ErrorKind, SignedTransaction, SubmitAnswer};
use serde::Serialize;

use super::signing::HalfSigned;
use crate::{
    failure::{Failure, Kind},
    files, interrupt,
    output::Answer,
    settings::Session,
    table::Columns,
};

/// Statuses that say that nothing was taken, and that it may be later.
const LATER: [u16; 2] = [429, 503];

#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    /// The signed transaction, JSON, or - for standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    /// Submit it without looking whether all signers have signed, and rightly
    #[arg(long)]
    unverified: bool,
    /// Submit on mainnet, too, where it costs real money
    #[arg(long)]
    allow_mainnet: bool,
}

/// What became of a submission that the node took.
#[derive(Serialize)]
struct Taken {
    trans_code: Option<String>,
    valid: bool,
    /// Whether it was new to the node; null where the node doesn't say.
    new_transaction: Option<bool>,
    messages: Vec<String>,
}

impl Answer for Taken {
    fn for_a_person(&self) -> String {
        let mut columns = Columns::new();
        columns.row(["transaction", self.trans_code.as_deref().unwrap_or("-")]);
        columns.row(["valid", "yes"]);
        let new = match self.new_transaction {
            Some(true) => "yes",
            Some(false) => "no, the node had it already",
            None => "the node does not say",
        };
        columns.row(["new", new]);
        for message in &self.messages {
            columns.row(["node says", message]);
        }
        columns.text()
    }
}

pub(crate) async fn run(args: &SubmitArgs, session: &Session) -> Result<(), Failure> {
    let text = files::text("the transaction", &args.file)?;
    if !args.unverified {
        verified(&text)?;
    }
    let signed = SignedTransaction::from_text(text.trim()).map_err(Failure::usage)?;
    let target = session.target()?;
    target.may_submit(args.allow_mainnet)?;
    let client = session.client_of(&target)?;
    interrupt::from_now_on(
        "the transaction was sent, or was about to be: submitting the same file again is safe, \
         as the node knows it by its code",
    );
    let answer = submit(&client, &signed).await?;
    let view = signed.transaction().ok();
    session.output.show(&Taken {
        trans_code: view.and_then(|view| view.trans_code().ok().map(|code| code.to_string())),
        valid: true,
        new_transaction: answer.new_transaction(),
        messages: answer.messages().to_vec(),
    })
}

/// Refuses what the node would refuse, or what it might take although somebody did not sign.
fn verified(text: &str) -> Result<(), Failure> {
    let hint = "; nothing was sent (--unverified submits it all the same)";
    let transaction = HalfSigned::read(text).map_err(|failure| failure.and(hint))?;
    if transaction.required().is_empty() {
        return Err(Failure::usage(format!(
            "the transaction names no signers in specific_data.signers, so it can't be verified{hint}"
        )));
    }
    let missing = transaction.missing();
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
        return Err(Failure::usage(format!(
            "the signature of {} is missing{hint}",
            missing.join(" and of ")
        )));
    }
    if let Some(wallet) = transaction.unlisted() {
        return Err(Failure::usage(format!(
            "{wallet} signed, but is not listed in specific_data.signers{hint}"
        )));
    }
    Ok(())
}

/// Submits it once; the answer is one of a node that says that the transaction is valid.
async fn submit(client: &Client, signed: &SignedTransaction) -> Result<SubmitAnswer, Failure> {
    let answer = client.submit(signed).await.map_err(not_answered)?;
    match answer.valid() {
        Ok(true) => Ok(answer),
        Ok(false) => Err(Failure::refused("the transaction", answer.messages())),
        Err(fault) => Err(Failure::new(
            Kind::Unconfirmed,
            format!(
                "the transaction was sent, and the node's answer does not tell whether it is \
                 valid: {fault}; submitting the same file again is safe"
            ),
        )),
    }
}

/// What it means when a submission has no answer, or one with an error status.
fn not_answered(error: node_client::Error) -> Failure {
    let kind = kind_of(&error);
    let more = match kind {
        Kind::Unreachable if error.maybe_sent() => {
            "; the node took nothing: submit the same file again later"
        }
        Kind::Unconfirmed => {
            "; the transaction may have been taken all the same: submitting the same file again \
             is safe, as the node knows it by its code"
        }
        _ => "",
    };
    let maybe_sent = error.maybe_sent() && kind != Kind::Unreachable;
    Failure::new(kind, error.to_string())
        .and(more)
        .sent(maybe_sent)
}

/// What kind of failure the end of a submission is that was sent once.
pub(super) fn kind_of(error: &node_client::Error) -> Kind {
    if error.kind() == ErrorKind::Configuration {
        return Kind::Usage;
    }
    if !error.maybe_sent() {
        return Kind::Unreachable;
    }
    match error.status().map(|status| status.as_u16()) {
        Some(status) if LATER.contains(&status) => Kind::Unreachable,
        Some(status) if (400..500).contains(&status) && status != 408 => Kind::Refused,
        _ => Kind::Unconfirmed,
    }
}
