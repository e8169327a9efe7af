//! What a run has submitted: each transaction once, for all cases.

use std::{array, sync::Arc};

use tokio::sync::OnceCell;

use super::{
    claim::{Claim, later_blocks, make, wait_for},
    refusal::{Refusal, submit, submit_control},
    submitter::{Answer, Submitter},
};
use crate::{
    api::is_valid,
    http::{self, Exchange, InconclusiveReason},
};

/// What a run has submitted: each transaction once, for all cases.
pub(crate) struct Submissions {
    pub(crate) submitter: Submitter,
    control: OnceCell<Answer>,
    refusals: [OnceCell<Answer>; Refusal::ALL.len()],
    claim: OnceCell<Result<Claim, InconclusiveReason>>,
}

impl Submissions {
    pub(crate) fn new(submitter: Submitter) -> Self {
        Self {
            submitter,
            control: OnceCell::new(),
            refusals: array::from_fn(|_| OnceCell::new()),
            claim: OnceCell::new(),
        }
    }

    /// What the node answered to a submission that is rightly signed, by a wallet that need not have
    /// any money. What it answers to bad ones is compared with this.
    pub(crate) async fn control(&self) -> Answer {
        let control = self.control.get_or_init(|| submit_control(&self.submitter));
        let answer = http::shared(control).await;
        answer.iter().for_each(|answer| http::record(answer));
        answer.clone()
    }

    /// What the node answered to a bad submission.
    pub(crate) async fn refusal(&self, refusal: Refusal) -> Answer {
        let place = refusal.place().and_then(|at| self.refusals.get(at));
        let Some(place) = place else {
            return Err(InconclusiveReason::Harness(format!(
                "{refusal:?} has no place"
            )));
        };
        let answer = http::shared(place.get_or_init(|| submit(&self.submitter, refusal))).await;
        answer.iter().for_each(|answer| http::record(answer));
        answer.clone()
    }

    /// What the node answered to all bad submissions.
    pub(crate) async fn refusals(&self) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
        let mut answers = Vec::new();
        let mut missing = None;
        for refusal in Refusal::ALL {
            match self.refusal(refusal).await {
                Ok(answer) => answers.push(answer),
                Err(obstacle) => missing = missing.or(Some(obstacle)),
            }
        }
        match missing {
            Some(obstacle) if answers.is_empty() => Err(obstacle),
            _ => Ok(answers),
        }
    }

    /// Waits until two more blocks are there, if the chain goes on by itself.
    pub(crate) async fn later_blocks(&self) -> Result<(), InconclusiveReason> {
        later_blocks(&self.submitter).await
    }

    /// The claim that this run makes: the same one for all cases that look at it.
    pub(crate) async fn claim(&self) -> Result<&Claim, InconclusiveReason> {
        let place = &self.claim;
        let made = place.get_or_init(async || {
            if let Some(Ok(control)) = self.control.get()
                && is_valid(control)
            {
                wait_for(&self.submitter, control).await;
            }
            make(&self.submitter).await
        });
        let made = http::shared(made).await;
        let claim = made.as_ref().map_err(Clone::clone)?;
        for exchange in [Ok(&claim.built), claim.submitted.as_ref()]
            .into_iter()
            .flatten()
        {
            http::record(exchange);
        }
        Ok(claim)
    }
}
