//! Checks that a node refuses a wrong request.
//!
//! A refusal counts only if the same endpoint returned a good response to a valid request in the
//! same run. An endpoint that does not exist refuses everything.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

use super::finding::{Examination, Finding, Findings};
use crate::{
    api::{Sample, is_block, is_empty, is_missing_endpoint, is_nothing, is_refusal},
    context::{Responses, Samples},
    http::{Exchange, InconclusiveReason, Request, unknown},
};

/// A request that a node must refuse.
pub(crate) struct WrongRequest {
    request: Request,
    what: Cow<'static, str>,
    harmless: Box<dyn Fn(&Value) -> bool + Send + Sync>,
}

/// The wrong requests of a case, or the reason why there are none.
pub(crate) type WrongRequests = Result<Vec<WrongRequest>, InconclusiveReason>;

impl WrongRequest {
    /// Describes a request to which every success with content is harmful.
    pub(crate) fn new(request: Request, what: impl Into<Cow<'static, str>>) -> Self {
        Self {
            request,
            what: what.into(),
            harmless: Box::new(|_| false),
        }
    }

    /// Accepts a success with such a body.
    pub(crate) fn or(self, harmless: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        Self {
            harmless: Box::new(harmless),
            ..self
        }
    }

    /// Returns it as the only wrong request of a case.
    pub(crate) fn only(self) -> WrongRequests {
        Ok(vec![self])
    }

    /// Checks that the response is not that of a valid request. A success is accepted only if its body is a
    /// refusal, carries nothing, or is harmless. A refusal counts only beside the good responses in `controls`.
    fn check(&self, response: &Arc<Exchange>, controls: &Responses) -> Findings {
        let what = &self.what;
        let is_harmless =
            |value: &Value| is_nothing(value) || is_refusal(value) || (self.harmless)(value);
        if response.is_success() && response.json().is_ok_and(|value| !is_harmless(value)) {
            return Ok(Examination::failed(Finding::of_response(
                response,
                format!("{what} gets the same response as a valid request"),
                "a refusal",
            )));
        }
        let mut controls = controls.as_ref().map_err(Clone::clone)?.iter();
        if controls.all(|control| is_same(control, response)) {
            return unknown(format!(
                "/{} sent the same response to a valid request as to {what}",
                self.request.operation
            ));
        }
        Ok(Examination::passed())
    }
}

/// Sends wrong requests and checks that each is refused. A finding about one of them counts, whatever happens
/// to the others.
pub(crate) async fn refused(context: &Samples, wrong: Vec<WrongRequest>) -> Findings {
    let mut findings = Examination::default();
    for wrong in wrong {
        let request = wrong.request.clone().finding_nothing();
        let response = context.node.send(request).await;
        if let Some(response) = findings.received(response) {
            let controls = controls(context, wrong.request.operation).await;
            findings.add(wrong.check(&response, &controls));
        }
    }
    findings.end()
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
pub(crate) async fn controls(context: &Samples, operation: &str) -> Responses {
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

/// Whether the endpoint is missing: a request without parameters gets 404, 405 or 501, too.
pub(crate) async fn is_missing(
    context: &Samples,
    path: &'static str,
) -> Result<bool, InconclusiveReason> {
    let exchange = context.node.send(Request::get(path)).await?;
    Ok(is_missing_endpoint(exchange.status))
}
