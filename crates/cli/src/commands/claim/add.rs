//! `nodectl claim add`.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use nodeproof_claims::{Claim, ClaimOptions, ClaimStep, Document, OnStep, PreparedClaim};
use nodeproof_primitives::{ContractAddress, Hash256, Integer, Network, Signer, WalletAddress};

use super::{outcome, progress::Progress, record, saved_claims};
use crate::{
    arguments::{addresses::contract_address, fee::FeeArgs, paths, seconds, time::TimeArgs},
    commands::to_sign::ToSign,
    failure::Failure,
    io::{input, interrupt},
    session::{exposure, settings::Session, signers::SignerArgs},
};

#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// Identifier of the asset that the claim is about
    #[arg(long, value_name = "TEXT")]
    asset: String,
    /// Kind of asset
    #[arg(long, value_name = "TEXT", default_value = "token")]
    asset_type: String,
    /// File of a supporting document. The claim contains its SHA-256. May be given more than once
    #[arg(long, value_name = "PATH")]
    document: Vec<PathBuf>,
    /// SHA-256 of a supporting document, 64 hexadecimal digits. May be given more than once. These
    /// hashes follow those of the documents
    #[arg(long, value_name = "HEX")]
    document_hash: Vec<Hash256>,
    /// Link to a supporting document. May be given more than once
    #[arg(long, value_name = "URL")]
    link: Vec<String>,
    /// Outcome of the verification, a whole number. The specification does not state what the
    /// values mean
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_negative_numbers = true
    )]
    outcome: Integer,
    /// Free text
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    remarks: String,
    /// File with the free text, UTF-8, or - for standard input
    #[arg(long, value_name = "FILE|-", conflicts_with = "remarks")]
    remarks_file: Option<PathBuf>,
    /// Threshold after which the record may be deleted, a whole number. The specification does not
    /// state its unit
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    deletable_after: Integer,
    /// Address of the verification contract: ct and 40 lower-case hexadecimal digits
    #[arg(
        long,
        value_name = "ct…",
        env = "NODECTL_CONTRACT",
        hide_env_values = true,
        value_parser = contract_address
    )]
    contract: Option<ContractAddress>,
    #[command(flatten)]
    fee: FeeArgs,
    /// The signers. The first one is the verifier.
    #[command(flatten)]
    signers: SignerArgs,
    /// File in which the signed transaction is saved before it is sent [default: a file for the
    /// claim, in $XDG_STATE_HOME/nodectl/claims or ~/.local/state/nodectl/claims]
    #[arg(long, value_name = "FILE", value_parser = paths::to_write())]
    keep: Option<PathBuf>,
    /// Maximum time to wait for the record, in seconds, and before that for a busy node
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds::positive)]
    wait: Duration,
    /// Do not wait for the record after the node accepts the transaction
    #[arg(long, conflicts_with = "wait")]
    no_wait: bool,
    /// Show exactly what would be signed. Sign, submit and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Make another claim, and pay again, although a saved earlier claim may still be recorded.
    /// After a crash or a lost connection, leave it out: the same transaction is submitted then.
    /// This is possible even if a node refused the earlier one. Its file is renamed when the new
    /// claim is signed. If this verifier already has a record about the asset, the claim is refused
    /// anyway, because a node keeps only one
    #[arg(long)]
    again: bool,
    /// Submit a saved transaction to this node, although it was saved for another base URL
    #[arg(long)]
    any_node: bool,
    /// Pay although the file system of the saved claims has no locks, so that another process could
    /// pay for a claim about the same asset at the same time
    #[arg(long)]
    without_lock: bool,
    #[command(flatten)]
    time: TimeArgs,
    /// Allow the claim on mainnet, where it costs real money
    #[arg(long)]
    allow_mainnet: bool,
}

pub(super) async fn run(args: &AddArgs, session: &Session) -> Result<(), Failure> {
    let target = session.target()?;
    let network = if args.dry_run {
        // A dry run costs nothing on any network.
        target.network
    } else {
        Some(target.may_submit(args.allow_mainnet)?)
    };
    let claim = claim(args, session)?;
    let signers = args.signers.signers(session, network)?;
    let wallets: Vec<WalletAddress> = signers.iter().map(Signer::wallet_address).collect();
    let client = session.client_of(&target)?;

    let progress = Progress::new(session.output, !args.no_wait);
    let options = options(args, session, network, &progress);
    let prepared = PreparedClaim::prepare(&client, &claim, &wallets, &options).await;
    progress.end();
    let prepared = prepared.map_err(outcome::failure)?;
    exposure::check_json("the claim", prepared.call(), &wallets, session)?;
    exposure::check("the currency", claim.fee.currency(), &wallets, session)?;
    for (path, hash) in args.document.iter().zip(&prepared.params().doc_hash_list) {
        progress.hashed(path, hash);
    }
    let file = match (&args.keep, network) {
        (Some(path), _) => Some(path.clone()),
        (None, Some(_)) => Some(saved_claims::default_file(&prepared)?),
        (None, None) => None,
    };
    if let Some(file) = &file {
        saved_claims::check_folders(file)?;
    }
    if args.dry_run {
        let saved = match &file {
            Some(file) => prepared.saved(file).await.map_err(outcome::failure)?,
            None => None,
        };
        let build = async { prepared.build().await.map_err(outcome::failure) };
        let shown = ToSign::planned(saved, build, file.as_deref(), wallets).await?;
        return session.output.show(&shown);
    }
    let Some(file) = file else {
        return Err(Failure::usage("which network? Give --network"));
    };
    saved_claims::create_folders(&file)?;
    let signers: Vec<&dyn Signer> = signers.iter().map(|signer| &**signer).collect();
    let made = prepared.complete(&file, &signers).await;
    progress.end();
    let made = made.map_err(outcome::failure)?;
    if let Some(failure) = outcome::unconfirmed(&made, !args.no_wait) {
        return Err(failure);
    }
    interrupt::set_interrupt_message(format!(
        "the node accepted the transaction {}, which is saved in {}: run the same command again to see it",
        made.trans_code(),
        file.display()
    ));
    session.output.show(&outcome::AcceptedClaim {
        trans_code: made.trans_code().to_string(),
        verifier: wallets.first().copied(),
        new_transaction: made.new_transaction,
        resumed: made.resumed,
        saved_in: file.display().to_string(),
        block: made.inclusion.as_ref().map(|found| found.block),
        record: made.record().map(record::RecordView::of),
    })
}

/// Returns the claim of the command line.
fn claim(args: &AddArgs, session: &Session) -> Result<Claim, Failure> {
    let contract = session.contract(args.contract)?;
    let fee = session.fee(&args.fee)?;
    let remarks = match &args.remarks_file {
        Some(path) => input::text("the remarks", path)?.trim_end().to_owned(),
        None => args.remarks.clone(),
    };
    let files = args.document.iter().map(|path| Document::from(&**path));
    let hashes = args.document_hash.iter().map(|hash| Document::from(*hash));
    Ok(Claim {
        asset_type: args.asset_type.clone(),
        outcome: args.outcome,
        documents: files.chain(hashes).collect(),
        links: args.link.clone(),
        remarks,
        ..Claim::new(contract, &*args.asset, args.deletable_after, fee)
    })
}

/// Returns the options of the claim.
fn options(
    args: &AddArgs,
    session: &Session,
    network: Option<Network>,
    progress: &Progress,
) -> ClaimOptions {
    let (progress, dry_run) = (progress.clone(), args.dry_run);
    let wait = match args.no_wait {
        true => Duration::ZERO,
        false => args.wait,
    };
    ClaimOptions {
        wait,
        call: session.call_options(args.time.clock(), wait),
        again: args.again,
        any_node: args.any_node,
        without_lock: args.without_lock,
        search_folders: saved_claims::default_folder().into_iter().collect(),
        network,
        on_step: OnStep::new(move |step| {
            if !dry_run || matches!(step, ClaimStep::Hashing { .. }) {
                progress.step(step);
            }
        }),
        ..ClaimOptions::default()
    }
}
