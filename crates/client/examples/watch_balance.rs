//! Prints the balance of a wallet, and each change of it.
//!
//! `cargo run -p nodeproof-client --example watch_balance -- http://localhost:8420 [wallet] [token]
//! [number of changes]`
//!
//! Without a wallet, it watches alice of a devnode with the seed 0.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::{env, error::Error};

use nodeproof_client::{Client, FollowOptions, WalletAddress};

const ALICE: &str = "0x030447bb3f8cd2c001c88cb160464493881e085a";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let node = Client::new(arguments.next().ok_or("give the base URL of a node")?)?;
    let wallet: WalletAddress = arguments.next().as_deref().unwrap_or(ALICE).parse()?;
    let token = arguments.next().unwrap_or("DEVN".to_owned());
    let mut changes: Option<u64> = arguments.next().map(|count| count.parse()).transpose()?;

    let mut before = node.token_balance(&token, wallet).await?;
    match &before {
        Some(balance) => println!("{wallet} holds {balance} {token}"),
        None => println!("{wallet} holds no {token}"),
    }
    let mut blocks = node.follow_blocks(FollowOptions::default());
    while changes != Some(0)
        && let Some(block) = blocks.next().await
    {
        let block = block?;
        // The node can have made more blocks by now.
        let balance = node.token_balance(&token, wallet).await?;
        if balance == before {
            continue;
        }
        match &balance {
            Some(balance) => println!("{balance} {token}, seen after block {}", block.index),
            None => println!("no {token}, seen after block {}", block.index),
        }
        before = balance;
        changes = changes.map(|left| left - 1);
    }
    Ok(())
}
