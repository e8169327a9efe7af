//! The check that a node refuses the wrong submissions of a case, which are rows of a table.

use std::sync::Arc;

use nodeproof_report::SignedReport;

use crate::{
    api::{is_missing_endpoint, message},
    checks::{Examination, Finding, Findings, Reply, ReplyVerdict, judge, signed_transaction},
    context::{Context, Variant, rows_of},
    http::{Exchange, InconclusiveReason},
};

/// Checks the responses to faulty submissions by comparing them with the control.
pub(super) async fn refuses(context: &Context, case: &str) -> Findings {
    let submissions = &context.submissions;
    let control = submissions.control().await;
    let mut checked = Examination::default();
    let mut unproven = None;
    let mut is_decided = false;
    for wrong in rows_of(case) {
        let response = match submissions.variant(wrong).await {
            Ok(response) => response,
            Err(inconclusive) => {
                unproven = unproven.or(Some(inconclusive));
                continue;
            }
        };
        checked.count_item();
        let bad = Reply::of(&response);
        // A wallet that is known may have a better chance.
        let own = of_the_claim(context, wrong, &response).await;
        let accepted = own.filter(|own| Reply::of(own) == Reply::Accepted);
        if let Some(response) = accepted.or((bad == Reply::Accepted).then(|| Arc::clone(&response)))
        {
            let what = format!("{} is accepted as valid", wrong.what);
            let finding =
                Finding::of_response(&response, what, response.request.expected_refusal());
            checked.push(
                finding
                    .at("/response/valid")
                    .with_signed_message(submitted(&response)),
            );
            continue;
        }
        let control = match &control {
            Ok(control) => control,
            Err(inconclusive) => {
                unproven = unproven.or(Some(inconclusive.clone()));
                continue;
            }
        };
        let wrong_signature = match wrong.differs_only_in_what_is_signed() {
            true => submissions.wrong_signature().await.ok(),
            false => None,
        };
        let wrong_signature = wrong_signature.map(|response| Reply::of(&response));
        match judge(&bad, &Reply::of(control), wrong_signature.as_ref()) {
            // Some forms are refused before the signatures are verified. They are enough.
            ReplyVerdict::Refuses if wrong.is_rightly_signed() => is_decided = true,
            ReplyVerdict::Accepts | ReplyVerdict::Refuses => {}
            ReplyVerdict::IgnoresAlteration => {
                let what = format!(
                    "{} is refused like a correctly signed transaction, not like a wrong signature",
                    wrong.what
                );
                let expected = "the response to a wrong signature";
                let finding = Finding::of_response(&response, what, expected);
                checked.push(finding.with_signed_message(submitted(&response)));
            }
            ReplyVerdict::ProvesNothing => match of_the_claim(context, wrong, &response).await {
                // For a case with further faults, this one is enough.
                Some(_) => is_decided = true,
                None => {
                    unproven = unproven.or_else(|| Some(proves_nothing(context, wrong, control)));
                }
            },
        }
    }
    match unproven {
        Some(inconclusive) if checked.has_no_findings() && !is_decided => Err(inconclusive),
        _ => Ok(checked),
    }
}

/// Returns a response that decides what the control leaves open, if the run's own claim was accepted, with
/// this fault or without.
async fn of_the_claim(
    context: &Context,
    wrong: &Variant,
    response: &Arc<Exchange>,
) -> Option<Arc<Exchange>> {
    let claims = context.submissions.own_claims().await?;
    if wrong.names_only_the_payer() {
        return claims.first().is_accepted().then(|| Arc::clone(response));
    }
    claims.with_fault(&wrong.what).map(Arc::clone)
}

/// Returns the signed message of a submission.
pub(super) fn submitted(response: &Exchange) -> Option<Box<SignedReport>> {
    signed_transaction(response.request.body.as_deref()?)
}

/// Returns the reason why a refusal proves nothing.
fn proves_nothing(context: &Context, wrong: &Variant, control: &Exchange) -> InconclusiveReason {
    let reason = if is_missing_endpoint(control.status) {
        format!("the endpoint does not exist: {}", control.summary())
    } else {
        format!(
            "the node refuses {} with the same message as a correctly signed transaction of a wallet without \
             money ({}); {}",
            wrong.what,
            message(control),
            match wrong.has_two_signers() && context.submissions.submitter.with.co_signer.is_none()
            {
                true =>
                    "a second wallet of the chain may decide it: --co-signer, with --allow write",
                false => way_out(context),
            }
        )
    };
    InconclusiveReason::NoSample(reason)
}

/// Returns what the user can do if a wallet without money decides nothing.
pub(super) fn way_out(context: &Context) -> &'static str {
    if context.submissions.submitter.with.makes_a_claim {
        "a node of your own decides it, whose test wallets can pay"
    } else {
        "a claim of your own wallet may decide it: --allow write with --wallet, --currency and --contract"
    }
}
