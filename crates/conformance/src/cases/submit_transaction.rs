//! `POST /submit-transaction`, with what a node must refuse.

use std::collections::BTreeSet;

use nodeproof_client::SubmitAnswer;
use serde_json::Value;

use super::case::Case;
use crate::{
    api::{Sample, Tier, answered, contract_state_request, is_valid, stored},
    checks::{Finding, Findings, MOST_FINDINGS, all_answer_json, decodes},
    context::{Alteration, Context, Refusal},
    http::{Exchange, InconclusiveReason, Request},
};

const EVERY_SIGNER: &str = "Submitting a transaction requires every wallet listed in \
    `specific_data.signers` to provide an entry in `signatures`, with that wallet's address and a \
    hexadecimal signature in `msgsign`.";
const BODY: &str = "Request body: JSON object with `transaction` and `signatures`.";

macro_rules! refuses {
    ($id:literal, $requirement:expr, $($refusal:expr),+) => {
        Case::must($id, $requirement, |c| {
            Box::pin(refuses(c, const { &[$($refusal),+] }))
        })
        .of(Tier::Reject)
    };
}

pub(crate) const CASES: &[Case] = &[
    refuses!(
        "submit-transaction/unsigned",
        EVERY_SIGNER,
        Refusal::Unsigned,
        Refusal::NoSigners
    ),
    refuses!(
        "submit-transaction/half-signed",
        EVERY_SIGNER,
        Refusal::HalfSigned,
        Refusal::SecondOnly,
        Refusal::SignedTwice
    ),
    refuses!(
        "submit-transaction/unlisted-signer",
        EVERY_SIGNER,
        Refusal::UnlistedSigner
    ),
    refuses!(
        "submit-transaction/another-wallets-key",
        EVERY_SIGNER,
        Refusal::AnotherKey,
        Refusal::FirstOfTwoRight,
        Refusal::LastOfTwoRight,
        Refusal::ChildTransaction
    ),
    refuses!(
        "submit-transaction/signature-altered",
        EVERY_SIGNER,
        Refusal::SignatureAltered
    ),
    refuses!(
        "submit-transaction/params-altered",
        EVERY_SIGNER,
        Refusal::Altered(Alteration::Params)
    ),
    refuses!(
        "submit-transaction/fee-altered",
        EVERY_SIGNER,
        Refusal::Altered(Alteration::Fee)
    ),
    refuses!(
        "submit-transaction/transaction-altered",
        EVERY_SIGNER,
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
        "submit-transaction/signature-not-hex",
        "Signature element: msgsign | string | hexadecimal, `<SIGNATURE>`",
        Refusal::SignatureNotHex,
        Refusal::SignatureEmpty,
        Refusal::SignatureNull,
        Refusal::SignatureShort,
        Refusal::SignatureZero
    ),
    refuses!(
        "submit-transaction/transaction-required",
        BODY,
        Refusal::NoTransaction,
        Refusal::TransactionNull,
        Refusal::TransactionText
    ),
    refuses!(
        "submit-transaction/signatures-required",
        BODY,
        Refusal::NoSignatures,
        Refusal::SignaturesNull,
        Refusal::SignaturesObject
    ),
    refuses!(
        "submit-transaction/fee-mistyped",
        "transaction.fee | number | decimal",
        Refusal::FeeText
    ),
    Case::should(
        "submit-transaction/fee-negative",
        "transaction.fee | number | decimal. Who pays less than nothing is paid.",
        |c| Box::pin(refuses(c, &[Refusal::FeeNegative])),
    )
    .of(Tier::Reject),
    Case::observed(
        "submit-transaction/fee-zero",
        "Nodes were seen to have a least fee.",
        |c| Box::pin(refuses(c, &[Refusal::FeeZero])),
    )
    .of(Tier::Reject),
    refuses!(
        "submit-transaction/empty-object",
        BODY,
        Refusal::EmptyObject
    ),
    refuses!(
        "submit-transaction/body-not-json",
        BODY,
        Refusal::NotJson,
        Refusal::Empty
    ),
    refuses!("submit-transaction/body-array", BODY, Refusal::Array),
    refuses!("submit-transaction/body-text", BODY, Refusal::Text),
    Case::should(
        "submit-transaction/oversized",
        "Rate limits, size limits and time-outs: not shown. Nodes were seen to have a limit.",
        |c| Box::pin(refuses(c, &[Refusal::Oversized])),
    )
    .of(Tier::Reject),
    Case::must(
        "submit-transaction/answers",
        "Response body: an object with status and response",
        |c| Box::pin(answers(c)),
    )
    .of(Tier::Reject),
    Case::must("submit-transaction/refused-not-stored", EVERY_SIGNER, |c| {
        Box::pin(not_stored(c))
    })
    .of(Tier::Reject),
    Case::must(
        "submit-transaction/wrong-method",
        "POST /submit-transaction: Submits a signed transaction to the network.",
        |c| Box::pin(wrong_method(c)),
    )
    .of(Tier::Reject),
    Case::should(
        "submit-transaction/refusal-is-no-crash",
        "Error responses, error codes and status codes for failed requests: not shown. What is \
         wrong with a request is not a fault of the server, which 5xx says.",
        |c| Box::pin(no_crash(c)),
    )
    .of(Tier::Reject),
    Case::must(
        "submit-transaction/decodes",
        "Response body: status, response.valid, response.msg, response.new_transaction",
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

/// Whether what is answered with status 200 is a JSON object, and says so; what a failed request is
/// answered with is not shown.
async fn answers(context: &Context) -> Findings {
    let answers: Vec<_> = context
        .submissions
        .refusals()
        .await?
        .into_iter()
        .filter(|answer| answer.status == 200)
        .collect();
    if answers.is_empty() {
        let reason = "no refusal was answered with status 200";
        return Err(InconclusiveReason::NoSample(reason.to_owned()));
    }
    let mut findings = all_answer_json(&answers)?;
    findings.truncate(MOST_FINDINGS);
    Ok(findings)
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
    if !answer.is_success() {
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
