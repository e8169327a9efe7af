//! A claim from its building to its block, with a wallet that pays for it.
//!
//! All cases look at one claim, each at one step of it. A step that was not taken because of an
//! earlier one makes its cases inconclusive, so that one fault makes one case fail.

mod aftermath;

use std::sync::Arc;

use node_client::escape::escaped_up_to as shown;
use serde_json::Value;

use self::aftermath::{as_signed, fee_paid, readable, reads_back, stands_in_block};
use super::Case;
use crate::{
    exchange::Exchange,
    outcome::{Finding, Findings, Obstacle},
    sample::Context,
    submit::{is_valid, message, unlike},
    tier::Tier,
};

const NEW: &str =
    "response.new_transaction | boolean | whether the transaction was new to the node";

macro_rules! reads_back {
    ($id:literal, $name:literal, $rest:literal) => {
        Case::must($id, concat!($name, " | ", $rest), |c| {
            Box::pin(reads_back(c, $name))
        })
        .of(Tier::Write)
    };
}

pub(super) const CASES: &[Case] = &[
    Case::must(
        "submit-transaction/claim-built",
        "Build a raw transaction by calling a node's `/call-sc` endpoint.",
        |c| Box::pin(built(c)),
    )
    .of(Tier::Write),
    Case::must(
        "submit-transaction/claim-accepted",
        "Sign the result with a wallet and submit it with `/submit-transaction`.",
        |c| Box::pin(accepted(c)),
    )
    .of(Tier::Write),
    Case::must(
        "submit-transaction/claim-status",
        "status | string | `SUCCESS` on success",
        |c| Box::pin(status(c)),
    )
    .of(Tier::Write),
    Case::must("submit-transaction/claim-new", NEW, |c| Box::pin(new(c))).of(Tier::Write),
    Case::must("submit-transaction/resubmission-not-new", NEW, |c| {
        Box::pin(resubmission_not_new(c))
    })
    .of(Tier::Write),
    Case::should(
        "submit-transaction/resubmission-valid",
        "response.valid | boolean | result of validation",
        |c| Box::pin(resubmission_valid(c)),
    )
    .of(Tier::Write),
    Case::must(
        "submit-transaction/claim-readable",
        "The contract's stored data is read with `/sc-state`.",
        |c| Box::pin(readable(c)),
    )
    .of(Tier::Write),
    reads_back!(
        "submit-transaction/claim-asset-id",
        "asset_id",
        "string | identifier of the asset the claim is about"
    ),
    reads_back!(
        "submit-transaction/claim-asset-type",
        "asset_type",
        "string | kind of asset"
    ),
    reads_back!(
        "submit-transaction/claim-verifier-address",
        "verifier_address",
        "string | wallet address of the verifier"
    ),
    reads_back!("submit-transaction/claim-outcome", "outcome", "integer"),
    reads_back!(
        "submit-transaction/claim-doc-hash-list",
        "doc_hash_list",
        "array of string | hashes of supporting documents"
    ),
    reads_back!(
        "submit-transaction/claim-doc-link-list",
        "doc_link_list",
        "array of string | links to supporting documents"
    ),
    reads_back!(
        "submit-transaction/claim-remarks",
        "remarks",
        "string | free text"
    ),
    reads_back!(
        "submit-transaction/claim-deletable-after",
        "deletable_after",
        "integer | numeric threshold after which the record may be deleted"
    ),
    Case::must(
        "submit-transaction/claim-in-block",
        "Block: text.transactions | array | transactions in the block",
        |c| Box::pin(stands_in_block(c)),
    )
    .of(Tier::Write),
    Case::should(
        "submit-transaction/claim-in-block-as-signed",
        "The element shape of `text.transactions` when non-empty is not shown. What was signed is \
         what stands in the block.",
        |c| Box::pin(as_signed(c)),
    )
    .of(Tier::Write),
    Case::should(
        "submit-transaction/fee-paid",
        "transaction.fee | number | decimal",
        |c| Box::pin(fee_paid(c)),
    )
    .of(Tier::Write),
];

fn unknown<T>(reason: impl Into<String>) -> Result<T, Obstacle> {
    Err(Obstacle::NoMaterial(reason.into()))
}

async fn built(context: &Context) -> Findings {
    let claim = context.claim().await?;
    let Some(what) = unlike(&claim.call, &claim.built) else {
        return Ok(Vec::new());
    };
    let what = format!("the call was not built as asked for, and not signed: {what}");
    let expected = shown(&claim.call.to_string(), 300);
    let actual = claim.built.summary();
    Ok(vec![Finding::new(&claim.built, what, expected, actual)])
}

/// What the messages of a refusal are about where it is for want of money, whatever node says it.
const ABOUT_THE_FEE: [&str; 6] = ["fee", "balance", "fund", "enough", "currency", "token"];

async fn accepted(context: &Context) -> Findings {
    let answer = context
        .claim()
        .await?
        .submitted
        .as_ref()
        .map_err(Clone::clone)?;
    if is_valid(answer) {
        return Ok(Vec::new());
    }
    let said = message(answer);
    let about = said.to_lowercase();
    if answer.is_success() && ABOUT_THE_FEE.iter().any(|word| about.contains(word)) {
        return unknown(format!(
            "the claim's fee was refused ({said}); choose with --fee and --currency, from a wallet \
             that has it"
        ));
    }
    let what = format!("a claim that its wallet signed is refused: {said}");
    let finding = Finding::new(answer, what, "response.valid: true", answer.summary());
    Ok(vec![finding.at("/response/valid")])
}

/// The answer to the claim's submission, if it was accepted.
async fn acceptance(context: &Context) -> Result<&Arc<Exchange>, Obstacle> {
    let answer = context
        .claim()
        .await?
        .submitted
        .as_ref()
        .map_err(Clone::clone)?;
    if is_valid(answer) {
        Ok(answer)
    } else {
        unknown("the claim was not accepted")
    }
}

/// A member of an answer that has to have a certain value.
fn has(answer: &Arc<Exchange>, pointer: &str, wanted: &Value, what: &str) -> Vec<Finding> {
    let found = answer
        .answered_object()
        .and_then(|body| body.pointer(pointer));
    if found == Some(wanted) {
        return Vec::new();
    }
    let actual = found.map_or_else(|| answer.summary(), |found| shown(&found.to_string(), 160));
    vec![Finding::new(answer, what, wanted.to_string(), actual).at(pointer)]
}

async fn status(context: &Context) -> Findings {
    let answer = acceptance(context).await?;
    let what = "a valid transaction is answered with another status than SUCCESS";
    Ok(has(answer, "/status", &Value::from("SUCCESS"), what))
}

async fn new(context: &Context) -> Findings {
    let answer = acceptance(context).await?;
    let what = "a transaction that was never submitted before is not said to be new";
    Ok(has(
        answer,
        "/response/new_transaction",
        &Value::Bool(true),
        what,
    ))
}

async fn resubmission_not_new(context: &Context) -> Findings {
    let again = context
        .claim()
        .await?
        .again
        .as_ref()
        .map_err(Clone::clone)?;
    if again.answered_object().is_none() {
        return unknown(format!(
            "the resubmission was answered with {}",
            again.summary()
        ));
    }
    let what = "the same transaction is said to be new a second time";
    Ok(has(
        again,
        "/response/new_transaction",
        &Value::Bool(false),
        what,
    ))
}

async fn resubmission_valid(context: &Context) -> Findings {
    let again = context
        .claim()
        .await?
        .again
        .as_ref()
        .map_err(Clone::clone)?;
    let what = "a transaction is valid, and not valid when it is submitted again";
    Ok(has(again, "/response/valid", &Value::Bool(true), what))
}
