//! `nodectl sign`.

use std::path::PathBuf;

use clap::Args;
use nodeproof_primitives::WalletAddress;

use super::{
    described::{describe_unsigned_members, described, summary},
    signing::HalfSigned,
    to_sign::ToSign,
    transaction_input::TransactionInput,
};
use crate::{
    arguments::paths,
    failure::Failure,
    io::{confirm, output, transaction_file},
    session::{settings::Session, signers::SignerArgs},
};

/// Maximum length of a shown value, in characters, if the user need not confirm the transaction.
const MAX_WARNINGS: usize = 1_000;

#[derive(Debug, Args)]
pub(crate) struct SignArgs {
    /// File with the raw or partly signed transaction, JSON, or - for standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    #[command(flatten)]
    signers: SignerArgs,
    /// Sign even though the transaction does not list the wallet in specific_data.signers
    #[arg(long)]
    unlisted: bool,
    /// Show exactly what would be signed. Sign nothing
    #[arg(long, conflicts_with = "out")]
    dry_run: bool,
    /// Sign without confirmation, for scripts. Without this flag, the terminal shows the
    /// transaction and asks for confirmation, also with -q
    #[arg(long)]
    yes: bool,
    /// Write the signed transaction to a file, atomically [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = paths::to_write())]
    out: Option<PathBuf>,
}

pub(crate) async fn run(args: &SignArgs, session: &Session) -> Result<(), Failure> {
    transaction_file::check(args.out.as_deref())?;
    let input = TransactionInput::read("the transaction", &args.file)?;
    let mut transaction = input.parsed(HalfSigned::read)?;
    transaction.check_numbers()?;
    let unknown = transaction.unknown_signers();
    let signers = args.signers.signers(session, session.network())?;
    for signer in &signers {
        let wallet = signer.wallet_address();
        if !args.unlisted && unknown.is_none() && !transaction.required().contains(&wallet) {
            return Err(unlisted(wallet, transaction.required()));
        }
    }
    let to_sign: Vec<WalletAddress> = signers
        .iter()
        .map(|signer| signer.wallet_address())
        .filter(|wallet| !transaction.is_signed_by(*wallet))
        .collect();
    let asks = !args.yes && !args.dry_run && !to_sign.is_empty();
    // A person who confirms the transaction must see all of it.
    let most = if asks { usize::MAX } else { MAX_WARNINGS };
    let mut lines = described(transaction.transaction(), most);
    lines.extend(describe_unsigned_members(transaction.text(), most));
    for line in &lines {
        let line = format!("to be signed: {line}");
        if asks {
            // Shown even with `--quiet`, because the user must confirm it.
            session.output.tell(&line);
        } else {
            session.output.note(&line);
        }
    }
    if let Some(unknown) = &unknown {
        session.output.warn(unknown);
    }
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
    if !asks && !to_sign.is_empty() {
        transaction.check_time()?;
    }
    if asks {
        let by: Vec<String> = to_sign.iter().map(ToString::to_string).collect();
        let what = summary(transaction.transaction());
        confirm::ask(&format!("Sign this with {}? {what}", by.join(" and ")))?;
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
            "the transaction names no signers in specific_data.signers, so {wallet} is not \
             listed: give --unlisted to sign it anyway"
        ));
    }
    let required: Vec<String> = required.iter().map(ToString::to_string).collect();
    Failure::usage(format!(
        "{wallet} is not among the transaction's signers, {}: give another wallet, or --unlisted \
         to sign it anyway",
        required.join(", ")
    ))
}
