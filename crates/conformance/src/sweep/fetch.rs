//! Fetching blocks, several at a time, each judged alone as it comes.

use std::{sync::Arc, time::Duration};

use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinHandle,
};

use super::judges::{Judges, LONG_WORK, Nothing, Passed};
use crate::{
    discovery::{block_request, is_a_gateways},
    exchange::Exchange,
    finding::Obstacle,
    node::{Connection, Node},
};

/// How often a node that stays busy is left alone for a while before it is given up.
const MOST_PAUSES: u32 = 6;
/// From how many pauses on it is looked whether it is busy with everything, or with this block alone.
const SOME_PAUSES: u32 = 2;
/// How often it is looked whether a node that did not answer is there at all.
const MOST_LOOKS: u32 = 4;
/// A block that was asked for.
pub(super) enum Fetched {
    /// All is said that can be said of it alone.
    Judged(Passed),
    /// It takes time to judge, which is to be had elsewhere.
    Waits(Arc<Exchange>),
}

/// What comes of judging a block.
async fn judged(index: u64, work: JoinHandle<Passed>) -> Passed {
    work.await.unwrap_or_else(|error| {
        let fault = Obstacle::Harness(format!("block {index}: {error}"));
        Passed::nothing(index, Nothing::Lost(fault))
    })
}

/// What all that fetch share.
pub(super) struct Fetcher {
    pub(super) node: Arc<Node>,
    pub(super) judges: Arc<Judges>,
    /// Blocks that were read before, by which a node that is gone is told from one that has no
    /// answer to something.
    pub(super) known: Vec<u64>,
    /// Lets one long answer at a time be read and judged.
    pub(super) gate: Arc<Semaphore>,
    /// Where what takes long is judged: on all cores.
    pub(super) cores: Handle,
}

impl Fetcher {
    /// Asks for a block, over a connection of one's own where there may be one, and judges what
    /// comes, unless who fetches has better things to do.
    pub(super) async fn pass(&self, index: u64, own: Option<&mut Connection>) -> Fetched {
        let shares_a_thread = own.is_some();
        let (exchange, permit) = match self.fetch(index, own).await {
            Ok(answer) => answer,
            Err(nothing) => return Fetched::Judged(Passed::nothing(index, nothing)),
        };
        let judges = Arc::clone(&self.judges);
        if exchange.body.len() > LONG_WORK {
            let work = self.cores.spawn_blocking(move || {
                let passed = judges.judge(index, exchange);
                drop(permit);
                passed
            });
            return Fetched::Judged(judged(index, work).await);
        }
        match judges.judge_at_once(index, &exchange) {
            Some(passed) => Fetched::Judged(passed),
            None if shares_a_thread => Fetched::Waits(exchange),
            None => Fetched::Judged(judges.judge(index, exchange)),
        }
    }

    /// Asks for a block by the HTTP client, and judges what comes.
    pub(super) async fn pass_here(&self, index: u64) -> Passed {
        match self.pass(index, None).await {
            Fetched::Judged(passed) => passed,
            Fetched::Waits(exchange) => self.judge_elsewhere(index, exchange).await,
        }
    }

    /// Judges what came on whichever core has time for it.
    pub(super) async fn judge_elsewhere(&self, index: u64, exchange: Arc<Exchange>) -> Passed {
        let judges = Arc::clone(&self.judges);
        let work = async move { judges.judge(index, exchange) };
        judged(index, self.cores.spawn(work)).await
    }

    async fn fetch(
        &self,
        index: u64,
        mut own: Option<&mut Connection>,
    ) -> Result<(Arc<Exchange>, Option<OwnedSemaphorePermit>), Nothing> {
        let mut pauses = 0;
        let mut failed = false;
        loop {
            let answer = self
                .node
                .ask_over(block_request(index), Some(&self.gate), own.as_deref_mut())
                .await;
            let reason = match answer {
                // What stands before the node says that it is not there.
                Ok((exchange, _)) if is_a_gateways(exchange.status) => exchange.summary(),
                Ok(answer) => return Ok(answer),
                Err(Obstacle::Transport(reason)) => reason,
                Err(Obstacle::TooLarge(reason)) => return Err(Nothing::TooLarge(reason)),
                Err(Obstacle::Busy(reason)) => {
                    if pauses >= SOME_PAUSES && self.answers(index).await {
                        return Err(Nothing::Unanswered(reason));
                    }
                    if pauses == MOST_PAUSES {
                        return Err(Nothing::Lost(Obstacle::Busy(reason)));
                    }
                    pauses += 1;
                    tokio::time::sleep(Duration::from_millis(500) * 2_u32.pow(pauses)).await;
                    continue;
                }
                Err(obstacle) => return Err(Nothing::Lost(obstacle)),
            };
            if failed {
                return Err(Nothing::Unanswered(reason));
            }
            if !self.answers(index).await {
                return Err(Nothing::Lost(Obstacle::Transport(reason)));
            }
            failed = true;
        }
    }

    /// Whether the node answers at all.
    async fn answers(&self, index: u64) -> bool {
        let Some(known) = self.known.iter().find(|known| **known != index) else {
            return false;
        };
        for look in 0..MOST_LOOKS {
            match self.node.ask(block_request(*known)).await {
                Ok(exchange) if is_a_gateways(exchange.status) => {}
                Ok(_) => return true,
                Err(Obstacle::Transport(_)) => {}
                Err(_) => return false,
            }
            tokio::time::sleep(Duration::from_millis(250) * 2_u32.pow(look)).await;
        }
        false
    }
}
