//! Fetches several blocks at a time, and checks each one by itself when it arrives.

use std::{sync::Arc, time::Duration};

use tokio::{sync::OwnedSemaphorePermit, task::JoinSet};

use super::{
    checks::{Checked, CheckedBlock, Checks},
    stop_reason::StopReason,
};
use crate::{
    api::{block_request, is_gateway_error},
    http::{BackOff, InconclusiveReason, Node, ResponseWithPermit, SendOptions},
};

/// Maximum number of pauses for a node that stays busy.
const MAX_PAUSES: u32 = 6;
/// Number of pauses after which another block is requested, to find out whether only this one fails.
const SOME_PAUSES: u32 = 2;
/// The first pause for a busy node. Later ones double.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Maximum number of requests for a known block before the node counts as lost.
const MAX_PROBES: u32 = 4;
/// The first pause between these requests.
const FIRST_PROBE_PAUSE: Duration = Duration::from_millis(250);

/// Fetches and checks blocks. Shared by all tasks of a sweep.
pub(crate) struct Fetcher {
    pub(crate) node: Arc<Node>,
    pub(crate) checks: Arc<Checks>,
}

impl Fetcher {
    /// Fetches and checks a block in a separate task, which stops when the returned future is dropped.
    pub(crate) async fn spawn(
        self: Arc<Self>,
        index: u64,
        request: Option<OwnedSemaphorePermit>,
    ) -> Result<CheckedBlock, Lost> {
        let mut task = JoinSet::new();
        task.spawn(async move { self.fetch_and_check(index, request).await });
        match task.join_next().await {
            Some(Ok(block)) => block,
            Some(Err(error)) => Err(Lost::by_us(index, &error.to_string())),
            None => Err(Lost::by_us(index, "its task is gone")),
        }
    }

    /// Fetches and checks a block. A long block keeps its request's permit until it has been checked.
    pub(crate) async fn fetch_and_check(
        &self,
        index: u64,
        request: Option<OwnedSemaphorePermit>,
    ) -> Result<CheckedBlock, Lost> {
        let fetched = self.fetch(index).await;
        let fetched = fetched.map_err(|inconclusive| Lost {
            block: index,
            inconclusive,
        })?;
        let (exchange, permit) = match fetched {
            Ok(response) => response,
            Err(what) => return Ok(CheckedBlock { index, what }),
        };
        let Some(permit) = permit else {
            drop(request);
            return Ok(self.checks.check(index, exchange));
        };
        let checks = Arc::clone(&self.checks);
        let work = tokio::task::spawn_blocking(move || {
            let block = checks.check(index, exchange);
            drop(permit);
            block
        });
        let block = work.await;
        block.map_err(|error| Lost::by_us(index, &error.to_string()))
    }

    /// Fetches a block. The inner error is a block without a response that can be checked.
    async fn fetch(
        &self,
        index: u64,
    ) -> Result<Result<ResponseWithPermit, Checked>, InconclusiveReason> {
        let mut back_off = BackOff::unbounded(FIRST_PAUSE);
        let mut pauses = 0;
        let mut failed = false;
        let options = SendOptions {
            is_one_of_many: true,
            ..SendOptions::default()
        };
        loop {
            let reason = match self.node.send_with(block_request(index), options).await {
                // A gateway error means that the node behind the gateway does not respond.
                Ok((exchange, _)) if is_gateway_error(exchange.status) => exchange.summary(),
                Ok(response) => return Ok(Ok(response)),
                Err(InconclusiveReason::Transport(reason)) => reason,
                Err(InconclusiveReason::TooLarge(reason)) => {
                    return Ok(Err(Checked::TooLarge(reason)));
                }
                Err(InconclusiveReason::Busy(reason)) => {
                    if pauses >= SOME_PAUSES && self.responds(index).await {
                        return Ok(Err(Checked::Unreachable(reason)));
                    }
                    if pauses == MAX_PAUSES {
                        return Err(InconclusiveReason::Busy(reason));
                    }
                    pauses += 1;
                    back_off.wait().await;
                    continue;
                }
                Err(inconclusive) => return Err(inconclusive),
            };
            if failed {
                return Ok(Err(Checked::Unreachable(reason)));
            }
            if !self.responds(index).await {
                return Err(InconclusiveReason::Transport(reason));
            }
            failed = true;
        }
    }

    /// Whether the node responds to a request for another block, which it returned before.
    async fn responds(&self, index: u64) -> bool {
        let known = &self.checks.chain.known;
        let Some(known) = known.iter().find(|known| **known != index) else {
            return false;
        };
        let mut back_off = BackOff::unbounded(FIRST_PROBE_PAUSE);
        for _ in 0..MAX_PROBES {
            match self.node.send(block_request(*known)).await {
                Ok(exchange) if is_gateway_error(exchange.status) => {}
                Ok(_) => return true,
                Err(InconclusiveReason::Transport(_)) => {}
                Err(_) => return false,
            }
            back_off.wait().await;
        }
        false
    }
}

/// The reason why a sweep can't continue after a block.
///
/// Either the node no longer responds, or the maximum number of requests was reached.
pub(crate) struct Lost {
    pub(crate) block: u64,
    pub(crate) inconclusive: InconclusiveReason,
}

impl Lost {
    fn by_us(block: u64, fault: &str) -> Self {
        Self {
            block,
            inconclusive: InconclusiveReason::Harness(format!("block {block}: {fault}")),
        }
    }
}

impl From<Lost> for StopReason {
    fn from(
        Lost {
            block,
            inconclusive,
        }: Lost,
    ) -> Self {
        match inconclusive {
            InconclusiveReason::Harness(reason) => Self::Harness(reason),
            InconclusiveReason::Limit(reason) => {
                Self::DeadlineExceeded(format!("the sweep ended at block {block}: {reason}"))
            }
            inconclusive => Self::Unreachable(format!(
                "the node was lost at block {block} of the sweep: {}",
                inconclusive.reason()
            )),
        }
    }
}
