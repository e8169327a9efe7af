//! `nodectl sign`.

use std::path::PathBuf;

use clap::Args;
use node_client::Transaction;
use node_primitives::WalletAddress;

use super::{signing::HalfSigned, to_sign::ToSign};
use crate::{
    failure::Failure, files, key_access::SignerArgs, output, output::Output, settings::Session,
};

#[derive(Debug, Args)]
pub(crate) struct SignArgs {
    /// The raw or half-signed transaction, JSON, or - for standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    #[command(flatten)]
    signers: SignerArgs,
    /// Sign even though the transaction does not list the wallet in specific_data.signers
    #[arg(long)]
    unlisted: bool,
    /// Show exactly what would be signed, and sign nothing
    #[arg(long, conflicts_with = "out")]
    dry_run: bool,
    /// Write the signed transaction to a file, whole or not at all [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) async fn run(args: &SignArgs, session: &Session) -> Result<(), Failure> {
    let text = files::text("the transaction", &args.file)?;
    let mut transaction = HalfSigned::read(&text)?;
    let signers = args.signers.signers(session)?;
    for signer in &signers {
        let wallet = signer.wallet_address();
        if !args.unlisted && !transaction.required().contains(&wallet) {
            return Err(unlisted(wallet, transaction.required()));
        }
    }
    describe(&transaction, session.output);
    if args.dry_run {
        let wallets = signers
            .iter()
            .map(|signer| signer.wallet_address())
            .collect();
        return session.output.show(&ToSign::of(
            transaction.transaction(),
            transaction.message(),
            wallets,
        )?);
    }
    for signer in &signers {
        let wallet = signer.wallet_address();
        if transaction.is_signed_by(wallet) {
            session
                .output
                .note(&format!("{wallet} has signed it already"));
            continue;
        }
        transaction.sign(signer).await?;
        session.output.note(&format!("signed by {wallet}"));
    }
    for wallet in transaction.missing() {
        session
            .output
            .note(&format!("still to be signed by {wallet}"));
    }
    output::write_or_keep(transaction.text(), args.out.as_deref())
}

fn unlisted(wallet: WalletAddress, required: &[WalletAddress]) -> Failure {
    if required.is_empty() {
        return Failure::usage(format!(
            "the transaction names no signers in specific_data.signers, so nothing says that \
             {wallet} should sign it: give --unlisted to sign all the same"
        ));
    }
    let required: Vec<String> = required.iter().map(ToString::to_string).collect();
    Failure::usage(format!(
        "{wallet} is not among the transaction's signers, {}: give another wallet, or --unlisted \
         to sign all the same",
        required.join(", ")
    ))
}

/// Says beside the output what is being signed.
fn describe(transaction: &HalfSigned, output: Output) {
    let Ok(view) = Transaction::from_text(transaction.transaction()) else {
        return;
    };
    let mut parts = Vec::new();
    if let Ok(call) = view.contract_call() {
        let function = call.function().unwrap_or("a function");
        match call.address() {
            Ok(contract) => parts.push(format!("a call of {function} of {contract}")),
            Err(_) => parts.push(format!("a call of {function}")),
        }
    } else if let Ok(kind) = view.kind() {
        parts.push(format!("a transaction of type {kind}"));
    }
    if let Ok(fee) = view.fee() {
        parts.push(format!("fee {fee} {}", view.currency().unwrap_or("")));
    }
    if let Ok(code) = view.trans_code() {
        parts.push(format!("code {code}"));
    }
    output.note(&format!("signing {}", parts.join(", ")));
}
