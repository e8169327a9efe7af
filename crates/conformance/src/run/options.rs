//! The options of a run.

use std::{path::PathBuf, time::Duration};

use globset::{Glob, GlobMatcher};
use nodeproof_primitives::{JsonLimits, Network};

use super::{expectations::Expectations, recheck::Recheck};
use crate::{
    api::Tier,
    cases::{self, BASELINE, Case, FIXTURE},
    context::{Baseline, Submitting},
    discovery::Fixture,
    http::{Limits, MAX_DEPTH},
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
    /// Limits of requests, time and memory.
    pub limits: RunLimits,
    /// Files that a run reads and writes.
    pub files: Files,
    /// Whether a mismatch at the level SHOULD fails the run.
    pub strict: bool,
    /// Whether the run fails if it did not exercise something that the specification documents.
    pub require_coverage: bool,
    /// The blocks of a sweep. Without it, the cases about blocks check up to 128 blocks, chosen by the chain's length.
    pub sweep: Option<Sweep>,
    /// The wallet, fee, token and contract for submissions.
    pub submitting: Submitting,
    /// The samples of earlier findings, which the run requests again.
    pub recheck: Recheck,
}

/// Which cases run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Selection {
    /// Patterns of case IDs to run. All cases run if this is empty.
    pub only: Vec<GlobMatcher>,
    /// Patterns of case IDs to skip.
    pub skip: Vec<GlobMatcher>,
    /// The highest allowed tier. Default: [`Tier::Read`].
    pub allow: Tier,
    /// Whether probes are allowed.
    pub probe: bool,
    /// Whether tiers above `read` are also allowed on mainnet.
    pub allow_mainnet: bool,
}

/// The limits of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunLimits {
    /// Maximum number of cases that run at the same time. Default: 4.
    pub jobs: usize,
    /// Time limit of one request, to the last byte of its response. Default: 10 seconds.
    pub request_timeout: Duration,
    /// Time limit of the whole run. Default: 300 seconds.
    pub deadline: Duration,
    /// Maximum number of requests per second. Default: no limit.
    pub rate: Option<f64>,
    /// Maximum number of requests. Default: 5,000.
    pub max_requests: u64,
    /// Maximum length of a response body, in bytes. Default: 8 MiB.
    pub max_body: usize,
    /// Maximum number of JSON values in a response, and in all responses that a run keeps. Default:
    /// 250,000.
    pub max_values: usize,
    /// Maximum nesting of a response's JSON document, in levels, up to 127. Default: 127.
    pub max_depth: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            jobs: 4,
            request_timeout: Duration::from_secs(10),
            deadline: Duration::from_secs(300),
            rate: None,
            max_requests: 5_000,
            max_body: 8 * 1024 * 1024,
            max_values: JsonLimits::default().values,
            max_depth: MAX_DEPTH,
        }
    }
}

impl RunLimits {
    /// Returns the limits of requests and responses.
    pub(crate) const fn of_requests(&self, submits: bool) -> Limits {
        Limits {
            request_timeout: self.request_timeout,
            requests: self.max_requests,
            body: self.max_body,
            values: self.max_values,
            depth: self.max_depth,
            submits,
            jobs: if self.jobs == 0 { 1 } else { self.jobs },
            rate: self.rate,
        }
    }
}

/// The files that a run reads and writes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Files {
    /// Samples that the node is known to have.
    pub fixture: Fixture,
    /// The baseline to compare the node with, or to record.
    pub baseline: Option<Baseline>,
    /// The known failures of the node.
    pub expectations: Expectations,
    /// The folder of the shared snapshots, in which this run may leave pending ones for review. Only for
    /// runs against our own local node.
    pub reviewable_snapshots: Option<PathBuf>,
}

impl Options {
    /// Selects only the cases with these IDs.
    ///
    /// # Errors
    /// Returns an error if an ID is not a valid glob pattern.
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

    /// Returns all cases of a run with these options, selected or not.
    #[must_use]
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = cases::all();
        if self.files.baseline.is_some() {
            cases.extend(BASELINE);
        }
        if self.files.fixture != Fixture::default() {
            cases.extend_from_slice(FIXTURE);
        }
        cases
    }

    /// Returns the selected cases that may run on this network.
    pub(crate) fn selected(&self, network: Network) -> impl Iterator<Item = Case> {
        let mut cases = self.cases();
        cases.retain(|case| self.selects(case.id) && self.permits(case, network).is_ok());
        cases.into_iter()
    }

    /// Whether a case is selected.
    #[must_use]
    pub fn selects(&self, id: &str) -> bool {
        (self.selection.only.is_empty() || self.selection.only.iter().any(|glob| glob.is_match(id)))
            && !self.selection.skip.iter().any(|glob| glob.is_match(id))
    }

    /// Whether these options allow a case on this network.
    ///
    /// # Errors
    /// Returns the command-line flag that would allow it.
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
