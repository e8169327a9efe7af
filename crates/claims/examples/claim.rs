//! Makes a claim about an asset, with a document as its proof, and prints its record.
//!
//! `cargo run -p nodeproof-claims --example claim -- http://localhost:8420 asset document`
//!
//! It uses the public test key and the contract of a devnode with the seed 0. For another node,
//! change the constants, and read the key from a key file (`nodeproof_wallet::KeyFile`). The signed
//! transaction is saved next to the document. If you run the example again, it makes no second claim.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::{env, error::Error, path::PathBuf};

use nodeproof_claims::{Claim, ClaimOptions, ClaimStep, OnStep};
use nodeproof_client::{Client, Fee};
use nodeproof_wallet::KeyPair;

/// The key of alice. It is public.
const KEY: &str = "b4d386bbda044be10d3dc8519923e39edf3e871e534b727a7056a18de72f5f6c";
const CONTRACT: &str = "ct4067725761fa19365c94b555e18f5a911f649fa3";
/// The token in which the fee is paid.
const CURRENCY: &str = "DEVN";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let node = Client::new(arguments.next().ok_or("give the base URL of a node")?)?;
    let asset = arguments.next().ok_or("give an asset")?;
    let document = PathBuf::from(arguments.next().ok_or("give a document")?);

    let fee = Fee::new(1_500_000.into(), CURRENCY)?;
    let claim = Claim {
        remarks: "Weighed and sealed in the presence of the owner".to_owned(),
        documents: vec![(&*document).into()],
        ..Claim::new(CONTRACT.parse()?, asset, 2_500_000, fee)
    };
    let options = ClaimOptions {
        on_step: OnStep::new(|step| match step {
            ClaimStep::Built { transaction } => println!("{transaction}"),
            ClaimStep::Submitted { .. } => println!("accepted; waiting for its record"),
            _ => {}
        }),
        ..ClaimOptions::default()
    };
    let (wallet, file) = (
        KeyPair::from_hex(KEY)?,
        document.with_extension("claim.json"),
    );
    let outcome = claim.make(&node, &[&wallet], file, &options).await?;
    let Some(record) = outcome.record() else {
        return Err(format!("no record yet; run this again: {:?}", outcome.read_back).into());
    };
    let documents = &record.doc_hash_list;
    println!("recorded: {:?} with {documents:?}", record.asset_id);
    if let Some(included) = &outcome.inclusion {
        println!("in block {}", included.block);
    }
    Ok(())
}
