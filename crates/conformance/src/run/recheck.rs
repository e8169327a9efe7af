//! The samples of earlier findings, which a run requests again.

use std::collections::BTreeMap;

use nodeproof_report::{NodeReport, Report};

use crate::discovery::{Fixture, samples_of};

/// Maximum number of samples of earlier findings.
const MOST: usize = 500;

/// The samples of earlier findings, which a run requests again.
///
/// A finding is fixed only if its own request was repeated and passes. Without this, a run on a
/// longer chain may choose other samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recheck {
    /// The requests, each with the ID of a case that had a finding about it.
    samples: BTreeMap<String, String>,
}

impl Recheck {
    /// Returns the samples of the findings in a report.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let mut recheck = Self::default();
        report.nodes.iter().for_each(|node| recheck.add(node));
        recheck
    }

    /// Continues after a run: keeps the samples that it did not request, and adds those of its own
    /// findings.
    pub(crate) fn continue_after(&mut self, report: &NodeReport) {
        for sample in &report.requested {
            self.samples.remove(sample);
        }
        self.add(report);
    }

    fn add(&mut self, report: &NodeReport) {
        let failing = report
            .cases
            .iter()
            .filter(|case| case.outcome.has_findings());
        for case in failing {
            for sample in case
                .findings
                .iter()
                .filter_map(|finding| finding.sample.as_ref())
            {
                if self.samples.len() < MOST {
                    self.samples.insert(sample.clone(), case.id.clone());
                }
            }
        }
    }

    /// Returns the requests.
    pub(crate) fn requests(&self) -> impl Iterator<Item = String> {
        self.samples.keys().cloned()
    }

    /// Returns the ID of a case that had a finding about a request.
    pub(crate) fn case_of(&self, request: &str) -> Option<&str> {
        self.samples.get(request).map(String::as_str)
    }

    /// Returns the samples in the form of a fixture.
    pub(crate) fn fixture(&self) -> Fixture {
        let samples = self
            .samples
            .keys()
            .filter_map(|request| samples_of(request));
        samples.fold(Fixture::default(), Fixture::with)
    }
}
