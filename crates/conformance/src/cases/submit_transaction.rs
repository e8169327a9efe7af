//! `POST /submit-transaction`, with submissions that a node must refuse.

use std::{collections::BTreeSet, sync::Arc};

use nodeproof_client::{SubmitResponse, from_json};
use nodeproof_primitives::RawJson;
use nodeproof_report::SignedReport;
use serde_json::Value;

use super::{
    case::Case,
    correct_submissions::{after_wrong_signature, batch, order_of_signatures},
    http::content_types,
};
use crate::{
    api::{
        Members, Sample, Tier, contract_state_request, is_missing_endpoint, is_refusal, message,
        stored,
    },
    checks::{
        Checked, Decoding, Finding, Findings, MAX_FINDINGS, Reply, Shows, check_json_responses,
        decodes, judge, signed_transaction,
    },
    context::{Alteration, Context, Refusal},
    http::{Exchange, InconclusiveReason, Request},
};

macro_rules! refuses {
    ($level:ident, $id:literal, $requirements:expr, $($refusal:expr),+) => {
        Case::$level($id, $requirements, |c| {
            Box::pin(refuses(c, const { &[$($refusal),+] }))
        })
        .of(Tier::Reject)
    };
}

pub(crate) const CASES: &[Case] = &[
    refuses!(
        must,
        "submit-transaction/unsigned",
        &["SUBMIT-3"],
        Refusal::Unsigned,
        Refusal::NoSigners
    )
    // Without this case, the tier has tested nothing.
    .essential(),
    refuses!(
        must,
        "submit-transaction/half-signed",
        &["SUBMIT-3", "TX-10"],
        Refusal::HalfSigned,
        Refusal::SecondOnly,
        Refusal::SignedTwice
    ),
    refuses!(
        must,
        "submit-transaction/unlisted-signer",
        &["SUBMIT-3", "TX-11"],
        Refusal::UnlistedSigner
    ),
    refuses!(
        must,
        "submit-transaction/another-wallets-key",
        &["SUBMIT-3"],
        Refusal::AnotherKey,
        Refusal::FirstOfTwoRight,
        Refusal::LastOfTwoRight,
        Refusal::ChildTransaction
    ),
    refuses!(
        must,
        "submit-transaction/signature-altered",
        &["SUBMIT-3"],
        Refusal::SignatureAltered
    ),
    refuses!(
        must,
        "submit-transaction/params-altered",
        &["SUBMIT-3"],
        Refusal::Altered(Alteration::Params)
    ),
    refuses!(
        must,
        "submit-transaction/fee-altered",
        &["SUBMIT-3"],
        Refusal::Altered(Alteration::Fee)
    ),
    refuses!(
        must,
        "submit-transaction/transaction-altered",
        &["SUBMIT-3"],
        Refusal::Altered(Alteration::Timestamp),
        Refusal::Altered(Alteration::Code),
        Refusal::Altered(Alteration::Type),
        Refusal::Altered(Alteration::Currency),
        Refusal::Altered(Alteration::Descr),
        Refusal::Altered(Alteration::Valid),
        Refusal::Altered(Alteration::Function),
        Refusal::Altered(Alteration::Address),
        Refusal::Altered(Alteration::Signers)
    ),
    refuses!(
        must,
        "submit-transaction/signature-not-hex",
        &["SUBMIT-3", "TX-11", "FORM-6"],
        Refusal::SignatureNotHex,
        Refusal::SignatureEmpty,
        Refusal::SignatureNull,
        Refusal::SignatureShort,
        Refusal::SignatureZero
    ),
    refuses!(
        must,
        "submit-transaction/transaction-required",
        &["SUBMIT-2"],
        Refusal::NoTransaction,
        Refusal::TransactionNull,
        Refusal::TransactionText
    ),
    refuses!(
        must,
        "submit-transaction/signatures-required",
        &["SUBMIT-2", "SUBMIT-3"],
        Refusal::NoSignatures,
        Refusal::SignaturesNull,
        Refusal::SignaturesObject
    ),
    refuses!(
        should,
        "submit-transaction/fee-mistyped",
        &["TX-5"],
        Refusal::FeeText
    ),
    Case::should("submit-transaction/fee-negative", &["TX-5"], |c| {
        Box::pin(refuses(c, &[Refusal::FeeNegative]))
    })
    .of(Tier::Reject),
    Case::observed("submit-transaction/fee-zero", &["SUBMIT-10"], |c| {
        Box::pin(refuses(c, &[Refusal::FeeZero]))
    })
    .of(Tier::Reject),
    refuses!(
        must,
        "submit-transaction/empty-object",
        &["SUBMIT-2"],
        Refusal::EmptyObject
    ),
    refuses!(
        must,
        "submit-transaction/body-not-json",
        &["SUBMIT-2", "HTTP-3"],
        Refusal::NotJson,
        Refusal::Empty
    ),
    refuses!(
        must,
        "submit-transaction/body-array",
        &["SUBMIT-2"],
        Refusal::Array
    ),
    refuses!(
        must,
        "submit-transaction/body-text",
        &["SUBMIT-2"],
        Refusal::Text
    ),
    Case::observed("submit-transaction/oversized", &["SUBMIT-11"], |c| {
        Box::pin(refuses(c, &[Refusal::Oversized]))
    })
    .of(Tier::Reject),
    Case::must(
        "submit-transaction/right-after-wrong-signature",
        &["SUBMIT-1", "SUBMIT-5"],
        |c| Box::pin(after_wrong_signature(c)),
    )
    .of(Tier::Reject),
    Case::should(
        "submit-transaction/signature-order",
        &["TX-10", "TX-11", "SUBMIT-3"],
        |c| Box::pin(order_of_signatures(c)),
    )
    .of(Tier::Reject),
    Case::should(
        "submit-transaction/batch",
        &["SUBMIT-3", "SUBMIT-12"],
        |c| Box::pin(batch(c)),
    )
    .of(Tier::Reject),
    Case::must(
        "submit-transaction/responds",
        &["SUBMIT-4", "SUBMIT-5", "NODE-1"],
        |c| Box::pin(responds(c)),
    )
    .of(Tier::Reject),
    Case::should("submit-transaction/content-type", &["HTTP-5"], |c| {
        Box::pin(content_type(c))
    })
    .of(Tier::Reject),
    Case::must(
        "submit-transaction/refused-not-stored",
        &["SUBMIT-3"],
        |c| Box::pin(not_stored(c)),
    )
    .of(Tier::Reject),
    Case::should("submit-transaction/wrong-method", &["SUBMIT-1"], |c| {
        Box::pin(wrong_method(c))
    })
    .of(Tier::Reject),
    Case::should(
        "submit-transaction/refusal-is-no-crash",
        &["SUBMIT-8"],
        |c| Box::pin(no_crash(c)),
    )
    .of(Tier::Reject),
    Case::must(
        "submit-transaction/decodes",
        &["SUBMIT-4", "SUBMIT-5", "SUBMIT-6", "SUBMIT-7"],
        |c| {
            let decoding = Decoding {
                client: |body| from_json::<SubmitResponse>(body).map(drop),
                needed: |text| {
                    let members = Members::of(text).ok_or("it is not an object")?;
                    let response = members.read::<RawJson>("response");
                    let response = response.map_err(|unread| unread.to_string())?;
                    let members = Members::of(response.as_str());
                    let members = members.ok_or("`response` is not an object")?;
                    let valid = members.read::<bool>("valid");
                    valid.map(drop).map_err(|unread| unread.to_string())
                },
            };
            Box::pin(decodes(c, Sample::Refusals, decoding))
        },
    )
    .of(Tier::Reject),
];

/// Checks the responses to faulty submissions by comparing them with the control.
async fn refuses(context: &Context, refusals: &[Refusal]) -> Findings {
    let submissions = &context.submissions;
    let control = submissions.control().await;
    let mut checked = Checked::default();
    let mut unproven = None;
    for refusal in refusals {
        let response = match submissions.refusal(*refusal).await {
            Ok(response) => response,
            Err(inconclusive) => {
                unproven = unproven.or(Some(inconclusive));
                continue;
            }
        };
        checked.one();
        let bad = Reply::of(&response);
        if bad == Reply::Accepted {
            let what = format!("{} is accepted as valid", refusal.what());
            let finding = Finding::new(&response, what, "a refusal", response.summary());
            checked.push(finding.at("/response/valid").about(submitted(&response)));
            continue;
        }
        let control = match &control {
            Ok(control) => control,
            Err(inconclusive) => {
                unproven = unproven.or(Some(inconclusive.clone()));
                continue;
            }
        };
        let wrong_signature = match refusal.differs_only_in_what_is_signed() {
            true => submissions.refusal(Refusal::SignatureAltered).await.ok(),
            false => None,
        };
        let wrong_signature = wrong_signature.map(|response| Reply::of(&response));
        match judge(&bad, &Reply::of(control), wrong_signature.as_ref()) {
            Shows::Accepts | Shows::Refuses => {}
            Shows::IgnoresAlteration => {
                let what = format!(
                    "{} is refused like a correctly signed transaction, not like a wrong signature",
                    refusal.what()
                );
                let expected = "the response to a wrong signature";
                let finding = Finding::new(&response, what, expected, response.summary());
                checked.push(finding.about(submitted(&response)));
            }
            Shows::Nothing => {
                unproven = unproven.or_else(|| Some(proves_nothing(*refusal, control)))
            }
        }
    }
    match unproven {
        Some(inconclusive) if checked.has_no_findings() => Err(inconclusive),
        _ => Ok(checked),
    }
}

/// Returns the signed message of a submission.
fn submitted(response: &Exchange) -> Option<Box<SignedReport>> {
    signed_transaction(response.request.body.as_deref()?)
}

/// Returns the reason why a refusal proves nothing.
fn proves_nothing(refusal: Refusal, control: &Exchange) -> InconclusiveReason {
    let reason = if is_missing_endpoint(control.status) {
        format!("the endpoint does not exist: {}", control.summary())
    } else {
        format!(
            "the node refuses {} with the same message as a correctly signed transaction of a wallet without \
             money ({}); run against a node of your own, whose test wallet can pay",
            refusal.what(),
            message(control)
        )
    };
    InconclusiveReason::NoSample(reason)
}

/// Returns the refusals with a success status. The contract does not show the content of other responses.
async fn told(context: &Context) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
    let mut responses = context.submissions.refusals().await?;
    responses.retain(|response| response.is_success());
    if responses.is_empty() {
        let reason = "no refusal had status 200";
        return Err(InconclusiveReason::NoSample(reason.to_owned()));
    }
    Ok(responses)
}

/// Checks that the endpoint exists, and that its successful responses are JSON objects.
async fn responds(context: &Context) -> Findings {
    let all = context.submissions.refusals().await?;
    if let Some(first) = all.first()
        && all
            .iter()
            .all(|response| is_missing_endpoint(response.status))
    {
        let what = "the endpoint does not exist: every response to a submission shows that";
        let expected = "a response to a submission";
        return Ok(Checked::failed(Finding::new(
            first,
            what,
            expected,
            first.summary(),
        )));
    }
    check_json_responses(&told(context).await?)
}

async fn content_type(context: &Context) -> Findings {
    let mut told = told(context).await?;
    told.retain(|response| response.json().is_ok());
    Ok(content_types(&told))
}

/// Returns the contract and the asset of a submission.
fn claimed(submission: &Exchange) -> Option<(String, String)> {
    let body: Value = serde_json::from_str(submission.request.body.as_deref()?).ok()?;
    let data = body.pointer("/transaction/specific_data")?;
    let contract = data["address"].as_str()?.to_owned();
    let asset = data["params"]["asset_id"].as_str()?.to_owned();
    Some((contract, asset))
}

/// Whether a response refuses a submission, and not only fails to understand it.
fn is_clear_refusal(response: &Exchange) -> bool {
    let says_no = |body: &Value| {
        body.pointer("/response/valid") == Some(&Value::Bool(false)) || is_refusal(body)
    };
    let is_wrong_request =
        (400..500).contains(&response.status) && !is_missing_endpoint(response.status);
    is_wrong_request || !is_missing_endpoint(response.status) && response.json().is_ok_and(says_no)
}

/// Checks that refused submissions left no record, even after two more blocks if the chain continues.
async fn not_stored(context: &Context) -> Findings {
    let responses = context.submissions.refusals().await?;
    let refused = responses
        .iter()
        .filter(|response| is_clear_refusal(response));
    let claims: BTreeSet<_> = refused.filter_map(|response| claimed(response)).collect();
    // A missing record counts only if records can be read at all.
    let known = context.sample(Sample::ContractState).await?;
    if !known
        .iter()
        .any(|state| state.success_object().and_then(stored).is_some())
    {
        let reason = "/sc-state returned no record in this run, so a missing record proves nothing";
        return Err(InconclusiveReason::NoSample(reason.to_owned()));
    }
    context.submissions.later_blocks().await?;
    let mut checked = Checked::default();
    for (contract, asset) in claims {
        let state = contract_state_request(&contract, &asset);
        let state = context.node.send(state).await?;
        checked.examined += u64::from(state.success_object().is_some());
        if state.success_object().and_then(stored).is_some()
            && checked.findings.len() < MAX_FINDINGS
        {
            let what = "a claim that was refused is stored anyway";
            let actual = state.summary();
            checked.push(Finding::new(&state, what, "no record", actual));
        }
    }
    Ok(checked)
}

async fn wrong_method(context: &Context) -> Findings {
    let response = context
        .node
        .send(Request::get("/submit-transaction"))
        .await?;
    let submitted = |body: &Value| body.get("response").is_some() || body["status"] == "SUCCESS";
    if !response.success_object().is_some_and(submitted) {
        let control = context.submissions.control().await?;
        // A missing or broken endpoint refuses every method.
        return Ok(Checked::of(
            usize::from(Reply::of(&response) != Reply::of(&control)),
            None,
        ));
    }
    let what = "the response to a GET is that to a submission";
    Ok(Checked::failed(Finding::new(
        &response,
        what,
        "a refusal",
        response.summary(),
    )))
}

async fn no_crash(context: &Context) -> Findings {
    let mut checked = Checked::default();
    for refusal in Refusal::ALL {
        let Ok(response) = context.submissions.refusal(refusal).await else {
            // The submission's own case reports the missing response.
            continue;
        };
        checked.examined += u64::from(is_clear_refusal(&response));
        if response.status < 500 {
            continue;
        }
        let what = format!(
            "{} is refused with status {}",
            refusal.what(),
            response.status
        );
        let expected = "a refusal of the request: a 4xx, or 200 with response.valid false";
        checked.push(Finding::new(&response, what, expected, response.summary()));
    }
    Ok(checked)
}
