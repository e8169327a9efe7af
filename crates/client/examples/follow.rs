//! Prints each block of a node: from an index, or from the latest block on.
//!
//! `cargo run -p nodeproof-client --example follow -- http://localhost:8420 [first index] [number]`

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::{env, error::Error};

use nodeproof_client::{Client, FollowEvent, FollowOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let node = Client::new(arguments.next().ok_or("give the base URL of a node")?)?;
    let mut options = FollowOptions::default().on_event(|event| match event {
        FollowEvent::Outage { error, pause, .. } => println!("{error}; again in {pause:?}"),
        other => println!("{other:?}"),
    });
    if let Some(index) = arguments.next() {
        options = options.start_at(index.parse()?);
    }
    let mut left: Option<u64> = arguments.next().map(|count| count.parse()).transpose()?;

    let mut blocks = node.follow_blocks(options);
    while left != Some(0)
        && let Some(block) = blocks.next().await
    {
        let block = block?;
        let (index, time) = (block.index()?, block.timestamp()?);
        match block.transactions() {
            Ok(list) => println!("block {index} of {time}: {} transactions", list.len()),
            // Some nodes return rows of their block table.
            Err(fault) => println!("block {index} of {time}: {fault}"),
        }
        left = left.map(|left| left - 1);
    }
    Ok(())
}
