//! Finds blocks whose time does not fit between those of their neighbours.
//!
//! If a block is older than the one before it, either may have the wrong time. Later blocks decide.
//! If they continue from the newer time, the older block was too early. If they continue from the
//! older time, the newer block was too late. So a single time far in the future does not make all
//! later blocks wrong.

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;

/// Maximum number of consecutive blocks with a wrong time that are recognised as wrong. With more,
/// the blocks after them would be reported.
const TOGETHER: usize = 3;
/// Maximum difference between the clocks of the node and this computer, in milliseconds.
pub(crate) const CLOCKS_DIFFER: i64 = 24 * 60 * 60 * 1000;

/// The times of earlier blocks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Times {
    /// A time that is no longer in doubt. No later block may be before it.
    settled: Option<i64>,
    /// The latest blocks, in ascending order of their times.
    latest: Vec<Timed>,
    /// The blocks after those with older times, in ascending order.
    older: Vec<Timed>,
}

/// A block's time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Timed {
    pub(crate) block: u64,
    pub(crate) time: i64,
    pub(crate) evidence: Evidence,
}

/// A block with the wrong time.
#[derive(Clone, Debug)]
pub(crate) struct Misplaced {
    pub(crate) timed: Timed,
    pub(crate) bound: Bound,
}

/// The minimum or maximum that the time should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    AtLeast(i64),
    AtMost(i64),
}

impl Times {
    /// Adds the next block. Returns the blocks that are now known to have the wrong time.
    pub(crate) fn follow(&mut self, timed: Timed) -> Vec<Misplaced> {
        let Some(top) = self.latest.last().map(|latest| latest.time) else {
            self.latest.push(timed);
            return Vec::new();
        };
        if timed.time >= top {
            let wrong = early(self.older.drain(..), top);
            self.latest.push(timed);
            self.settle();
            return wrong;
        }
        let least = self.older.last().map(|older| older.time).or(self.settled);
        if least.is_some_and(|least| timed.time < least) {
            return early([timed], top);
        }
        self.older.push(timed);
        let first = self.older[0].time;
        let contested = self.latest.partition_point(|latest| latest.time <= first);
        if self.older.len() <= self.latest.len() - contested {
            return Vec::new();
        }
        let wrong = late(self.latest.drain(contested..), first);
        self.latest.append(&mut self.older);
        self.settle();
        wrong
    }

    /// Returns the last blocks with a wrong time. If no later blocks decide, the clock does.
    pub(crate) fn end(&mut self, now: i64) -> Vec<Misplaced> {
        let to_come = now.saturating_add(CLOCKS_DIFFER);
        let latest = std::mem::take(&mut self.latest);
        let older = std::mem::take(&mut self.older);
        let come = latest.partition_point(|latest| latest.time <= to_come);
        let all_come = come == latest.len();
        match older.first().map(|older| older.time) {
            Some(first) if first <= to_come && !all_come => {
                late(latest.into_iter().skip(come), first)
            }
            Some(_) => {
                let top = latest.last().map_or(0, |latest| latest.time);
                early(older, top)
            }
            // If all times are in the future, the clock is wrong.
            None if come > 0 || self.settled.is_some_and(|settled| settled <= to_come) => {
                late(latest.into_iter().skip(come), now)
            }
            None => Vec::new(),
        }
    }

    fn settle(&mut self) {
        while self.latest.len() > TOGETHER {
            self.settled = Some(self.latest.remove(0).time);
        }
    }
}

fn early(blocks: impl IntoIterator<Item = Timed>, least: i64) -> Vec<Misplaced> {
    let bound = Bound::AtLeast(least);
    let blocks = blocks.into_iter();
    blocks.map(|timed| Misplaced { timed, bound }).collect()
}

fn late(blocks: impl IntoIterator<Item = Timed>, most: i64) -> Vec<Misplaced> {
    let bound = Bound::AtMost(most);
    let blocks = blocks.into_iter();
    blocks.map(|timed| Misplaced { timed, bound }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn report() -> nodeproof_report::ExchangeReport {
        let report = serde_json::json!({"method": "GET", "url": "", "status": 200, "elapsed_ms": 0,
            "body": "", "body_bytes": 0});
        serde_json::from_value(report).unwrap()
    }

    /// Returns the blocks with a wrong time, by their positions from 1, in the order in which they
    /// are found, and whether they are too late.
    fn misplaced(times: &[i64]) -> Vec<(u64, bool)> {
        let mut known = Times::default();
        let mut wrong = Vec::new();
        let report = std::sync::Arc::new(report());
        for (block, time) in (1..).zip(times) {
            let evidence = Evidence::Report(std::sync::Arc::clone(&report));
            wrong.extend(known.follow(Timed {
                block,
                time: *time,
                evidence,
            }));
            // A sweep may be interrupted anywhere.
            let text = serde_json::to_string(&known).unwrap();
            known = serde_json::from_str(&text).unwrap();
        }
        wrong.extend(known.end(NOW));
        assert!(known.end(NOW).is_empty());
        let wrong = wrong.iter();
        wrong
            .map(|wrong| (wrong.timed.block, matches!(wrong.bound, Bound::AtMost(_))))
            .collect()
    }

    #[test]
    fn times_that_go_on_or_stand_still_are_right() {
        for times in [&[][..], &[7], &[7, 7, 7], &[1, 2, 3, 4, 5, 6, 7, 8]] {
            assert_eq!(misplaced(times), [], "{times:?}");
        }
    }

    #[test]
    fn a_time_in_the_future_is_that_blocks_fault_and_of_none_behind_it() {
        for times in [
            &[10, 20, 9_000, 40, 50, 60, 70, 80, 90][..],
            &[10, 20, 9_000, 40, 50],
            &[10, 20, 9_000, 25, 25, 9_000],
            // No later block decides, so the clock does.
            &[10, 20, NOW * 2],
            &[10, 20, NOW * 2, 30],
        ] {
            let found = misplaced(times);
            assert_eq!(found[0], (3, true), "{times:?}");
            let last = times.len() as u64;
            assert!(
                found.len() == 1 || found == [(3, true), (last, true)],
                "{times:?}"
            );
        }
        assert_eq!(misplaced(&[9_000, 20, 30, 40]), [(1, true)]);
        let times = [10, 20, 7_000, 8_000, 9_000, 60, 70, 80, 90, 100];
        assert_eq!(misplaced(&times), [(3, true), (4, true), (5, true)]);
    }

    #[test]
    fn a_time_in_the_past_is_that_blocks_fault() {
        assert_eq!(misplaced(&[10, 20, 30, 5, 50, 60]), [(4, false)]);
        assert_eq!(misplaced(&[10, 20, 30, 25, 50, 60]), [(4, false)]);
        assert_eq!(misplaced(&[10, 20, 30, 40, 50, 60, 5]), [(7, false)]);
        assert_eq!(misplaced(&[10, 20, 30, 40, 50, 45]), [(6, false)]);
        assert_eq!(misplaced(&[50, 40, 30, 20]).len(), 3);
    }

    #[test]
    fn a_clock_that_is_wrong_blames_no_block() {
        assert_eq!(misplaced(&[NOW * 2, NOW * 2 + 1, NOW * 2 + 2]), []);
    }
}
