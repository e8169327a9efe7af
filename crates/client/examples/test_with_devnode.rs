//! A test of code that uses a node, with a local node in the test's own process.
//!
//! `cargo run -p nodeproof-client --example test_with_devnode [-- http://localhost:8420]`
//!
//! In a test, `main` is a function with `#[tokio::test]`, and `nodeproof-devnode` a dev-dependency.
//! With the URL of a node, only the checks that need no key run, on that node.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::{env, error::Error};

use nodeproof_client::{CallOptions, Client, ContractCall, Fee, Transfer};
use nodeproof_devnode::Config;

/// The code under test: the number of transactions in the latest block.
async fn latest_transactions(node: &Client) -> Result<usize, Box<dyn Error>> {
    let block = node.latest_block().await?.ok_or("there is no block")?;
    Ok(block.transactions()?.len())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if let Some(url) = env::args().nth(1) {
        let count = latest_transactions(&Client::new(url)?).await?;
        println!("{count} transactions in the latest block");
        return Ok(());
    }
    // A node on a free port. It ends when it is dropped, and makes blocks only on request.
    let devnode = nodeproof_devnode::spawn(Config::for_tests()).await?;
    let node = Client::new(devnode.base_url())?;
    devnode.make_block();
    assert_eq!(latest_transactions(&node).await?, 0);

    let wallet = |name| devnode.wallet(name).ok_or("no such wallet");
    let (alice, bob) = (wallet("alice")?, wallet("bob")?);
    let fee = Fee::new(1_500_000.into(), devnode.native_token())?;
    let transfer = Transfer::new(5, bob.address(), "GRAIN");
    let contract = devnode.token_contract_address();
    let transfer = ContractCall::of(contract, &transfer)?;
    node.call(&transfer, &fee, &[alice.keys()], &CallOptions::default())
        .await?;
    devnode.make_block();
    assert_eq!(latest_transactions(&node).await?, 1);
    println!("ok");
    Ok(())
}
