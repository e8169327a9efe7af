//! `nodectl watch`.

use std::time::Duration;

use clap::Args;
use nodeproof_client::{Block, Client};

use super::{
    block::{Shown, another, look, newest},
    following::breaks,
};
use crate::{arguments::seconds, failure::Failure, io::output, session::settings::Session};

/// The longest pause between two looks at a node that does not answer.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The longest pause that a node may ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(3_600);
/// After how many looks in vain the next index is looked at, too: a chain may have holes.
const LOOKS_BEFORE_HOLE: u32 = 5;

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Index of the first block to show [default: the newest there is]
    #[arg(long, value_name = "N")]
    from: Option<u64>,
    /// End after so many blocks [default: go on until Ctrl-C]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// How long to wait between two looks for a new block, in seconds
    #[arg(long, value_name = "S", default_value = "2", value_parser = seconds::positive)]
    interval: Duration,
}

/// What a look at the node yields.
enum Look {
    Block(Box<Block>),
    NotYet,
    /// No answer, or none that makes sense; why, and how long the node asks to wait.
    Trouble(String, Option<Duration>),
}

pub(crate) async fn run(args: &WatchArgs, session: &Session) -> Result<(), Failure> {
    let client = session.client()?;
    // Who can't be reached at all was probably misspelt; only later failures are waited for.
    let (mut next, first) = match args.from {
        Some(index) => (index, look(&client, index).await?),
        None => {
            let (index, block) = newest(&client, session.output).await?;
            (index, Some(block))
        }
    };
    let mut seen = first.map_or(Look::NotYet, |block| Look::Block(Box::new(block)));
    let mut shown = 0_u64;
    let mut before: Option<Box<Block>> = None;
    let mut in_vain = 0_u32;
    let mut troubles = 0_u32;
    loop {
        if troubles > 0 && !matches!(seen, Look::Trouble(..)) {
            session.output.note("the node answers again");
            troubles = 0;
        }
        match seen {
            Look::Block(block) => {
                show(session, &block, next, before.as_deref())?;
                before = Some(block);
                shown += 1;
                in_vain = 0;
                if args.count == Some(shown) {
                    return Ok(());
                }
                next = next.checked_add(1).ok_or_else(|| {
                    Failure::unexpected("no block can follow the one with the largest index")
                })?;
            }
            Look::NotYet => {
                in_vain += 1;
                if in_vain.is_multiple_of(LOOKS_BEFORE_HOLE) && there(&client, next + 1).await {
                    session.output.note(&format!(
                        "the node has no block {next}, but the one after it; going on with that"
                    ));
                    next += 1;
                    // What follows a hole follows nothing that was shown.
                    before = None;
                } else {
                    tokio::time::sleep(args.interval).await;
                }
            }
            Look::Trouble(why, asked) => {
                if troubles == 0 {
                    session
                        .output
                        .note(&format!("{why}; waiting for the node to answer again"));
                }
                let doubled = args.interval.saturating_mul(1 << troubles.min(10));
                let pause = match asked {
                    Some(asked) => {
                        let pause = asked.min(LONGEST_ASKED);
                        let seconds = pause.as_secs_f64();
                        session.output.note(&format!(
                            "the node wants to be left alone: asking again in {seconds} s"
                        ));
                        pause
                    }
                    None => doubled.min(LONGEST_PAUSE.max(args.interval)),
                };
                troubles = troubles.saturating_add(1);
                tokio::time::sleep(pause).await;
            }
        }
        seen = look_at(&client, next).await;
    }
}

async fn look_at(client: &Client, index: u64) -> Look {
    match client.block_if_there(index).await {
        Ok(Some(block)) => match block.index() {
            Ok(found) if *found != index => Look::Trouble(another(index, found), None),
            _ => Look::Block(Box::new(block)),
        },
        Ok(None) => Look::NotYet,
        Err(error) => Look::Trouble(error.to_string(), error.retry_after()),
    }
}

async fn there(client: &Client, index: u64) -> bool {
    matches!(look_at(client, index).await, Look::Block(_))
}

/// Shows a block, and where it does not follow the one before it.
fn show(
    session: &Session,
    block: &Block,
    index: u64,
    before: Option<&Block>,
) -> Result<(), Failure> {
    let breaks = before.map_or_else(Vec::new, |before| breaks(index, block, before));
    if session.output.json {
        let shown = Shown::of(block).after(breaks);
        return output::write(&format!("{}\n", shown.json()?));
    }
    output::write(&Shown::of(block).line())?;
    for fault in &breaks {
        session.output.warn(fault);
    }
    Ok(())
}
