//! The claims of a run after the first one. They have other values, and are pending at the same time. Some are first
//! submitted in an unusual form, or in a batch.

use std::sync::Arc;

use nodeproof_client::contract_call::CheckedTransaction;
use nodeproof_primitives::WalletAddress;
use serde_json::Value;
use tokio::time::Instant;

use super::{
    around_claim::of_another_key,
    batch::{BATCH, Batch},
    claim_step::{NOT_ACCEPTED, NOT_SUBMITTED, Step, balance_request, no, signed_request},
    claim_values::claim_call,
    draft::{REFUSED, call_request, checked_with_time, code_of, unlike},
    holdings::held_by,
    settling::{NewBlocks, Settled, settle},
    signatures::{whole, with_high_s},
    signing::{SigningWallet, Submitting},
    submitter::Submitter,
};
use crate::{
    api::{is_valid, times_in_batch},
    http::{Exchange, Request},
};

/// The number of the claim that is submitted with the higher value of s in its signature first.
pub(super) const HIGH_S: u8 = 1;
/// The number of the claim that is submitted with a fraction in its fee first.
pub(super) const FEE_WITH_FRACTION: u8 = 2;
/// The number of the claim from which on claims are submitted in a batch first.
const IN_BATCH: u8 = 3;

/// A claim after the first one, with other values.
pub(crate) struct FurtherClaim {
    /// The call that the node was requested to build.
    pub(crate) call: Value,
    pub(crate) built: Arc<Exchange>,
    /// The balance that pays the fee, just before the claim was built.
    pub(crate) balance: Step<Arc<Exchange>>,
    /// The response to an unusual form of the claim, which was submitted first. If the node accepted it,
    /// it is also in `submitted`.
    pub(crate) unusual: Option<Step<Arc<Exchange>>>,
    /// The responses to batches with the claim, twice. In the first one, a wrongly signed transaction of the same wallet
    /// is after the claim and, but for one claim, before it. If a node accepts the claim there, it is submitted alone once it is stored.
    pub(crate) batches: Vec<Batch>,
    pub(crate) is_in_batch: bool,
    /// Whether a node may refuse it: it offers the fee in another token.
    pub(crate) is_optional: bool,
    pub(crate) submitted: Step<Arc<Exchange>>,
    pub(crate) settled: Step<Settled>,
    /// The claim's record, read again after all claims, if it could be read before.
    pub(crate) record_again: Option<Arc<Exchange>>,
    /// The transaction code, or `None` if the transaction was not signed.
    pub(crate) code: Option<String>,
    wallet: WalletAddress,
    contract: String,
    asset: String,
    /// The requests that submit the claim in an unusual form, if it has one, and in the usual one.
    requests: (Option<Request>, Option<Request>),
}

impl FurtherClaim {
    /// Builds and signs a claim.
    pub(super) async fn prepare(
        submitter: &Submitter,
        wallet: &SigningWallet,
        contract: &str,
        number: u8,
        run: u128,
    ) -> Step<Self> {
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
    ) -> Step<Self> {
        let (asset, call) = claim_call(contract, wallet.address(), number, run);
        let built = submitter.samples.node.send(call_request(&call)).await?;
        let mut claim = Self {
            call,
            built,
            balance: no(NOT_SUBMITTED),
            unusual: None,
            batches: Vec::new(),
            is_in_batch: false,
            is_optional: with.currency != submitter.with.currency,
            wallet: wallet.address(),
            submitted: no(NOT_SUBMITTED),
            settled: no(NOT_ACCEPTED),
            record_again: None,
            code: None,
            contract: contract.to_owned(),
            asset,
            requests: (None, None),
        };
        if let Some(what) = unlike(&claim.call, &claim.built) {
            claim.submitted = no(format!("nothing was signed: {what}"));
            return Ok(claim);
        }
        let checked = match checked_with_time(&claim.call, &claim.built, with) {
            Ok(checked) => checked,
            Err(reason) => {
                claim.submitted = no(format!("nothing was signed: {}", reason.reason()));
                return Ok(claim);
            }
        };
        let text = checked.transaction_text();
        let balance = balance_request(wallet.address(), text);
        claim.balance = submitter.samples.node.send(balance).await;
        claim.code = Some(code_of(text)).filter(|code| !code.is_empty());
        // The local node's wallet tries unusual forms in transactions of its own.
        let unusual = match submitter.with.public_wallet {
            None => {
                claim
                    .unusual_request(number, submitter, wallet, &checked)
                    .await
            }
            Some(_) => None,
        };
        match signed_request(submitter, wallet, &checked).await? {
            Ok((_, request)) => claim.requests = (unusual, Some(request)),
            Err(inconclusive) => claim.submitted = Err(inconclusive),
        }
        Ok(claim)
    }

    /// Submits the claim, in its unusual form first, without waiting for a block. `number` is that of the claim, and
    /// `known` a submission that was accepted before.
    pub(super) async fn submit(&mut self, submitter: &Submitter, number: u8, known: &Request) {
        let (Some(request), Some(code)) = (self.requests.1.clone(), &self.code) else {
            return;
        };
        if number >= IN_BATCH && !self.is_optional {
            let code = code.clone();
            // What a batch refuses as a whole must not be executed. A batch of right ones would hide that.
            let is_first = number == IN_BATCH;
            let batches = if is_first { 1 } else { 2 };
            let wrong = [self.wrong_elements(submitter).await, Vec::new()];
            for wrong in wrong.into_iter().take(batches) {
                let requests = wrong.iter().map(|(request, ..)| request);
                let batch = batch_request(&request, requests, known, is_first);
                let Ok(response) = submitter.submit_serialized(batch).await else {
                    continue;
                };
                self.is_in_batch = times_in_batch(&response, "accepted_transactions", &code) > 0;
                let wrong = wrong.into_iter().map(|(_, code, what)| (code, what));
                self.batches.push(Batch {
                    control: String::new(),
                    wrong: wrong.collect(),
                    response,
                });
                if self.is_in_batch {
                    return;
                }
            }
        }
        if let Some(unusual) = self.requests.0.take() {
            let unusual = submitter.submit_serialized(unusual).await;
            if unusual.as_ref().is_ok_and(|response| is_valid(response)) {
                self.submitted.clone_from(&unusual);
            }
            self.unusual = Some(unusual);
        }
        if self.accepted().is_none() {
            self.submitted = submitter.submit_serialized(request).await;
        }
    }

    /// Returns wrongly signed transactions of the wallet, with their codes.
    async fn wrong_elements(&self, submitter: &Submitter) -> Vec<(Request, String, &'static str)> {
        let mut elements = Vec::new();
        for _ in 0..2 {
            let element = of_another_key(submitter, self.wallet, REFUSED).await;
            elements.extend(element.ok().map(|(_, code, request)| {
                let what = "a transaction signed with another wallet's key";
                (request, code, what)
            }));
        }
        elements
    }

    /// Waits until the claim can be read, at most until this moment.
    ///
    /// A node may take only one transaction of a wallet at a time. One that it refused while others were pending is
    /// submitted again.
    pub(super) async fn settle(
        &mut self,
        submitter: &Submitter,
        blocks: NewBlocks,
        until: Instant,
    ) {
        let again = self.requests.1.clone();
        if let (None, false, Some(request)) = (self.accepted(), self.is_in_batch, &again) {
            let again = submitter.submit_serialized(request.clone()).await;
            if again.as_ref().is_ok_and(|response| is_valid(response)) {
                self.submitted = again;
            }
        }
        if self.accepted().is_some() || self.is_in_batch {
            let code = self.code.clone();
            let settled = settle(submitter, &self.contract, &self.asset, code, blocks, until);
            self.settled = settled.await;
        }
        if let (true, Some(request)) = (self.is_in_batch, again) {
            self.submitted = submitter.submit_serialized(request).await;
        }
    }

    /// Returns the response that accepted the claim.
    pub(crate) fn accepted(&self) -> Option<&Arc<Exchange>> {
        let submitted = self.submitted.as_ref().ok();
        submitted.filter(|response| is_valid(response))
    }

    /// Returns the request that submits the claim with this number in an unusual form, or `None` if it has
    /// none. It has the code of the usual form, so at most one of the two is paid.
    async fn unusual_request(
        &self,
        number: u8,
        submitter: &Submitter,
        wallet: &SigningWallet,
        checked: &CheckedTransaction,
    ) -> Option<Request> {
        match number {
            HIGH_S => {
                let signed = signed_request(submitter, wallet, checked).await.ok()?;
                let (mut entry, _) = signed.ok()?;
                entry["msgsign"] = with_high_s(entry["msgsign"].as_str()?)?.into();
                let body = whole(checked.transaction_text(), &[entry]);
                Some(Request::post("/submit-transaction", body).carrying_signature())
            }
            FEE_WITH_FRACTION => {
                let fee = format!("{}.0", submitter.with.fee.as_str());
                let with = Submitting {
                    fee: fee.parse().ok()?,
                    ..submitter.with.clone()
                };
                let checked = checked_with_time(&self.call, &self.built, &with).ok()?;
                let signed = signed_request(submitter, wallet, &checked).await.ok()?;
                signed.ok().map(|(_, request)| request)
            }
            _ => None,
        }
    }
}

/// Returns the settings for a claim. Each has another fee, so that a node which charges a fixed one is found. The fee
/// of the claim that is also written with a fraction stays. On a network without value, one is larger than 32 bits, if
/// the wallet holds far more.
fn with_fee_of(number: u8, submitter: &Submitter, wallet: WalletAddress) -> Submitting {
    const LARGE: u64 = 1 << 32;
    let with = &submitter.with;
    let is_large = || {
        let currency = with.currency.as_deref().unwrap_or_default();
        let held = held_by(&submitter.samples.history(), &wallet.to_string());
        let least = i128::from(LARGE) * 16;
        held.get(currency).is_some_and(|amount| *amount >= least)
    };
    let more = match number {
        HIGH_S if submitter.is_without_value() && is_large() => LARGE,
        _ => number.into(),
    };
    let fee = with.fee.as_str().parse::<u64>().ok();
    match fee.and_then(|fee| fee.checked_add(more)) {
        Some(fee) if number != FEE_WITH_FRACTION => Submitting {
            fee: fee.into(),
            ..with.clone()
        },
        _ => with.clone(),
    }
}

/// Returns a request that submits a claim in a batch, twice, between wrong submissions or before them, and last a known
/// one.
fn batch_request<'r>(
    request: &'r Request,
    mut wrong: impl Iterator<Item = &'r Request>,
    known: &'r Request,
    is_first: bool,
) -> Request {
    let before = if is_first { None } else { wrong.next() };
    let all = before.into_iter().chain([request, request]);
    let bodies: Vec<_> = all
        .chain(wrong)
        .chain([known])
        .filter_map(|request| request.body.as_deref())
        .collect();
    Request::post(BATCH, format!("[{}]", bodies.join(","))).carrying_signature()
}
