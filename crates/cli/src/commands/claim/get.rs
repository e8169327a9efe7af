//! `nodectl claim get`.

use clap::Args;
use nodeproof_client::{Client, VerificationRecord};
use nodeproof_primitives::{ContractAddress, WalletAddress};
use serde::Serialize;

use super::record::RecordView;
use crate::{
    arguments::addresses::{contract_address, wallet_address},
    commands::refusal::refusal,
    failure::Failure,
    io::{output::CommandResult, table::Columns},
    session::settings::Session,
};

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
    let mut records = find_records(&client, contract, "asset_id", &args.asset, &args.asset).await?;
    if let Some(verifier) = args.verifier {
        let own = |record: &VerificationRecord| record.verifier_address == verifier;
        if !records.is_empty() && !records.iter().any(own) {
            // Some nodes return only the first record about an asset, so search for the verifier's.
            let column = "verifier_address";
            records = find_records(
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
        let request = client.generated();
        let asset = &*args.asset;
        let words = request.sc_state(&contract, "verification", "asset_id", asset);
        let words = refusal(words.await).await;
        return Err(Failure::not_found(format!(
            "{contract} has no record about {:?}{by}{words}; a claim that was just submitted is there \
             when its block is made",
            args.asset
        )));
    }
    session.output.show(&Records {
        asset_id: &args.asset,
        records: records.iter().map(RecordView::of).collect(),
    })
}

/// Requests the records with this value in the column, and returns those about an asset.
async fn find_records(
    client: &Client,
    contract: ContractAddress,
    column: &str,
    value: &str,
    asset: &str,
) -> Result<Vec<VerificationRecord>, Failure> {
    let mut records = client.verifications(contract, column, value).await?;
    for record in &records {
        if let Some(other) = record.contract
            && other != contract
        {
            return Err(Failure::unexpected(format!(
                "expected a record of {contract}, but the node returned one of {other}"
            )));
        }
        if column == "asset_id" && record.asset_id != asset {
            return Err(Failure::unexpected(format!(
                "expected the record of {asset:?}, but the node returned that of {:?}",
                record.asset_id
            )));
        }
    }
    records.retain(|record| record.asset_id == asset);
    Ok(records)
}
