//! What a history proves about the height of the chain.

use std::{cmp::Reverse, collections::BTreeMap, time::Duration};

use super::entry::{Answer, Entry};

/// A node may show the effects of a block this long after the block itself.
const SETTLING: Duration = Duration::from_secs(2);

/// Maximum number of absent blocks that are examined for the end of the chain.
const MOST_ENDS: usize = 64;

/// A period in which the height stayed the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Period {
    /// The height.
    pub(crate) height: u64,
    /// Whether the latest block may be so new that its effects are not complete at the start.
    pub(crate) is_fresh: bool,
}

/// What block requests showed about the height.
#[derive(Debug, Default)]
pub(crate) struct Heights {
    /// For each block: when its first response with it ended.
    first_seen: BTreeMap<u64, Duration>,
    /// For each index: when the first and the last request without a block began.
    absent: BTreeMap<u64, (Duration, Duration)>,
}

impl Heights {
    pub(super) fn of(entries: &[Entry]) -> Self {
        let mut heights = Self::default();
        for entry in entries {
            let Some(index) = entry.block_index else {
                continue;
            };
            match entry.answer {
                Answer::Content => {
                    let seen = heights.first_seen.entry(index).or_insert(entry.ended);
                    *seen = entry.ended.min(*seen);
                }
                Answer::Nothing => {
                    let (_, last) = heights
                        .absent
                        .entry(index)
                        .or_insert((entry.began, entry.began));
                    *last = entry.began.max(*last);
                }
                Answer::ServerError | Answer::Unreadable => {}
            }
        }
        heights
    }

    /// Returns the index of the highest block that was read before a moment.
    pub(super) fn before(&self, moment: Duration) -> Option<u64> {
        let seen = self.first_seen.iter().rev();
        let mut seen = seen.filter(|(_, ended)| **ended <= moment);
        seen.next().map(|(index, _)| *index)
    }

    /// Whether a block was read for the first time between two moments.
    pub(super) fn is_seen_between(&self, from: Duration, to: Duration) -> bool {
        let mut seen = self.first_seen.values();
        seen.any(|ended| (from..=to).contains(ended))
    }

    /// Whether a block was missing after a moment, and was read before another one.
    pub(super) fn is_made_between(&self, from: Duration, to: Duration) -> bool {
        let mut absent = self.absent.iter();
        absent.any(|(index, (_, last))| {
            let seen = self.first_seen.get(index).copied();
            *last >= from && seen.is_some_and(|seen| (*last..=to).contains(&seen))
        })
    }

    /// Whether a request for a block got nothing at this moment or later.
    pub(super) fn is_absent_at(&self, index: u64, moment: Duration) -> bool {
        let absent = self.absent.get(&index);
        absent.is_some_and(|(_, last)| *last >= moment)
    }

    /// Returns the index before each one for which a request got nothing at this moment or later, and the highest block that
    /// was read before that.
    pub(super) fn ends_since(&self, moment: Duration) -> impl Iterator<Item = (u64, Option<u64>)> {
        let absent = self.absent.iter();
        let absent = absent.filter(move |(_, (_, last))| *last >= moment);
        absent.filter_map(|(index, (_, last))| Some((index.checked_sub(1)?, self.before(*last))))
    }

    /// Returns the latest moment at which all blocks from this one on are known, and the last one of them: the next one was
    /// not there at that moment.
    pub(super) fn complete_from(&self, first: u64) -> Option<(u64, Duration)> {
        let read = self.first_seen.range(first..).map(|(index, _)| *index);
        let in_a_row = read
            .zip(first..)
            .take_while(|(index, place)| index == place);
        let unknown = first.saturating_add(in_a_row.count() as u64);
        // The blocks below an absent one are known if it is not beyond the first unknown one.
        let absent = self.absent.range(first..=unknown);
        let mut ends: Vec<_> = absent
            .filter_map(|(index, (_, last))| Some((index.checked_sub(1)?, *last)))
            .collect();
        ends.sort_by_key(|(_, last)| Reverse(*last));
        // If a later block was there before, the chain has a hole, or the node lags.
        let is_end = |(end, last): &(u64, Duration)| self.before(*last) <= Some(*end);
        ends.into_iter().take(MOST_ENDS).find(is_end)
    }

    /// Returns the blocks that were the latest one when they were first read.
    pub(super) fn read_when_new(&self) -> impl Iterator<Item = u64> {
        let blocks = self.first_seen.iter();
        let new = blocks.filter(|(index, ended)| {
            let next = index.checked_add(1).and_then(|next| self.absent.get(&next));
            self.absent.contains_key(index) || next.is_some_and(|(_, last)| last >= *ended)
        });
        new.map(|(index, _)| *index)
    }

    /// Returns the period without a new block that spans these two moments, or `None` if the block
    /// requests do not prove that there is one: before it, a block was there, and after it, the next one
    /// was not.
    pub(super) fn unchanged(&self, from: Duration, to: Duration) -> Option<Period> {
        let height = self.before(from)?;
        let (_, still_absent) = self.absent.get(&height.checked_add(1)?)?;
        if *still_absent < to {
            return None;
        }
        let made_after = self.absent.get(&height).map(|(began, _)| *began);
        let is_fresh = made_after.is_some_and(|began| from < began + SETTLING);
        Some(Period { height, is_fresh })
    }
}

#[cfg(test)]
mod tests {
    use crate::{api::block_request, history::recorded};

    #[test]
    fn all_blocks_are_known_up_to_one_that_was_not_there() {
        // The moment, the index, and whether there is a block.
        let rows = [
            (10, 1, true),
            (20, 2, true),
            (30, 3, false),
            (40, 3, true),
            (50, 4, false),
            (60, 9, false),
        ];
        for (missing, from_1, from_3) in [
            (0, Some((3, 50)), Some((3, 50))),
            (20, None, Some((3, 50))),
            (40, Some((2, 30)), Some((2, 30))),
            (50, Some((2, 30)), Some((2, 30))),
        ] {
            let rows = rows.iter().filter(|(at, ..)| *at != missing);
            let rows = rows.map(|(at, index, is_there)| match is_there {
                true => (*at, block_request(*index), 200, r#"{"proof":7}"#),
                false => (*at, block_request(*index), 400, "{}"),
            });
            let history = recorded(rows.collect());
            for (first, expected) in [(1, from_1), (3, from_3)] {
                let found = history.complete_from(first);
                let found = found.map(|(last, until)| (last, until.as_millis()));
                assert_eq!(found, expected, "{missing} {first}");
            }
        }
    }
}
