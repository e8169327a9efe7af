//! Reads blocks of a node, and the balances of the wallets that made them.
//!
//! `cargo run -p nodeproof-client --example read_chain -- http://localhost:8420 [first index]`

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::{env, error::Error};

use nodeproof_client::Client;

/// The number of blocks to read.
const BLOCKS: u64 = 3;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let node = Client::new(arguments.next().ok_or("give the base URL of a node")?)?;
    let first: u64 = arguments.next().as_deref().unwrap_or("1").parse()?;
    let latest = node.latest_block().await?.ok_or("the node has no block")?;
    println!("a node with {} blocks", latest.index);

    for index in first..first + BLOCKS {
        let Some(block) = node.block(index).await? else {
            println!("there is no block {index}");
            break;
        };
        let votes = block.receipts().unwrap_or_default().len();
        println!(
            "block {} of {}, with {votes} votes",
            block.index, block.timestamp
        );
        // Some nodes leave the maker out.
        let Some(maker) = block.creator_wallet else {
            continue;
        };
        for held in node.balances(maker).await? {
            let amount = held
                .balance
                .map_or("nothing".to_owned(), |sum| sum.to_string());
            println!("  its maker {maker} holds {amount} {}", held.token_code);
        }
    }
    Ok(())
}
