//! Summarises the intervals and votes of a sweep's blocks over the chain, in constant memory.
//!
//! The range is divided into spans of equal length. Blocks are added in order, so values are counted
//! for one span at a time.

use std::collections::BTreeMap;

use nodeproof_report::{BlockSpan, Spread};
use serde::{Deserialize, Serialize};

use crate::api::{BlockResponse, ResponseKind};

/// Maximum number of spans.
const MAX_SPANS: u64 = 200;
/// Number of leading bits of a value that are counted. Rounding down changes a value by less than 1%.
const BITS: u32 = 8;

/// The figures of one block that a span summarises.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockFigures {
    /// Its timestamp, in milliseconds.
    time: Option<i64>,
    /// The number of votes in it.
    votes: Option<u64>,
}

impl BlockFigures {
    /// Returns the figures of a response, if it is a block.
    pub(crate) fn of(response: &BlockResponse) -> Option<Self> {
        let is_block = response.kind == ResponseKind::Block;
        let block = is_block.then(|| response.block()).flatten()?;
        let votes = block.receipts.as_ref().ok().map(Vec::len);
        Some(Self {
            time: block.timestamp.as_ref().ok().map(|time| time.as_millis()),
            votes: votes.and_then(|votes| u64::try_from(votes).ok()),
        })
    }
}

/// The spans of a sweep.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Spans {
    /// The first block of the range.
    from: u64,
    /// Number of blocks in a span.
    length: u64,
    finished: Vec<BlockSpan>,
    current: Option<CurrentSpan>,
    /// The latest block with a time: its index and its timestamp in milliseconds.
    latest: Option<(u64, i64)>,
}

/// The span to which blocks are added now.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct CurrentSpan {
    from: u64,
    intervals: Values,
    votes: Values,
}

/// A histogram of any number of values.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Values {
    /// Number of occurrences of each value, rounded down to its leading bits.
    counts: BTreeMap<u64, u64>,
    min: u64,
    max: u64,
}

impl Spans {
    /// Creates empty spans for a range of blocks. `to` is exclusive.
    pub(crate) fn over(from: u64, to: u64) -> Self {
        Self {
            from,
            length: to.saturating_sub(from).div_ceil(MAX_SPANS),
            ..Self::default()
        }
    }

    /// Adds the next block.
    pub(crate) fn add(&mut self, index: u64, figures: BlockFigures) {
        let length = self.length.max(1);
        let start = index - index.saturating_sub(self.from) % length;
        if self.current.as_ref().is_none_or(|span| span.from != start) {
            self.finished
                .extend(self.current.take().map(|span| span.finish(length)));
        }
        let span = self.current.get_or_insert_with(|| CurrentSpan {
            from: start,
            intervals: Values::default(),
            votes: Values::default(),
        });
        if let Some(votes) = figures.votes {
            span.votes.add(votes);
        }
        let Some(time) = figures.time else { return };
        let before = self.latest.replace((index, time));
        let interval = before
            .filter(|(before, _)| before.checked_add(1) == Some(index))
            .and_then(|(_, before)| u64::try_from(time.checked_sub(before)?).ok());
        if let Some(interval) = interval {
            span.intervals.add(interval);
        }
    }

    /// Returns the spans before the block `next`.
    pub(crate) fn report(&self, next: u64) -> Vec<BlockSpan> {
        let current = self.current.clone();
        let current = current.map(|span| span.finish(self.length.max(1)));
        let mut spans = self.finished.clone();
        spans.extend(current);
        if let Some(last) = spans.last_mut() {
            last.to = last.to.min(next);
        }
        spans
    }
}

impl CurrentSpan {
    fn finish(self, length: u64) -> BlockSpan {
        BlockSpan {
            from: self.from,
            to: self.from.saturating_add(length),
            interval_ms: self.intervals.spread(),
            votes: self.votes.spread(),
        }
    }
}

impl Values {
    fn add(&mut self, value: u64) {
        let shift = (u64::BITS - value.leading_zeros()).saturating_sub(BITS);
        let first = self.counts.is_empty();
        *self.counts.entry(value >> shift << shift).or_default() += 1;
        self.min = if first { value } else { self.min.min(value) };
        self.max = self.max.max(value);
    }

    fn spread(&self) -> Option<Spread> {
        let count: u64 = self.counts.values().sum();
        let mut counted = 0;
        let (median, _) = self.counts.iter().find(|(_, times)| {
            counted += **times;
            counted >= count.div_ceil(2)
        })?;
        Some(Spread {
            count,
            min: self.min,
            median: (*median).max(self.min),
            max: self.max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(time: i64, votes: u64) -> BlockFigures {
        BlockFigures {
            time: Some(time),
            votes: Some(votes),
        }
    }

    fn spread(count: u64, min: u64, median: u64, max: u64) -> Option<Spread> {
        Some(Spread {
            count,
            min,
            median,
            max,
        })
    }

    #[test]
    fn a_span_has_the_intervals_and_votes_of_its_blocks() {
        let mut spans = Spans::over(5, 405);
        for (index, time, votes) in [(5, 0, 3), (6, 100, 4), (7, 350, 9), (8, 360, 9)] {
            spans.add(index, block(time, votes));
        }
        let report = spans.report(9);
        let ends: Vec<_> = report.iter().map(|span| (span.from, span.to)).collect();
        assert_eq!(ends, [(5, 7), (7, 9)]);
        assert_eq!(report[0].interval_ms, spread(1, 100, 100, 100));
        assert_eq!(report[0].votes, spread(2, 3, 3, 4));
        assert_eq!(report[1].interval_ms, spread(2, 10, 10, 250));
        assert_eq!(spans.report(8)[1].to, 8);
    }

    #[test]
    fn holes_missing_times_and_times_that_go_back_make_no_interval() {
        let mut spans = Spans::over(0, 100);
        spans.add(0, block(1000, 1));
        spans.add(2, block(3000, 1));
        spans.add(
            3,
            BlockFigures {
                time: None,
                votes: None,
            },
        );
        spans.add(4, block(5000, 1));
        spans.add(5, block(4000, 1));
        spans.add(6, block(i64::MIN, 1));
        spans.add(7, block(i64::MAX, 1));
        let report = spans.report(8);
        assert!(report.iter().all(|span| span.interval_ms.is_none()));
        assert_eq!(report.len(), 7, "no span without a block");
    }

    #[test]
    fn memory_is_bounded_and_medians_are_less_than_one_percent_too_low() {
        let mut spans = Spans::over(1, 1_000_001);
        let mut time = 0;
        for index in 1..=1_000_000 {
            time += 1_000_000 + i64::try_from(index % 1_000).unwrap_or_default();
            spans.add(index, block(time, index));
        }
        let report = spans.report(1_000_001);
        assert_eq!(report.len(), 200);
        assert_eq!(report[199].to, 1_000_001);
        for span in &report[1..] {
            let interval = span.interval_ms.as_ref().map(|spread| spread.median);
            assert!(
                interval.is_some_and(|median| (990_500..=1_000_500).contains(&median)),
                "{span:?}"
            );
        }
        let mut values = Values::default();
        for shift in 0..u64::BITS {
            for start in 0..4096 {
                values.add(start << shift);
            }
        }
        assert!(values.counts.len() < 8_000, "{}", values.counts.len());
    }
}
