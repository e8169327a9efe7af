//! The transactions that a run submits, each once for all cases.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use tokio::sync::{Mutex, OnceCell};

use super::{
    batch::{element, submit_with_right},
    claim::make,
    correct_submission,
    right::right_rows,
    submitter::{Response, Submitter},
    variant::{self, Variant},
    waiting::{later_blocks, wait_for},
    wrong::{Moment, ONE_DIGIT_CHANGED, rows, rows_at},
};
use crate::{
    api::{Transaction, is_valid},
    history::Claims,
    http::{self, Act, Exchange, InconclusiveReason, Request, Step, Wording, unknown},
};

/// The transactions that a run submits, each once for all cases.
pub(crate) struct Submissions {
    pub(crate) submitter: Submitter,
    control: OnceCell<Response>,
    /// By the descriptions of the rows.
    variants: BTreeMap<&'static str, OnceCell<Response>>,
    /// Filled once a refused submission of each case was repeated.
    repeated: OnceCell<()>,
    claims: OnceCell<Result<Claims, InconclusiveReason>>,
    /// Whether the balances were read after everything was submitted.
    pub(crate) observed: OnceCell<Result<(), InconclusiveReason>>,
    /// Locked by submissions that may pay a fee: no other fee is paid while a balance is compared.
    ///
    /// Holds the latest of them that was accepted.
    paying: Mutex<Option<Arc<Exchange>>>,
}

impl Submissions {
    pub(crate) fn new(submitter: Submitter) -> Self {
        Self {
            submitter,
            control: OnceCell::new(),
            variants: rows()
                .iter()
                .chain(right_rows())
                .map(|row| (&*row.what, OnceCell::new()))
                .collect(),
            repeated: OnceCell::new(),
            claims: OnceCell::new(),
            observed: OnceCell::new(),
            paying: Mutex::default(),
        }
    }

    /// Returns the response of a step in a recorded run, or `None` if requests are sent.
    fn recorded(&self, step: &Step) -> Option<Response> {
        let samples = &self.submitter.samples;
        samples
            .is_recorded
            .then(|| samples.history().step(step).map(Arc::clone))
    }

    /// Returns the response to a correctly signed submission of a wallet that may have no money.
    /// The responses to faulty submissions are compared with it.
    pub(crate) async fn control(&self) -> Response {
        let control = self.control.get_or_init(async || {
            if let Some(recorded) = self.recorded(&Step::Control) {
                return recorded;
            }
            let body = variant::control(&self.submitter).await?;
            let request = Request::post("/submit-transaction", body).for_step(Step::Control);
            self.submitter.submit_serialized(request).await
        });
        let response = http::shared(control).await;
        response.iter().for_each(|response| http::record(response));
        response.clone()
    }

    /// Returns the response to a submission of one of the tables.
    pub(crate) async fn variant(&self, row: &Variant) -> Response {
        let Some(place) = self.variants.get(&*row.what) else {
            return Err(InconclusiveReason::Harness(format!("{row:?} has no place")));
        };
        let made = place.get_or_init(async || {
            if let Some(recorded) = self.recorded(&Step::Row(row.what.clone())) {
                return recorded;
            }
            let control = match row.repeats_the_control() {
                true => signature_of(&*self.control().await?),
                false => None,
            };
            variant::submit(&self.submitter, row, control).await
        });
        let response = http::shared(made).await;
        response.iter().for_each(|response| http::record(response));
        response.clone()
    }

    /// Returns the response to a signature with one digit changed.
    pub(crate) async fn wrong_signature(&self) -> Response {
        match rows().iter().find(|row| row.what == ONE_DIGIT_CHANGED) {
            Some(row) => self.variant(row).await,
            None => Err(InconclusiveReason::Harness("a row is missing".to_owned())),
        }
    }

    /// Returns the responses to all faulty submissions.
    pub(crate) async fn refusals(&self) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
        let mut responses = Vec::new();
        let mut missing = None;
        for row in rows() {
            match self.variant(row).await {
                Ok(response) => responses.push(response),
                Err(inconclusive) => missing = missing.or(Some(inconclusive)),
            }
        }
        if !self.submitter.samples.is_recorded {
            self.repeated.get_or_init(|| self.repeat_refused()).await;
        }
        match missing {
            Some(inconclusive) if responses.is_empty() => Err(inconclusive),
            _ => Ok(responses),
        }
    }

    /// Submits one wrong submission of each case again. A node may have noted it as known. The first one is sent beside
    /// half of an equal one, which must not delay it.
    async fn repeat_refused(&self) {
        let mut cases = BTreeSet::new();
        for row in rows().iter().filter(|row| row.is_wrongly_signed()) {
            if let Ok(response) = self.variant(row).await
                && !is_valid(&response)
                && cases.insert(row.case)
            {
                let wording = match cases.len() {
                    1 => Wording::BesideHalf,
                    _ => Wording::Usual,
                };
                let again = response.request.clone().worded(wording);
                let _ = self.submitter.submit_serialized(again).await;
            }
        }
    }

    /// Returns the response to a wrong signature, and then that to the right one of the same transaction.
    pub(crate) async fn correct_after_wrong_signature(
        &self,
    ) -> Result<(Arc<Exchange>, Arc<Exchange>), InconclusiveReason> {
        if let Some(wrong) = self.recorded(&Step::WrongAtFirst) {
            let right = self.submitter.samples.history();
            return Ok((wrong?, Arc::clone(right.step(&Step::RightThen)?)));
        }
        let mut paying = self.paying.lock().await;
        let (bad, right) = correct_submission::after_wrong_signature(&self.submitter).await?;
        if is_valid(&right) {
            *paying = Some(Arc::clone(&right));
        }
        Ok((bad, right))
    }

    /// Returns the response to a correct submission, which may pay a fee.
    pub(crate) async fn right(&self, row: &Variant) -> Response {
        let mut paying = self.paying.lock().await;
        let response = self.variant(row).await?;
        if is_valid(&response) {
            *paying = Some(Arc::clone(&response));
        }
        Ok(response)
    }

    /// Submits batches of faulty submissions, in one after a right one, and in the other before it.
    pub(crate) async fn submit_batches(&self) -> Result<(), InconclusiveReason> {
        if self.submitter.samples.is_recorded {
            return Ok(());
        }
        let mut elements = [Vec::new(), Vec::new()];
        for row in rows_at(Moment::InBatch) {
            let response = self.variant(row).await;
            let [one, other] = &mut elements;
            // A known node takes 50 in a batch.
            let shorter = if one.len() > other.len() { other } else { one };
            shorter.extend(response.ok().and_then(|response| element(row, &response)));
        }
        let _paying = self.paying.lock().await;
        let [one, other] = &elements;
        submit_with_right(&self.submitter, one, true).await?;
        submit_with_right(&self.submitter, other, false).await
    }

    /// Waits until two more blocks exist, if the chain makes blocks without submissions. Reads them, and the
    /// latest blocks before them.
    pub(crate) async fn later_blocks(&self) -> Result<(), InconclusiveReason> {
        later_blocks(&self.submitter).await
    }

    /// Returns the claims of the run, if it makes some with a wallet that a node knows. If the node
    /// accepted them, they decide what a wallet without money cannot decide.
    pub(crate) async fn own_claims(&self) -> Option<&Claims> {
        let with = &self.submitter.with;
        if self.submitter.samples.is_recorded {
            let claims = self.claims().await.ok()?;
            // A wallet with a public key also signs the control.
            let control = self.control().await.ok();
            let call = claims.first().call();
            let signer = control.as_deref().and_then(Transaction::first_signer);
            let is_public = signer == call["signers"][0].as_str();
            return (!is_public).then_some(claims);
        }
        if !with.makes_a_claim || with.wallet.is_none() || with.public_wallet.is_some() {
            return None;
        }
        self.claims().await.ok()
    }

    /// Whether the run has made claims.
    pub(crate) fn have_claims(&self) -> bool {
        matches!(self.claims.get(), Some(Ok(_)))
    }

    /// Returns the claims that this run makes. All cases share them.
    pub(crate) async fn claims(&self) -> Result<&Claims, InconclusiveReason> {
        let samples = &self.submitter.samples;
        let made = self.claims.get_or_init(async || {
            if !samples.is_recorded {
                // It would need much of the stack.
                Box::pin(self.make_claims()).await?;
            }
            let claims = Claims::of(samples.history());
            claims.first().get(Act::Build)?;
            Ok(claims)
        });
        let made = http::shared(made).await;
        let claims = made.as_ref().map_err(Clone::clone)?;
        for claim in claims.all() {
            for exchange in [claim.get(Act::Build), claim.submitted()].iter().flatten() {
                http::record(exchange);
            }
        }
        Ok(claims)
    }

    async fn make_claims(&self) -> Result<(), InconclusiveReason> {
        let paying = self.paying.lock().await;
        let control = self.control.get().and_then(|control| control.as_ref().ok());
        let accepted = paying
            .as_ref()
            .or(control.filter(|control| is_valid(control)));
        if let Some(accepted) = accepted {
            wait_for(&self.submitter, accepted).await;
        }
        let made = make(&self.submitter).await;
        if let Err(reason) = &made {
            let step = Step::Claim(0, Act::Build);
            self.submitter.skip(step, reason.clone());
        }
        made
    }

    /// Returns the responses that accept the claim's transaction: the first one, that to the same
    /// submission if it accepts it, too, and those to further claims.
    pub(crate) async fn acceptances(&self) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
        let claims = self.claims().await?;
        let first = claims.first().submitted()?;
        if !is_valid(first) {
            return unknown("the claim was not accepted");
        }
        let again = claims.first().get(Act::Again).ok();
        let further = claims.further();
        let further = further.filter_map(|further| further.submitted().ok());
        Ok([first]
            .into_iter()
            .chain(again)
            .chain(further)
            .filter(|response| is_valid(response))
            .inspect(|response| http::record(response))
            .cloned()
            .collect())
    }
}

/// Returns the signature of a submission of one signer.
fn signature_of(submission: &Exchange) -> Option<String> {
    let signature = &submission.sent()?["signatures"][0]["msgsign"];
    signature.as_str().map(ToOwned::to_owned)
}
