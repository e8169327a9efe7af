//! Claims that a document supports an asset, and shows the record of it.
//!
//! `cargo run -p integration-tests --example claim -- http://localhost:8420 ct… wallet.json asset document token`
//!
//! The wallet is a key file. The signed transaction is saved beside the document, so that running
//! this again after a crash makes no second claim. It costs the fee that is set below.

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::{env, error::Error, path::PathBuf};

use nodeproof_claims::{Claim, ClaimOptions, ClaimStep, ReadBack};
use nodeproof_client::{Client, contract_call::Fee};
use nodeproof_wallet::KeyFile;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut next = |what: &str| arguments.next().ok_or(format!("{what} is missing"));
    let node = Client::new(next("the base URL of a node")?)?;
    let contract = next("the verification contract's address")?.parse()?;
    let wallet = KeyFile::read(next("the verifier's key file")?)?.key_pair(None)?;
    let asset = next("the asset's identifier")?;
    let document = PathBuf::from(next("the document's path")?);
    let currency = next("the token that the fee is paid in")?;

    let saved = document.with_extension("claim.json");
    let claim = Claim::new(
        contract,
        asset,
        2_500_000,
        Fee::new(1_500_000.into(), currency)?,
    )
    .document(document)
    .remarks("Weighed and sealed in the presence of the owner");
    let options = ClaimOptions::default()
        .save_to(saved)
        .on_step(|step| match step {
            ClaimStep::Built { transaction } => println!("{transaction}"),
            ClaimStep::Submitted { .. } => println!("submitted; waiting for its record"),
            _ => {}
        });
    let outcome = claim.make(&node, &[&wallet], &options).await?;
    match &outcome.read_back {
        ReadBack::Recorded(record) => println!(
            "recorded: {:?} with the documents {:?}",
            record.asset_id()?,
            record.doc_hash_list()?
        ),
        seen => println!("not to be seen yet; run this again later: {seen:?}"),
    }
    Ok(())
}
