//! `nodectl state`.

use std::collections::BTreeMap;

use clap::Args;
use nodeproof_primitives::{ContractAddress, RawJson, escape::excerpt};
use serde::Serialize;

use super::refusal::refusal;
use crate::{
    arguments::addresses::contract_address,
    failure::Failure,
    io::output::{CommandResult, harmless_json},
    session::settings::Session,
};

/// The table with known columns. Source: observed on a real node (RECORD-15).
const VERIFICATION: &str = "verification";

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
    /// Value to look for in that column
    #[arg(long, value_name = "TEXT")]
    value: String,
}

#[derive(Serialize)]
struct State<'a> {
    contract: ContractAddress,
    table: &'a str,
    column: &'a str,
    value: &'a str,
    /// The record, unchanged.
    record: &'a RawJson,
}

impl CommandResult for State<'_> {
    fn for_a_person(&self) -> String {
        format!("{}\n", harmless_json(self.record.as_str()))
    }
}

pub(crate) async fn run(args: &StateArgs, session: &Session) -> Result<(), Failure> {
    let contract = session.contract(args.contract)?;
    let client = session.client()?;
    let (table, column, value) = (&*args.table, &*args.column, &*args.value);
    let record = client
        .contract_state(table, contract, column, value)
        .await?;
    let Some(record) = record else {
        let request = client.generated();
        let words = refusal(request.sc_state(&contract, table, column, value).await).await;
        return Err(Failure::not_found(format!(
            "the table {table} of {contract} has no record with {value:?} in {column}{words}"
        )));
    };
    if let Some(other) = contradicting_value(&record, args) {
        return Err(Failure::unexpected(format!(
            "expected a record with {:?} in {}, but the node returned one with {}",
            args.value,
            args.column,
            excerpt(other.as_str().as_bytes(), MAX_CHARACTERS)
        )));
    }
    session.output.show(&State {
        contract,
        table: &args.table,
        column: &args.column,
        value: &args.value,
        record: &record,
    })
}

/// Maximum length of the excerpt of another record, in bytes.
const MAX_CHARACTERS: usize = 120;

/// Returns what a record has instead of the requested value, if it is clearly another record.
///
/// An object has the column's name. The columns of a row have no names. But a row of the documented
/// table has all columns, so one of them must have the value.
fn contradicting_value(record: &RawJson, args: &StateArgs) -> Option<RawJson> {
    let inside = record.decode::<String>().ok();
    let text = inside.as_deref().unwrap_or(record.as_str()).trim();
    let says = |found: &RawJson| {
        found.as_str() == args.value
            || found
                .decode::<String>()
                .is_ok_and(|found| found == args.value)
    };
    if let Ok(members) = serde_json::from_str::<BTreeMap<String, RawJson>>(text) {
        return members
            .get(&args.column)
            .filter(|found| !says(found))
            .cloned();
    }
    let cells: Vec<RawJson> = serde_json::from_str(text).ok()?;
    let several = |cell: &RawJson| cell.as_str().starts_with(['[', '{']);
    if !cells.is_empty() && cells.iter().all(several) {
        return cells
            .iter()
            .find_map(|record| contradicting_value(record, args));
    }
    let is_other = args.table == VERIFICATION && !cells.is_empty() && !cells.iter().any(says);
    is_other.then(|| record.clone())
}
