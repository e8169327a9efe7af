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
    let options = FollowOptions {
        start: arguments.next().map(|index| index.parse()).transpose()?,
        ..FollowOptions::default()
    };
    let mut left: Option<u64> = arguments.next().map(|count| count.parse()).transpose()?;

    let mut events = node.follow_events(options);
    while left != Some(0)
        && let Some(event) = events.next().await
    {
        let block = match event? {
            FollowEvent::Block(block) => block,
            FollowEvent::Outage { error, pause, .. } => {
                println!("{error}; again in {pause:?}");
                continue;
            }
            other => {
                println!("{other:?}");
                continue;
            }
        };
        // Some nodes return rows of their block table.
        let count = block
            .transactions()
            .map_or("unknown".to_owned(), |all| all.len().to_string());
        println!(
            "block {} of {}: {count} transactions",
            block.index, block.timestamp
        );
        left = left.map(|left| left - 1);
    }
    Ok(())
}
