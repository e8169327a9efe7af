//! `nodectl watch`.

use std::time::Duration;

use clap::Args;
use nodeproof_client::{Block, FollowEvent, FollowOptions};

use super::{
    block::{BlockView, latest},
    following::breaks,
};
use crate::{
    arguments::seconds,
    failure::Failure,
    io::output::{self, Output},
    session::settings::Session,
};

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Index of the first block to show [default: the latest block]
    #[arg(long, value_name = "N")]
    from: Option<u64>,
    /// Number of blocks to show [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// Time between two requests for a new block, in seconds
    #[arg(long, value_name = "S", default_value = "2", value_parser = seconds::positive)]
    interval: Duration,
}

pub(crate) async fn run(args: &WatchArgs, session: &Session) -> Result<(), Failure> {
    let client = session.client()?;
    let start = match args.from {
        Some(index) => index,
        None => {
            let latest = latest(&client, session.output).await?;
            latest.index.as_u64().unwrap_or(u64::MAX)
        }
    };
    let mut events = client.follow_events(FollowOptions {
        start: Some(start),
        interval: args.interval,
        max_outage: Duration::MAX,
        skip_missing: true,
        ..FollowOptions::default()
    });
    let (mut shown, mut missed) = (0_u64, 0);
    let mut before: Option<Block> = None;
    while let Some(event) = events.next().await {
        let block = match event? {
            FollowEvent::Block(block) => *block,
            between => {
                if let FollowEvent::Missing { .. } = between {
                    // A block after a missing one has no shown predecessor, so it is not compared.
                    (missed, before) = (missed + 1, None);
                }
                note(session.output, &between);
                continue;
            }
        };
        show(session, &block, start + shown + missed, before.as_ref())?;
        before = Some(block);
        shown += 1;
        if args.count == Some(shown) {
            return Ok(());
        }
    }
    Err(Failure::unexpected(
        "no block can follow the one with the largest index",
    ))
}

/// Reports an event between two blocks.
fn note(output: Output, event: &FollowEvent) {
    match event {
        FollowEvent::Outage {
            error,
            earlier,
            pause,
        } => {
            if *earlier == 0 {
                output.note(&format!("{error:#}; waiting for the node"));
            }
            if error.retry_after().is_some() {
                let seconds = pause.as_secs_f64();
                output.note(&format!(
                    "the node requests a pause: next request in {seconds} s"
                ));
            }
        }
        FollowEvent::Resumed => output.note("the node responds again"),
        FollowEvent::Missing { index } => output.note(&format!(
            "the node has no block {index}, but has the next one; continuing from there"
        )),
        _ => {}
    }
}

/// Shows a block, and how it fails to follow the previous one.
fn show(
    session: &Session,
    block: &Block,
    index: u64,
    before: Option<&Block>,
) -> Result<(), Failure> {
    let breaks = before.map_or_else(Vec::new, |before| breaks(index, block, before));
    if session.output.json {
        let shown = BlockView::of(block).with_breaks(breaks);
        return output::write(&format!("{}\n", shown.json()?));
    }
    output::write(&BlockView::of(block).line())?;
    for fault in &breaks {
        session.output.warn(fault);
    }
    Ok(())
}
