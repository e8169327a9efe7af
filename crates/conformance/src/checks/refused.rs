//! Checks that a wrong request is refused.

use serde_json::Value;

use super::finding::{Finding, Findings};
use crate::{
    api::{is_missing_endpoint, is_nothing, is_refusal},
    context::Context,
    http::{InconclusiveReason, Request},
};

/// A request that is wrong must not be answered as if it were right: no success, unless with an
/// answer that says no, or that `harmless` knows to hold nothing.
pub(crate) async fn refused(
    context: &Context,
    request: Request,
    what: &str,
    harmless: impl Fn(&Value) -> bool,
) -> Findings {
    let exchange = context.node.send(request).await?;
    if !exchange.is_success()
        || exchange.json().map_or(true, |value| {
            is_nothing(value) || is_refusal(value) || harmless(value)
        })
    {
        return Ok(Vec::new());
    }
    Ok(vec![Finding::new(
        &exchange,
        format!("{what} is answered as if the request were right"),
        "a refusal",
        exchange.summary(),
    )])
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
