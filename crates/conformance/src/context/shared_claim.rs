//! A claim of two wallets of the chain. It decides whether the node verifies each signature.

use std::{cmp::Reverse, sync::Arc};

use nodeproof_primitives::WalletAddress;
use serde_json::{Value, json};

use super::{
    around_claim::entries_of,
    claim_step::{Signed, no_sample, signed_call},
    claim_values::claim_call,
    draft::{by_hand, unique},
    edit::altered,
    signatures::{in_the_name_of, signed_over, stranger},
    signing::{SigningWallet, Submitting},
    submitter::{Response, Submitter},
    variant::{SIGNERS, Variant},
    waiting::wait_for,
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

/// Returns the wallets that could be a third signer: one that no chain knows, and, on a network without value, one of
/// the chain. At a wrong node, that one pays a part of the fee.
pub(super) fn third_signers(
    submitter: &Submitter,
    wallets: [&SigningWallet; 2],
) -> Result<Vec<WalletAddress>, InconclusiveReason> {
    let own = wallets.map(SigningWallet::address);
    let known = submitter.samples.discovered.wallets.iter();
    let mut known = known.filter_map(|wallet| wallet.parse().ok());
    let known = known.find(|wallet| !own.contains(wallet));
    let known = known.filter(|_| submitter.is_without_value());
    Ok(known.into_iter().chain([stranger()?.address()]).collect())
}

/// Returns requests that submit transactions of three signers: one with the signatures of two, and one whose third signature
/// was made with another wallet's key.
pub(super) async fn two_of_three(
    submitter: &Submitter,
    call: &Value,
    wallets: [&SigningWallet; 2],
    third: WalletAddress,
) -> Result<Vec<Request>, InconclusiveReason> {
    let [first, second] = wallets.map(SigningWallet::address);
    let signers = [first, second, third];
    let missing = "a transaction that two of its three signers signed";
    let wrong = "a transaction whose third signature of three is wrong";
    let mut requests = Vec::new();
    for (what, is_forged) in [(missing, false), (wrong, true)] {
        let mut call = call.clone();
        call["signers"] = json!(signers);
        if let Some(asset) = call["params"].get_mut("asset_id") {
            *asset = format!("conformance-refused-{:x}", unique()).into();
        }
        let text = by_hand(submitter, &call);
        let mut entries = entries_of(submitter, &wallets, &text).await?;
        let forged = entries.first().filter(|_| is_forged).cloned();
        entries.extend(forged.map(|entry| in_the_name_of(third, entry)));
        let request = signed_over(&text, &text, &entries).carrying_signature();
        requests.push(request.wrongly_signed(what));
    }
    Ok(requests)
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
    mut wallets: [&SigningWallet; 2],
    contract: &str,
) -> Option<Arc<Exchange>> {
    // The order of the signers counts, and not that of their addresses.
    wallets.sort_by_key(|wallet| Reverse(wallet.address()));
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
    let mut call = claim_call(contract, wallets[0].address(), MAX_CLAIMS, unique());
    call["signers"] = json!(wallets.map(SigningWallet::address));
    let build = Some(Step::Claim(SHARED, Act::Build));
    let with = |built: &Exchange| as_built(submitter, built);
    let signed = signed_call(submitter, &wallets, &call, build, with).await?;
    let Signed { text, entries, .. } = signed.1.or_else(|unsigned| {
        let reason = unsigned.reason();
        no_sample(format!("the claim of two wallets was not signed: {reason}"))
    })?;
    let text = &*text;
    let [one, other] = [0, 1].map(|place| entries[place].clone());
    let signatures = [&one, &other].map(|entry| entry["msgsign"].as_str().unwrap_or_default());
    let submit = async |act: Act, request: Request| {
        let request = request.carrying_signature();
        let request = request.for_step(Step::Claim(SHARED, act));
        submitter.submit_serialized(request).await
    };
    let is_accepted = |response: &Response| response.as_ref().is_ok_and(|one| is_valid(one));
    let with_row = |wrong: &Variant, moment: Moment| {
        let addresses = wallets.map(SigningWallet::address);
        let request = wrong.of_both(submitter, text, addresses, signatures);
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
    let turned = altered(text, |transaction| {
        let signers = transaction.pointer_mut(SIGNERS);
        if let Some(signers) = signers.and_then(Value::as_array_mut) {
            signers.reverse();
        }
    })?;
    let turned = signed_over(text, &turned, &[one.clone(), other.clone()]);
    let turned =
        turned.wrongly_signed("a transaction whose two signers changed places after they signed");
    if is_accepted(&submit(Act::KnownCode, turned).await) {
        return Ok(None);
    }
    let reversed = signed_over(text, text, &[other.clone(), one.clone()]);
    let in_order = signed_over(text, text, &[one.clone(), other.clone()]);
    let mut accepted = submit(Act::Reversed, reversed).await;
    if !is_accepted(&accepted) {
        accepted = submit(Act::Submit, in_order).await;
    } else {
        // It is the same transaction.
        let _ = submit(Act::Again, in_order).await;
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
        for third in third_signers(submitter, wallets)? {
            for request in two_of_three(submitter, &call, wallets, third).await? {
                let _ = submitter.submit_serialized(request).await;
            }
        }
    }
    Ok(accepted)
}
