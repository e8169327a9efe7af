//! `nodectl claim add`.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use nodeproof_client::{
    ContractCall,
    claim::{CheckedTransaction, Claim, ClaimOptions, Document, Kept},
};
use nodeproof_primitives::{
    ContractAddress, Hash256, Integer, Signer, WalletAddress, signed_message,
};

use super::{keep, outcome, progress::Progress, record};
use crate::{
    cli::{FeeArgs, contract_address},
    commands::{call::not_echoed, to_sign::ToSign},
    failure::Failure,
    files, interrupt,
    key_access::SignerArgs,
    seconds,
    settings::{Session, Target},
};

#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// Identifier of the asset that the claim is about
    #[arg(long, value_name = "TEXT")]
    asset: String,
    /// Kind of asset
    #[arg(long, value_name = "TEXT", default_value = "token")]
    asset_type: String,
    /// A supporting document, whose SHA-256 is claimed; may be given more than once
    #[arg(long, value_name = "PATH")]
    document: Vec<PathBuf>,
    /// The SHA-256 of a supporting document, 64 hexadecimal digits, after those of --document; may
    /// be given more than once
    #[arg(long, value_name = "HEX")]
    document_hash: Vec<Hash256>,
    /// A link to a supporting document; may be given more than once
    #[arg(long, value_name = "URL")]
    link: Vec<String>,
    /// What was found, a whole number; the contract does not state what the values mean
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
    /// Threshold after which the record may be deleted, a whole number; the contract does not
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
    /// Who signs; the first one is the verifier.
    #[command(flatten)]
    signers: SignerArgs,
    /// File in which the signed transaction is kept before it is sent [default: one named by the
    /// claim, in $XDG_STATE_HOME/nodectl/claims or ~/.local/state/nodectl/claims]
    #[arg(long, value_name = "FILE", value_parser = files::to_write())]
    keep: Option<PathBuf>,
    /// How long to wait until the record can be read, in seconds
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds::positive)]
    wait: Duration,
    /// End when the node took the transaction, and do not wait for the record
    #[arg(long, conflicts_with = "wait")]
    no_wait: bool,
    /// Show exactly what would be signed; sign nothing, submit nothing, write nothing
    #[arg(long)]
    dry_run: bool,
    /// Make another claim, and pay again, although an earlier one is kept and may still be
    /// recorded; the kept one's file is put aside when the new one is signed. Where this
    /// verifier's record is there already, it is refused all the same, as a node keeps one
    #[arg(long)]
    again: bool,
    /// Submit a kept transaction to this node although it was kept for another base URL
    #[arg(long)]
    any_node: bool,
    /// Make the claim on mainnet, too, where it costs real money
    #[arg(long)]
    allow_mainnet: bool,
}

pub(super) async fn run(args: &AddArgs, session: &Session) -> Result<(), Failure> {
    let target = session.target()?;
    let network = if args.dry_run {
        // What is only shown costs nothing anywhere.
        target.network
    } else {
        Some(target.may_submit(args.allow_mainnet)?)
    };
    let claim = claim(args, session)?;
    let signers = args.signers.signers(session)?;
    let wallets: Vec<WalletAddress> = signers.iter().map(Signer::wallet_address).collect();
    // What is wrong without the documents is told before they are read.
    claim
        .params(&wallets, Vec::new())
        .map_err(outcome::failure)?;

    let progress = Progress::new(session.output, !args.no_wait);
    let mut hashes = hashed(&args.document, &progress).await?;
    hashes.extend(&args.document_hash);
    let call = claim
        .call(&wallets, hashes.clone())
        .map_err(outcome::failure)?;
    let place = match (&args.keep, network) {
        (Some(path), _) => Some(path.clone()),
        (None, Some(network)) => Some(keep::usual_place(network, &call, &claim.fee)?),
        (None, None) => None,
    };
    let kept = match &place {
        // Whatever lies there is put aside when the new transaction is signed.
        Some(place) if !args.again => Kept::open(place).map_err(Failure::usage)?,
        _ => None,
    };
    if let Some(kept) = &kept
        && !args.any_node
        && kept.node() != target.base_url.as_str()
    {
        return Err(Failure::usage(format!(
            "an earlier run kept this claim's transaction in {} for the node at {}, and now it is \
             {}: if that is a node of the same network, give --any-node to submit it here; if not, \
             give another file with --keep",
            kept.path().display(),
            kept.node(),
            target.base_url
        )));
    }
    if args.dry_run {
        let mut shown =
            to_be_signed(session, &target, &claim, &call, wallets, kept.as_ref()).await?;
        if let Some(place) = place {
            shown = shown.kept_in(place.display().to_string(), kept.is_some());
        }
        return session.output.show(&shown);
    }
    let (Some(place), Some(network), Some(verifier)) = (place, network, wallets.first()) else {
        return Err(Failure::usage("which network? Give --network"));
    };
    if kept.is_none() && !args.again {
        let folders = keep::folders(&place);
        keep::refuse_pending(&folders, network, &claim, *verifier, session.output)?;
    }
    keep::make_folder(&place)?;
    if args.keep.is_none() {
        keep::clear_leavings(&place);
    }
    let claim = hashes.into_iter().fold(claim, Claim::document);
    let told = progress.clone();
    let mut options = ClaimOptions::default()
        .keep(&place)
        .again(args.again)
        .any_node(args.any_node)
        .on_step(move |step| told.step(step));
    options.wait = if args.no_wait {
        Duration::ZERO
    } else {
        args.wait
    };
    let client = session.client_of(&target)?;
    let signers: Vec<&dyn Signer> = signers.iter().map(|signer| &**signer).collect();
    let made = client.claim(&claim, &signers, &options).await;
    progress.end();
    let made = made.map_err(outcome::failure)?;
    if let Some(failure) = outcome::unconfirmed(&made, !args.no_wait) {
        return Err(failure);
    }
    interrupt::from_now_on(format!(
        "the node took the transaction {}, which is kept in {}: the same command again shows it",
        made.trans_code(),
        place.display()
    ));
    session.output.show(&outcome::Made {
        trans_code: made.trans_code().to_string(),
        verifier: wallets.first().copied(),
        new_transaction: made.new_transaction,
        resumed: made.resumed,
        kept_in: place.display().to_string(),
        record: made.record().map(record::Shown::of),
    })
}

/// What is claimed, without the documents.
fn claim(args: &AddArgs, session: &Session) -> Result<Claim, Failure> {
    let contract = session.contract(args.contract)?;
    let fee = session.fee(&args.fee)?;
    let remarks = match &args.remarks_file {
        Some(path) => files::text("the remarks", path)?.trim_end().to_owned(),
        None => args.remarks.clone(),
    };
    let claim = Claim::new(contract, &*args.asset, args.deletable_after.clone(), fee)
        .asset_type(&*args.asset_type)
        .outcome(args.outcome.clone())
        .remarks(remarks);
    Ok(args.link.iter().fold(claim, |claim, link| claim.link(link)))
}

/// The hashes of documents, taken where it keeps nobody waiting.
async fn hashed(paths: &[PathBuf], progress: &Progress) -> Result<Vec<Hash256>, Failure> {
    let mut hashes = Vec::with_capacity(paths.len());
    for path in paths {
        let (document, told) = (path.clone(), progress.clone());
        let work = tokio::task::spawn_blocking(move || {
            Document::from(&*document).hash(|progress| told.hashing(&document, progress))
        });
        let hash = work
            .await
            .map_err(|_| Failure::usage("hashing the documents broke off"))?
            .map_err(Failure::usage)?;
        progress.hashed(path, &hash);
        hashes.push(hash);
    }
    Ok(hashes)
}

/// What would be signed, or what an earlier run signed.
async fn to_be_signed(
    session: &Session,
    target: &Target,
    claim: &Claim,
    call: &ContractCall,
    wallets: Vec<WalletAddress>,
    kept: Option<&Kept>,
) -> Result<ToSign, Failure> {
    if let Some(kept) = kept {
        kept.check_same(call, &claim.fee).map_err(Failure::usage)?;
        let transaction = kept.signed().transaction_text();
        let message = signed_message(transaction).map_err(Failure::usage)?;
        return ToSign::of(transaction, &message, wallets);
    }
    let client = session.client_of(target)?;
    let raw = client.build_call(call).await?;
    let checked = CheckedTransaction::check(call, &raw, &claim.fee).map_err(not_echoed)?;
    client.check_timely(&checked).await.map_err(not_echoed)?;
    ToSign::of(checked.transaction_text(), checked.message(), wallets)
}
