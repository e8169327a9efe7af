//! `nodectl submit`.

use std::path::PathBuf;

use clap::Args;
use nodeproof_claims::{SavedTransaction, TransactionState};
use nodeproof_client::{
    Client, ErrorKind, SignedTransaction, SubmitError, SubmitPolicy, SubmitResponse,
};
use nodeproof_primitives::{Network, TransactionCode, escape::escaped_up_to};
use serde::Serialize;

use super::{
    described::TransactionMembers, signing::HalfSigned, transaction_input::TransactionInput,
};
use crate::{
    failure::{Failure, Kind},
    io::{interrupt, output::CommandResult, table::Columns},
    session::settings::Session,
};

/// The status of a node that accepts no more submissions at the moment.
const TOO_MANY: u16 = 429;
/// A note for refusals: the transaction is still valid for other nodes.
const ANYONE: &str = "; the refusal is not final: anyone with the transaction can still submit it";
/// Statuses of servers that are not nodes, or that do not have the endpoint.
const NO_SUCH_CALL: [u16; 2] = [404, 405];

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
        && let Some(warning) = verified(input.text())?
    {
        session.output.warn(&warning);
    }
    let signed = SignedTransaction::from_json(input.text()).map_err(Failure::usage)?;
    let target = session.target()?;
    target.may_submit(args.allow_mainnet)?;
    let saved = match &mut input {
        TransactionInput::Saved(saved) => Some(saved),
        TransactionInput::Text(_) => None,
    };
    if let Some(saved) = &saved
        && saved.check_node(&target.base_url).is_err()
    {
        let of_port = Network::from_port(target.base_url.port());
        let networks = of_port.into_iter().chain(target.network);
        saved.check_network(networks).map_err(Failure::usage)?;
        if !args.any_node {
            return Err(Failure::usage(format!(
                "the transaction was saved for the node at {}, and the node is now {}; if both are of \
                 one network, give --any-node to submit it here",
                escaped_up_to(saved.node(), 80),
                target.base_url
            )));
        }
    }
    let client = session.client_of(&target)?;
    interrupt::set_interrupt_message(
        "the transaction was sent, or was about to be: submitting the same file again is safe, \
         because the node recognises its code",
    );
    let response = submit(&client, &signed, saved.map(|saved| &mut **saved)).await?;
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

/// Submits the transaction once. Returns the response only if the node accepted the transaction.
///
/// If the transaction is saved in a file, its state in the file is updated.
async fn submit(
    client: &Client,
    signed: &SignedTransaction,
    mut saved: Option<&mut SavedTransaction>,
) -> Result<SubmitResponse, Failure> {
    let before = saved.as_ref().map(|saved| saved.state());
    let mut note = |state: TransactionState| -> Result<(), Failure> {
        match &mut saved {
            Some(saved) if saved.state() != TransactionState::Recorded => {
                saved.note(state).map_err(Failure::usage)
            }
            _ => Ok(()),
        }
    };
    let had_arrived = before.is_some_and(TransactionState::may_have_arrived);
    if !had_arrived {
        // Written before sending, so the file is correct even if the run is killed afterwards.
        note(TransactionState::Sent)?;
    }
    match client
        .submit_with_retries(signed, &SubmitPolicy::once())
        .await
    {
        Ok(submitted) => {
            // The node has accepted it, even if this can't be written.
            let _noted = note(TransactionState::Accepted);
            Ok(submitted.response)
        }
        Err(error) if error.is_refused() => {
            if !had_arrived {
                let _noted = note(TransactionState::Refused);
            }
            let refused = Failure::refused("the transaction", error.messages())
                .with_maybe_sent(true)
                .with_suffix(ANYONE);
            Err(if had_arrived {
                refused.with_kind(Kind::Unconfirmed).with_suffix(
                    "; an earlier run has sent this transaction, and it may have been taken then",
                )
            } else {
                refused
            })
        }
        Err(error) => {
            if let Some(before) = before
                && !error.maybe_accepted()
            {
                let state = match before {
                    TransactionState::Signed if error.sent() > 0 => TransactionState::Refused,
                    before => before,
                };
                let _noted = note(state);
            }
            Err(no_clear_response(&error, had_arrived))
        }
    }
}

/// Returns the failure of a submission without a result.
fn no_clear_response(error: &SubmitError, had_arrived: bool) -> Failure {
    let kind = if had_arrived {
        Kind::Unconfirmed
    } else {
        kind_of(error)
    };
    let more = match kind {
        Kind::Unconfirmed if had_arrived && !error.maybe_accepted() => {
            "; an earlier run has sent this transaction: submitting the same file again is safe, \
             because the node recognises its code"
        }
        Kind::Unconfirmed => {
            "; the node may still have accepted the transaction: submitting the same file \
             again is safe, because the node recognises its code"
        }
        Kind::Unreachable => why_not(error).unwrap_or_default(),
        _ => "",
    };
    let anyone = match kind {
        Kind::Refused => ANYONE,
        _ => "",
    };
    Failure::new(kind, error.full_message())
        .with_suffix(more)
        .with_suffix(anyone)
        .with_maybe_sent(kind == Kind::Unconfirmed)
}

/// Returns the kind of failure of a submission, which may have been tried more than once.
pub(super) fn kind_of(error: &SubmitError) -> Kind {
    if error.maybe_accepted() {
        return Kind::Unconfirmed;
    }
    let Some(cause) = error.request_error() else {
        return Kind::Unconfirmed;
    };
    if cause.kind() == ErrorKind::Configuration {
        return Kind::Usage;
    }
    match cause.status().map(|status| status.as_u16()) {
        Some(status) if status == TOO_MANY || NO_SUCH_CALL.contains(&status) => Kind::Unreachable,
        Some(status) if (400..500).contains(&status) => Kind::Refused,
        _ => Kind::Unreachable,
    }
}

/// Returns advice for a node that accepted nothing, to be appended to the error.
pub(super) fn why_not(error: &SubmitError) -> Option<&'static str> {
    let status = error.request_error()?.status()?.as_u16();
    if status == TOO_MANY {
        Some("; the node accepted nothing: try again later")
    } else if NO_SUCH_CALL.contains(&status) {
        Some(
            "; nothing was submitted, because this base URL does not have the endpoint: is it a \
             node's?",
        )
    } else {
        None
    }
}
