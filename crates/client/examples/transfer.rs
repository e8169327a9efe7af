//! Transfers a token, waits for the block, and shows the new balance.
//!
//! `cargo run -p nodeproof-client --example transfer -- http://localhost:8420 [receiver] [amount]`
//!
//! It uses the public test key and the contract of a devnode with the seed 0. For another node,
//! change the constants, and read the key from a key file (`nodeproof_wallet::KeyFile`).

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::{env, error::Error};

use nodeproof_client::{
    Amount, CallOptions, Client, ContractCall, Fee, InclusionOptions, Transfer,
};
use nodeproof_wallet::KeyPair;

/// The key of alice. It is public.
const KEY: &str = "b4d386bbda044be10d3dc8519923e39edf3e871e534b727a7056a18de72f5f6c";
const TOKEN_CONTRACT: &str = "ct87ae5551c15d55001ce2bb86e4ef2de4cec76a38";
const TOKEN: &str = "GRAIN";
const BOB: &str = "0x38285bb39a5a310136f59be7b20ed056ea9c1d67";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let node = Client::new(arguments.next().ok_or("give the base URL of a node")?)?;
    let receiver = arguments.next().as_deref().unwrap_or(BOB).parse()?;
    let amount: Amount = arguments.next().as_deref().unwrap_or("1000").parse()?;

    let wallet = KeyPair::from_hex(KEY)?;
    let fee = Fee::new(1_500_000.into(), "DEVN")?;
    let transfer = Transfer::new(amount, receiver, TOKEN);
    let transfer = ContractCall::of(TOKEN_CONTRACT.parse()?, &transfer)?;
    // This is an error unless the node accepted exactly this call.
    let accepted = node
        .call(&transfer, &fee, &[&wallet], &CallOptions::default())
        .await?;
    println!("accepted: transaction {}", accepted.trans_code());

    let options = InclusionOptions::default();
    let included = node
        .wait_for_inclusion(accepted.trans_code(), &options)
        .await?
        .ok_or("the transaction is not in a block yet; it may still be included")?;
    println!(
        "in block {}, status {:?}",
        included.block,
        included.status()
    );
    let balance = node.token_balance(TOKEN, receiver).await?;
    println!("{receiver} holds {} {TOKEN}", balance.ok_or("no balance")?);
    Ok(())
}
