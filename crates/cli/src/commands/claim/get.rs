//! `nodectl claim get`.

use clap::Args;
use nodeproof_client::{Client, VerificationRecord};
use nodeproof_primitives::{ContractAddress, WalletAddress};
use serde::Serialize;

use super::record::RecordView;
use crate::{
    arguments::addresses::{contract_address, wallet_address},
    failure::Failure,
    io::{output::CommandResult, table::Columns},
    session::settings::Session,
};

/// The table of the contract. Source: the contract, "Verification record".
const TABLE: &str = "verification";

#[derive(Debug, Args)]
pub(super) struct GetArgs {
    /// Identifier of the asset that the claim is about
    #[arg(value_name = "ASSET")]
    asset: String,
    /// Address of the verification contract: ct and 40 lower-case hexadecimal digits
    #[arg(
        long,
        value_name = "ct…",
        env = "NODECTL_CONTRACT",
        hide_env_values = true,
        value_parser = contract_address
    )]
    contract: Option<ContractAddress>,
    /// Only this verifier's record
    #[arg(long, value_name = "WALLET", value_parser = wallet_address)]
    verifier: Option<WalletAddress>,
}

#[derive(Serialize)]
struct Records<'r> {
    asset_id: &'r str,
    records: Vec<RecordView<'r>>,
}

impl CommandResult for Records<'_> {
    fn for_a_person(&self) -> String {
        let texts: Vec<String> = self
            .records
            .iter()
            .map(|record| {
                let mut columns = Columns::new();
                record.rows(&mut columns);
                columns.text()
            })
            .collect();
        texts.join("\n")
    }
}

pub(super) async fn run(args: &GetArgs, session: &Session) -> Result<(), Failure> {
    let contract = session.contract(args.contract)?;
    let client = session.client()?;
    let (mut records, mut words) =
        about(&client, contract, "asset_id", &args.asset, &args.asset).await?;
    if let Some(verifier) = args.verifier {
        let own = |record: &VerificationRecord| record.verifier_address() == Ok(verifier);
        if !records.is_empty() && !records.iter().any(own) {
            // Some nodes return only the first record about an asset, so search for the verifier's.
            let column = "verifier_address";
            (records, words) = about(
                &client,
                contract,
                column,
                &verifier.to_string(),
                &args.asset,
            )
            .await?;
        }
        records.retain(own);
    }
    if records.is_empty() {
        let by = args
            .verifier
            .map(|verifier| format!(" by {verifier}"))
            .unwrap_or_default();
        let words = words.map(|words| format!(" ({words})")).unwrap_or_default();
        return Err(Failure::not_found(format!(
            "{contract} has no record about {:?}{by}{words}; a claim that was just submitted is there \
             when its block is made",
            args.asset
        )));
    }
    for record in &records {
        for fault in record.faults() {
            session
                .output
                .warn(&format!("a field of the record can't be read: {fault}"));
        }
    }
    session.output.show(&Records {
        asset_id: &args.asset,
        records: records.iter().map(RecordView::of).collect(),
    })
}

/// Returns the records about an asset with this value in the column.
///
/// If the node reports that there are none in an error response, also returns its message.
async fn about(
    client: &Client,
    contract: ContractAddress,
    column: &str,
    value: &str,
    asset: &str,
) -> Result<(Vec<VerificationRecord>, Option<String>), Failure> {
    let state = match client.contract_state(TABLE, contract, column, value).await {
        Ok(state) => state,
        // The contract does not define the response for a missing record.
        Err(error) if error.is_absent() => {
            return Ok((Vec::new(), Some(error.reason().to_owned())));
        }
        Err(error) => return Err(error.into()),
    };
    let mut records = state.verifications().map_err(Failure::unexpected)?;
    for record in &records {
        if let Ok(other) = record.contract_address()
            && other != contract
        {
            return Err(Failure::unexpected(format!(
                "expected a record of {contract}, but the node returned one of {other}"
            )));
        }
        if column != "asset_id" {
            continue;
        }
        match record.asset_id() {
            Ok(found) if found == asset => {}
            Ok(other) => {
                return Err(Failure::unexpected(format!(
                    "expected the record of {asset:?}, but the node returned that of {other:?}"
                )));
            }
            Err(fault) => {
                return Err(Failure::unexpected(format!(
                    "expected the record of {asset:?}, but the returned record does not name its \
                     asset: {fault}"
                )));
            }
        }
    }
    records.retain(|record| record.asset_id() == Ok(asset));
    Ok((records, None))
}
