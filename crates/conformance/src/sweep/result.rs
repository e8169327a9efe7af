//! The end of a sweep: saves its state, and returns its results and its report.

use std::{
    sync::{PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use nodeproof_report::{Outcome, SweepKind, SweepReport};

use super::{running::RunningSweep, state::State, stop_reason::StopReason};
use crate::{cases::CaseResult, context::DoneSweep, http::InconclusiveReason};

impl RunningSweep {
    /// Stops adding results, and saves the state.
    ///
    /// Work that is still running must not make the report and the state differ.
    pub(crate) fn close(&self) {
        self.with_state(|_| self.over.store(true, Ordering::Relaxed));
        self.save();
    }

    /// Saves the state. If that fails, the report names the reason.
    pub(crate) fn save(&self) {
        let Some(path) = &self.sweep.state else {
            return;
        };
        let written = self.with_state(|state| {
            let state = state.as_ref();
            state.map_or(Ok(()), |state| state.write(path, &self.redactor))
        });
        let trouble = written.err();
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) =
            trouble.map(|error| format!("{}: {error}", path.display()));
    }

    /// Returns the results of the cases about blocks. There are none if no block was reached.
    pub(crate) fn case_results(&self) -> Vec<CaseResult> {
        let elapsed = self.began.get().map_or(Duration::ZERO, Instant::elapsed);
        self.with_state(|state| {
            let Some(state) = state.as_ref() else {
                return Vec::new();
            };
            let cases = self.cases.iter();
            cases
                .map(|case| case_result(case, state, elapsed))
                .collect()
        })
    }

    /// Returns why a run has no verdict if blocks could not be checked. Failed cases still give one.
    pub(crate) fn unread(&self) -> Option<StopReason> {
        self.with_state(|state| {
            let unread = &state.as_ref()?.tally.unread;
            let (block, reason) = unread.first.as_ref()?;
            Some(StopReason::Unreachable(format!(
                "{} of the sweep could not be read, first block {block}: {reason}",
                match unread.count {
                    1 => "one block".to_owned(),
                    count => format!("{count} blocks"),
                }
            )))
        })
    }

    /// Returns why a run has no verdict if the range names more blocks than were found.
    /// Failed cases still give one.
    ///
    /// If the response for the latest block is wrong, that block counts as not found.
    pub(crate) fn beyond(&self) -> Option<StopReason> {
        let named = self.sweep.blocks.end()?;
        self.with_state(|state| {
            let end = state.as_ref()?.to;
            (end < named).then(|| {
                StopReason::DeadlineExceeded(format!(
                    "the sweep should go to block {}, but the latest block is {}: no block after \
                     it was checked; leave the range open to check all blocks",
                    named.saturating_sub(1),
                    end.saturating_sub(1)
                ))
            })
        })
    }

    /// Returns the claims in the blocks that the sweep read, if it read all of them.
    pub(crate) fn done(&self) -> Option<DoneSweep> {
        self.with_state(|state| {
            let is_done = |state: &&State| state.next == state.to && state.tally.unread.count == 0;
            let state = state.as_ref().filter(is_done)?;
            let blocks = state.from..state.to;
            Some(DoneSweep::new(state.claims.clone(), blocks))
        })
    }

    pub(crate) fn report(&self) -> Option<SweepReport> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        self.with_state(|state| {
            let state = state.as_ref()?;
            let done = state.next == state.to;
            let tally = &state.tally;
            let kinds = tally.cases.iter().flat_map(|case| {
                case.kinds.iter().map(|kind| SweepKind {
                    case: case.id.clone(),
                    what: kind.what.clone(),
                    count: kind.count,
                    blocks: kind.blocks(),
                })
            });
            let kept = self.sweep.state.as_ref();
            let kept = kept.filter(|path| !done && (trouble.is_none() || path.exists()));
            Some(SweepReport {
                blocks: self.sweep.blocks.to_string(),
                from: state.from,
                to: state.to,
                // Known chains begin at block 1. Block 0 is also a valid beginning.
                none_below: (self.sweep.blocks.first().is_none()
                    && !state.continues
                    && state.from > 1)
                    .then_some(state.from),
                next: state.next,
                done,
                judged: tally.blocks,
                missing: tally.holes,
                unread: tally.unread.count,
                findings: tally.findings(),
                kinds: kinds.collect(),
                records: None,
                state: kept.map(|path| path.display().to_string()),
                trouble: trouble.clone(),
            })
        })
    }
}

/// Returns the result of a case about blocks.
fn case_result(case: &crate::cases::Case, state: &State, elapsed: Duration) -> CaseResult {
    let tally = state.tally.case(case.id).cloned().unwrap_or_default();
    let findings = state.tally.kept(case.id);
    let check = case.check.block_check();
    let inconclusive = tally.inconclusive().or_else(|| {
        if state.next < state.to {
            let reason = format!("the sweep ended before block {}", state.next);
            return Some(InconclusiveReason::NoSample(reason));
        }
        let check = check.filter(|check| tally.judged < check.least)?;
        Some(InconclusiveReason::NoSample(check.otherwise.to_owned()))
    });
    let (outcome, inconclusive) = match (tally.found, inconclusive) {
        (_, Some(fault @ InconclusiveReason::Harness(_))) => (Outcome::Inconclusive, Some(fault)),
        (1.., _) => {
            let earlier = u64::from(state.fitting.iter().any(|id| id == case.id));
            (case.outcome(tally.judged + earlier, tally.found), None)
        }
        (0, Some(inconclusive)) => (Outcome::Inconclusive, Some(inconclusive)),
        (0, None) => (Outcome::Pass, None),
    };
    let kept = u64::try_from(findings.len()).unwrap_or(u64::MAX);
    CaseResult {
        unlisted: usize::try_from(tally.found - kept.min(tally.found)).unwrap_or(usize::MAX),
        findings,
        inconclusive,
        elapsed,
        ..CaseResult::not_run(*case, outcome)
    }
}
