//! What a run may be told.

use std::{path::PathBuf, time::Duration};

use globset::{Glob, GlobMatcher};
use nodeproof_primitives::Network;

use super::expectations::Expectations;
use crate::{
    api::Tier,
    cases::{self, BASELINE, Case},
    context::{Baseline, Submitting},
    discovery::Fixture,
    http::MOST_DEPTH,
    sweep::Sweep,
};

/// What a run may be told.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Only cases that one of these matches; all where there is none.
    pub only: Vec<GlobMatcher>,
    /// No case that one of these matches.
    pub skip: Vec<GlobMatcher>,
    /// How many cases run side by side.
    pub jobs: usize,
    /// How long one request may take, its answer's last byte included.
    pub request_timeout: Duration,
    /// How long the whole run may take.
    pub deadline: Duration,
    /// Whether a departure from what is expected, but not written, fails the run.
    pub strict: bool,
    /// How many requests are sent in a second at most.
    pub rate: Option<f64>,
    /// The most requests that are sent.
    pub most_requests: u64,
    /// The most that is read of one answer, in bytes.
    pub most_body: usize,
    /// The most memory that answers may take that are kept at a time, in bytes, by estimate. The
    /// program itself takes about 20 MB besides.
    pub most_memory: usize,
    /// How deep the JSON document of an answer may be nested, up to 127 levels.
    pub most_depth: usize,
    /// Whether what the contract documents and the run did not exercise fails it.
    pub require_coverage: bool,
    /// What is known of the node beforehand.
    pub fixture: Fixture,
    /// What was recorded of the node before, or is to be.
    pub baseline: Option<Baseline>,
    /// In which cases the node is known to depart.
    pub expectations: Expectations,
    /// How far the run may go.
    pub allow: Tier,
    /// Whether it may go beyond reading on mainnet, too.
    pub allow_mainnet: bool,
    /// The blocks that the cases about blocks look at; a few that the run chooses if not given.
    pub sweep: Option<Sweep>,
    /// With what it signs and pays for what it submits.
    pub submitting: Submitting,
    /// The folder of the shared snapshots, where this run may leave some to be reviewed: only for
    /// a run against our own local node.
    pub reviewable_snapshots: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            only: Vec::new(),
            skip: Vec::new(),
            jobs: 4,
            request_timeout: Duration::from_secs(10),
            deadline: Duration::from_secs(300),
            strict: false,
            rate: None,
            most_requests: 1_000,
            most_body: 16 * 1024 * 1024,
            most_memory: 64 * 1024 * 1024,
            most_depth: MOST_DEPTH,
            require_coverage: false,
            fixture: Fixture::default(),
            baseline: None,
            expectations: Expectations::default(),
            allow: Tier::Read,
            allow_mainnet: false,
            sweep: None,
            submitting: Submitting::default(),
            reviewable_snapshots: None,
        }
    }
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
        self.only = ids
            .into_iter()
            .map(|id| Glob::new(&globset::escape(id)).map(|glob| glob.compile_matcher()))
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    /// All cases that a run with these options has, selected or not.
    #[must_use]
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = cases::all();
        if self.baseline.is_some() {
            cases.extend_from_slice(BASELINE);
        }
        cases
    }

    /// Whether a case is to run.
    #[must_use]
    pub fn selects(&self, id: &str) -> bool {
        (self.only.is_empty() || self.only.iter().any(|glob| glob.is_match(id)))
            && !self.skip.iter().any(|glob| glob.is_match(id))
    }

    /// Whether a run against this network may do what a case does.
    ///
    /// # Errors
    /// With the flag that would allow it.
    pub fn permits(&self, case: &Case, network: Network) -> Result<(), &'static str> {
        match case.tier {
            Tier::Read => Ok(()),
            Tier::Reject if self.allow < Tier::Reject => Err("needs --allow reject"),
            Tier::Write if self.allow < Tier::Write => Err("needs --allow write"),
            _ if network == Network::Mainnet && !self.allow_mainnet => Err("needs --allow-mainnet"),
            _ => Ok(()),
        }
    }
}
