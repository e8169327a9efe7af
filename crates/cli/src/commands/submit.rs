//! `nodectl submit`.

use std::path::PathBuf;

use clap::Args;
use nodeproof_client::{SignedTransaction, SubmitError, SubmitPolicy};
use nodeproof_primitives::TransactionCode;
use serde::Serialize;

use super::{
    described::TransactionMembers, not_made, signing::HalfSigned,
    transaction_input::TransactionInput,
};
use crate::{
    failure::Failure,
    io::{interrupt, output::CommandResult, table::Columns},
    session::settings::Session,
};

#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    /// File with the signed transaction, JSON, or - for standard input. A file that `claim add`
    /// saved works, too
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    /// Submit a transaction that was saved for a node at another base URL. A node on the port of another
    /// network is always refused
    #[arg(long)]
    any_node: bool,
    /// Submit it without checking that all signers have signed, with valid signatures
    #[arg(long)]
    unverified: bool,
    /// Submit on mainnet, too, where it costs real money
    #[arg(long)]
    allow_mainnet: bool,
}

/// The result of an accepted submission.
#[derive(Serialize)]
struct AcceptedSubmission {
    trans_code: Option<String>,
    /// The node's text, unchanged.
    status: String,
    valid: bool,
    /// Whether the transaction was new to the node. Null if the response does not state it.
    new_transaction: Option<bool>,
    messages: Vec<String>,
}

impl CommandResult for AcceptedSubmission {
    fn for_a_person(&self) -> String {
        let mut columns = Columns::new();
        columns.row(["transaction", self.trans_code.as_deref().unwrap_or("-")]);
        columns.row(["valid", "yes"]);
        let new = match self.new_transaction {
            Some(true) => "yes",
            Some(false) => "no, the node had it already",
            None => "unknown",
        };
        columns.row(["new", new]);
        for message in &self.messages {
            columns.row(["message", message]);
        }
        columns.text()
    }
}

pub(crate) async fn run(args: &SubmitArgs, session: &Session) -> Result<(), Failure> {
    let mut input = TransactionInput::read("the transaction", &args.file)?;
    if !args.unverified
        && let Some(warning) = input.parsed(verified)?
    {
        session.output.warn(&warning);
    }
    let signed = input.parsed(|text| SignedTransaction::from_json(text).map_err(Failure::usage))?;
    let target = session.target()?;
    target.may_submit(args.allow_mainnet)?;
    if let TransactionInput::Saved(saved) = &input {
        saved
            .check_target(&target.base_url, target.network, args.any_node)
            .map_err(|error| not_made::saved_file(&error))?;
    }
    let client = session.client_of(&target)?;
    interrupt::set_interrupt_message(
        "the transaction was sent, or was about to be: submitting the same file again is safe, \
         because the node recognises its code",
    );
    let once = SubmitPolicy::ONCE;
    let submitted = match &mut input {
        TransactionInput::Saved(saved) => saved
            .submit(&client, &once, |_| ())
            .await
            .map_err(not_made::saved_call)?,
        TransactionInput::Text { .. } => client
            .submit(&signed, &once)
            .await
            .map_err(|error| not_accepted(&error))?,
    };
    let response = submitted.response;
    let members = TransactionMembers::of(signed.transaction_text());
    let code = members.get::<TransactionCode>("trans_code");
    let code = code.map(|code| code.to_string());
    interrupt::set_interrupt_message(match &code {
        Some(code) => format!("the node accepted the transaction {code}"),
        None => "the node accepted the transaction".to_owned(),
    });
    session.output.show(&AcceptedSubmission {
        trans_code: code,
        new_transaction: response.response.new_transaction,
        status: response.status.clone(),
        valid: true,
        messages: response.messages().to_vec(),
    })
}

/// Rejects a transaction that the node would refuse, or might accept although a signature is missing.
///
/// If the required signers are not known, returns a warning.
fn verified(text: &str) -> Result<Option<String>, Failure> {
    let hint = "; nothing was sent (--unverified submits it anyway)";
    let transaction = HalfSigned::read(text).map_err(|failure| failure.with_suffix(hint))?;
    let unknown = transaction.unknown_signers();
    if transaction.required().is_empty() && unknown.is_none() {
        return Err(Failure::usage(format!(
            "the transaction names no signers in specific_data.signers, so it can't be verified{hint}"
        )));
    }
    if transaction.by().is_empty() {
        return Err(Failure::usage(format!(
            "the transaction has no signature{hint}"
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
    Ok(unknown)
}

/// Returns the failure of a submission whose result is saved nowhere.
fn not_accepted(error: &SubmitError) -> Failure {
    let advice = match (error.maybe_sent(), error.sent()) {
        (true, _) => {
            "; the node may still have accepted the transaction: submitting the same file again is \
             safe, because the node recognises its code"
        }
        (false, 0) => "",
        (false, _) => "; the refusal is not final: anyone with the transaction can still submit it",
    };
    not_made::submission(error, format!("{error:#}")).with_suffix(advice)
}
