//! The options of a run.

use std::{path::PathBuf, time::Duration};

use globset::{Glob, GlobMatcher};
use nodeproof_primitives::Network;

use super::expectations::Expectations;
use crate::{
    api::Tier,
    cases::{self, BASELINE, Case, FIXTURE},
    context::{Baseline, Submitting},
    discovery::Fixture,
    http::MOST_DEPTH,
    sweep::Sweep,
};

/// The options of a run.
///
/// ```
/// use nodeproof_conformance::{Options, Tier};
///
/// let mut options = Options::default();
/// options.limits.max_requests = 200;
/// options.selection.allow = Tier::Reject;
/// assert!(options.selects("get-block/index-echo"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Which cases run.
    pub selection: Selection,
    /// The most that a run sends, waits for and keeps.
    pub limits: RunLimits,
    /// What a run reads from files and leaves in them.
    pub files: Files,
    /// Whether a mismatch at the level SHOULD fails the run.
    pub strict: bool,
    /// Whether the run fails if it did not exercise something that the contract documents.
    pub require_coverage: bool,
    /// The blocks that the cases about blocks check; without it, a few that the run chooses.
    pub sweep: Option<Sweep>,
    /// The wallet, the fee and the contract of what the run submits.
    pub submitting: Submitting,
}

/// Which cases run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Selection {
    /// Only cases whose ID one of these matches; all if it is empty.
    pub only: Vec<GlobMatcher>,
    /// No case whose ID one of these matches.
    pub skip: Vec<GlobMatcher>,
    /// How far the run may go: reading only, unless set.
    pub allow: Tier,
    /// Whether the run may send probes.
    pub probe: bool,
    /// Whether it may go beyond reading on mainnet, too.
    pub allow_mainnet: bool,
}

/// The most that a run sends, waits for and keeps.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunLimits {
    /// The number of cases that run at a time. 4.
    pub jobs: usize,
    /// The time for one request, until the last byte of its response. 10 seconds.
    pub request_timeout: Duration,
    /// The time for the whole run. 300 seconds.
    pub deadline: Duration,
    /// The number of requests per second; no limit unless set.
    pub rate: Option<f64>,
    /// The number of requests. 2,000.
    pub max_requests: u64,
    /// The size of one response's body, in bytes. 16 MiB.
    pub max_body: usize,
    /// The memory for all responses that are kept at a time, in bytes, by estimate. 64 MiB. The
    /// program itself takes about 20 MB more.
    pub max_memory: usize,
    /// The nesting of a response's JSON document, in levels, up to 127. 127.
    pub max_depth: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            jobs: 4,
            request_timeout: Duration::from_secs(10),
            deadline: Duration::from_secs(300),
            rate: None,
            max_requests: 2_000,
            max_body: 16 * 1024 * 1024,
            max_memory: 64 * 1024 * 1024,
            max_depth: MOST_DEPTH,
        }
    }
}

/// What a run reads from files and leaves in them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Files {
    /// What is known of the node beforehand.
    pub fixture: Fixture,
    /// What was recorded of the node before, or is to be recorded.
    pub baseline: Option<Baseline>,
    /// The cases in which the node is known to differ.
    pub expectations: Expectations,
    /// The folder of the shared snapshots, in which this run may leave some for review. Only for a
    /// run against our own local node.
    pub reviewable_snapshots: Option<PathBuf>,
}

impl Options {
    /// Runs the cases with these IDs and no others.
    ///
    /// # Errors
    /// When an ID can't be matched with.
    pub fn select_only<'a>(
        &mut self,
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), globset::Error> {
        self.selection.only = ids
            .into_iter()
            .map(|id| Glob::new(&globset::escape(id)).map(|glob| glob.compile_matcher()))
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    /// All cases that a run with these options has, selected or not.
    #[must_use]
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = cases::all();
        if self.files.baseline.is_some() {
            cases.extend_from_slice(BASELINE);
        }
        if self.files.fixture != Fixture::default() {
            cases.extend_from_slice(FIXTURE);
        }
        cases
    }

    /// Whether a case is to run.
    #[must_use]
    pub fn selects(&self, id: &str) -> bool {
        (self.selection.only.is_empty() || self.selection.only.iter().any(|glob| glob.is_match(id)))
            && !self.selection.skip.iter().any(|glob| glob.is_match(id))
    }

    /// Whether a run against this network may do what a case does.
    ///
    /// # Errors
    /// With the flag that would allow it.
    pub fn permits(&self, case: &Case, network: Network) -> Result<(), &'static str> {
        match case.tier {
            Tier::Read => Ok(()),
            Tier::Probe if !self.selection.probe => Err("needs --allow probe"),
            Tier::Reject if self.selection.allow < Tier::Reject => Err("needs --allow reject"),
            Tier::Write if self.selection.allow < Tier::Write => Err("needs --allow write"),
            _ if network == Network::Mainnet && !self.selection.allow_mainnet => {
                Err("needs --allow-mainnet")
            }
            _ => Ok(()),
        }
    }
}
