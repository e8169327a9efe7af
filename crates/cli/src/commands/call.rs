//! `nodectl call`.

use std::path::PathBuf;

use clap::Args;
use nodeproof_client::{CheckedTransaction, ContractCall};
use nodeproof_primitives::{ContractAddress, RawJson, WalletAddress};

use super::{field_text::date_and_time, not_made};
use crate::{
    arguments::{
        addresses::{contract_address, wallet_address},
        fee::FeeArgs,
        paths,
        time::TimeArgs,
    },
    failure::Failure,
    io::{input, output, transaction_file},
    session::{exposure, settings::Session},
};

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Address of the contract: ct and 40 lower-case hexadecimal digits
    #[arg(long, value_name = "ct…", env = "NODECTL_CONTRACT", hide_env_values = true, value_parser = contract_address)]
    contract: Option<ContractAddress>,
    /// Name of the contract's function, such as transfer
    #[arg(long, value_name = "NAME")]
    function: String,
    /// Address of a wallet that will sign; may be given more than once
    #[arg(long, value_name = "WALLET", value_parser = wallet_address, required = true)]
    signer: Vec<WalletAddress>,
    /// File with the function's parameters, a JSON object, or - for standard input
    #[arg(long, value_name = "FILE|-")]
    params: PathBuf,
    #[command(flatten)]
    fee: FeeArgs,
    #[command(flatten)]
    time: TimeArgs,
    /// Write the raw transaction to a file, atomically [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = paths::to_write())]
    out: Option<PathBuf>,
}

pub(crate) async fn run(args: &CallArgs, session: &Session) -> Result<(), Failure> {
    transaction_file::check(args.out.as_deref())?;
    let fee = session.fee(&args.fee)?;
    let params = input::text("the parameters", &args.params)?;
    let params: RawJson = params
        .trim()
        .parse()
        .map_err(|error| Failure::usage(format!("the parameters are not JSON: {error}")))?;
    let call = ContractCall::new(session.contract(args.contract)?, &*args.function)
        .signers(args.signer.iter().copied())
        .params(&params)
        .map_err(|_| Failure::usage("the parameters of a contract's function are a JSON object"))?;
    exposure::check_json("the call", &call, &args.signer, session)?;
    exposure::check("the currency", fee.currency(), &args.signer, session)?;
    CheckedTransaction::check_call(&call).map_err(Failure::usage)?;
    let client = session.client()?;
    let checked = client
        .build_call(&call, &fee, args.time.clock())
        .await
        .map_err(not_made::build)?;
    session.output.note(&format!(
        "the node built transaction {} as requested: time {}",
        checked.trans_code(),
        date_and_time(checked.timestamp())
    ));
    output::write_or_keep(
        &format!(
            r#"{{"transaction":{},"signatures":[]}}"#,
            checked.transaction_text()
        ),
        args.out.as_deref(),
    )
}
