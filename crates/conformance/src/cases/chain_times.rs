//! Cases about the times of blocks and of their receipts.

use std::time::{SystemTime, UNIX_EPOCH};

use nodeproof_primitives::TimestampMs;
use nodeproof_report::Level;

use super::{
    case::Case,
    chain::{BASE, NO_RECEIPT},
    check::Check::{self, Blocks},
};
use crate::{
    api::MILLISECONDS,
    checks::{
        BlockCheck, Bound, CLOCKS_DIFFER, CheckScope, Evidence, Examination, Finding, InOrder,
        Links, Memory, Misplaced, Timed,
    },
};

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "chain/time-goes-on",
        level: Level::Should,
        requirements: &["BLOCK-3"],
        checks: "No block is older than one with a lower index, and none is more than a day in the future.",
        check: Blocks(BlockCheck {
            scope: CheckScope::InOrder(InOrder {
                follow: time_goes_on,
                end: time_is_over,
            }),
            least: 2,
            otherwise: "fewer than two blocks had a timestamp",
        }),
        ..BASE
    },
    Case {
        id: "chain/receipt-times",
        level: Level::Should,
        requirements: &["RECEIPT-4"],
        checks: "No receipt is dated more than a day after the block that carries it, or more than a day before the block that it votes on.",
        check: Check::in_order(receipt_times, 1, NO_RECEIPT),
        ..BASE
    },
];

fn time_goes_on(links: &Links, memory: &mut Memory, evidence: &Evidence, result: &mut Examination) {
    let Some(time) = links.time.map(TimestampMs::as_millis) else {
        return;
    };
    result.count_item();
    let misplaced = memory.times.follow(Timed {
        block: links.index,
        time,
        evidence: evidence.clone(),
    });
    misplaced
        .into_iter()
        .for_each(|wrong| result.push(out_of_time(wrong)));
}

fn time_is_over(memory: &mut Memory, result: &mut Examination) {
    let misplaced = memory.times.end(now());
    misplaced
        .into_iter()
        .for_each(|wrong| result.push(out_of_time(wrong)));
}

/// Returns the current time in milliseconds since the Unix epoch.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
}

fn out_of_time(wrong: Misplaced) -> Finding {
    let (what, expected) = match wrong.bound {
        Bound::AtLeast(least) => (
            "the block is older than one with a lower index",
            format!("a timestamp of at least {least}"),
        ),
        Bound::AtMost(most) => (
            "the block is newer than later blocks, or than the current time",
            format!("a timestamp of at most {most}"),
        ),
    };
    let Timed {
        block,
        time,
        evidence,
    } = wrong.timed;
    Finding {
        block: Some(block),
        ..Finding::of_report(evidence.report(), what, expected, time.to_string()).at("/timestamp")
    }
}

/// Checks that votes are dated between the block that they are about and the one that carries them.
/// The clocks of two nodes may differ.
fn receipt_times(
    links: &Links,
    memory: &mut Memory,
    evidence: &Evidence,
    result: &mut Examination,
) {
    let texts = [
        "a receipt is dated more than a day before the block that it is about",
        "a receipt is dated more than a day after its block",
    ];
    let window = voting_window(links, memory, CLOCKS_DIFFER);
    judge_votes(links.votes, window, texts, evidence, result);
}

/// Checks that not all votes of a block have another time than the block. The clocks of all voters are not wrong in the
/// same way: a node whose own blocks look like this writes another time zone.
pub(super) const VOTES_OF_NEW_BLOCKS: Check = Check::in_order(
    |links, memory, evidence, result| {
        let texts = [
            "all receipts are dated more than 15 minutes before the block that they are about",
            "all receipts are dated more than 15 minutes after their block",
        ];
        let latest_and_earliest = links.votes.map(|[earliest, latest]| [latest, earliest]);
        let window = voting_window(links, memory, QUARTER);
        judge_votes(latest_and_earliest, window, texts, evidence, result);
    },
    1,
    NO_RECEIPT,
);

/// A quarter of an hour in milliseconds. Offsets of time zones are multiples of it.
const QUARTER: i64 = 15 * 60 * 1_000;

/// Returns the earliest and the latest time that the votes in a block may have, as far as they are known.
fn voting_window(links: &Links, memory: &mut Memory, tolerance: i64) -> [Option<i64>; 2] {
    // Other cases report a block's time in another unit, or in the future.
    let latest = now().saturating_add(CLOCKS_DIFFER);
    let time = links.time.map(TimestampMs::as_millis);
    let time = time.filter(|time| MILLISECONDS.contains(time) && *time <= latest);
    let before = memory
        .last_time
        .filter(|(index, _)| index + 1 == links.index);
    memory.last_time = time.map(|time| (links.index, time));
    [
        before.map(|(_, before)| before - tolerance),
        time.map(|time| time + tolerance),
    ]
}

/// Compares the first of two votes with the earliest time, and the second one with the latest.
fn judge_votes(
    votes: Option<[(usize, i64); 2]>,
    [least, most]: [Option<i64>; 2],
    [too_early, too_late]: [&str; 2],
    evidence: &Evidence,
    result: &mut Examination,
) {
    let Some([first, second]) = votes else { return };
    let mut judge = |(place, voted): (usize, i64), is_wrong: bool, what: &str, expected: String| {
        result.count_item();
        if is_wrong {
            let at = format!("/text/previous_block_receipts/{place}/data/timestamp");
            let report = evidence.report();
            result.push(Finding::of_report(report, what, expected, voted.to_string()).at(at));
        }
    };
    if let Some(least) = least {
        let expected = format!("a timestamp of at least {least}");
        judge(first, first.1 < least, too_early, expected);
    }
    if let Some(most) = most {
        let expected = format!("a timestamp of at most {most}");
        judge(second, second.1 > most, too_late, expected);
    }
}
