//! Changes that have one cause.

use super::result::{CaseChange, Comparison};

impl Comparison {
    /// Returns the new findings that are causes, each with the cases that it explains. A case also
    /// counts as a cause if the case that explains it is not new.
    pub(crate) fn new_causes(&self) -> Vec<Cause<'_>> {
        causes(&self.new, &self.not_judged, |change| {
            change.explained_by.as_deref()
        })
    }

    /// Returns the fixed findings that were causes, each with the cases that it explained.
    pub(crate) fn fixed_causes(&self) -> Vec<Cause<'_>> {
        causes(&self.fixed, &self.judged, |change| {
            change.explained_before.as_deref()
        })
    }

    /// Returns the IDs of the cases that have a result now, except those that a fixed case explained.
    pub(crate) fn judged_ids(&self) -> Vec<&str> {
        let judged = self.judged.iter();
        let judged =
            judged.filter(|change| !is_in(&self.fixed, change.explained_before.as_deref()));
        judged.map(|change| change.id.as_str()).collect()
    }

    /// Returns the cases that no longer have a result, grouped by reason, except those that a new
    /// finding explains.
    pub(crate) fn not_judged_by_reason(&self) -> Vec<(&str, Vec<&CaseChange>)> {
        let mut reasons: Vec<(&str, Vec<&CaseChange>)> = Vec::new();
        for change in &self.not_judged {
            if is_in(&self.new, change.explained_by.as_deref()) {
                continue;
            }
            let reason = change.reason.as_deref().unwrap_or("no reason is known");
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, changes)) => changes.push(change),
                None => reasons.push((reason, vec![change])),
            }
        }
        reasons
    }
}

/// A case that explains others.
pub(crate) struct Cause<'c> {
    pub(crate) case: &'c CaseChange,
    /// Number of cases that have, or had, findings for the same reason.
    pub(crate) failing: usize,
    /// Number of cases that are, or were, inconclusive for this reason.
    pub(crate) not_judged: usize,
}

impl Cause<'_> {
    /// Returns the cases that it explains in words.
    pub(crate) fn explains(&self) -> Option<String> {
        let cases = |count: usize| match count {
            1 => "1 more case".to_owned(),
            count => format!("{count} more cases"),
        };
        let failing = (self.failing > 0).then(|| cases(self.failing));
        let others =
            (self.not_judged > 0).then(|| format!("{} not checked", cases(self.not_judged)));
        let parts: Vec<_> = failing.into_iter().chain(others).collect();
        (!parts.is_empty()).then(|| format!("for the same reason: {}", parts.join(", ")))
    }
}

fn causes<'c>(
    failing: &'c [CaseChange],
    not_judged: &'c [CaseChange],
    explained_by: impl Fn(&'c CaseChange) -> Option<&'c str>,
) -> Vec<Cause<'c>> {
    let causes = failing.iter();
    let causes = causes.filter(|change| !is_in(failing, explained_by(change)));
    let count = |changes: &'c [CaseChange], cause: &CaseChange| {
        let changes = changes.iter();
        changes
            .filter(|change| explained_by(change) == Some(&cause.id))
            .count()
    };
    let causes = causes.map(|case| Cause {
        case,
        failing: count(failing, case),
        not_judged: count(not_judged, case),
    });
    causes.collect()
}

fn is_in(changes: &[CaseChange], id: Option<&str>) -> bool {
    id.is_some_and(|id| changes.iter().any(|change| change.id == id))
}
