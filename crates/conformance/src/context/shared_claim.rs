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
    history::{MAX_CLAIMS, SHARED},
    http::{Act, Exchange, InconclusiveReason, Request, Step},
};

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

/// Makes the claim with the run's wallet and a second one. Returns the response that accepts it. All of its submissions
/// have one code, so at most one is paid.
pub(super) async fn make_shared(
    submitter: &Submitter,
    wallets: [&SigningWallet; 2],
    contract: &str,
) -> Option<Arc<Exchange>> {
    match make(submitter, wallets, contract).await {
        Ok(accepted) => accepted,
        Err(reason) => {
            submitter.skip(Step::Claim(SHARED, Act::Submit), reason);
            None
        }
    }
}

async fn make(
    submitter: &Submitter,
    wallets: [&SigningWallet; 2],
    contract: &str,
) -> Result<Option<Arc<Exchange>>, InconclusiveReason> {
    let step = |act| Step::Claim(SHARED, act);
    let not_signed = |reason: String| {
        InconclusiveReason::NoSample(format!("the claim of two wallets was not signed: {reason}"))
    };
    let [first, second] = wallets;
    let (_, mut call) = claim_call(contract, first.address(), MAX_CLAIMS, unique());
    call["signers"] = json!([first.address(), second.address()]);
    let request = call_request(&call).for_step(step(Act::Build));
    let built = submitter.samples.node.send(request).await?;
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
    let submit = async |act: Act, request: Request| {
        let request = request.carrying_signature().for_step(step(act));
        submitter.submit_serialized(request).await
    };
    let is_accepted = |response: &Response| response.as_ref().is_ok_and(|one| is_valid(one));
    let with_row = |wrong: &Variant, moment: Moment| {
        let [one, other] = signatures;
        let right = if wrong.is_signed_by_the_first() {
            one
        } else {
            other
        };
        let addresses = wallets.map(SigningWallet::address);
        let request = wrong.filled(submitter, text, addresses, right);
        let what = format!("{}{}", wrong.what, moment.ending());
        request.map(|request| request.wrongly_signed(what))
    };
    for wrong in rows_of_two_signers(Moment::Before) {
        let act = Act::Row(wrong.what.clone());
        let response = submit(act, with_row(wrong, Moment::Before)?).await;
        if is_accepted(&response) {
            return Ok(None);
        }
    }
    let reversed = signed_over(text, text, &[other.clone(), one.clone()]);
    let mut accepted = submit(Act::Reversed, reversed).await;
    if !is_accepted(&accepted) {
        accepted = submit(
            Act::Submit,
            signed_over(text, text, &[one.clone(), other.clone()]),
        )
        .await;
    }
    let accepted = accepted.ok().filter(|response| is_valid(response));
    if let Some(accepted) = &accepted {
        for moment in [Moment::Pending, Moment::Stored] {
            if moment == Moment::Stored {
                wait_for(submitter, accepted).await;
            }
            for wrong in rows_of_two_signers(moment) {
                let _ = submit(Act::KnownCode, with_row(wrong, moment)?).await;
            }
        }
    }
    if submitter.with.claims.get() > 1 {
        let request = two_of_three(submitter, &call, wallets).await?;
        let _ = submitter
            .submit_serialized(request.carrying_signature())
            .await;
    }
    Ok(accepted)
}
