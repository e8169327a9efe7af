//! Correct submissions, compared with the control, and the second endpoint for submissions.

use std::{collections::BTreeSet, sync::Arc};

use nodeproof_primitives::escape::escaped_up_to as shown;

use super::refusing::{submitted, way_out};
use crate::{
    api::{Transaction, is_missing_endpoint, is_new, is_valid, times_in_batch},
    checks::{Examination, Finding, Findings, Reply},
    context::{Context, ONE_DIGIT_CHANGED, right_rows_of},
    history::{Batch, ClaimSteps, Claims, FEE_WITH_FRACTION, HIGH_S, History},
    http::{Act, Exchange, InconclusiveReason, unknown},
};

/// Checks that a refused signature does not block its transaction.
pub(crate) async fn after_wrong_signature(context: &Context) -> Findings {
    let (bad, right) = context.submissions.correct_after_wrong_signature().await?;
    if Reply::of(&bad) == Reply::Accepted {
        return unknown("the bad signature was accepted, which another case reports");
    }
    let what = "a correctly signed transaction is refused because it was submitted with a wrong signature before";
    // The run's own claim was submitted in the same way.
    let claims = context.submissions.own_claims().await;
    let refused = claims.and_then(|claims| claims.with_fault(ONE_DIGIT_CHANGED));
    if refused.is_some_and(|refused| Reply::of(refused) != Reply::Accepted) {
        return Ok(Examination::passed());
    }
    compare(context, &context.submissions.control().await?, &right, what).await
}

/// Checks that two wallets can sign a transaction.
pub(crate) async fn two_signers(context: &Context) -> Findings {
    let what = "a transaction that both of its signers signed is refused, while one of a single signer is accepted";
    // The claim of the run's wallet and a co-signer decides, if the node accepts claims of the first alone.
    let claims = context.submissions.own_claims().await;
    if let Some(claims) = claims.filter(|claims| claims.first().is_accepted())
        && let Ok(alone) = claims.first().submitted()
    {
        let shared = claims.shared();
        if shared.all(Act::Reversed).any(|response| is_valid(response)) {
            return Ok(Examination::passed());
        }
        if let Ok(in_order) = shared.get(Act::Submit) {
            return compare(context, alone, in_order, what).await;
        }
    }
    let right = right_of(context, "submit-transaction/two-signers").await?;
    compare(context, &context.submissions.control().await?, &right, what).await
}

/// Checks that the order of signatures does not matter. An element of `signatures` names its wallet.
pub(crate) async fn order_of_signatures(context: &Context) -> Findings {
    let what =
        "the signatures of two signers are refused if their order differs from that of the signers";
    const REFUSED: &str =
        "the node refuses two signers in either order, which another case reports";
    // The claim of the run's wallet and a co-signer was submitted in both orders.
    let claims = context.submissions.own_claims().await;
    if let Some(claims) = claims
        && let Ok(reversed) = claims.shared().get(Act::Reversed)
    {
        if is_valid(reversed) {
            return Ok(Examination::passed());
        }
        match claims.shared().get(Act::Submit) {
            Ok(in_order) if is_valid(in_order) => {
                return compare(context, in_order, reversed, what).await;
            }
            Ok(_) if claims.first().is_accepted() => return unknown(REFUSED),
            _ => {}
        }
    }
    let in_order = right_of(context, "submit-transaction/two-signers").await?;
    let reversed = right_of(context, "submit-transaction/signature-order").await?;
    let control = context.submissions.control().await?;
    if is_valid(&control) && !is_valid(&in_order) && !is_valid(&reversed) {
        return unknown(REFUSED);
    }
    compare(context, &in_order, &reversed, what).await
}

/// Checks that the correct submissions of a case are accepted like the control.
pub(crate) async fn right_forms(context: &Context, case: &str) -> Findings {
    let control = context.submissions.control().await?;
    let mut checked = Examination::default();
    // The run's own claim has unusual values, and was submitted in other forms.
    let claims = context.submissions.own_claims().await;
    let claim = claims.map(Claims::first).filter(ClaimSteps::is_accepted);
    // Another case reports that a node refuses what it knows.
    let again = claim.and_then(|claim| claim.get(Act::Again).ok());
    let refuses_known = again.is_some_and(|again| !is_valid(again));
    for row in right_rows_of(case) {
        if let Some(claim) = claim
            && let Some(other) = claim.of_row(&row.what)
        {
            match is_valid(other) || refuses_known && is_new(other) == Some(false) {
                true => checked.count_item(),
                false => {
                    let what = format!("{} is refused", row.what);
                    checked.add(compare(context, claim.submitted()?, other, &what).await);
                }
            }
            continue;
        }
        let Some(right) = checked.received(context.submissions.right(row).await) else {
            break;
        };
        let what = format!("{} is refused", row.what);
        match compare(context, &control, &right, &what).await {
            Err(_) if row.is_optional() => {}
            // A claim with such values was accepted.
            Err(_) if claim.is_some() && row.changes_only_params() => checked.count_item(),
            compared => checked.add(compared),
        }
    }
    Ok(checked)
}

/// Returns the response to the only row of a case.
async fn right_of(context: &Context, case: &str) -> Result<Arc<Exchange>, InconclusiveReason> {
    match right_rows_of(case).next() {
        Some(row) => context.submissions.right(row).await,
        None => unknown("the case has no submission"),
    }
}

/// Checks that a fee may be written with a fraction of 0.
pub(crate) async fn fee_with_fraction(context: &Context) -> Findings {
    let what = "a fee that is written as `1000000.0` is refused, although its signature is right";
    if let Some(decided) = unusual(context, FEE_WITH_FRACTION, what).await {
        return decided;
    }
    right_forms(context, "submit-transaction/fee-with-fraction").await
}

/// Checks that either value of s is valid.
pub(crate) async fn high_s(context: &Context) -> Findings {
    let what = "a valid signature is refused if its s is in the higher half";
    if let Some(decided) = unusual(context, HIGH_S, what).await {
        return decided;
    }
    right_forms(context, "submit-transaction/high-s").await
}

/// Returns the result of the claim with this number, which was submitted in an unusual form first, unless the node refused
/// it in the usual form, too.
async fn unusual(context: &Context, number: u8, what: &str) -> Option<Findings> {
    let claim = context.submissions.own_claims().await?.get(number)?;
    let unusual = claim.get(Act::Unusual).ok()?;
    if is_valid(unusual) {
        return Some(Ok(Examination::passed()));
    }
    let usual = claim.submitted().ok()?;
    if !is_valid(usual) {
        return None;
    }
    Some(compare(context, usual, unusual, what).await)
}

/// Checks that a correct submission gets the same response as another correct one.
async fn compare(
    context: &Context,
    control: &Arc<Exchange>,
    right: &Arc<Exchange>,
    what: &str,
) -> Findings {
    let (known, said) = (Reply::of(control), Reply::of(right));
    if said == Reply::Accepted {
        return Ok(Examination::passed());
    }
    let finding = || {
        let expected = format!(
            "the response to another valid submission: {}",
            control.summary()
        );
        Finding::of_response(right, what, shown(&expected, 300))
            .with_signed_message(submitted(right))
    };
    if known == Reply::Accepted {
        return Ok(Examination::failed(finding().at("/response/valid")));
    }
    // Both are refused. This proves something only if a wrong signature is refused with other words.
    let wrong = context.submissions.wrong_signature().await?;
    let wrong = Reply::of(&wrong);
    if wrong == known || wrong == Reply::Accepted {
        let with = &context.submissions.submitter.with;
        let way_out = match with.claims.get() >= 3 && with.co_signer.is_some() {
            true => way_out(context),
            false => {
                "claims of your own wallets decide it: --allow write with --claims 3 and --co-signer"
            }
        };
        return unknown(format!(
            "the node refuses a right transaction of a wallet without money as it refuses a wrong signature; {way_out}"
        ));
    }
    match said {
        said if said == known => Ok(Examination::passed()),
        said if said == wrong => Ok(Examination::failed(finding())),
        _ => unknown("two valid transactions were refused with different messages"),
    }
}

/// Checks that the second endpoint refuses what the first must refuse.
pub(crate) async fn batch(context: &Context) -> Findings {
    context.submissions.submit_batches().await?;
    let mut checked = Examination::default();
    for batch in context.history().batches() {
        if let Some(control) = &batch.of.control {
            checked.add(refused_in_batch(&batch, control));
        }
    }
    let claims = context.submissions.own_claims().await;
    for batch in claims.into_iter().flat_map(Claims::batches) {
        checked.extend(accepted_in_batch(&batch));
    }
    checked.findings.extend(left_out(&context.history()));
    Ok(checked)
}

/// Returns a finding if the response to a batch has lists, and they lack some of its transactions. What the node had before may
/// be in none.
fn left_out(history: &History) -> Option<Finding> {
    const LISTS: [&str; 2] = ["accepted_transactions", "failed_transactions"];
    let mut known = BTreeSet::new();
    history.submissions().find_map(|entry| {
        let response = &entry.exchange;
        let transactions = entry.submissions().iter().filter_map(Transaction::of);
        let codes: BTreeSet<_> = transactions.filter_map(Transaction::code).collect();
        let new: Vec<_> = codes.iter().filter(|code| known.insert(**code)).collect();
        let body = response.success_object()?;
        let length = |list| Some(body["response"].get(list)?.as_array()?.len());
        let [accepted, failed] = LISTS.map(length);
        let times = |code: &str| {
            LISTS
                .map(|list| times_in_batch(response, list, code))
                .into_iter()
                .sum::<usize>()
        };
        // An element may have no code.
        let named: usize = codes.iter().map(|code| times(code)).sum();
        let others = (accepted? + failed?).saturating_sub(named);
        let left_out: Vec<_> = new.into_iter().filter(|code| times(code) == 0).collect();
        let what = "the response to a batch lists fewer transactions than the batch has";
        let expected = format!("also {}", shown(left_out.first()?, 60));
        let finding = || Finding::of_response(response, what, expected).at("/response");
        (0 < named && others < left_out.len()).then(finding)
    })
}

/// Returns the wrong submissions that a batch accepts.
fn accepted_in_batch(batch: &Batch<'_>) -> Examination {
    let response = batch.response;
    let accepted = "accepted_transactions";
    let wrong = &batch.of.wrong;
    let found = wrong
        .iter()
        .filter(|(code, _)| times_in_batch(response, accepted, code) > 0);
    let findings = found.map(|(_, what)| {
        let what = format!("a batch accepts {what}");
        let finding = Finding::of_response(response, what, "a refusal");
        finding.at(format!("/response/{accepted}"))
    });
    Examination::of(wrong.len(), findings)
}

fn refused_in_batch(batch: &Batch<'_>, control: &String) -> Findings {
    let response = batch.response;
    if is_missing_endpoint(response.status) {
        return unknown("the node has no /submit-transaction-batch");
    }
    let (accepted, failed) = ("accepted_transactions", "failed_transactions");
    let times = |list: &str, code: &str| times_in_batch(response, list, code);
    let mut checked = accepted_in_batch(batch);
    checked.examined = 0;
    let codes = || batch.of.wrong.iter().map(|(code, _)| code);
    let is_repeated = |code: &&String| times(accepted, code) + times(failed, code) > 1;
    if let Some(code) = codes().chain([control]).find(is_repeated) {
        let what = format!("the response to a batch lists the transaction {code} twice");
        let expected = "each transaction at most once";
        let finding = Finding::of_response(response, what, expected);
        checked.push(finding.at(format!("/response/{failed}")));
    }
    let is_refused = (400..500).contains(&response.status);
    match codes().map(|code| times(failed, code)).sum::<usize>() {
        0 if checked.has_no_findings() && !is_refused => {
            let what = "the batch was neither accepted nor refused";
            unknown(format!("{what}: {}", response.summary()))
        }
        failed => {
            checked.examined += u64::try_from(failed.max(1)).unwrap_or_default();
            Ok(checked)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{history::recorded, http::Request};

    #[test]
    fn a_batch_lists_each_of_its_transactions() {
        let submission =
            |code: &str| json!({"transaction": {"trans_code": code}, "signatures": []});
        let batch = json!([
            submission("a"),
            submission("b"),
            submission("b"),
            submission("k")
        ]);
        let first = Request::post("/submit-transaction", submission("k").to_string());
        let second = Request::post("/submit-transaction-batch", batch.to_string());
        let no_lists = r#"{"status":"SUCCESS","response":{}}"#;
        for (accepted, failed, is_found) in [
            (json!(["a", "b", "k"]), json!([]), false),
            (json!(["a"]), json!(["b"]), false),
            (json!(["a", "k"]), json!([]), true),
            (json!(["a", "k"]), json!([{"trans_code": "b"}]), false),
            (json!(["a", "k"]), json!([{"msg": "no code"}]), false),
            // A list of an unknown form.
            (json!([7]), json!([]), false),
        ] {
            let lists = json!({"accepted_transactions": accepted, "failed_transactions": failed});
            let said = json!({"status": "SUCCESS", "response": lists}).to_string();
            let rows = vec![
                (0, first.clone(), 200, no_lists),
                (9, second.clone(), 200, &*said),
            ];
            assert_eq!(left_out(&recorded(rows)).is_some(), is_found, "{said}");
        }
    }
}
