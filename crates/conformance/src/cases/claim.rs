//! A claim from its call to its block, with a wallet that pays for it.
//!
//! All cases examine the same claim, each at one step of it. If an earlier step fails, the cases of
//! later steps are inconclusive. So one fault makes one case fail.

use std::sync::Arc;

use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::Level;
use serde_json::Value;

use super::{
    case::Case,
    claim_aftermath::{
        as_signed, claim_in_block, fee_paid, held, readable, refused_costs_nothing,
        refused_not_stored,
    },
    claim_record::{columns, lists, reads_back},
    http::content_types,
    inconclusive::unknown,
};
use crate::{
    api::{Sample, Tier, is_valid, message},
    checks::{Checked, Finding, Findings, check_sample_responses},
    context::{Context, SigningWallet, Unsigned, unlike},
    http::{Exchange, InconclusiveReason},
};

macro_rules! reads_back {
    ($id:literal, $name:literal, $requirement:literal) => {
        Case::must($id, &[$requirement, "RECORD-14"], |c| {
            Box::pin(reads_back(c, $name))
        })
        .of(Tier::Write)
    };
}

pub(crate) const CASES: &[Case] = &[
    Case::must(
        "submit-transaction/claim-built",
        &["RECORD-2", "CALL-1", "CALL-6"],
        |c| Box::pin(built(c)),
    )
    .of(Tier::Write),
    Case::must(
        "submit-transaction/claim-accepted",
        &["SUBMIT-1", "SUBMIT-5", "RECORD-2", "RECORD-4"],
        |c| Box::pin(accepted(c)),
    )
    .of(Tier::Write)
    .essential(),
    Case::must("submit-transaction/claim-status", &["SUBMIT-4"], |c| {
        Box::pin(status(c))
    })
    .of(Tier::Write),
    Case::must("submit-transaction/claim-msg", &["SUBMIT-6"], |c| {
        Box::pin(msg(c))
    })
    .of(Tier::Write),
    Case::must(
        "submit-transaction/claim-document",
        &["SUBMIT-4", "SUBMIT-5"],
        |c| Box::pin(check_sample_responses(c, Sample::Acceptances)),
    )
    .of(Tier::Write),
    Case::of_snapshot(
        "submit-transaction/claim-snapshot",
        Level::Must,
        &["SUBMIT-4", "SUBMIT-5", "SUBMIT-6", "SUBMIT-7"],
        Sample::Acceptances,
    )
    .of(Tier::Write),
    Case::should("submit-transaction/claim-content-type", &["HTTP-5"], |c| {
        Box::pin(content_type(c))
    })
    .of(Tier::Write),
    Case::should(
        "submit-transaction/claim-http-status",
        &["SUBMIT-1", "HTTP-6"],
        |c| Box::pin(http_status(c)),
    )
    .of(Tier::Write),
    Case::must("submit-transaction/claim-new", &["SUBMIT-7"], |c| {
        Box::pin(new(c))
    })
    .of(Tier::Write),
    Case::must(
        "submit-transaction/resubmission-not-new",
        &["SUBMIT-7"],
        |c| Box::pin(resubmission_not_new(c)),
    )
    .of(Tier::Write),
    Case::should(
        "submit-transaction/resubmission-valid",
        &["SUBMIT-5", "SUBMIT-9"],
        |c| Box::pin(resubmission_valid(c)),
    )
    .of(Tier::Write),
    Case::must(
        "submit-transaction/known-code-altered",
        &["SUBMIT-3"],
        |c| Box::pin(known_code_altered(c)),
    )
    .of(Tier::Write),
    Case::must(
        "submit-transaction/claim-readable",
        &["RECORD-13", "RECORD-1"],
        |c| Box::pin(readable(c)),
    )
    .of(Tier::Write),
    reads_back!("submit-transaction/claim-asset-id", "asset_id", "RECORD-5"),
    reads_back!(
        "submit-transaction/claim-asset-type",
        "asset_type",
        "RECORD-6"
    ),
    reads_back!(
        "submit-transaction/claim-verifier-address",
        "verifier_address",
        "RECORD-7"
    ),
    reads_back!("submit-transaction/claim-outcome", "outcome", "RECORD-8"),
    reads_back!(
        "submit-transaction/claim-doc-hash-list",
        "doc_hash_list",
        "RECORD-9"
    ),
    reads_back!(
        "submit-transaction/claim-doc-link-list",
        "doc_link_list",
        "RECORD-10"
    ),
    reads_back!("submit-transaction/claim-remarks", "remarks", "RECORD-11"),
    reads_back!(
        "submit-transaction/claim-deletable-after",
        "deletable_after",
        "RECORD-12"
    ),
    Case::should(
        "submit-transaction/claim-lists",
        &["RECORD-9", "RECORD-10"],
        |c| Box::pin(lists(c)),
    )
    .of(Tier::Write),
    Case::observed("submit-transaction/claim-columns", &["RECORD-15"], |c| {
        Box::pin(columns(c))
    })
    .of(Tier::Write),
    Case::should("submit-transaction/claim-in-block", &["BLOCK-7"], |c| {
        Box::pin(claim_in_block(c))
    })
    .of(Tier::Write),
    Case::should(
        "submit-transaction/claim-in-block-as-signed",
        &["BLOCK-7"],
        |c| Box::pin(as_signed(c)),
    )
    .of(Tier::Write),
    Case::should("submit-transaction/fee-paid", &["TX-5"], |c| {
        Box::pin(fee_paid(c))
    })
    .of(Tier::Write),
    Case::must(
        "submit-transaction/claim-refused-not-stored",
        &["SUBMIT-3"],
        |c| Box::pin(refused_not_stored(c)),
    )
    .of(Tier::Write),
    Case::must(
        "submit-transaction/claim-refused-costs-nothing",
        &["SUBMIT-3"],
        |c| Box::pin(refused_costs_nothing(c)),
    )
    .of(Tier::Write),
];

async fn built(context: &Context) -> Findings {
    let claim = context.submissions.claim().await?;
    let contradicts = match (unlike(&claim.call, &claim.built), &claim.unsigned) {
        (Some(what), _) => Some(what),
        (None, Some(Unsigned::Contradicts(what))) => Some(what.clone()),
        (None, Some(Unsigned::Unchecked(what))) => {
            return unknown(format!("the call was built, and not signed: {what}"));
        }
        (None, None) => None,
    };
    let first = (&claim.call, &claim.built, contradicts);
    let further = claim.further.iter().map(|further| {
        let what = unlike(&further.call, &further.built);
        (&further.call, &further.built, what)
    });
    let mut findings = Checked::default();
    for (call, built, contradicts) in [first].into_iter().chain(further) {
        findings.one();
        let Some(what) = contradicts else { continue };
        let what = format!("the call was not built as requested, and was not signed: {what}");
        let expected = shown(&call.to_string(), 300);
        findings.push(Finding::new(built, what, expected, built.summary()));
    }
    Ok(findings)
}

/// Words in the message of a node that refuses for lack of money.
const FUNDS_KEYWORDS: [&str; 6] = ["fee", "balance", "fund", "enough", "currency", "token"];

/// Words in messages that name the minimum fee.
const MIN_FEE_KEYWORDS: [&str; 5] = ["min", "least", "low", "below", "required"];
/// The minimum fee that nodes were seen to require.
const MIN_FEE: i128 = 1_000_000;

/// Returns the reason if the claim may have been refused for lack of money, according to its message.
///
/// A message alone is not an excuse. The fee and the balance that the node reports must confirm it.
fn not_paid(context: &Context, said: &str, balance: Option<&Exchange>) -> Option<String> {
    let about = said.to_lowercase();
    let names = |words: &[&str]| words.iter().any(|word| about.contains(word));
    if !names(&FUNDS_KEYWORDS) {
        return None;
    }
    let with = &context.submissions.submitter.with;
    let choose = format!(
        "the claim's fee was refused ({said}); choose with --fee and --currency, from a wallet that has it"
    );
    let Ok(fee) = with.fee.as_str().parse::<i128>() else {
        return Some(choose);
    };
    let wallet = with.wallet.as_ref().map(SigningWallet::address);
    let wallet = wallet.map(|wallet| wallet.to_string()).unwrap_or_default();
    match balance.and_then(held) {
        None => Some(format!(
            "{choose}; the node reports no balance to compare the fee with"
        )),
        Some(balance) if balance < fee => Some(format!(
            "the wallet {wallet} holds {balance}, and the fee is {fee} ({said})"
        )),
        Some(_) if fee < MIN_FEE || names(&MIN_FEE_KEYWORDS) => Some(choose),
        Some(_) if names(&["currency", "token"]) => Some(choose),
        Some(_) => None,
    }
}

/// Returns the response to the claim's submission, or the reason why there is none.
async fn submission(context: &Context) -> Result<&Arc<Exchange>, InconclusiveReason> {
    let claim = context.submissions.claim().await?;
    claim.submitted.as_ref().map_err(Clone::clone)
}

/// Returns the response to the same submission, sent again, or the reason why there is none.
async fn resubmission(context: &Context) -> Result<&Arc<Exchange>, InconclusiveReason> {
    let claim = context.submissions.claim().await?;
    claim.again.as_ref().map_err(Clone::clone)
}

async fn accepted(context: &Context) -> Findings {
    submission(context).await?;
    let claim = context.submissions.claim().await?;
    let further = claim
        .further
        .iter()
        .map(|further| (&further.submitted, &further.balance));
    let mut findings = Checked::default();
    for (submitted, balance) in [(&claim.submitted, &claim.balance)]
        .into_iter()
        .chain(further)
    {
        // Another case reports why a further claim was not submitted.
        let Ok(response) = submitted else { continue };
        findings.one();
        if is_valid(response) {
            continue;
        }
        let (said, balance) = (message(response), balance.as_deref().ok());
        if response.is_success()
            && let Some(reason) = not_paid(context, &said, balance)
        {
            return unknown(reason);
        }
        let paid = match balance.and_then(held) {
            Some(held) => format!(", although the wallet holds {held}"),
            None => String::new(),
        };
        let what = format!("a claim that its wallet signed is refused: {said}{paid}");
        let finding = Finding::new(response, what, "response.valid: true", response.summary());
        findings.push(finding.at("/response/valid"));
    }
    Ok(findings)
}

/// Returns the response to the claim's submission, if it was accepted.
async fn acceptance(context: &Context) -> Result<&Arc<Exchange>, InconclusiveReason> {
    let response = submission(context).await?;
    if is_valid(response) {
        Ok(response)
    } else {
        unknown("the claim was not accepted")
    }
}

/// Checks that a member of a response has a certain value.
fn has(response: &Arc<Exchange>, pointer: &str, wanted: &Value, what: &str) -> Vec<Finding> {
    let found = response
        .success_object()
        .and_then(|body| body.pointer(pointer));
    if found == Some(wanted) {
        return Vec::new();
    }
    let actual = found.map_or_else(
        || response.summary(),
        |found| shown(&found.to_string(), 160),
    );
    vec![Finding::new(response, what, wanted.to_string(), actual).at(pointer)]
}

async fn status(context: &Context) -> Findings {
    let what = "the status for a valid transaction is not SUCCESS";
    let wanted = Value::from("SUCCESS");
    let responses = context.submissions.acceptances().await?;
    let found = responses
        .iter()
        .flat_map(|response| has(response, "/status", &wanted, what));
    Ok(Checked::of(responses.len(), found))
}

async fn msg(context: &Context) -> Findings {
    let mut findings = Checked::default();
    for response in context.submissions.acceptances().await? {
        findings.one();
        let at = "/response/msg";
        let found = response.success_object().and_then(|body| body.pointer(at));
        if found.is_some_and(Value::is_string) {
            continue;
        }
        let (what, actual) = match found {
            Some(found) => ("msg is not a string", shown(&found.to_string(), 160)),
            None => ("there is no msg", response.summary()),
        };
        let what = format!("{what} where a transaction is valid");
        findings.push(Finding::new(&response, what, "a string", actual).at(at));
    }
    Ok(findings)
}

async fn content_type(context: &Context) -> Findings {
    Ok(content_types(&context.submissions.acceptances().await?))
}

async fn http_status(context: &Context) -> Findings {
    let responses = context.submissions.acceptances().await?;
    let others = responses.iter().filter(|response| response.status != 200);
    let findings = others.map(|response| {
        let what = "the HTTP status for a valid transaction is not 200";
        Finding::new(response, what, "200", response.status.to_string())
    });
    Ok(Checked::of(responses.len(), findings))
}

async fn new(context: &Context) -> Findings {
    let response = acceptance(context).await?;
    let what = "a transaction that was never submitted before is not reported as new";
    let wrong = has(
        response,
        "/response/new_transaction",
        &Value::Bool(true),
        what,
    );
    Ok(Checked::of(1, wrong))
}

async fn resubmission_not_new(context: &Context) -> Findings {
    let again = resubmission(context).await?;
    if again.success_object().is_none() {
        return unknown(format!(
            "the response to the resubmission was {}",
            again.summary()
        ));
    }
    let (at, known) = ("/response/new_transaction", Value::Bool(false));
    let what = "the same transaction is reported as new a second time";
    let mut checked = Checked::of(1, has(again, at, &known, what));
    let later = context
        .submissions
        .claim()
        .await?
        .resubmitted_later
        .as_ref();
    if let Some(later) = later.ok().filter(|later| later.success_object().is_some()) {
        checked.one();
        let what = "a transaction that is in a block is reported as new when it is submitted again";
        if checked.has_no_findings() {
            for finding in has(later, at, &known, what) {
                checked.push(finding);
            }
        }
    }
    Ok(checked)
}

async fn resubmission_valid(context: &Context) -> Findings {
    let again = resubmission(context).await?;
    if again.status >= 500 {
        let what = "the response to the same transaction is a server error the second time";
        let expected = "a response with response.new_transaction: false";
        let finding = Finding::new(again, what, expected, again.summary());
        return Ok(Checked::failed(finding));
    }
    if again.success_object().is_none() {
        return unknown(format!(
            "the response to the resubmission was {}",
            again.summary()
        ));
    }
    let what = "a transaction is valid, and not valid when it is submitted again";
    Ok(Checked::of(
        1,
        has(again, "/response/valid", &Value::Bool(true), what),
    ))
}

/// Checks that a transaction is not accepted only because another transaction with its code was.
async fn known_code_altered(context: &Context) -> Findings {
    let claim = context.submissions.claim().await?;
    let response = claim.known_code.as_ref().map_err(Clone::clone)?;
    let signed = claim.known_code_signed.as_ref().ok();
    if !is_valid(response) {
        // Two transactions may have the same code, but they are not the same transaction.
        let is_known = |response: &&Arc<Exchange>| {
            let new = response
                .success_object()
                .and_then(|body| body.pointer("/response/new_transaction"));
            is_valid(response) && new == Some(&Value::Bool(false))
        };
        let Some(known) = signed.filter(is_known) else {
            return Ok(Checked::passed());
        };
        let what = "another wallet's transaction with the trans_code of an accepted one is \
        treated as the accepted one";
        let expected = "a refusal, or new_transaction: true";
        let finding = Finding::new(known, what, expected, known.summary());
        return Ok(Checked::failed(finding.at("/response/new_transaction")));
    }
    let what = "other params with the trans_code of an accepted transaction are accepted as valid, although \
                they are not signed";
    let finding = Finding::new(response, what, "a refusal", response.summary());
    Ok(Checked::failed(finding.at("/response/valid")))
}
