//! Cases about all responses: the status and the content type of a success.

use nodeproof_primitives::escape::escaped_up_to;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    call_sc,
    case::{Case, Example},
    cause::Cause,
    check::Check::{Connection, Read, WholeRun},
    equal_requests::{WITH_PARAMETERS, chunked_call, equal_queries, equal_requests},
    get_balances, get_block, get_trustscore_wallets,
    request_kind::RequestKind,
    sc_state,
};
use crate::{
    api::{NO_PATH, is_empty, is_nothing, is_refusal},
    checks::{Examination, Finding, Findings},
    context::Samples,
    history::Answer,
    http::{Exchange, Request, Unanswered, Wording, unknown},
    rules::{content_type, form, kept, server_errors, success_status},
};

/// What these cases share.
const BASE: Case = Case {
    matters: "Programs decide by status and content type how they read a response.",
    ..Case::BASE
};

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "http/content-type",
        level: Level::Should,
        requirements: &["HTTP-5", "HTTP-2"],
        checks: "All JSON responses of the whole run have the content type `application/json`, with any parameters. So do errors, if their body is a JSON object or array.",
        check: WholeRun(content_type, false),
        ..BASE
    },
    Case {
        id: "http/success-status",
        level: Level::Should,
        requirements: &["HTTP-6"],
        checks: "All successes of the whole run with a JSON document have the status 200. The specification names no status, so any 2xx conforms.",
        check: WholeRun(success_status, false),
        ..BASE
    },
    Case {
        id: "http/server-errors",
        level: Level::Should,
        requirements: &["HTTP-6", "CALL-9", "SUBMIT-8"],
        checks: "No request of the whole run gets a server error (5xx), which blames the server. A node refuses what is wrong with a 4xx. A method or a version of HTTP that the node does not have may be refused with 501 or 505.",
        aspect: Aspect::Style,
        check: WholeRun(server_errors, false),
        ..BASE
    },
    Case {
        id: "http/equal-requests",
        requirements: &["CONSISTENT-5", "HTTP-2", "HTTP-4", "CALL-1"],
        checks: "The longest block of the sample, and a contract call, get the same response if the request is written in another way: the block with `accept: */*`, with other types after JSON, with `connection: close`, with the `origin` of another site, with an offer of HTTP/2, with a long cookie, with the type of a body, with HTTP/1.0, and after the same with HEAD, which the node may refuse; the call with a `charset` after the content type, with an `origin`, with `expect: 100-continue`, with a body in two pieces, as a slow connection or a proxy sends it, and beside half of an equal one on another connection, unless the node has one connection at a time. So does the block after requests by other programs, which ask for a compressed response, for a part of it, for a change or for a page, and after calls that are sent as plain text or to another path, which the node may refuse. A compressed response says so, and is not that of another block.",
        matters: "Libraries, proxies and caches write requests in many ways, and their users see only the response.",
        check: Read(|c| Box::pin(equal_requests(c))),
        sends: &[
            call_sc::BUILD,
            RequestKind::post(NO_PATH, "{…}"),
            RequestKind::post("/get-block", "{…}"),
        ],
        ..BASE
    },
    Case {
        id: "http/chunked-body",
        level: Level::Should,
        requirements: &["CONSISTENT-5", "CALL-1"],
        checks: "A contract call gets the same response if its body comes in chunks, without its length (`transfer-encoding: chunked`), as each server of HTTP/1.1 has to read it. A node may ask for the length (411).",
        matters: "Programs that write a body while they send it do not know its length.",
        check: Read(|c| Box::pin(chunked_call(c))),
        sends: &[call_sc::BUILD],
        ..BASE
    },
    Case {
        id: "http/equal-queries",
        requirements: &["CONSISTENT-5", "HTTP-1"],
        checks: "A query gets the same response if its parameters are in another order, if all characters of their values are percent-encoded, and, for a list of balances, with the parameter that only another `balance_type` uses. Such a list may also be refused. Of forty queries at once, eight of each kind, each gets its own response.",
        sends: &[
            get_balances::BALANCE,
            get_balances::HELD,
            get_balances::HOLDERS,
            sc_state::STATE,
            get_trustscore_wallets::SCORE,
        ],
        // It asks in other words.
        explained_by: &[Cause::of(&["chain/repeat-read"])],
        check: Read(|c| Box::pin(equal_queries(c))),
        ..BASE
    },
    Case {
        id: "http/missing-parameter",
        level: Level::Should,
        requirements: &["BLOCK-1", "BALANCE-1", "STATE-1", "TRUST-1"],
        checks: "A request without a required parameter is refused. A response with nothing or 0 looks like a fact about the chain.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        sends: &[
            get_block::WITHOUT_INDEX,
            get_balances::BALANCE,
            get_balances::WITHOUT_TYPE,
            sc_state::STATE,
            sc_state::WITHOUT_TABLE,
            sc_state::WITHOUT_CONTRACT,
            sc_state::WITHOUT_COLUMN,
            sc_state::WITHOUT_VALUE,
            get_trustscore_wallets::SCORE,
            get_trustscore_wallets::WITHOUT_SOURCE,
            get_trustscore_wallets::WITHOUT_DESTINATION,
        ],
        check: Read(|c| Box::pin(missing_parameter(c))),
        ..BASE
    },
    Case {
        id: "http/unknown-path",
        level: Level::Should,
        requirements: &["HTTP-6"],
        checks: "A path that no node has is refused. A success with JSON looks like the result of a request.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        sends: &[RequestKind::get(NO_PATH, &[])],
        check: Read(|c| Box::pin(unknown_path(c))),
        ..BASE
    },
    Case {
        id: "http/responds",
        requirements: &["NODE-1"],
        checks: "A request after which the connection was closed, that got no response within `--request-timeout`, or for which the node could not be reached, gets a response when it is sent again alone, and when it follows the request before it. At most 10 such requests are repeated, and 2 of those that took too long. A node may take 10 seconds to restart. A request to an endpoint that returned no success in this run is not judged, because the network can be the cause.",
        matters: "A request that stops a node can be sent by anybody, as often as they want.",
        check: Connection(|c| Box::pin(responds(c))),
        ..BASE
    },
    Case {
        id: "http/json",
        requirements: &["HTTP-2", "CALL-6", "SUBMIT-4"],
        checks: "Each success of the whole run is a JSON document, whatever was requested, and nothing follows it. Everything else is a refusal with a status of its own: no redirect, no 304. An error with the content type of JSON is JSON.",
        matters: "A client that can't read a response can't see what happened. An unreadable response to an unusual request looks like an outage.",
        aspect: Aspect::Endpoint,
        check: WholeRun(form, false),
        ..BASE
    },
    Case {
        id: "http/caching",
        requirements: &["CONSISTENT-5", "HTTP-2"],
        checks: "Responses may be kept as their headers say: if they have an `ETag`, another content of the same request has another one, and with a `max-age`, no other content comes in that time.",
        matters: "Browsers and caches send the tag, and keep what they have if it is still the same. They request nothing while a response may be kept. They would show an old balance.",
        check: WholeRun(kept, false),
        ..BASE
    },
    Case {
        id: "http/no-retries",
        level: Level::Should,
        requirements: &["HTTP-6"],
        checks: "No request of the whole run failed with a server error (5xx) and succeeded when it was sent again. The run sends each such request twice, so that no other case has to check the error.",
        check: Connection(|c| Box::pin(no_retries(c))),
        ..BASE
    },
];

async fn missing_parameter(context: &Samples) -> Findings {
    let mut checked = Examination::default();
    for sample in WITH_PARAMETERS {
        let parameters = sample.parameters(&context.spec);
        let samples = context.sample(sample).await.unwrap_or_default();
        // If valid requests get no good response either, a refusal shows nothing.
        let Some(known) = samples.iter().find(|known| is_good(known)) else {
            continue;
        };
        for parameter in parameters.iter().filter(|parameter| parameter.required) {
            let request = known.request.clone().without(parameter.name);
            let Some(exchange) = checked.received(context.node.send(request).await) else {
                break;
            };
            checked.count_item();
            let carries_nothing =
                |value: &Value| !is_refusal(value) && (is_nothing(value) || is_zero(value));
            if exchange.is_success() && exchange.json().is_ok_and(carries_nothing) {
                let what = format!(
                    "a request without {} gets a response that shows nothing, or 0",
                    parameter.name
                );
                checked.push(Finding::of_response(&exchange, what, "a refusal"));
            }
        }
    }
    Ok(checked)
}

/// Whether a response has a value.
fn is_good(exchange: &Exchange) -> bool {
    exchange
        .success_object()
        .is_some_and(|body| !is_empty(body) && !is_refusal(body))
}

/// Whether a response shows a balance or a score of 0.
fn is_zero(value: &Value) -> bool {
    let mut shown = ["balance", "value", "trust_score"]
        .iter()
        .filter_map(|name| value.get(name));
    shown.any(|shown| shown.as_i64() == Some(0))
}

async fn unknown_path(context: &Samples) -> Findings {
    let exchange = context.node.send(Request::get(NO_PATH)).await?;
    let is_result = Answer::of(&exchange) == Answer::Content;
    let what = "a path that does not exist gets a success with JSON";
    let finding = || Finding::of_response(&exchange, what, "status 404");
    Ok(Examination::of(1, is_result.then(finding)))
}

/// Repeats the requests that got no response, one at a time, and then after the request that the node had answered before.
async fn responds(context: &Samples) -> Findings {
    let log = context.node.log();
    // If nothing succeeds at an endpoint, something between it and this program can be the cause.
    let succeeds = |lost: &&Unanswered| {
        log.of(lost.request.operation)
            .statuses
            .range(200..300)
            .next()
            .is_some()
    };
    let (working, lost): (Vec<_>, Vec<_>) = log.unanswered.iter().partition(succeeds);
    if let ([], Some(lost)) = (&working[..], lost.first()) {
        let reason = format!("no request to {} succeeded", lost.request.path);
        return unknown(reason);
    }
    let mut checked = Examination::passed();
    let expected = "a response, or a refusal";
    for Unanswered { request, before } in working {
        checked.count_item();
        let Some(again) = checked.received(context.send_alone(None, request).await) else {
            break;
        };
        if let Err(reason) = again {
            let what = format!(
                "{} gets no response, also when it is sent alone",
                described(request)
            );
            checked.push(Finding::without_response(what, expected, reason));
            continue;
        }
        let Some(before) = before.as_ref().filter(|one| one.request.may_be_repeated()) else {
            continue;
        };
        let after = context.send_alone(Some(&before.request), request).await;
        let Some(after) = checked.received(after) else {
            break;
        };
        if let Err(reason) = after {
            let other = before.request.wrongly_signed.clone();
            let what = format!(
                "{} gets a response alone, and none after {}",
                described(request),
                other.unwrap_or_else(|| described(&before.request))
            );
            checked.push(Finding::new(before, what, expected, reason));
        }
    }
    Ok(checked)
}

/// Describes a request by its path, its parameters and the start of its body.
fn described(request: &Request) -> String {
    let body = request.body.as_deref().map_or_else(String::new, |body| {
        format!(" with the body {:?}", escaped_up_to(body, 100))
    });
    let wording = match request.wording {
        Wording::Usual => String::new(),
        wording => format!(", {},", wording.description()),
    };
    format!("{}{body}{wording}", request.query_text().trim_end())
}

/// Reports requests that failed with a server error and succeeded when they were repeated.
async fn no_retries(context: &Samples) -> Findings {
    let log = context.node.log();
    let Some(error) = &log.first_error else {
        return Ok(Examination::passed());
    };
    let what = format!(
        "{} of {} requests were repeated after a {}",
        log.repeated,
        context.node.requests(),
        error.status
    );
    let expected = "a response without a server error the first time";
    let finding = Finding::of_response(error, what, expected);
    Ok(Examination::failed(finding))
}
