//! The data and services that a case may use.

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
};

use super::{
    baseline::Baseline,
    samples::{Responses, Samples},
    signing::Submitting,
    snapshot_store::SnapshotStore,
    submissions::Submissions,
    submitter::Submitter,
    swept_claims::DoneSweep,
};
use crate::{
    api::{Sample, has_record, is_refusal},
    http::{self, Exchange},
};

/// The data and services that a case may use: the node and its samples, the submitted transactions,
/// and the snapshots.
pub(crate) struct Context {
    samples: Arc<Samples>,
    pub(crate) submissions: Submissions,
    pub(crate) snapshots: SnapshotStore,
    pub(crate) baseline: Option<Baseline>,
    /// The sweep, once it is done.
    pub(crate) sweep: OnceLock<DoneSweep>,
}

impl Context {
    pub(crate) fn new(
        samples: Samples,
        submitting: Submitting,
        snapshots: SnapshotStore,
        baseline: Option<Baseline>,
    ) -> Self {
        let samples = Arc::new(samples);
        Self {
            submissions: Submissions::new(Submitter::new(Arc::clone(&samples), submitting)),
            samples,
            snapshots,
            baseline,
            sweep: OnceLock::new(),
        }
    }

    /// Returns the responses of a sample: at least one, or the reason why there is none.
    pub(crate) async fn sample(&self, sample: Sample) -> Responses {
        match sample {
            Sample::Refusals | Sample::Acceptances if self.samples.has(sample) => {
                self.samples.sample(sample).await
            }
            Sample::Refusals => {
                let responses = http::shared(self.submissions.refusals()).await;
                for exchange in responses.iter().flatten() {
                    http::record(exchange);
                }
                // The specification does not show the form of an error response, whatever its
                // status.
                let explains =
                    |response: &Arc<Exchange>| !response.success_object().is_some_and(is_refusal);
                responses.map(|responses| responses.into_iter().filter(explains).collect())
            }
            Sample::Acceptances => self.submissions.acceptances().await,
            Sample::ContractState => {
                let found = self.samples.sample(sample).await;
                if found.iter().flatten().any(|state| has_record(state)) {
                    return found;
                }
                // A new chain has no other record than that of the run's own claim.
                let claims = self.submissions.own_claims().await;
                let settled = claims.and_then(|claims| claims.first().settled().ok());
                match settled.and_then(|settled| settled.record.cloned()) {
                    Some(own) => Ok(found.unwrap_or_default().into_iter().chain([own]).collect()),
                    None => found,
                }
            }
            _ => self.samples.sample(sample).await,
        }
    }
}

impl Deref for Context {
    type Target = Samples;

    fn deref(&self) -> &Samples {
        &self.samples
    }
}
