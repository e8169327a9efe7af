//! A claim of two wallets of the chain. It decides whether the node verifies each signature.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    claim_values::claim_call,
    draft::{call_request, checked_with_time, unique, unlike},
    refusal::{Refusal, in_the_name_of, whole},
    signing::SigningWallet,
    submitter::{Response, Submitter},
};
use crate::{
    api::is_valid,
    http::{Exchange, InconclusiveReason, Request},
};

/// The claim of two wallets. All of its submissions have one code, so at most one is paid.
pub(crate) struct SharedClaim {
    /// The responses to submissions with one signature missing or wrong, sent first.
    wrong: Vec<(Refusal, Response)>,
    /// The response to the right signatures in the reverse order of the signers, unless a wrong
    /// submission was accepted.
    pub(crate) reversed: Option<Response>,
    /// The response to the right signatures in their order, unless the node accepted them reversed.
    pub(crate) in_order: Option<Response>,
}

impl SharedClaim {
    /// Makes the claim with the run's wallet and a second one.
    pub(super) async fn make(
        submitter: &Submitter,
        wallets: [&SigningWallet; 2],
        contract: &str,
        number: u8,
    ) -> Result<Self, InconclusiveReason> {
        let not_signed = |reason: String| {
            InconclusiveReason::NoSample(format!(
                "the claim of two wallets was not signed: {reason}"
            ))
        };
        let [first, second] = wallets;
        let (_, mut call) = claim_call(contract, first.address(), number, unique());
        call["signers"] = json!([first.address(), second.address()]);
        let built = submitter.samples.node.send(call_request(&call)).await?;
        if let Some(what) = unlike(&call, &built) {
            return Err(not_signed(what));
        }
        let checked = checked_with_time(&call, &built, &submitter.with)
            .map_err(|reason| not_signed(reason.reason().to_owned()))?;
        let signed = checked.sign(&[first.signer(), second.signer()]).await;
        let signed = signed.map_err(|error| not_signed(error.to_string()))?;
        let signed: Value = serde_json::from_str(signed.text().as_ref())
            .map_err(|error| InconclusiveReason::Harness(error.to_string()))?;
        let [one, other] = [0, 1].map(|place| signed["signatures"][place].clone());
        for entry in [&one, &other] {
            submitter
                .with
                .redactor
                .add(entry["msgsign"].as_str().unwrap_or_default());
        }
        let submit = async |entries: &[Value], wrong: Option<Refusal>| {
            let body = whole(checked.transaction_text(), entries);
            let request = Request {
                wrongly_signed: wrong.map(Refusal::what),
                ..Request::post("/submit-transaction", body).carrying_signature()
            };
            submitter.submit_serialized(request).await
        };
        let mut claim = Self {
            wrong: Vec::new(),
            reversed: None,
            in_order: None,
        };
        for (refusal, entries) in wrong_entries(first, second, &one, &other) {
            let response = submit(&entries, Some(refusal)).await;
            let is_accepted = response.as_ref().is_ok_and(|response| is_valid(response));
            claim.wrong.push((refusal, response));
            if is_accepted {
                return Ok(claim);
            }
        }
        let reversed = submit(&[other.clone(), one.clone()], None).await;
        let is_accepted = reversed.as_ref().is_ok_and(|response| is_valid(response));
        claim.reversed = Some(reversed);
        if !is_accepted {
            claim.in_order = Some(submit(&[one, other], None).await);
        }
        Ok(claim)
    }

    /// Returns the response that accepted the right signatures.
    pub(super) fn accepted(&self) -> Option<&Arc<Exchange>> {
        let responses = self.reversed.iter().chain(&self.in_order).flatten();
        responses.into_iter().find(|response| is_valid(response))
    }

    /// Returns the response to the claim with this fault, if it was accepted, or if the right signatures
    /// were accepted later.
    pub(super) fn with_fault(&self, refusal: Refusal) -> Option<&Arc<Exchange>> {
        let (_, response) = self.wrong.iter().find(|(known, _)| *known == refusal)?;
        let response = response.as_ref().ok()?;
        (is_valid(response) || self.accepted().is_some()).then_some(response)
    }
}

/// Returns the signatures of each faulty submission.
fn wrong_entries(
    first: &SigningWallet,
    second: &SigningWallet,
    one: &Value,
    other: &Value,
) -> [(Refusal, Vec<Value>); 5] {
    [
        (Refusal::HalfSigned, vec![one.clone()]),
        (Refusal::SecondOnly, vec![other.clone()]),
        (Refusal::SignedTwice, vec![one.clone(), one.clone()]),
        (
            Refusal::FirstOfTwoRight,
            vec![one.clone(), in_the_name_of(second.address(), one.clone())],
        ),
        (
            Refusal::LastOfTwoRight,
            vec![
                in_the_name_of(first.address(), other.clone()),
                other.clone(),
            ],
        ),
    ]
}
