//! Reads blocks of a node, and what their makers hold.
//!
//! `cargo run -p integration-tests --example read_chain -- http://localhost:8420 [first index]`

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::{env, error::Error};

use nodeproof_client::Client;

/// How many blocks are read.
const BLOCKS: u64 = 3;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let node = Client::new(
        arguments
            .next()
            .ok_or("the base URL of a node is missing")?,
    )?;
    let first: u64 = arguments.next().as_deref().unwrap_or("1").parse()?;

    for index in first..first + BLOCKS {
        let block = match node.block(index).await {
            Ok(block) => block,
            Err(error) if error.is_not_found() => {
                println!("there is no block {index}");
                break;
            }
            Err(error) => return Err(error.into()),
        };
        let (time, votes) = (
            block.timestamp()?,
            block.receipts().unwrap_or_default().len(),
        );
        println!("block {} of {time}, with {votes} votes", block.index()?);
        for departure in block.departures() {
            println!("  not as documented: {departure}");
        }
        // A node may leave the maker out, and is still worth reading.
        let Ok(maker) = block.creator_wallet() else {
            continue;
        };
        for held in &node.balances(maker).await? {
            let amount = held
                .balance
                .as_ref()
                .map_or("nothing".to_owned(), ToString::to_string);
            println!("  its maker {maker} holds {amount} {}", held.token_code);
        }
    }
    Ok(())
}
