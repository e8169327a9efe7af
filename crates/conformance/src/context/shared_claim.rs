//! A claim of two wallets of the chain. It decides whether the node verifies each signature.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    claim_values::claim_call,
    draft::{by_hand, call_request, checked_with_time, unique, unlike},
    settling::wait_for,
    signatures::{sign, signed_over, stranger},
    signing::{SigningWallet, Submitting},
    submitter::{Response, Submitter},
    variant::Variant,
    wrong::{Moment, rows_at},
};
use crate::{
    api::{find, is_valid},
    http::{Exchange, InconclusiveReason, Request},
};

/// The claim of two wallets. All of its submissions have one code, so at most one is paid.
pub(crate) struct SharedClaim {
    /// The responses to submissions with one signature missing or wrong, sent first.
    wrong: Vec<(&'static Variant, Response)>,
    /// The response to the right signatures in the reverse order of the signers, unless a wrong
    /// submission was accepted.
    pub(crate) reversed: Option<Response>,
    /// The response to the right signatures in their order, unless the node accepted them reversed.
    pub(crate) in_order: Option<Response>,
    /// Whether each of the wallets held the whole fee.
    pub(super) both_can_pay: bool,
    /// The responses to submissions with its code and one signature missing or wrong, sent after it was accepted.
    pub(crate) known_code: Vec<Arc<Exchange>>,
}

/// Returns the rows for a transaction of two signers.
fn rows_of_two_signers(moment: Moment) -> impl Iterator<Item = &'static Variant> {
    let rows = rows_at(moment).into_iter();
    rows.filter(|row| row.has_two_signers())
}

/// Returns a request that submits a transaction of three signers with the signatures of these two.
async fn two_of_three(
    submitter: &Submitter,
    call: &Value,
    wallets: [&SigningWallet; 2],
) -> Result<Request, InconclusiveReason> {
    let [first, second] = wallets;
    let signers = [first.address(), second.address(), stranger()?.address()];
    let asset = format!("conformance-refused-{:x}", unique());
    let mut call = call.clone();
    call["signers"] = json!(signers);
    call["params"]["asset_id"] = asset.into();
    let text = by_hand(submitter, &call);
    let mut entries = Vec::new();
    for wallet in wallets {
        let entry = sign(wallet, &text).await?;
        submitter
            .with
            .redactor
            .add(entry["msgsign"].as_str().unwrap_or_default());
        entries.push(entry);
    }
    let what = "a transaction that two of its three signers signed";
    Ok(signed_over(&text, &text, &entries).wrongly_signed(what))
}

/// Returns the settings for a transaction with the fee that the node has set, if that is not more than the run's fee.
/// A transaction can be signed as it was built.
fn as_built(submitter: &Submitter, built: &Exchange) -> Submitting {
    let with = submitter.with.clone();
    let fee = built.success_object().and_then(|body| find(body, "fee"));
    let fee = fee.and_then(|(_, fee)| fee.as_f64());
    let fee = fee.filter(|fee| *fee > 0.0 && fee.fract() == 0.0);
    let most = with.fee.as_str().parse::<f64>().ok();
    match fee.filter(|fee| most.is_some_and(|most| *fee <= most)) {
        // It is not more than the run's fee, so the conversion is exact.
        Some(fee) => Submitting {
            fee: (fee as u64).into(),
            ..with
        },
        None => with,
    }
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
        let checked = checked_with_time(&call, &built, &as_built(submitter, &built))
            .map_err(|reason| not_signed(reason.reason().to_owned()))?;
        let signed = checked.sign(&[first.signer(), second.signer()]).await;
        let signed = signed.map_err(|error| not_signed(error.to_string()))?;
        let signed: Value = serde_json::from_str(signed.text().as_ref())
            .map_err(|error| InconclusiveReason::Harness(error.to_string()))?;
        let [one, other] = [0, 1].map(|place| signed["signatures"][place].clone());
        let signatures = [&one, &other].map(|entry| entry["msgsign"].as_str().unwrap_or_default());
        for signature in signatures {
            submitter.with.redactor.add(signature);
        }
        let text = checked.transaction_text();
        let submit = async |request: Request| {
            submitter
                .submit_serialized(request.carrying_signature())
                .await
        };
        let mut claim = Self {
            wrong: Vec::new(),
            reversed: None,
            in_order: None,
            both_can_pay: false,
            known_code: Vec::new(),
        };
        let with_row = |wrong: &Variant| {
            let [one, other] = signatures;
            let right = if wrong.is_signed_by_the_first() {
                one
            } else {
                other
            };
            wrong.filled(submitter, text, wallets.map(SigningWallet::address), right)
        };
        for wrong in rows_of_two_signers(Moment::Before) {
            let what = wrong.what.clone();
            let response = submit(with_row(wrong)?.wrongly_signed(what)).await;
            let is_accepted = response.as_ref().is_ok_and(|response| is_valid(response));
            claim.wrong.push((wrong, response));
            if is_accepted {
                return Ok(claim);
            }
        }
        let reversed = submit(signed_over(text, text, &[other.clone(), one.clone()])).await;
        let is_accepted = reversed.as_ref().is_ok_and(|response| is_valid(response));
        claim.reversed = Some(reversed);
        if !is_accepted {
            claim.in_order =
                Some(submit(signed_over(text, text, &[one.clone(), other.clone()])).await);
        }
        if let Some(accepted) = claim.accepted().cloned() {
            for moment in [Moment::Pending, Moment::Stored] {
                if moment == Moment::Stored {
                    wait_for(submitter, &accepted).await;
                }
                for wrong in rows_of_two_signers(moment) {
                    let what = format!("{}{}", wrong.what, moment.ending());
                    let response = submit(with_row(wrong)?.wrongly_signed(what)).await;
                    claim.known_code.extend(response.ok());
                }
            }
        }
        if submitter.with.claims.get() > 1 {
            let _ = submit(two_of_three(submitter, &call, wallets).await?).await;
        }
        Ok(claim)
    }

    /// Returns the response that accepted the right signatures.
    pub(super) fn accepted(&self) -> Option<&Arc<Exchange>> {
        let responses = self.reversed.iter().chain(&self.in_order).flatten();
        responses.into_iter().find(|response| is_valid(response))
    }

    /// Returns the response to the right signatures in their order if the node refused them, although each wallet could pay
    /// the fee that the node has set.
    pub(crate) fn refused(&self) -> Option<&Arc<Exchange>> {
        let in_order = self.in_order.as_ref()?.as_ref().ok()?;
        (self.both_can_pay && !is_valid(in_order)).then_some(in_order)
    }

    /// Returns the response to the claim with this fault, if it was accepted, or if the right signatures
    /// were accepted later.
    pub(super) fn with_fault(&self, what: &str) -> Option<&Arc<Exchange>> {
        let (_, response) = self.wrong.iter().find(|(known, _)| known.what == what)?;
        let response = response.as_ref().ok()?;
        (is_valid(response) || self.accepted().is_some()).then_some(response)
    }
}
