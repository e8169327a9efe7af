//! `nodectl state`.

use clap::Args;
use node_primitives::{ContractAddress, RawJson};
use serde::Serialize;

use crate::{
    cli::contract_address,
    failure::Failure,
    output::{Answer, harmless_json},
    settings::Session,
};

#[derive(Debug, Args)]
pub(crate) struct StateArgs {
    /// Address of the contract: ct and 40 lower-case hexadecimal digits
    #[arg(long, value_name = "ct…", env = "NODECTL_CONTRACT", hide_env_values = true, value_parser = contract_address)]
    contract: Option<ContractAddress>,
    /// Name of the contract's table, such as verification
    #[arg(long, value_name = "NAME")]
    table: String,
    /// Name of the column to look in, such as asset_id
    #[arg(long, value_name = "NAME")]
    column: String,
    /// What the record has in that column
    #[arg(long, value_name = "TEXT")]
    value: String,
}

#[derive(Serialize)]
struct State<'a> {
    contract: ContractAddress,
    table: &'a str,
    column: &'a str,
    value: &'a str,
    /// As the node wrote it.
    record: &'a RawJson,
}

impl Answer for State<'_> {
    fn for_a_person(&self) -> String {
        format!("{}\n", harmless_json(self.record.as_str()))
    }
}

pub(crate) async fn run(args: &StateArgs, session: &Session) -> Result<(), Failure> {
    let contract = session.contract(args.contract)?;
    let state = session
        .client()?
        .contract_state(&args.table, contract, &args.column, &args.value)
        .await?;
    let record = state.record().map_err(Failure::unexpected)?;
    let record = record.ok_or_else(|| {
        Failure::not_found(format!(
            "the table {} of {contract} has no record with {:?} in {}",
            args.table, args.value, args.column
        ))
    })?;
    session.output.show(&State {
        contract,
        table: &args.table,
        column: &args.column,
        value: &args.value,
        record,
    })
}
