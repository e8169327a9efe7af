//! The findings of a sweep, in memory that does not grow with the chain.
//!
//! The same mismatch in many blocks is one kind. It is counted, and its first locations are kept.

use std::{collections::BTreeMap, sync::Arc};

use nodeproof_report::{ExchangeReport, SignedReport};
use serde::{Deserialize, Serialize};

use crate::{checks::Finding, http::InconclusiveReason};

/// Maximum number of kinds of mismatch for each case. Further ones are only counted.
const KINDS: usize = 8;
/// Maximum number of locations for each kind.
const PLACES: usize = 5;

/// The results of a sweep so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// The cases, in order.
    pub(crate) cases: Vec<CaseTally>,
    /// The exchanges that findings are about, by the block's index.
    exchanges: BTreeMap<u64, Arc<ExchangeReport>>,
    /// Number of checked blocks.
    pub(crate) blocks: u64,
    /// Indexes without a block.
    pub(crate) holes: u64,
    /// Blocks that could not be checked.
    pub(crate) unread: UncheckedBlocks,
}

/// The results of one case.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CaseTally {
    /// The case's ID.
    pub(crate) id: String,
    /// Number of checked items.
    pub(crate) judged: u64,
    /// Number of findings.
    pub(crate) found: u64,
    /// The kinds of mismatch, in the order of their first appearance.
    pub(crate) kinds: Vec<KindTally>,
    /// The fault of the harness in this case, if there is one.
    harness: Option<String>,
    /// The reason why a block could not be checked, if there is one.
    too_large: Option<String>,
}

/// One kind of mismatch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KindTally {
    pub(crate) what: String,
    pub(crate) count: u64,
    pub(crate) first: Vec<Kept>,
}

/// One location of a mismatch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) block: u64,
    pointer: Option<String>,
    expected: String,
    actual: String,
    #[serde(default)]
    signed: Option<Box<SignedReport>>,
}

/// Blocks that could not be checked, and why.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct UncheckedBlocks {
    pub(crate) count: u64,
    /// The first of these blocks, with the reason.
    pub(crate) first: Option<(u64, String)>,
}

impl UncheckedBlocks {
    pub(crate) fn add(&mut self, block: u64, reason: String) {
        self.count += 1;
        self.first.get_or_insert((block, reason));
    }
}

impl Tally {
    /// Creates an empty tally with an entry for each case.
    pub(crate) fn of<'a>(ids: impl Iterator<Item = &'a str>) -> Self {
        Self {
            cases: ids
                .map(|id| CaseTally {
                    id: id.to_owned(),
                    ..CaseTally::default()
                })
                .collect(),
            ..Self::default()
        }
    }

    /// Adds the number of items that the case at a position checked.
    pub(crate) fn judged(
        &mut self,
        case: usize,
        count: u64,
        inconclusive: Option<InconclusiveReason>,
    ) {
        let Some(case) = self.cases.get_mut(case) else {
            return;
        };
        case.judged += count;
        match inconclusive {
            Some(InconclusiveReason::Harness(reason)) => {
                case.harness.get_or_insert(reason);
            }
            Some(inconclusive) => {
                let reason = inconclusive.reason().to_owned();
                case.too_large.get_or_insert(reason);
            }
            None => {}
        }
    }

    /// Adds a finding of the case at a position, which counts `count` times.
    ///
    /// Returns the description of the mismatch if it is the first of its kind.
    pub(crate) fn found(
        &mut self,
        case: usize,
        block: u64,
        (finding, count): (Finding, u64),
    ) -> Option<String> {
        let case = self.cases.get_mut(case)?;
        case.found += count;
        let known = case.kinds.iter().position(|kind| kind.what == finding.what);
        let first = known.is_none().then(|| finding.what.clone());
        let place = match known {
            Some(place) => place,
            None if case.kinds.len() < KINDS => {
                case.kinds.push(KindTally {
                    what: finding.what,
                    count: 0,
                    first: Vec::new(),
                });
                case.kinds.len() - 1
            }
            None => return None,
        };
        let kind = &mut case.kinds[place];
        kind.count += count;
        let kept = kind.keep(Kept {
            block,
            pointer: finding.pointer,
            expected: finding.expected,
            actual: finding.actual,
            signed: finding.signed,
        });
        if let (true, Some(exchange)) = (kept, finding.exchange) {
            self.exchanges.entry(block).or_insert(exchange);
        }
        first
    }

    /// Adds the results of a later range.
    pub(crate) fn append(&mut self, later: Self) {
        for (case, later) in self.cases.iter_mut().zip(later.cases) {
            case.append(later);
        }
        self.exchanges.extend(later.exchanges);
        self.blocks += later.blocks;
        self.holes += later.holes;
        self.unread.count += later.unread.count;
        self.unread.first = self.unread.first.take().or(later.unread.first);
    }

    /// Returns the results of the case with this ID.
    pub(crate) fn case(&self, id: &str) -> Option<&CaseTally> {
        self.cases.iter().find(|case| case.id == id)
    }

    /// Returns the total number of findings.
    pub(crate) fn findings(&self) -> u64 {
        self.cases.iter().map(|case| case.found).sum()
    }

    /// Returns the findings of a case: the first location of each kind, then further locations.
    pub(crate) fn kept(&self, id: &str) -> Vec<Finding> {
        let kinds = self.case(id).map_or(&[][..], |case| &case.kinds);
        let rows = (0..PLACES).flat_map(|row| {
            kinds
                .iter()
                .filter_map(move |kind| Some((row, kind, kind.first.get(row)?)))
        });
        rows.map(|(row, kind, kept)| Finding {
            what: kind.what.clone(),
            pointer: kept.pointer.clone(),
            expected: kept.expected.clone(),
            actual: kept.actual.clone(),
            exchange: self.exchanges.get(&kept.block).cloned(),
            block: Some(kept.block),
            count: (row == 0).then_some(kind.count),
            signed: kept.signed.clone(),
            again: None,
        })
        .collect()
    }
}

/// Reduces the findings of one case in one block to as many as a tally keeps.
///
/// Each has the number of findings that it stands for. A block may have many thousands.
pub(crate) fn samples(findings: Vec<Finding>) -> Vec<(Finding, u64)> {
    let mut samples: Vec<(Finding, u64)> = Vec::new();
    for mut finding in findings {
        let times = finding.count.take().unwrap_or(1);
        let alike = samples
            .iter()
            .filter(|(known, _)| known.what == finding.what);
        let alike = alike.count();
        // The last one stands for all further kinds, which don't fit into a tally.
        let takes = match alike {
            0 => samples.len() <= KINDS * PLACES,
            alike => alike < PLACES && samples.len() < KINDS * PLACES,
        };
        if takes {
            samples.push((finding, times));
            continue;
        }
        let same = |known: &&mut (Finding, u64)| alike == 0 || known.0.what == finding.what;
        if let Some((_, count)) = samples.iter_mut().rev().find(same) {
            *count += times;
        }
    }
    samples
}

impl KindTally {
    /// Keeps a location if it is one of the first, by the index of its block. Returns whether it is.
    fn keep(&mut self, kept: Kept) -> bool {
        let place = self
            .first
            .partition_point(|known| known.block <= kept.block);
        if place == PLACES {
            return false;
        }
        self.first.insert(place, kept);
        self.first.truncate(PLACES);
        true
    }

    /// Returns the first blocks with this mismatch.
    pub(crate) fn blocks(&self) -> Vec<u64> {
        let mut blocks: Vec<_> = self.first.iter().map(|kept| kept.block).collect();
        blocks.dedup();
        blocks
    }
}

impl CaseTally {
    /// Adds the results of a later range.
    fn append(&mut self, later: Self) {
        self.judged += later.judged;
        self.found += later.found;
        for kind in later.kinds {
            if let Some(same) = self.kinds.iter_mut().find(|known| known.what == kind.what) {
                same.count += kind.count;
                same.first.extend(kind.first);
                same.first.truncate(PLACES);
            } else if self.kinds.len() < KINDS {
                self.kinds.push(kind);
            }
        }
        self.harness = self.harness.take().or(later.harness);
        self.too_large = self.too_large.take().or(later.too_large);
    }

    /// Returns the reason why the case is inconclusive.
    pub(crate) fn inconclusive(&self) -> Option<InconclusiveReason> {
        let harness = self.harness.clone().map(InconclusiveReason::Harness);
        harness.or(self.too_large.clone().map(InconclusiveReason::TooLarge))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(what: &str) -> Finding {
        Finding {
            what: what.to_owned(),
            ..Finding::default()
        }
    }

    #[test]
    fn the_same_fault_in_every_block_is_one_kind_with_its_first_places() {
        let mut tally = Tally::of(["a"].into_iter());
        assert!(tally.found(0, 7, (finding("wrong"), 1)).is_some());
        for block in 8..10_000 {
            assert!(tally.found(0, block, (finding("wrong"), 1)).is_none());
        }
        let other = tally.found(0, 9_000, (finding("otherwise wrong"), 1));
        assert_eq!(other.as_deref(), Some("otherwise wrong"));
        let kept = tally.kept("a");
        let blocks: Vec<_> = kept.iter().filter_map(|finding| finding.block).collect();
        assert_eq!(blocks, [7, 9_000, 8, 9, 10, 11]);
        assert_eq!(tally.findings(), 9_994);
        assert_eq!(tally.cases[0].kinds[0].count, 9_993);
    }

    #[test]
    fn a_block_with_thousands_of_faults_is_told_as_if_each_were_kept() {
        let all: Vec<_> = (0..9_000)
            .map(|place| {
                finding(["wrong", "otherwise wrong", "wrong"][place % 3]).at(place.to_string())
            })
            .collect();
        let samples = samples(all.clone());
        assert_eq!(samples.len(), 10);
        let tally = |findings: Vec<(Finding, u64)>| {
            let mut tally = Tally::of(["a"].into_iter());
            for finding in findings {
                tally.found(0, 7, finding);
            }
            serde_json::to_string(&tally).unwrap()
        };
        assert_eq!(
            tally(samples),
            tally(all.into_iter().map(|finding| (finding, 1)).collect())
        );
    }

    #[test]
    fn the_number_of_kinds_is_bounded() {
        let mut tally = Tally::of(["a"].into_iter());
        for block in 0..10_000 {
            tally.found(0, block, (finding(&format!("wrong {block}")), 1));
        }
        assert_eq!(tally.cases[0].kinds.len(), KINDS);
        assert_eq!(tally.findings(), 10_000);
    }
}
