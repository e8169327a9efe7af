//! Repeats requests of the run, for the rule *same*.

use std::collections::{BTreeMap, BTreeSet};

use super::height::Height;
use crate::{
    api::{Sample, block_request, has_record, requested},
    context::{Samples, Submitter, read_new_blocks},
    history::{Answer, Entry, History},
    http::{InconclusiveReason, Request, Step, Wording},
};

/// Maximum number of different requests of each kind to repeat: of the first ones, and of the others.
const FIRST: usize = 3;
const OTHERS: usize = 2;
/// Number of times that each of them is repeated in a row. A cache, or a second server, can differ only
/// sometimes.
const TIMES: usize = 2;
/// Maximum number of times to repeat the requests of an endpoint again because a block was made meanwhile.
const TRIES: u32 = 4;
/// Number of new blocks in one try after which there are no other tries.
const TOO_FAST: u64 = 4;
/// Maximum number of JSON values of a response whose request is repeated.
const MAX_VALUES: usize = 5_000;

/// Repeats requests of these samples, and then finds out whether a block was made meanwhile. Blocks are left out.
pub(crate) async fn repeat_values(context: &Samples, samples: &[Sample]) {
    let done = async {
        let mut height = Height::found(context);
        let mut is_too_fast = false;
        for sample in samples {
            if *sample == Sample::Blocks {
                continue;
            }
            // Without responses, other cases are inconclusive.
            let _ = context.sample(*sample).await;
            let requests = chosen(&context.history(), sample.path());
            for _ in 0..TRIES {
                // In a chain that is so much faster than the node, each try has a new block.
                if !is_too_fast {
                    height.stands(context).await?;
                }
                context.node.send_each(requests.clone(), TIMES).await?;
                let is_done = requests.is_empty() || is_too_fast;
                if is_done || !height.has_grown_by(1, context).await? {
                    break;
                }
                is_too_fast = height.has_grown_by(TOO_FAST, context).await?;
                if is_too_fast {
                    break;
                }
            }
        }
        Ok(())
    };
    note(context, done.await);
}

/// Maximum number of blocks that were new when they were read to repeat.
const NEW_BLOCKS: usize = 32;

/// Repeats requests for blocks. Among them are those for all blocks that were the latest one when they were read,
/// or were made during the run.
pub(crate) async fn repeat_blocks(context: &Samples) {
    let history = context.history();
    let mut requests = chosen(&history, "/get-block");
    let mut new: Vec<_> = history.blocks_read_when_new().collect();
    let dropped = new.len().saturating_sub(NEW_BLOCKS);
    let new = new.drain(dropped..).map(block_request);
    let new: Vec<_> = new.filter(|request| !requests.contains(request)).collect();
    requests.extend(new);
    let sent = context.node.send_each(requests, TIMES).await;
    note(context, sent.map(drop));
}

/// Maximum number of blocks from before the run to read again at its end.
const OLDER_BLOCKS: usize = 32;

/// Reads blocks from before the run again, if something was submitted. A node may shorten a block that has many others
/// above it, so this comes last, when as many as possible were made.
pub(crate) async fn repeat_older_blocks(context: &Samples) {
    let history = context.history();
    if let (Some(_), Some(tip)) = (history.first_submission(), context.discovered.tip) {
        let older = history.blocks().filter(|(index, _)| *index <= tip);
        let older: BTreeSet<u64> = older.map(|(index, _)| index).collect();
        let latest = older.into_iter().rev().take(OLDER_BLOCKS);
        let sent = context.node.send_all(latest.map(block_request).collect());
        note(context, sent.await.map(drop));
    }
}

/// Maximum number of records, and of scores, to read again: of those that were read first, and last.
const RECORDS: usize = 16;

/// Requests the records or the scores that were read once more, if something was submitted since, or unusual values were
/// sent. The sweep's are left out.
///
/// The last one comes first: a node may keep the score of two wallets until the next block, for both directions. The blocks
/// made until then show whether there is a reason for another score.
pub(crate) async fn repeat_stored(submitter: &Submitter, sample: Sample) {
    let context = &*submitter.samples;
    let history = context.history();
    let is_probe = |entry: &Entry| matches!(entry.exchange.request.step, Some(Step::Probe(..)));
    if history.first_submission().is_none() && !history.entries().any(is_probe) {
        return;
    }
    let mut requests: Vec<&Request> = Vec::new();
    for entry in history.of_path(sample.path()) {
        let request = &entry.exchange.request;
        let is_usual = request.raw_query.is_none() && request.wording == Wording::Usual;
        let is_there = match sample {
            Sample::ContractState => has_record(&entry.exchange),
            _ => entry.answer == Answer::Content,
        };
        if is_usual && is_there && !requests.contains(&request) {
            requests.push(request);
        }
    }
    if requests.len() > 2 * RECORDS {
        requests.drain(RECORDS..requests.len() - RECORDS);
    }
    let requests = requests.into_iter().rev().cloned().collect();
    let sent = context.node.send_all(requests).await;
    note(context, sent.map(drop));
    if sample == Sample::TrustScore {
        note(context, read_new_blocks(submitter).await);
    }
}

/// Notes why requests that only a rule needs could not be sent.
pub(super) fn note(context: &Samples, done: Result<(), InconclusiveReason>) {
    if let Err(reason) = done {
        context.unsent.get_or_init(|| reason);
    }
}

/// Returns requests of an endpoint that got some content, each once, of each kind the same number, and one that found nothing.
///
/// Blocks are the first and the latest ones. Other requests are in alphabetical order: the choice must not
/// depend on which of several requests at a time got the first response.
fn chosen(history: &History, path: &str) -> Vec<Request> {
    let mut usable = BTreeMap::new();
    for entry in history.of_path(path) {
        let is_usable = entry.answer == Answer::Content
            && entry.exchange.values <= MAX_VALUES
            && entry.exchange.request.raw_query.is_none();
        if is_usable {
            let kind = requested(&entry.exchange, "balance_type");
            let place = (kind, entry.block_index, &*entry.question);
            usable.entry(place).or_insert(entry);
        }
    }
    let usable: Vec<_> = usable.into_iter().collect();
    let kinds = usable.chunk_by(|((one, ..), _), ((other, ..), _)| one == other);
    let chosen = kinds.flat_map(|all| {
        let (first, others) = all.split_at(all.len().min(FIRST));
        first.iter().chain(others.iter().rev().take(OTHERS))
    });
    // A value for what does not exist may be kept from a similar request in between.
    let of_nothing = |entry: &&Entry| {
        let request = &entry.exchange.request;
        entry.answer == Answer::Nothing && request.finds_nothing && request.raw_query.is_none()
    };
    let nothing = history.of_path(path).find(of_nothing);
    let nothing = nothing.filter(|entry| entry.block_index.is_none());
    let plain = |entry: &Entry| Request {
        wording: Wording::Usual,
        ..entry.exchange.request.clone()
    };
    let chosen = chosen.map(|(_, entry)| *entry);
    chosen.chain(nothing).map(plain).collect()
}
