//! Checks that a wrong request is refused.
//!
//! A refusal shows something only if the same endpoint answered a valid request well in the same
//! run. An endpoint that does not exist refuses everything.

use std::sync::Arc;

use serde_json::Value;

use super::finding::{Checked, Finding, Findings};
use crate::{
    api::{Sample, is_block, is_empty, is_missing_endpoint, is_nothing, is_refusal},
    context::Context,
    http::{Exchange, InconclusiveReason, Request},
};

/// A request that is wrong must not be answered as if it were right: no success, unless with an
/// answer that says no, or that `harmless` knows to hold nothing.
pub(crate) async fn refused(
    context: &Context,
    request: Request,
    what: &str,
    harmless: impl Fn(&Value) -> bool,
) -> Findings {
    let operation = request.operation;
    let exchange = context.node.send(request).await?;
    let is_harmless = |value: &Value| is_nothing(value) || is_refusal(value) || harmless(value);
    if exchange.is_success() && exchange.json().is_ok_and(|value| !is_harmless(value)) {
        return Ok(Checked::wrong(Finding::new(
            &exchange,
            format!("{what} is answered like a valid request"),
            "a refusal",
            exchange.summary(),
        )));
    }
    let controls = controls(context, operation).await?;
    if controls.iter().all(|control| is_same(control, &exchange)) {
        return Err(InconclusiveReason::NoSample(format!(
            "/{operation} sent the same response to a valid request as to {what}"
        )));
    }
    Ok(Checked::right())
}

/// Whether two responses cannot be told apart.
fn is_same(one: &Exchange, other: &Exchange) -> bool {
    one.status == other.status
        && match (one.json(), other.json()) {
            (Ok(one), Ok(other)) => one == other,
            _ => one.body == other.body,
        }
}

/// The good responses of an endpoint to valid requests: at least one, or why there is none.
pub(crate) async fn controls(
    context: &Context,
    operation: &str,
) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
    let none = || {
        InconclusiveReason::NoSample(format!(
            "/{operation} did not return a valid response in this run, so a refusal proves nothing"
        ))
    };
    let sample = match operation {
        "get-block" => Sample::Blocks,
        "get-balances" => Sample::TokenBalance,
        "sc-state" => Sample::ContractState,
        "get-trustscore-wallets" => Sample::TrustScore,
        "call-sc" => Sample::CallSc,
        _ => return Err(none()),
    };
    let mut controls = context.sample(sample).await.unwrap_or_default();
    if operation == "get-balances" {
        controls.extend(context.material.wallet_lists.iter().cloned());
    }
    controls.retain(|answer| {
        answer.answered_object().is_some_and(|body| {
            !is_empty(body) && !is_refusal(body) && (operation != "get-block" || is_block(body))
        })
    });
    match controls.is_empty() {
        true => Err(none()),
        false => Ok(controls),
    }
}

/// No answer with status 200 holds nothing.
pub(crate) fn never(_: &Value) -> bool {
    false
}

/// Whether the call is there at all: an answer 404 to a wrong request as well means that it isn't.
pub(crate) async fn is_missing(
    context: &Context,
    path: &'static str,
) -> Result<bool, InconclusiveReason> {
    let exchange = context.node.send(Request::get(path)).await?;
    Ok(is_missing_endpoint(exchange.status))
}
