//! Has a node build a claim about an asset, and shows what its verifier would sign.
//!
//! `cargo run -p integration-tests --example build_claim -- http://localhost:8420 ct… 0x… asset`
//!
//! It changes nothing: to make the claim, sign and submit the printed transaction.

#![expect(clippy::print_stdout, reason = "the example prints its result")]

use std::{env, error::Error};

use nodeproof_client::{AddVerification, Client, Clock, ContractCall, Fee};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut next = |what: &str| arguments.next().ok_or(format!("{what} is missing"));
    let node = Client::new(next("the base URL of a node")?)?;
    let contract = next("the verification contract's address")?.parse()?;
    let verifier = next("the verifier's wallet address")?.parse()?;
    let asset = next("the asset's identifier")?;

    let claim = AddVerification {
        doc_hash_list: vec![
            "99e76fbd3b32523bc6db384cd2a0376bf0c1a9f385268a02d986af6b903237a0".to_owned(),
        ],
        doc_link_list: vec!["https://documents.example.org/inspection.pdf".to_owned()],
        remarks: "Weighed and sealed in the presence of the owner".to_owned(),
        ..AddVerification::new(asset, verifier, 2_500_000)
    };
    // The fee is the caller's to set, exactly, and before anything is signed.
    let fee = Fee::new(1_500_000.into(), "DEVN")?;
    let call = ContractCall::of(contract, &claim)?.signers([verifier]);
    let built = node.build_call(&call, &fee, Clock::Local).await?;
    println!(
        "transaction {}, fee {}",
        built.trans_code(),
        built.fee().amount()
    );
    println!("calls {} of {}", call.function_called, call.sc_address);
    println!("to be signed by {:?}:", call.signers);
    println!("{}", built.message());
    Ok(())
}
