//! The claims of a run after the first one. They have other values, and are pending at the same time. Some are first
//! submitted in an unusual form, or in a batch.

use nodeproof_primitives::WalletAddress;
use serde_json::Value;
use tokio::time::Instant;

use super::{
    around_claim::{of_another_key, unsigned},
    batch::BATCH,
    claim_step::{Signed, Taken, balance_request, sign_checked, signed_call},
    claim_values::claim_call,
    draft::{REFUSED, checked_with_time, code_of},
    holdings::held_by,
    signatures::{whole, with_high_s},
    signing::{SigningWallet, Submitting},
    submitter::Submitter,
    waiting::{NewBlocks, settle},
    wrong::in_capitals,
};
use crate::{
    api::{is_valid, times_in_batch},
    history::{FEE_WITH_FRACTION, HIGH_S, IN_BATCH, IN_OTHER_TOKEN, OF_SAME_ASSET},
    http::{Act, BatchStep, Exchange, Request, Step},
};

/// A claim after the first one, with other values.
pub(super) struct FurtherClaim {
    number: u8,
    wallet: WalletAddress,
    /// The transaction code, or `None` if the transaction was not signed.
    code: Option<String>,
    /// A request with its code and signature, and with other params.
    altered: Option<Request>,
    /// The request that submits the claim in an unusual form, if it has one.
    unusual: Option<Request>,
    /// The request that submits it in the usual form, if it was signed.
    usual: Option<Request>,
    is_accepted: bool,
    is_in_batch: bool,
}

impl FurtherClaim {
    /// Builds and signs a claim.
    pub(super) async fn prepare(
        submitter: &Submitter,
        wallet: &SigningWallet,
        contract: &str,
        number: u8,
        run: u128,
    ) -> Taken<Self> {
        let with = with_fee_of(number, submitter, wallet.address());
        Self::prepare_with(submitter, &with, wallet, contract, number, run).await
    }

    /// Builds and signs a claim with these settings.
    pub(super) async fn prepare_with(
        submitter: &Submitter,
        with: &Submitting,
        wallet: &SigningWallet,
        contract: &str,
        number: u8,
        run: u128,
    ) -> Taken<Self> {
        let step = |act| Step::Claim(number, act);
        let node = &submitter.samples.node;
        let call = claim_call(contract, wallet.address(), number, run);
        let build = Some(step(Act::Build));
        let with = |_: &Exchange| with.clone();
        let (built, signed) = signed_call(submitter, &[wallet], &call, build, with).await?;
        let mut claim = Self {
            number,
            wallet: wallet.address(),
            code: None,
            altered: None,
            unusual: None,
            usual: None,
            is_accepted: false,
            is_in_batch: false,
        };
        let signed = match signed {
            Ok(signed) => signed,
            Err(unsigned) => {
                let reason = format!("nothing was signed: {}", unsigned.reason());
                submitter.skip(step(Act::Submit), reason);
                return Ok(claim);
            }
        };
        let text = &signed.text;
        let balance = balance_request(wallet.address(), text);
        let _ = node.send(balance.for_step(step(Act::Balance))).await;
        claim.code = Some(code_of(text)).filter(|code| !code.is_empty());
        // The local node's wallet tries unusual forms in transactions of its own.
        if submitter.with.public_wallet.is_none() {
            let unusual = unusual_request(number, submitter, wallet, &signed, (&call, &built));
            claim.unusual = unusual.await;
        }
        claim.altered = in_capitals().and_then(|row| {
            let altered = row.of_claim(submitter, text, claim.wallet, signed.signature());
            Some(altered.ok()?.wrongly_signed(&*row.what))
        });
        claim.usual = Some(signed.request);
        Ok(claim)
    }

    /// Submits a request as a step of this claim. Returns whether it was accepted.
    async fn submit_as(&self, act: Act, submitter: &Submitter, request: Request) -> bool {
        let request = request.for_step(Step::Claim(self.number, act));
        let response = submitter.submit_serialized(request).await;
        response.is_ok_and(|response| is_valid(&response))
    }

    /// Submits the claim if no batch did, in its unusual form first, without waiting for a block.
    pub(super) async fn submit(&mut self, submitter: &Submitter) {
        let Some(request) = self.usual.clone() else {
            return;
        };
        if !self.is_signed() || self.is_in_batch {
            return;
        }
        if !self.is_accepted
            && let Some(unusual) = self.unusual.take()
        {
            self.is_accepted = self.submit_as(Act::Unusual, submitter, unusual).await;
        }
        if !self.is_accepted {
            self.is_accepted = self.submit_as(Act::Submit, submitter, request).await;
        }
        if self.is_accepted {
            self.submit_wrongly_next(submitter).await;
        }
    }

    /// Submits a new transaction with a wrong signature right after a right submission. Nothing of that may count for it.
    async fn submit_wrongly_next(&self, submitter: &Submitter) {
        let wrong = match self.number % 2 {
            0 => of_another_key(submitter, self.wallet, REFUSED).await,
            _ => unsigned(submitter, self.wallet, REFUSED).await,
        };
        if let Ok((_, wrong)) = wrong {
            let _ = submitter.submit_serialized(wrong).await;
        }
    }

    const fn is_signed(&self) -> bool {
        self.code.is_some() && self.usual.is_some()
    }

    const fn is_for_batch(&self) -> bool {
        IN_BATCH <= self.number && self.number < IN_OTHER_TOKEN
    }

    /// Waits until the claim can be read, at most until this moment.
    ///
    /// A node may take only one transaction of a wallet at a time. One that it refused while others were pending is
    /// submitted again.
    pub(super) async fn settle(
        &self,
        submitter: &Submitter,
        blocks: &mut NewBlocks,
        until: Instant,
    ) {
        let Some(again) = self.usual.clone() else {
            return;
        };
        let is_accepted = self.is_accepted
            || !self.is_in_batch && self.submit_as(Act::Submit, submitter, again.clone()).await;
        if is_accepted || self.is_in_batch {
            let submission = again.body.as_deref().unwrap_or_default();
            settle(submitter, self.number, submission, blocks, until).await;
        }
        if self.is_in_batch {
            self.submit_as(Act::Submit, submitter, again).await;
        }
    }
}

/// Submits the claims that are not for a batch at the same moment, each in its first form, after altered ones. What a node then refuses is
/// submitted again later.
pub(super) async fn submit_at_once(submitter: &Submitter, claims: &mut [FurtherClaim]) {
    let single = claims.iter_mut();
    let single = single.filter(|claim| !claim.is_for_batch() && claim.usual.is_some());
    let mut claims: Vec<_> = single.collect();
    for claim in &mut claims {
        // It has the code of the claim, so at most one of both is paid.
        if let Some(altered) = claim.altered.take()
            && let Ok(response) = submitter.submit_serialized(altered).await
            && is_valid(&response)
        {
            let reason =
                "an altered transaction with its code was accepted, which another case reports";
            submitter.skip(Step::Claim(claim.number, Act::Submit), reason.to_owned());
            claim.usual = None;
        }
    }
    claims.retain(|claim| claim.is_signed());
    let requests = claims.iter_mut().filter_map(|claim| {
        let (act, request) = match claim.unusual.take() {
            Some(unusual) => (Act::Unusual, unusual),
            None => (Act::Submit, claim.usual.clone()?),
        };
        Some(request.for_step(Step::Claim(claim.number, act)))
    });
    let responses = submitter.submit_at_once(requests.collect()).await;
    for (claim, response) in claims.into_iter().zip(responses) {
        claim.is_accepted = response.is_ok_and(|response| is_valid(&response));
    }
}

/// Returns the request that submits the claim with this number in an unusual form, or `None` if it has
/// none. It has the code of the usual form, so at most one of the two is paid.
async fn unusual_request(
    number: u8,
    submitter: &Submitter,
    wallet: &SigningWallet,
    signed: &Signed,
    (call, built): (&Value, &Exchange),
) -> Option<Request> {
    match number {
        HIGH_S => {
            let mut entry = signed.entries.first()?.clone();
            entry["msgsign"] = with_high_s(signed.signature())?.into();
            let body = whole(&signed.text, &[entry]);
            Some(Request::post("/submit-transaction", body).carrying_signature())
        }
        FEE_WITH_FRACTION | OF_SAME_ASSET => {
            // A node may round half a unit up or down.
            let fraction = if number == FEE_WITH_FRACTION {
                "0"
            } else {
                "5"
            };
            let with = with_fee_of(number, submitter, wallet.address());
            let fee = format!("{}.{fraction}", with.fee.as_str());
            let with = Submitting {
                fee: fee.parse().ok()?,
                ..with
            };
            let checked = checked_with_time(call, built, &with).ok()?;
            let signed = sign_checked(submitter, &[wallet], &checked).await.ok()?;
            signed.ok().map(|signed| signed.request)
        }
        _ => None,
    }
}

/// Returns the settings for a claim. Each has another fee, so that a node which charges a fixed one is found. The fee
/// of the claim that is also written with a fraction stays. On a network without value, that one is so large that some
/// languages write it with an exponent, and another one is larger than 32, 31 or 24 bits, if the wallet holds far more.
fn with_fee_of(number: u8, submitter: &Submitter, wallet: WalletAddress) -> Submitting {
    // Numbers of these sizes are rounded by some floats, or have no space.
    const LARGE: [u64; 3] = [(1 << 32) + 1, (1 << 31) + 1, (1 << 24) + 1];
    const WITH_EXPONENT: u64 = 10_000_000;
    let with = &submitter.with;
    let is_little = |fee: u64| {
        let currency = with.currency.as_deref().unwrap_or_default();
        let held = held_by(&submitter.samples.history(), &wallet.to_string());
        let least = i128::from(fee) * 16;
        submitter.is_without_value() && held.get(currency).is_some_and(|amount| *amount >= least)
    };
    let large = || LARGE.into_iter().find(|fee| is_little(*fee));
    let more = match number {
        HIGH_S => large().unwrap_or(number.into()),
        FEE_WITH_FRACTION if is_little(WITH_EXPONENT) => WITH_EXPONENT,
        FEE_WITH_FRACTION => 0,
        _ => number.into(),
    };
    let fee = with.fee.as_str().parse::<u64>().ok();
    match fee.and_then(|fee| fee.checked_add(more)) {
        Some(fee) => Submitting {
            fee: fee.into(),
            ..with.clone()
        },
        None => with.clone(),
    }
}

/// Submits the claims that are for a batch in one batch, each twice, with a wrongly signed transaction after the first
/// claim and an unsigned one at the end, and last a submission that was accepted before. What a batch refuses as a whole
/// must not be executed. A batch of right ones alone follows only without the first of these claims, because it would
/// hide that.
pub(super) async fn submit_in_batch(
    submitter: &Submitter,
    claims: &mut [FurtherClaim],
    known: &Request,
) {
    let for_batch = |claim: &&mut FurtherClaim| claim.is_for_batch() && claim.is_signed();
    let mut claims: Vec<_> = claims.iter_mut().filter(for_batch).collect();
    let Some(wallet) = claims.first().map(|claim| claim.wallet) else {
        return;
    };
    let mut wrong = Vec::new();
    wrong.extend(of_another_key(submitter, wallet, REFUSED).await.ok());
    wrong.extend(unsigned(submitter, wallet, REFUSED).await.ok());
    send_batch(submitter, &mut claims, wrong, known).await;
    if claims.iter().all(|claim| !claim.is_in_batch) {
        claims.retain(|claim| claim.number != IN_BATCH);
        if !claims.is_empty() {
            send_batch(submitter, &mut claims, Vec::new(), known).await;
        }
    }
}

/// Submits a batch. Notes which of the claims it accepts.
async fn send_batch(
    submitter: &Submitter,
    claims: &mut [&mut FurtherClaim],
    wrong: Vec<(String, Request)>,
    known: &Request,
) {
    let right = claims.iter().filter_map(|claim| claim.usual.as_ref());
    let mut all: Vec<&Request> = right.flat_map(|request| [request, request]).collect();
    let mut others = wrong.iter().map(|(_, request)| request);
    let is_first = claims.first().is_some_and(|claim| claim.number == IN_BATCH);
    let place = if is_first { 2 } else { 0 };
    all.splice(place..place, others.next());
    all.extend(others);
    all.push(known);
    let bodies: Vec<_> = all.iter().filter_map(|one| one.body.as_deref()).collect();
    let wrong = wrong.iter().map(|(code, request)| {
        let what = request.wrongly_signed.as_deref().unwrap_or_default();
        (code.clone(), what.to_owned())
    });
    let step = Step::Batch(BatchStep {
        control: None,
        wrong: wrong.collect(),
    });
    let batch = Request::post(BATCH, format!("[{}]", bodies.join(","))).carrying_signature();
    let Ok(response) = submitter.submit_serialized(batch.for_step(step)).await else {
        return;
    };
    for claim in claims {
        let code = claim.code.as_deref().unwrap_or_default();
        claim.is_in_batch |= times_in_batch(&response, "accepted_transactions", code) > 0;
    }
}
