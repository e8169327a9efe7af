//! `POST /submit-transaction`, with what a node must refuse.

use std::{collections::BTreeSet, sync::Arc};

use nodeproof_client::SubmitAnswer;
use serde_json::Value;

use super::{case::Case, http::content_types};
use crate::{
    api::{Sample, Tier, answered, contract_state_request, is_valid, stored},
    checks::{Finding, Findings, MOST_FINDINGS, all_answer_json, decodes},
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
    ),
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
        "submit-transaction/answers",
        &["SUBMIT-4", "SUBMIT-5", "NODE-1"],
        |c| Box::pin(answers(c)),
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
            Box::pin(decodes(c, Sample::Refusals, |body| {
                let answer = SubmitAnswer::from_slice(body)?;
                answer.valid()?;
                Ok(())
            }))
        },
    )
    .of(Tier::Reject),
];

async fn refuses(context: &Context, refusals: &[Refusal]) -> Findings {
    let mut findings = Vec::new();
    let mut missing = None;
    for refusal in refusals {
        let answer = match context.submissions.refusal(*refusal).await {
            Ok(answer) => answer,
            Err(obstacle) => {
                missing = missing.or(Some(obstacle));
                continue;
            }
        };
        if is_valid(&answer) {
            let what = format!("{} is answered as valid", refusal.what());
            let finding = Finding::new(&answer, what, "a refusal", answer.summary());
            findings.push(finding.at("/response/valid"));
        }
    }
    match missing {
        Some(obstacle) if findings.is_empty() => Err(obstacle),
        _ => Ok(findings),
    }
}

/// The refusals that have a status of success: the contract does not show what other responses have.
async fn told(context: &Context) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
    let mut answers = context.submissions.refusals().await?;
    answers.retain(|answer| answer.is_success());
    if answers.is_empty() {
        let reason = "no refusal was answered with status 200";
        return Err(InconclusiveReason::NoSample(reason.to_owned()));
    }
    Ok(answers)
}

/// Whether they are JSON objects.
async fn answers(context: &Context) -> Findings {
    let mut findings = all_answer_json(&told(context).await?)?;
    findings.truncate(MOST_FINDINGS);
    Ok(findings)
}

async fn content_type(context: &Context) -> Findings {
    let mut told = told(context).await?;
    told.retain(|answer| answer.json().is_ok());
    Ok(content_types(&told))
}

/// What a submission claims: its contract, and its asset.
fn claimed(submission: &Exchange) -> Option<(String, String)> {
    let body: Value = serde_json::from_str(submission.request.body.as_deref()?).ok()?;
    let data = body.pointer("/transaction/specific_data")?;
    let contract = data["address"].as_str()?.to_owned();
    let asset = data["params"]["asset_id"].as_str()?.to_owned();
    Some((contract, asset))
}

/// Nothing can be read of what was refused, as far as a look right afterwards shows it.
async fn not_stored(context: &Context) -> Findings {
    let answers = context.submissions.refusals().await?;
    let refused = answers.iter().filter(|answer| !is_valid(answer));
    let claims: BTreeSet<_> = refused.filter_map(|answer| claimed(answer)).collect();
    let accepted = answers.iter().filter(|answer| is_valid(answer));
    let accepted: BTreeSet<_> = accepted.filter_map(|answer| claimed(answer)).collect();
    let mut findings = Vec::new();
    let mut looked = false;
    for (contract, asset) in claims.difference(&accepted) {
        let state = contract_state_request(contract, asset);
        let state = context.node.send(state).await?;
        looked |= answered(&state).is_some();
        if answered(&state).and_then(stored).is_some() && findings.len() < MOST_FINDINGS {
            let what = "a claim that was refused is stored all the same";
            let actual = state.summary();
            findings.push(Finding::new(&state, what, "no record", actual));
        }
    }
    if looked {
        Ok(findings)
    } else {
        let reason = "the node shows no state of the contract that was called";
        Err(InconclusiveReason::NoSample(reason.to_owned()))
    }
}

async fn wrong_method(context: &Context) -> Findings {
    let answer = context
        .node
        .send(Request::get("/submit-transaction"))
        .await?;
    let submitted = |body: &Value| body.get("response").is_some() || body["status"] == "SUCCESS";
    if !answered(&answer).is_some_and(submitted) {
        return Ok(Vec::new());
    }
    let what = "a GET is answered as if something had been submitted";
    Ok(vec![Finding::new(
        &answer,
        what,
        "a refusal",
        answer.summary(),
    )])
}

async fn no_crash(context: &Context) -> Findings {
    let mut findings = Vec::new();
    for refusal in Refusal::ALL {
        let Ok(answer) = context.submissions.refusal(refusal).await else {
            // Its own case says why there is no answer.
            continue;
        };
        if answer.status < 500 {
            continue;
        }
        let what = format!(
            "{} is refused with status {}",
            refusal.what(),
            answer.status
        );
        let expected = "a refusal of the request: a 4xx, or 200 with response.valid false";
        findings.push(Finding::new(&answer, what, expected, answer.summary()));
    }
    Ok(findings)
}
