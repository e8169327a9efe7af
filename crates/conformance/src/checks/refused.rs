//! Checks that a node refuses a wrong request.
//!
//! A refusal counts only if the same endpoint returned a good response to a valid request in the
//! same run. An endpoint that does not exist refuses everything.

use std::sync::Arc;

use serde_json::Value;

use super::finding::{Examination, Finding, Findings};
use crate::{
    api::{Sample, is_block, is_empty, is_missing_endpoint, is_nothing, is_refusal},
    context::Context,
    http::{Exchange, InconclusiveReason, Request},
};

/// Sends a wrong request and checks that it does not get the response of a valid one. A success is
/// accepted only if its body is a refusal, carries nothing, or is `harmless`.
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
        return Ok(Examination::failed(Finding::new(
            &exchange,
            format!("{what} gets the same response as a valid request"),
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
    Ok(Examination::passed())
}

/// Whether two responses are the same.
fn is_same(one: &Exchange, other: &Exchange) -> bool {
    one.status == other.status
        && match (one.json(), other.json()) {
            (Ok(one), Ok(other)) => one == other,
            _ => one.body == other.body,
        }
}

/// Returns the good responses of an endpoint to valid requests: at least one, or the reason why
/// there is none.
pub(crate) async fn controls(
    context: &Context,
    operation: &str,
) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
    let none = || {
        InconclusiveReason::NoSample(format!(
            "/{operation} returned no valid response in this run, so a refusal proves nothing: the endpoint may refuse every request"
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
        controls.extend(context.discovered.wallet_lists.iter().cloned());
    }
    controls.retain(|response| {
        response.success_object().is_some_and(|body| {
            !is_empty(body) && !is_refusal(body) && (operation != "get-block" || is_block(body))
        })
    });
    match controls.is_empty() {
        true => Err(none()),
        false => Ok(controls),
    }
}

/// Treats every successful response as harmful.
pub(crate) fn never(_: &Value) -> bool {
    false
}

/// Whether the endpoint is missing: a request without parameters gets 404, 405 or 501, too.
pub(crate) async fn is_missing(
    context: &Context,
    path: &'static str,
) -> Result<bool, InconclusiveReason> {
    let exchange = context.node.send(Request::get(path)).await?;
    Ok(is_missing_endpoint(exchange.status))
}
