//! Finds differences between nodes, and the nodes that differ from the majority.

use nodeproof_report::{Aspect, CaseReport, FindingReport, Level, NodeValue, Outcome};

use super::{
    content::{Content, ContentValue},
    side::Side,
};

/// Maximum number of different kinds of mismatch that are reported.
const MAX_KINDS: usize = 20;

/// The number of comparisons, and the mismatches between nodes.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    compared: u64,
    kinds: Vec<Kind>,
    more: u64,
    /// The block that is compared.
    block: Option<u64>,
}

#[derive(Debug)]
struct Kind {
    member: &'static str,
    /// Groups of nodes with the same value, by position. The groups identify the kind.
    groups: Vec<Vec<usize>>,
    /// Number of places with this mismatch.
    count: u64,
    /// The first block with it.
    block: Option<u64>,
    finding: FindingReport,
}

impl Differences {
    /// Compares the contents of a block.
    pub(crate) fn add_block(&mut self, sides: &[Side], contents: &[Option<Content>], index: u64) {
        self.block = Some(index);
        self.add(sides, contents, || format!("block {index}"));
    }

    /// Replaces the mismatches from a block on by a single one, if these nodes have another chain since then.
    pub(crate) fn join(&mut self, sides: &[Side], since: u64, nodes: &[usize]) {
        let names: Vec<_> = nodes.iter().map(|node| sides[*node].name.clone()).collect();
        let is_of_chain = |kind: &mut Kind| {
            let differs = &kind.finding.differs;
            kind.block.is_some_and(|block| block >= since)
                && differs.iter().all(|name| names.contains(name))
        };
        let joined: Vec<_> = self.kinds.extract_if(.., is_of_chain).collect();
        let Some(first) = joined.iter().min_by_key(|kind| kind.block) else {
            return;
        };
        let chain = format!("another chain since block {since}");
        let what = match first.finding.differs.is_empty() {
            true => format!("{chain}: the nodes disagree"),
            false => format!("{chain}: {}", names.join(", ")),
        };
        let finding = FindingReport {
            what,
            place: Some(format!("block {since}")),
            ..first.finding.clone()
        };
        let count = joined.iter().map(|kind| kind.count).max();
        self.kinds.push(Kind {
            member: "chain",
            groups: first.groups.clone(),
            count: count.unwrap_or_default(),
            block: Some(since),
            finding,
        });
    }

    /// Compares the contents of one thing, if at least two nodes have it.
    pub(crate) fn add(
        &mut self,
        sides: &[Side],
        contents: &[Option<Content>],
        place: impl Fn() -> String,
    ) {
        if contents.iter().flatten().count() < 2 {
            return;
        }
        self.compared += 1;
        let mut members: Vec<_> = contents.iter().flatten().flat_map(Content::keys).collect();
        members.sort_unstable();
        members.dedup();
        for member in members {
            self.compare_member(member, sides, contents, &place);
        }
    }

    fn compare_member(
        &mut self,
        member: &'static str,
        sides: &[Side],
        contents: &[Option<Content>],
        place: &impl Fn() -> String,
    ) {
        let mut groups: Vec<(&ContentValue, Vec<usize>)> = Vec::new();
        for (node, content) in contents.iter().enumerate() {
            let Some(value) = content.as_ref().and_then(|content| content.get(member)) else {
                continue;
            };
            let same = groups
                .iter_mut()
                .find(|(known, _)| known.fingerprint == value.fingerprint);
            match same {
                Some((_, nodes)) => nodes.push(node),
                None => groups.push((value, vec![node])),
            }
        }
        if groups.len() < 2 {
            return;
        }
        let nodes: Vec<_> = groups.iter().map(|(_, nodes)| nodes.clone()).collect();
        let known = self
            .kinds
            .iter_mut()
            .find(|kind| kind.member == member && kind.groups == nodes);
        if let Some(known) = known {
            known.count += 1;
            return;
        }
        if self.kinds.len() == MAX_KINDS {
            self.more += 1;
            return;
        }
        let name = |node: &usize| sides[*node].name.clone();
        let differs: Vec<_> = others_than_most(&nodes).iter().map(name).collect();
        let what = match differs.as_slice() {
            [] => format!("{member}: the nodes disagree"),
            [one] => format!("{member}: {one} differs from the others"),
            some => format!("{member}: {} differ from the others", some.join(", ")),
        };
        let values = groups.iter().map(|(value, nodes)| NodeValue {
            value: value.shown.clone(),
            nodes: nodes.iter().map(name).collect(),
        });
        self.kinds.push(Kind {
            member,
            count: 1,
            block: self.block,
            finding: difference(what, place(), differs, values.collect()),
            groups: nodes,
        });
    }

    /// Returns the result of the comparison, with `reason` if something could not be compared.
    pub(crate) fn into_cross_check(self, id: &str, reason: Option<String>) -> CaseReport {
        let outcome = match (self.compared, self.kinds.is_empty()) {
            (0, _) => Outcome::Inconclusive,
            (_, true) => Outcome::Pass,
            (_, false) => Outcome::Fail,
        };
        let found = self.more + self.kinds.iter().map(|kind| kind.count).sum::<u64>();
        let findings: Vec<_> = self
            .kinds
            .into_iter()
            .map(|kind| FindingReport {
                count: Some(kind.count),
                ..kind.finding
            })
            .collect();
        let found = usize::try_from(found).unwrap_or(usize::MAX);
        let more_findings = found.saturating_sub(findings.len());
        CaseReport {
            more_findings,
            ..cross_check(id, outcome, self.compared, reason, findings)
        }
    }
}

/// Returns the report of a comparison. `reason` is given if something could not be compared.
pub(crate) fn cross_check(
    id: &str,
    outcome: Outcome,
    compared: u64,
    reason: Option<String>,
    findings: Vec<FindingReport>,
) -> CaseReport {
    let first = findings.first().map(|first| first.what.clone());
    // A comparison that passed was made, although some things could not be compared.
    let (reason, note) = match outcome {
        Outcome::Pass => (
            None,
            reason.map(|reason| format!("partly compared: {reason}")),
        ),
        _ => (first.or(reason), None),
    };
    CaseReport {
        id: format!("cross-check/{id}"),
        level: match outcome {
            Outcome::Info => Level::Observed,
            _ => Level::Must,
        },
        outcome,
        aspect: Aspect::Consistency,
        explained_by: None,
        headline: None,
        reason,
        note,
        requirements: Vec::new(),
        elapsed_ms: 0,
        snapshot: None,
        findings,
        more_findings: 0,
        compared: Some(compared),
        exchanges: Vec::new(),
    }
}

/// Returns a difference between nodes. `differs` has the names of those outside the majority.
pub(crate) fn difference(
    what: String,
    place: String,
    differs: Vec<String>,
    values: Vec<NodeValue>,
) -> FindingReport {
    let all = values.iter();
    let all = all.map(|one| format!("{} at {}", one.value, one.nodes.join(", ")));
    FindingReport {
        what,
        expected: "the same at all nodes".to_owned(),
        actual: all.collect::<Vec<_>>().join("; "),
        place: Some(place),
        differs,
        values,
        ..FindingReport::default()
    }
}

/// Returns the nodes outside the majority. Without a majority of more than half, returns none.
fn others_than_most(groups: &[Vec<usize>]) -> Vec<usize> {
    let all: usize = groups.iter().map(Vec::len).sum();
    let Some(most) = groups.iter().position(|group| group.len() * 2 > all) else {
        return Vec::new();
    };
    let others = groups.iter().enumerate().filter(|(at, _)| *at != most);
    let mut others: Vec<_> = others.flat_map(|(_, group)| group).copied().collect();
    others.sort_unstable();
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minority_is_named_and_two_nodes_disagree() {
        assert_eq!(others_than_most(&[vec![0, 2], vec![1]]), [1]);
        assert_eq!(others_than_most(&[vec![0], vec![3], vec![1, 2, 4]]), [0, 3]);
        assert_eq!(others_than_most(&[vec![0], vec![1]]), [0; 0]);
        assert_eq!(others_than_most(&[vec![0, 1], vec![2, 3]]), [0; 0]);
    }

    #[test]
    fn a_comparison_that_passes_has_no_reason() {
        for (compared, outcome) in [(0, Outcome::Inconclusive), (1, Outcome::Pass)] {
            let differences = Differences {
                compared,
                ..Differences::default()
            };
            let check = differences.into_cross_check("balances", Some("too late".to_owned()));
            assert_eq!(check.outcome, outcome);
            assert_eq!(check.reason.is_some(), outcome != Outcome::Pass);
            assert_eq!(check.note.is_some(), outcome == Outcome::Pass);
        }
    }
}
