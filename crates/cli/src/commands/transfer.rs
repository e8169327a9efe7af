//! `nodectl transfer`.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use nodeproof_claims::{CallOutcome, SavedCall};
use nodeproof_client::{CheckedTransaction, ContractCall, InclusionOptions, Transfer};
use nodeproof_files::{Shared, check_private_folder, parent_folder};
use nodeproof_primitives::{ContractAddress, Integer, Signer, TokenDecimals, WalletAddress};
use serde::Serialize;

use super::{not_made, to_sign::ToSign};
use crate::{
    arguments::{
        addresses::{contract_address, wallet_address},
        fee::FeeArgs,
        paths, seconds,
        time::TimeArgs,
    },
    failure::{Failure, Kind},
    io::{interrupt, output::CommandResult, table::Columns},
    session::{exposure, settings::Session, signers::SignerArgs},
};

#[derive(Debug, Args)]
pub(crate) struct TransferArgs {
    /// Address of the token's contract: ct and 40 lower-case hexadecimal digits
    #[arg(
        long,
        value_name = "ct…",
        env = "NODECTL_TOKEN_CONTRACT",
        hide_env_values = true,
        value_parser = contract_address
    )]
    token_contract: ContractAddress,
    /// Code of the token
    #[arg(long, value_name = "TOKEN")]
    token: String,
    /// Amount, in the token's smallest unit; with --decimals, in whole tokens, such as 1.25
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    amount: String,
    /// Number of the token's decimals. Nodes do not return it
    #[arg(long, value_name = "N")]
    decimals: Option<u8>,
    /// Address of the wallet that receives the tokens
    #[arg(long, value_name = "WALLET", value_parser = wallet_address)]
    to: WalletAddress,
    #[command(flatten)]
    fee: FeeArgs,
    /// The signers. The first one pays the tokens.
    #[command(flatten)]
    signers: SignerArgs,
    /// File in which the signed transaction is saved before it is sent. Each file is paid for once:
    /// give another one for another payment
    #[arg(long, value_name = "FILE", value_parser = paths::to_write())]
    keep: PathBuf,
    /// Maximum time to wait for the block, in seconds, and before that for a busy node
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds::positive)]
    wait: Duration,
    /// Do not wait for the block after the node accepts the transaction
    #[arg(long, conflicts_with = "wait")]
    no_wait: bool,
    /// Show exactly what would be signed. Sign, submit and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Submit a saved transaction to this node, although it was saved for another base URL. A node on
    /// the port of another network is always refused
    #[arg(long)]
    any_node: bool,
    #[command(flatten)]
    time: TimeArgs,
    /// Allow the transfer on mainnet, where it costs real money
    #[arg(long)]
    allow_mainnet: bool,
}

/// A transfer that the node accepted.
#[derive(Serialize)]
struct AcceptedTransfer {
    trans_code: String,
    saved_in: String,
    /// The index of the block with the transaction. Null if the command did not wait for it.
    block: Option<u64>,
    token: String,
    /// The amount in base units.
    amount: Integer,
    to: WalletAddress,
    /// Whether it was signed in an earlier run.
    resumed: bool,
    /// Whether the transaction was new to the node. Null if the response does not state it.
    new_transaction: Option<bool>,
}

impl CommandResult for AcceptedTransfer {
    fn for_a_person(&self) -> String {
        let block = self.block.map(|index| index.to_string());
        let mut columns = Columns::new();
        columns.row(["transaction", &self.trans_code]);
        columns.row(["saved in", &self.saved_in]);
        columns.row(["block", block.as_deref().unwrap_or("not waited for")]);
        columns.row(["token", &self.token]);
        columns.row(["base units", &self.amount.to_string()]);
        columns.row(["to", &self.to.to_string()]);
        columns.text()
    }
}

pub(crate) async fn run(args: &TransferArgs, session: &Session) -> Result<(), Failure> {
    let target = session.target()?;
    let network = match args.dry_run {
        // A dry run costs nothing on any network.
        true => target.network,
        false => Some(target.may_submit(args.allow_mainnet)?),
    };
    let amount = amount(args)?;
    let transfer = Transfer::new(amount, args.to, &*args.token);
    let fee = session.fee(&args.fee)?;
    let signers = args.signers.signers(session, network)?;
    let wallets: Vec<WalletAddress> = signers.iter().map(Signer::wallet_address).collect();
    let call = ContractCall::of(args.token_contract, &transfer).map_err(Failure::usage)?;
    let call = call.signers(wallets.iter().copied());
    exposure::check_json("the transfer", &call, &wallets, session)?;
    exposure::check("the currency", fee.currency(), &wallets, session)?;
    check_private_folder(parent_folder(&args.keep), Shared::Sticky).map_err(Failure::usage)?;
    let timeout = match args.no_wait {
        true => Duration::ZERO,
        false => args.wait,
    };
    let options = session.call_options(args.time.clock(), timeout);
    let wait = InclusionOptions {
        timeout,
        ..InclusionOptions::default()
    };
    CheckedTransaction::check_call(&call).map_err(Failure::usage)?;
    let client = session.client_of(&target)?;
    let saved_call = SavedCall {
        options,
        wait,
        any_node: args.any_node,
        network,
        ..SavedCall::new(call.clone(), fee.clone(), &args.keep)
    };
    if args.dry_run {
        let saved = saved_call.saved(&client).await;
        let saved = saved.map_err(|error| not_made::saved_file(&error))?;
        let build = async {
            let built = client.build_call(&call, &fee, args.time.clock());
            built.await.map_err(not_made::build)
        };
        let shown = ToSign::planned(saved, build, Some(&args.keep), wallets).await?;
        return session.output.show(&shown);
    }
    let saved_in = args.keep.display().to_string();
    let known = format!(
        "the transaction is saved in {saved_in} and was sent, or was about to be: run the same command again"
    );
    interrupt::set_interrupt_message_if_saved(args.keep.clone(), known);
    let signers: Vec<&dyn Signer> = signers.iter().map(|signer| &**signer).collect();
    let made = saved_call.make(&client, &signers).await;
    let made = made.map_err(not_made::saved_call)?;
    if let Some(failure) = unconfirmed(&made) {
        return Err(failure);
    }
    session.output.show(&AcceptedTransfer {
        trans_code: made.trans_code().to_string(),
        saved_in,
        block: made.block(),
        token: args.token.clone(),
        amount,
        to: args.to,
        resumed: made.resumed,
        new_transaction: made.new_transaction,
    })
}

/// Returns the amount in base units.
fn amount(args: &TransferArgs) -> Result<Integer, Failure> {
    if args.decimals.is_none()
        && !args
            .amount
            .trim_start_matches('-')
            .bytes()
            .all(|byte| byte.is_ascii_digit())
    {
        return Err(Failure::usage(format!(
            "--amount {:?} is not an integer: without --decimals, it is in the token's smallest unit",
            args.amount
        )));
    }
    let decimals = TokenDecimals::new(args.decimals.unwrap_or(0));
    let amount = decimals.parse(&args.amount).map_err(Failure::usage)?;
    if amount <= 0 {
        return Err(Failure::usage("--amount is not above zero"));
    }
    Ok(amount)
}

/// Returns the failure if no block shows the accepted transfer, or one shows it as failed.
fn unconfirmed(made: &CallOutcome) -> Option<Failure> {
    let code = made.trans_code();
    if let Some(included) = &made.included
        && let Some(status) = included.status().filter(|status| *status < 0)
    {
        let text = format!(
            "transaction {code} is in block {} with status {status}, so it has probably failed: look at the balance, with \
             `nodectl balance`",
            included.block
        );
        return Some(Failure::new(Kind::Unconfirmed, text));
    }
    let what = match (made.block(), made.shows_transactions) {
        (Some(_), _) | (None, None) => return None,
        (None, Some(true)) => {
            "no block that was read so far has it: run the same command again, which submits the same transaction"
        }
        (None, Some(false)) => {
            "is not confirmed, because the node does not show the transactions of its blocks: look at \
             the balance, with `nodectl balance`"
        }
    };
    let text = format!("transaction {code} was accepted, and {what}");
    Some(Failure::new(Kind::Unconfirmed, text))
}
