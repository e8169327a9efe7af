//! What a run has submitted: each transaction once, for all cases.

use std::{array, sync::Arc};

use tokio::sync::{Mutex, OnceCell};

use super::{
    claim::{Claim, later_blocks, make, wait_for},
    refusal::{Refusal, submit, submit_control},
    right_submission,
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
    /// Held by what may pay a fee, so that nothing else is paid for while a balance is watched.
    ///
    /// Has the newest of them that was accepted.
    paying: Mutex<Option<Arc<Exchange>>>,
}

impl Submissions {
    pub(crate) fn new(submitter: Submitter) -> Self {
        Self {
            submitter,
            control: OnceCell::new(),
            refusals: array::from_fn(|_| OnceCell::new()),
            claim: OnceCell::new(),
            paying: Mutex::default(),
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

    /// What the node answered to a wrong signature, and then to the right one of the same transaction.
    pub(crate) async fn right_after_a_bad_one(
        &self,
    ) -> Result<(Arc<Exchange>, Arc<Exchange>), InconclusiveReason> {
        let mut paying = self.paying.lock().await;
        let (bad, right) = right_submission::after_a_bad_one(&self.submitter).await?;
        if is_valid(&right) {
            *paying = Some(Arc::clone(&right));
        }
        Ok((bad, right))
    }

    /// What the node answered to the signatures of two signers, in their order or in the other one.
    pub(crate) async fn of_two(&self, reversed: bool) -> Answer {
        let mut paying = self.paying.lock().await;
        let answer = right_submission::of_two(&self.submitter, reversed).await?;
        if is_valid(&answer) {
            *paying = Some(Arc::clone(&answer));
        }
        Ok(answer)
    }

    /// The codes of bad transactions, and what the node answered to a batch of them.
    pub(crate) async fn bad_batch(
        &self,
    ) -> Result<(Vec<String>, Arc<Exchange>), InconclusiveReason> {
        right_submission::bad_batch(&self.submitter).await
    }

    /// Waits until two more blocks are there, if the chain goes on by itself.
    pub(crate) async fn later_blocks(&self) -> Result<(), InconclusiveReason> {
        later_blocks(&self.submitter).await
    }

    /// The claim that this run makes: the same one for all cases that look at it.
    pub(crate) async fn claim(&self) -> Result<&Claim, InconclusiveReason> {
        let place = &self.claim;
        let made = place.get_or_init(async || {
            let paying = self.paying.lock().await;
            let control = self.control.get().and_then(|control| control.as_ref().ok());
            let accepted = paying
                .as_ref()
                .or(control.filter(|control| is_valid(control)));
            if let Some(accepted) = accepted {
                wait_for(&self.submitter, accepted).await;
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

    /// The responses that say that the claim's transaction is valid: the first, and those to the same
    /// submission if they do.
    pub(crate) async fn acceptances(&self) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
        let claim = self.claim().await?;
        let first = claim.submitted.as_ref().map_err(Clone::clone)?;
        if !is_valid(first) {
            let reason = "the claim was not accepted";
            return Err(InconclusiveReason::NoSample(reason.to_owned()));
        }
        let again = claim.again.as_ref().ok().filter(|again| is_valid(again));
        let all = [Some(first), again].into_iter().flatten();
        Ok(all
            .inspect(|answer| http::record(answer))
            .cloned()
            .collect())
    }
}
