//! The transactions that a run submits, each once for all cases.

use std::{collections::BTreeSet, sync::Arc};

use tokio::sync::{Mutex, OnceCell};

use super::{
    claim::{Claim, make},
    correct_submission::{self, EqualForm},
    refusal::{Refusal, submit, submit_control},
    settling::{later_blocks, wait_for},
    submitter::{Response, Submitter},
};
use crate::{
    api::{is_valid, submitted_code},
    http::{self, Exchange, InconclusiveReason},
};

/// The transactions that a run submits, each once for all cases.
pub(crate) struct Submissions {
    pub(crate) submitter: Submitter,
    control: OnceCell<Response>,
    refusals: Vec<OnceCell<Response>>,
    claim: OnceCell<Result<Claim, InconclusiveReason>>,
    /// Whether the balances were read after everything was submitted.
    pub(crate) observed: OnceCell<Result<(), InconclusiveReason>>,
    /// Locked by submissions that may pay a fee, so that no other fee is paid while a balance is compared.
    ///
    /// Holds the latest of them that was accepted.
    paying: Mutex<Option<Arc<Exchange>>>,
}

impl Submissions {
    pub(crate) fn new(submitter: Submitter) -> Self {
        Self {
            submitter,
            control: OnceCell::new(),
            refusals: Refusal::all().map(|_| OnceCell::new()).collect(),
            claim: OnceCell::new(),
            observed: OnceCell::new(),
            paying: Mutex::default(),
        }
    }

    /// Returns the response to a correctly signed submission of a wallet that may have no money.
    /// The responses to faulty submissions are compared with it.
    pub(crate) async fn control(&self) -> Response {
        let control = self.control.get_or_init(|| submit_control(&self.submitter));
        let response = http::shared(control).await;
        response.iter().for_each(|response| http::record(response));
        response.clone()
    }

    /// Returns the response to a faulty submission.
    pub(crate) async fn refusal(&self, refusal: Refusal) -> Response {
        let place = refusal.place().and_then(|at| self.refusals.get(at));
        let Some(place) = place else {
            return Err(InconclusiveReason::Harness(format!(
                "{refusal:?} has no place"
            )));
        };
        let response = http::shared(place.get_or_init(|| submit(&self.submitter, refusal))).await;
        response.iter().for_each(|response| http::record(response));
        response.clone()
    }

    /// Returns the responses to all faulty submissions.
    pub(crate) async fn refusals(&self) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
        let mut responses = Vec::new();
        let mut missing = None;
        for refusal in Refusal::all() {
            match self.refusal(refusal).await {
                Ok(response) => responses.push(response),
                Err(inconclusive) => missing = missing.or(Some(inconclusive)),
            }
        }
        match missing {
            Some(inconclusive) if responses.is_empty() => Err(inconclusive),
            _ => Ok(responses),
        }
    }

    /// Returns the response to a wrong signature, and then that to the right one of the same transaction.
    pub(crate) async fn correct_after_wrong_signature(
        &self,
    ) -> Result<(Arc<Exchange>, Arc<Exchange>), InconclusiveReason> {
        let mut paying = self.paying.lock().await;
        let (bad, right) = correct_submission::after_wrong_signature(&self.submitter).await?;
        if is_valid(&right) {
            *paying = Some(Arc::clone(&right));
        }
        Ok((bad, right))
    }

    /// Returns the response to a submission of two signers, with the signatures in their order or reversed.
    pub(crate) async fn of_two(&self, reversed: bool) -> Response {
        self.correct(correct_submission::of_two(&self.submitter, reversed))
            .await
    }

    /// Returns the response to a submission whose fee is written with a fraction.
    pub(crate) async fn fee_with_fraction(&self) -> Response {
        self.correct(correct_submission::fee_with_fraction(&self.submitter))
            .await
    }

    /// Returns the response to a submission with the higher value of s in its signature.
    pub(crate) async fn high_s(&self) -> Response {
        self.correct(correct_submission::high_s(&self.submitter))
            .await
    }

    /// Returns the response to a correct submission in another form.
    pub(crate) async fn in_form(&self, form: EqualForm) -> Response {
        self.correct(correct_submission::in_form(&self.submitter, form))
            .await
    }

    /// Makes a correct submission, which may pay a fee.
    async fn correct(&self, submission: impl Future<Output = Response>) -> Response {
        let mut paying = self.paying.lock().await;
        let response = submission.await?;
        if is_valid(&response) {
            *paying = Some(Arc::clone(&response));
        }
        Ok(response)
    }

    /// Returns the codes of faulty transactions, and the response to a batch of them.
    pub(crate) async fn bad_batch(
        &self,
    ) -> Result<(Vec<String>, Arc<Exchange>), InconclusiveReason> {
        correct_submission::bad_batch(&self.submitter).await
    }

    /// Returns the codes of the faulty transactions that the node has refused so far.
    pub(crate) fn refused_codes(&self) -> BTreeSet<String> {
        let responses = self.refusals.iter().filter_map(OnceCell::get).flatten();
        let refused = responses.filter(|response| !is_valid(response));
        refused
            .filter_map(|response| submitted_code(response))
            .collect()
    }

    /// Waits until two more blocks exist, if the chain makes blocks without submissions. Returns them,
    /// after the latest blocks before them.
    pub(crate) async fn later_blocks(&self) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
        later_blocks(&self.submitter).await
    }

    /// Returns the run's own claim, if the run makes one with a wallet that a node knows. If the node
    /// accepted it, it decides what a wallet without money cannot decide.
    pub(crate) async fn own_claim(&self) -> Option<&Claim> {
        let with = &self.submitter.with;
        if !with.makes_a_claim || with.wallet.is_none() || with.public_wallet.is_some() {
            return None;
        }
        self.claim().await.ok()
    }

    /// Returns the claim that this run makes. All cases share it.
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
        let further = claim
            .further
            .iter()
            .flat_map(|claim| [Ok(&claim.built), claim.submitted.as_ref()]);
        for exchange in [Ok(&claim.built), claim.submitted.as_ref()]
            .into_iter()
            .chain(further)
            .flatten()
        {
            http::record(exchange);
        }
        Ok(claim)
    }

    /// Returns the responses that accept the claim's transaction: the first one, that to the same
    /// submission if it accepts it, too, and those to further claims.
    pub(crate) async fn acceptances(&self) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
        let claim = self.claim().await?;
        let first = claim.submitted.as_ref().map_err(Clone::clone)?;
        if !is_valid(first) {
            let reason = "the claim was not accepted";
            return Err(InconclusiveReason::NoSample(reason.to_owned()));
        }
        let again = claim.again.as_ref().ok().filter(|again| is_valid(again));
        let all = [Some(first), again].into_iter().flatten();
        let further = claim.further.iter();
        let further = further.filter_map(|further| further.submitted.as_ref().ok());
        Ok(all
            .chain(further.filter(|response| is_valid(response)))
            .inspect(|response| http::record(response))
            .cloned()
            .collect())
    }
}
