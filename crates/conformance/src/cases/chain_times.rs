//! Cases about the times of blocks and of their receipts.

use std::time::{SystemTime, UNIX_EPOCH};

use nodeproof_primitives::TimestampMs;
use nodeproof_report::Level;

use super::{
    case::Case,
    chain::{BASE, NO_RECEIPT},
    check::Check,
};
use crate::{
    api::{MILLISECONDS, listed_transactions},
    checks::{CLOCKS_DIFFER, Evidence, Examination, Finding, Links, Memory},
};

/// The reason if no block can be compared with the one before it.
const NO_PAIR: &str = "fewer than two blocks had a timestamp";

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "chain/time-goes-on",
        level: Level::Should,
        requirements: &["BLOCK-3"],
        checks: "No block is older than the one before it, and none is more than a day in the future.",
        check: Check::in_order(time_goes_on, 2, NO_PAIR),
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
    let latest = now().saturating_add(CLOCKS_DIFFER);
    let (what, expected) = match memory.time {
        Some(before) if time < before => (
            "the block is older than the one before it",
            format!("a timestamp of at least {before}"),
        ),
        // If all times are in the future, the clock of this computer is wrong.
        Some(before) if time > latest && before <= latest => (
            "the block is dated more than a day after the current time",
            format!("a timestamp of at most {latest}"),
        ),
        _ => {
            memory.time = Some(time);
            return;
        }
    };
    // The next block is not compared with a time in the future.
    memory.time = memory.time.filter(|_| time > latest).or(Some(time));
    let report = evidence.report();
    result.push(Finding::of_report(report, what, expected, time.to_string()).at("/timestamp"));
}

/// Returns the current time in milliseconds since the Unix epoch.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
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

/// What is checked of the blocks that are made during the run, and in the name of which case. A node's own blocks show its
/// own clock.
pub(super) const OF_NEW_BLOCKS: [(&str, Check); 2] = [
    // The clocks of all voters are not wrong in the same way: such a node writes another time zone.
    (
        "chain/receipt-times",
        Check::in_order(
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
        ),
    ),
    (
        "chain/time-goes-on",
        Check::in_order(goes_far_back, 2, NO_PAIR),
    ),
];

/// The most by which the clocks of two makers of blocks may differ, in milliseconds.
const SKEW: i64 = 10_000;

fn goes_far_back(
    links: &Links,
    memory: &mut Memory,
    evidence: &Evidence,
    result: &mut Examination,
) {
    let Some(time) = links.time.map(TimestampMs::as_millis) else {
        return;
    };
    result.count_item();
    let (what, skew) = match is_dated_by_sender(time, evidence) {
        true => (
            "the block is older than the one before it, and has the time of one of its transactions",
            0,
        ),
        false => (
            "the block is more than 10 s older than the one before it",
            SKEW,
        ),
    };
    if let Some(before) = memory
        .time
        .filter(|before| time < before.saturating_sub(skew))
    {
        let expected = format!("a timestamp of about {before} or later");
        let report = evidence.report();
        result.push(Finding::of_report(report, what, expected, time.to_string()).at("/timestamp"));
    }
    memory.time = Some(time);
}

/// Whether a block has the time of one of its transactions. A sender chooses that one, before the block is made.
fn is_dated_by_sender(time: i64, evidence: &Evidence) -> bool {
    let Evidence::Exchange(exchange) = evidence else {
        return false;
    };
    let listed = exchange.success_object().into_iter();
    let mut listed = listed.flat_map(listed_transactions);
    listed.any(|(_, transaction)| transaction["timestamp"] == time)
}

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
        .filter(|(index, _)| index.checked_add(1) == Some(links.index));
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        api::{BlockResponse, ResponseKind, block_request},
        checks::PreparedCheck,
        history,
    };

    /// Returns the positions of the blocks with a wrong time.
    fn wrong(times: &[i64]) -> Vec<u64> {
        let blocks = times.iter().map(|time| (*time, "[]".to_owned()));
        wrong_in(Check::in_order(time_goes_on, 1, ""), blocks)
    }

    /// Returns the positions of the blocks that this check finds. Each has a time and transactions.
    fn wrong_in(check: Check, blocks: impl Iterator<Item = (i64, String)>) -> Vec<u64> {
        let blocks = (1..).zip(blocks).map(|(index, (time, transactions))| {
            let text = format!(r#"{{"transactions":{transactions},"previous_block_receipts":[]}}"#);
            let body = format!(
                r#"{{"index":{index},"timestamp":{time},"previous_hash":"a","text":{text}}}"#
            );
            let exchange = history::exchange(block_request(index), 200, None, &body);
            BlockResponse::new(index, ResponseKind::Block, Arc::new(exchange))
        });
        let blocks: Vec<_> = blocks.collect();
        let spec = nodeproof_openapi::Spec::from_json(nodeproof_openapi::NODE_JSON);
        let check = check.block_check().expect("a check");
        let check = PreparedCheck::new(check, &spec.expect("the description"));
        let all = check.expect("a check");
        let found = all.check_all(&blocks, &mut Memory::default());
        let found = found.expect("a verdict").findings.into_iter();
        found.filter_map(|one| one.block).collect()
    }

    #[test]
    fn a_block_is_compared_with_the_one_before_it_and_with_the_clock() {
        let future = now() * 2;
        for (times, expected) in [
            (&[][..], &[][..]),
            (&[7], &[]),
            (&[7, 7, 7], &[]),
            (&[1, 2, 3, 4], &[]),
            (&[10, 20, 90, 40, 50], &[4]),
            (&[10, 20, 30, 5, 50, 60], &[4]),
            (&[50, 40, 30, 20], &[2, 3, 4]),
            // The blocks after one in the future are right.
            (&[10, 20, future, 40, 50], &[3]),
            (&[10, 20, future, future + 1, 50], &[3, 4]),
            (&[10, 20, future], &[3]),
            (&[future, 20, 30], &[2]),
            // A clock that is wrong blames no block.
            (&[future, future + 1, future + 2], &[]),
        ] {
            assert_eq!(wrong(times), expected, "{times:?}");
        }
    }

    #[test]
    fn a_new_block_goes_back_by_the_difference_of_clocks_unless_a_sender_dates_it() {
        const START: i64 = 1_790_000_000_000;
        for (offsets, expected) in [
            (&[(0, None), (400, Some(300))][..], &[][..]),
            (&[(0, None), (-9_000, None)], &[]),
            (&[(0, None), (-9_000, Some(-9_001))], &[]),
            (&[(0, None), (-10_001, None)], &[2]),
            (&[(0, None), (-1, Some(-1))], &[2]),
            (&[(0, None), (0, Some(0)), (700, Some(700))], &[]),
        ] {
            let blocks = offsets.iter().map(|(offset, dated)| {
                let transactions = match dated {
                    Some(dated) => {
                        format!(r#"[{{"transaction":{{"timestamp":{}}}}}]"#, START + dated)
                    }
                    None => "[]".to_owned(),
                };
                (START + offset, transactions)
            });
            let check = Check::in_order(goes_far_back, 1, "");
            assert_eq!(wrong_in(check, blocks), expected, "{offsets:?}");
        }
    }
}
