//! Waiting for a claim: for its record, for its block, and for later blocks.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::time::Instant;

use super::submitter::Submitter;
use crate::{
    api::{
        IndexSearch, Transaction, block_request, contract_state_request, has_record, in_block,
        lists_no_transaction, lists_transactions, reported_index, requested_index,
        token_holders_request,
    },
    history::Settled,
    http::{Act, BackOff, Exchange, InconclusiveReason, Request, Step},
};

/// The first pause between two requests for the claim, or for a balance. Each pause is twice the previous one.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause between two requests.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Maximum number of blocks to read in search of the claim.
const MAX_BLOCKS: usize = 200;
/// Maximum number of blocks to read at a time that were made during the run: before the claim, while transactions
/// were refused, or before the balances are read.
const MAX_RECENT_BLOCKS: u8 = 16;
/// Maximum number of blocks to read only because they can explain a balance.
const MAX_MISSING_BLOCKS: usize = 512;
/// Maximum number of blocks to read after those that the run waited for.
const MAX_BLOCKS_AFTER: usize = 3;
/// Number of blocks to wait for after submissions were refused.
const LATER_BLOCKS: usize = 2;

/// Waits until the claim of an accepted submission can be read. Otherwise, its fee could be
/// mistaken for that of another transaction. Returns the request for its record.
pub(crate) async fn wait_for(submitter: &Submitter, accepted: &Exchange) -> Option<Request> {
    wait_for_text(submitter, text_of(accepted)).await
}

/// Waits as [`wait_for`] does, for all of these claims together.
pub(super) async fn wait_for_all(submitter: &Submitter, accepted: &[Arc<Exchange>]) {
    let until = Instant::now() + submitter.patience();
    for one in accepted {
        wait_until(submitter, text_of(one), until).await;
    }
}

/// Returns the text of a submission.
pub(super) fn text_of(accepted: &Exchange) -> &str {
    accepted.request.body.as_deref().unwrap_or_default()
}

/// Returns the request for the record of a submitted claim, and the claim's code. Gets the submission's text.
fn claimed(submission: &str) -> Option<(Request, Option<String>)> {
    let body: Value = serde_json::from_str(submission).ok()?;
    let claim = Transaction::of(&body)?;
    let request = contract_state_request(claim.contract()?, claim.asset()?);
    Some((request, claim.code().map(ToOwned::to_owned)))
}

/// Waits as [`wait_for`] does. Gets the text of the accepted submission.
pub(super) async fn wait_for_text(submitter: &Submitter, accepted: &str) -> Option<Request> {
    let until = Instant::now() + submitter.patience();
    wait_until(submitter, accepted, until).await
}

/// Waits as [`wait_for_text`] does, at most until this time.
async fn wait_until(submitter: &Submitter, accepted: &str, until: Instant) -> Option<Request> {
    let (request, _) = claimed(accepted)?;
    let mut back_off = BackOff::new(FIRST_PAUSE, MAX_PAUSE);
    let began = Instant::now();
    loop {
        let response = submitter.samples.node.send(request.clone()).await.ok()?;
        let is_stored = has_record(&response);
        if is_stored || Instant::now() + back_off.peek() > until {
            submitter.note_wait(began, !is_stored);
            return Some(request);
        }
        back_off.wait().await;
    }
}

/// Waits until two more blocks exist. Stops if no block arrives within a twentieth of the settle
/// timeout. A chain may make blocks only for submitted transactions. Reads these blocks, and the
/// latest ones before them, and first what the holders of the fee's token have: a block may have a reward.
pub(crate) async fn later_blocks(submitter: &Submitter) -> Result<(), InconclusiveReason> {
    if let Some(token) = submitter.fee_token() {
        let list = token_holders_request(&token);
        submitter.samples.node.send(list).await?;
    }
    let mut blocks = NewBlocks::since(submitter.samples.discovered.tip);
    blocks.skip_to_the_latest(submitter).await?;
    let mut before = NewBlocks::since(None);
    let first = blocks
        .next
        .map(|next| next.saturating_sub(MAX_RECENT_BLOCKS.into()));
    before.next = first.max(submitter.samples.discovered.tip);
    before.read(submitter, MAX_RECENT_BLOCKS.into()).await?;
    let patience = submitter.with.settle_timeout / 20;
    let mut back_off = BackOff::new(FIRST_PAUSE, MAX_PAUSE.min(patience));
    let mut until = Instant::now() + patience;
    while blocks.next.is_some() && blocks.found.len() < LATER_BLOCKS {
        let before = blocks.found.len();
        blocks.advance(submitter).await?;
        let new = blocks.found.get(before..).unwrap_or_default();
        if !new.is_empty() {
            // A block without transactions was made without a submission. So another one will come.
            let mut bodies = new.iter().filter_map(|block| block.success_object());
            let makes_blocks_by_itself = bodies.any(lists_no_transaction);
            until = Instant::now() + patience * if makes_blocks_by_itself { 3 } else { 1 };
        } else if Instant::now() + back_off.peek() > until {
            break;
        }
        back_off.wait().await;
    }
    Ok(())
}

/// Reads until the record of a claim and its block exist, or until this moment. Gets the text of its submission. `blocks` are
/// those since before it was submitted.
pub(super) async fn settle(
    submitter: &Submitter,
    number: u8,
    submission: &str,
    blocks: &mut NewBlocks,
    until: Instant,
) {
    let Some((request, code)) = claimed(submission) else {
        return;
    };
    let step = Step::Claim(number, Act::Record);
    let mut is_stored = false;
    let mut back_off = BackOff::new(FIRST_PAUSE, MAX_PAUSE);
    let now = Instant::now();
    let mut look_above_at = Some(now + until.saturating_duration_since(now) / 4);
    let done = async {
        loop {
            blocks.advance(submitter).await?;
            if !is_stored {
                let request = request.clone().for_step(step.clone());
                let response = submitter.samples.node.send(request).await?;
                is_stored = has_record(&response);
                if is_stored {
                    // The block was made before its record could be read.
                    blocks.advance(submitter).await?;
                }
            }
            // A node may show a block later than the block's effects.
            let done = || blocks.tells_no_more(code.as_deref());
            if is_stored && done() {
                submitter.note_wait(now, false);
                break;
            }
            if Instant::now() + back_off.peek() > until {
                submitter.note_wait(now, true);
                blocks.skips_a_block(submitter).await?;
                break;
            }
            // Only its block is missing, and a block that is never returned is not worth the whole time.
            if is_stored
                && look_above_at.take_if(|at| Instant::now() > *at).is_some()
                && blocks.skips_a_block(submitter).await?
            {
                break;
            }
            back_off.wait().await;
            if is_stored {
                blocks.read_latest_again(submitter).await?;
            }
        }
        Ok::<_, InconclusiveReason>(())
    };
    if let Err(reason) = done.await {
        submitter.skip(step, reason);
    }
}

/// Distances from a block that never comes. A node may never return a block that was requested before it was made, so
/// these are others than those that a search for the latest block requests.
const FURTHER: [u64; 5] = [3, 6, 11, 19, 35];

/// The blocks that are made during the run.
pub(super) struct NewBlocks {
    next: Option<u64>,
    found: Vec<Arc<Exchange>>,
}

impl NewBlocks {
    pub(super) fn since(tip: Option<u64>) -> Self {
        Self {
            next: tip.and_then(|tip| tip.checked_add(1)),
            found: Vec::new(),
        }
    }

    /// Whether to stop waiting for the block of a transaction: it was found, blocks list no
    /// transactions, or enough blocks were read.
    fn tells_no_more(&self, code: Option<&str>) -> bool {
        let (Some(_), Some(code)) = (self.next, code) else {
            return true;
        };
        let bodies = || self.found.iter().filter_map(|block| block.success_object());
        bodies().any(|body| in_block(body, code).is_some())
            || (!self.found.is_empty() && !bodies().any(lists_transactions))
            || self.found.len() >= MAX_BLOCKS
    }

    /// Skips the blocks that were made so far. There may be many.
    pub(super) async fn skip_to_the_latest(
        &mut self,
        submitter: &Submitter,
    ) -> Result<(), InconclusiveReason> {
        let Some(next) = self.next else { return Ok(()) };
        let mut search = IndexSearch::above(next.saturating_sub(1), 1, u64::MAX);
        while let Some(index) = search.next() {
            search.narrow(block(submitter, index).await?.is_ok());
        }
        self.next = search.result().and_then(|latest| latest.checked_add(1));
        Ok(())
    }

    /// Reads all further blocks that exist.
    async fn advance(&mut self, submitter: &Submitter) -> Result<(), InconclusiveReason> {
        self.read(submitter, MAX_BLOCKS).await
    }

    /// Reads the latest block again. It may have been incomplete.
    async fn read_latest_again(&mut self, submitter: &Submitter) -> Result<(), InconclusiveReason> {
        let Some(latest) = self.found.last_mut() else {
            return Ok(());
        };
        if let Some(index) = requested_index(&latest.request)
            && let Ok(again) = block(submitter, index).await?
        {
            *latest = again;
        }
        Ok(())
    }

    /// If no block was found, looks for one further above. If there is one, requests the missing one again, and returns
    /// whether it is still missing.
    async fn skips_a_block(&self, submitter: &Submitter) -> Result<bool, InconclusiveReason> {
        let Some(next) = self.next.filter(|_| self.found.is_empty()) else {
            return Ok(false);
        };
        for distance in FURTHER {
            let above = next.saturating_add(distance);
            if block(submitter, above).await?.is_ok() {
                return Ok(block(submitter, next).await?.is_err());
            }
        }
        Ok(false)
    }

    /// Reads further blocks that exist, until this many were found.
    async fn read(&mut self, submitter: &Submitter, most: usize) -> Result<(), InconclusiveReason> {
        let before = self.found.len();
        while let Some(index) = self.next
            && self.found.len() < most
        {
            match block(submitter, index).await? {
                Ok(response) => self.found.push(response),
                Err(_) => {
                    // A later block shows that this one is missing.
                    if let (false, Some(later)) = (self.found.is_empty(), index.checked_add(1)) {
                        let _ = block(submitter, later).await?;
                    }
                    // A replica that is behind does not have it yet.
                    if let Some(latest) = self.found.get(before..).and_then(<[_]>::last)
                        && let Some(index) = requested_index(&latest.request)
                    {
                        let _ = block(submitter, index).await?;
                    }
                    break;
                }
            }
            self.next = index.checked_add(1);
        }
        Ok(())
    }
}

/// Reads blocks that were made during the run just before and after those that the run read while it
/// waited for its claim. What can't be read is left out.
pub(super) async fn read_blocks_around(submitter: &Submitter, settled: &Settled<'_>) {
    let index = |block: Option<&&Arc<Exchange>>| requested_index(&block?.request);
    let first = index(settled.blocks.first());
    let tip = submitter.samples.discovered.tip;
    let start = first.map(|first| first.saturating_sub(MAX_RECENT_BLOCKS.into()));
    let start = start.max(tip.and_then(|tip| tip.checked_add(1)));
    let mut before = NewBlocks::since(None);
    if let (Some(start), Some(first)) = (start, first) {
        before.next = Some(start);
        let count = usize::try_from(first.saturating_sub(start)).unwrap_or_default();
        let _ = before.read(submitter, count).await;
    }
    let mut after = NewBlocks::since(index(settled.blocks.last()));
    let _ = after.read(submitter, MAX_BLOCKS_AFTER).await;
}

/// Reads the blocks since the first submission that the run has not read yet: at most [`MAX_MISSING_BLOCKS`].
pub(crate) async fn read_missing_blocks(submitter: &Submitter) -> Result<(), InconclusiveReason> {
    let history = submitter.samples.history();
    let before = history.first_submission();
    let Some(before) = before.and_then(|moment| history.height_before(moment)) else {
        return Ok(());
    };
    let read: BTreeSet<u64> = history.blocks().map(|(index, _)| index).collect();
    let last = read.last().map_or(before, |last| before.max(*last));
    let missing = (before..=last).filter(|index| !read.contains(index));
    let missing = missing.take(MAX_MISSING_BLOCKS).map(block_request);
    submitter.samples.node.send_all(missing.collect()).await?;
    let mut new = NewBlocks::since(Some(last));
    new.read(submitter, MAX_MISSING_BLOCKS).await
}

/// Reads the blocks above all that the run has read: at most [`MAX_RECENT_BLOCKS`].
pub(crate) async fn read_new_blocks(submitter: &Submitter) -> Result<(), InconclusiveReason> {
    let history = submitter.samples.history();
    let last = history.blocks().map(|(index, _)| index).max();
    let mut new = NewBlocks::since(last);
    new.read(submitter, MAX_RECENT_BLOCKS.into()).await
}

/// Requests a block. The error is the response without the block.
async fn block(
    submitter: &Submitter,
    index: u64,
) -> Result<Result<Arc<Exchange>, Arc<Exchange>>, InconclusiveReason> {
    let response = submitter.samples.node.send(block_request(index)).await?;
    let reported = response.success_object().and_then(reported_index);
    Ok(if reported == Some(i128::from(index)) {
        Ok(response)
    } else {
        Err(response)
    })
}
