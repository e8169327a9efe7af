//! Whose turn it is: blocks on their way to be judged in order.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, atomic::AtomicU64},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::judges::{Judges, Nothing, Passed, What};
use crate::{block_check::Kind, finding::Obstacle, run::Cut};

/// What those that fetch share: whose turn it is.
pub(super) struct Line {
    pub(super) order: Mutex<Order>,
    /// As many as may be on their way.
    pub(super) turns: Arc<Semaphore>,
    /// The block that is asked for next.
    pub(super) upcoming: AtomicU64,
    /// The index behind the last block.
    pub(super) to: u64,
    pub(super) judges: Arc<Judges>,
}

/// Blocks on their way to be judged in order.
pub(super) struct Order {
    /// Those that came before their turn.
    pub(super) waiting: BTreeMap<u64, (Passed, OwnedSemaphorePermit)>,
    /// The block whose turn it is.
    pub(super) next: u64,
    /// How many in a row were not answered.
    pub(super) unanswered: u64,
    /// Those whose turn has come, and that may be behind the chain's end.
    pub(super) behind: Vec<Behind>,
    /// Whether somebody asks for some of those once more, so that all others have to wait.
    pub(super) asks_again: bool,
    /// Why there is an end to it.
    pub(super) cut: Option<Cut>,
}

/// What was answered for an index that may be behind the chain's end.
pub(super) struct Behind {
    pub(super) index: u64,
    pub(super) what: What,
    /// Whether that was asked for once a block behind it was there.
    pub(super) for_sure: bool,
}

impl Behind {
    pub(super) const fn new(index: u64, what: What) -> Self {
        Self {
            index,
            what,
            for_sure: false,
        }
    }
}

impl Order {
    /// Which indexes had no block when that was last asked for, and have not been asked for since
    /// there was one behind them.
    pub(super) fn missing(&self) -> Vec<u64> {
        let is_missing = |behind: &&Behind| {
            !behind.for_sure && matches!(&behind.what, What::Said(said) if said.kind == Kind::Hole)
        };
        let missing = self.behind.iter().filter(is_missing);
        missing.map(|behind| behind.index).collect()
    }

    /// Takes what came where those were asked for once more.
    pub(super) fn were_asked_again(&mut self, answers: Vec<Passed>) {
        self.asks_again = false;
        for Passed { index, what } in answers {
            if let What::Nothing(Nothing::Lost(obstacle)) = what {
                self.cut = Some(lost(index, obstacle));
            } else if let Some(behind) = self.behind.iter_mut().find(|old| old.index == index) {
                behind.what = what;
                behind.for_sure = true;
            }
        }
    }
}

/// Why a sweep ended at a block.
pub(super) fn lost(block: u64, obstacle: Obstacle) -> Cut {
    match obstacle {
        Obstacle::Harness(reason) => Cut::Harness(reason),
        Obstacle::Limit(reason) => {
            Cut::OutOfTime(format!("the sweep ended at block {block}: {reason}"))
        }
        obstacle => Cut::Unreachable(format!(
            "the node was lost at block {block} of the sweep: {}",
            obstacle.reason()
        )),
    }
}
