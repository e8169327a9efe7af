//! Summarises the intervals and votes of a sweep's blocks over the chain, in constant memory.
//!
//! The range is divided into spans of equal length. Blocks are added in order, so values are counted
//! for one span at a time. The values of the first and the last span are kept, because other sweeps may have
//! the rest of these spans.

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
    /// Number of blocks in a span. Each span begins at a multiple of it.
    length: u64,
    /// The first span, when a later one has begun.
    first: Option<CurrentSpan>,
    finished: Vec<BlockSpan>,
    current: Option<CurrentSpan>,
    /// The latest block with a time: its index and its timestamp in milliseconds.
    latest: Option<(u64, i64)>,
}

/// A span to which blocks can be added.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct CurrentSpan {
    from: u64,
    to: u64,
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
    /// Creates empty spans for the blocks from `from` on. They are as long as those of the whole range,
    /// which has `blocks` blocks.
    pub(crate) fn starting_at(from: u64, blocks: u64) -> Self {
        Self {
            from,
            length: blocks.div_ceil(MAX_SPANS).max(1),
            ..Self::default()
        }
    }

    /// Remembers a block before the first one. The first interval begins with it.
    pub(crate) fn add_before(&mut self, index: u64, figures: BlockFigures) {
        self.latest = figures.time.map(|time| (index, time)).or(self.latest);
    }

    /// Adds the next block.
    pub(crate) fn add(&mut self, index: u64, figures: BlockFigures) {
        let start = index - index % self.length.max(1);
        if self.current.as_ref().is_none_or(|span| span.from != start) {
            self.close_current();
        }
        let span = self.current.get_or_insert_with(|| CurrentSpan {
            from: start,
            to: start.saturating_add(self.length),
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

    fn close_current(&mut self) {
        let Some(span) = self.current.take() else {
            return;
        };
        if self.first.is_none() && self.finished.is_empty() {
            self.first = Some(span);
        } else {
            self.finished.push(span.finish(self.from));
        }
    }

    /// Adds the spans of a later range.
    pub(crate) fn append(&mut self, later: Self) {
        if let Some(first) = later.first {
            self.append_span(first);
        }
        if !later.finished.is_empty() {
            self.close_current();
            self.finished.extend(later.finished);
        }
        if let Some(current) = later.current {
            self.append_span(current);
        }
        self.length = later.length;
        self.latest = later.latest;
    }

    fn append_span(&mut self, span: CurrentSpan) {
        match &mut self.current {
            Some(current) if (current.from, current.to) == (span.from, span.to) => {
                current.intervals.append(span.intervals);
                current.votes.append(span.votes);
            }
            _ => {
                self.close_current();
                self.current = Some(span);
            }
        }
    }

    /// Returns the spans before the block `next`.
    pub(crate) fn report(&self, next: u64) -> Vec<BlockSpan> {
        let first = self.first.iter().map(|span| span.finish(self.from));
        let current = self.current.iter().map(|span| span.finish(self.from));
        let mut spans: Vec<_> = first
            .chain(self.finished.iter().cloned())
            .chain(current)
            .collect();
        if let Some(last) = spans.last_mut() {
            last.to = last.to.min(next);
        }
        spans
    }
}

impl CurrentSpan {
    fn finish(&self, first: u64) -> BlockSpan {
        BlockSpan {
            from: self.from.max(first),
            to: self.to,
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

    fn append(&mut self, other: Self) {
        if other.counts.is_empty() {
            return;
        }
        self.min = if self.counts.is_empty() {
            other.min
        } else {
            self.min.min(other.min)
        };
        self.max = self.max.max(other.max);
        for (value, times) in other.counts {
            *self.counts.entry(value).or_default() += times;
        }
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
        let mut spans = Spans::starting_at(5, 400);
        for (index, time, votes) in [(5, 0, 3), (6, 100, 4), (7, 350, 9), (8, 360, 9)] {
            spans.add(index, block(time, votes));
        }
        let report = spans.report(9);
        let ends: Vec<_> = report.iter().map(|span| (span.from, span.to)).collect();
        assert_eq!(ends, [(5, 6), (6, 8), (8, 9)]);
        assert_eq!(report[0].interval_ms, None);
        assert_eq!(report[1].interval_ms, spread(2, 100, 100, 250));
        assert_eq!(report[1].votes, spread(2, 4, 4, 9));
        assert_eq!(report[2].interval_ms, spread(1, 10, 10, 10));
        assert_eq!(spans.report(8)[2].to, 8);
    }

    #[test]
    fn spans_of_neighbouring_ranges_are_those_of_one_range() {
        let figures =
            |index: u64| block(i64::try_from(index * index).unwrap_or_default(), index % 7);
        let mut whole = Spans::starting_at(1, 1_000);
        (1..=1_000).for_each(|index| whole.add(index, figures(index)));
        for seams in [&[500][..], &[5, 7, 500, 501, 996], &[2, 3, 4, 6]] {
            let starts = [&[1][..], seams].concat();
            let ends = [seams, &[1_001]].concat();
            let mut parts = starts.into_iter().zip(ends).map(|(from, to)| {
                let mut part = Spans::starting_at(from, 1_000);
                if from > 1 {
                    part.add_before(from - 1, figures(from - 1));
                }
                (from..to).for_each(|index| part.add(index, figures(index)));
                part
            });
            let mut merged = parts.next().unwrap();
            parts.for_each(|part| merged.append(part));
            assert_eq!(merged.report(1_001), whole.report(1_001), "{seams:?}");
        }
    }

    #[test]
    fn holes_missing_times_and_times_that_go_back_make_no_interval() {
        let mut spans = Spans::starting_at(0, 100);
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
        let mut spans = Spans::starting_at(1, 1_000_000);
        let mut time = 0;
        for index in 1..=1_000_000 {
            time += 1_000_000 + i64::try_from(index % 1_000).unwrap_or_default();
            spans.add(index, block(time, index));
        }
        let report = spans.report(1_000_001);
        assert_eq!(report.len(), 201);
        assert_eq!(report[200].to, 1_000_001);
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
