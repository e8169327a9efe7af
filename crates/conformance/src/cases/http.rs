//! Cases about all responses: the status and the content type of a success.

use std::sync::Arc;

use futures_util::{StreamExt as _, future::join_all, stream};
use nodeproof_openapi::{Operation, View};
use nodeproof_primitives::escape::escaped_up_to;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    call_sc,
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{Connection, OfSamples, Read, WholeRun},
    get_balances, get_block, get_trustscore_wallets,
    inconclusive::unknown,
    request_kind::RequestKind,
    sc_state,
};
use crate::{
    api::{NO_PATH, Sample, find, is_block, is_empty, is_nothing, is_refusal},
    checks::{Examination, Finding, Findings, described, has_same_content, objects},
    context::Samples,
    history::Answer,
    http::{self, Exchange, InconclusiveReason, Request, SendOptions, Wording},
    rules::{content_type, form, tags},
};

pub(super) use crate::rules::content_types;

/// What these cases share.
const BASE: Case = Case {
    matters: "Programs decide by status and content type how they read a response.",
    ..Case::BASE
};

/// JSON without the content type of JSON, everywhere.
pub(super) const OTHER_CONTENT_TYPE: Cause = Cause::new(&["http/content-type"], When::Always);

/// The requests for all samples, without those for blocks.
const EVERY_SAMPLE: &[RequestKind] = &[
    get_balances::HOLDERS,
    get_balances::BALANCE,
    sc_state::STATE,
    get_trustscore_wallets::SCORE,
    call_sc::BUILD,
];

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "http/content-type",
        level: Level::Should,
        requirements: &["HTTP-5", "HTTP-2"],
        checks: "All JSON responses of the whole run have the content type `application/json`, with any parameters. So do errors, if their body is a JSON object or array.",
        is_last: true,
        check: WholeRun(content_type, false),
        ..BASE
    },
    Case {
        id: "http/success-status",
        level: Level::Should,
        requirements: &["HTTP-6"],
        checks: "Successful responses have the status 200. The specification names no status, so any 2xx conforms.",
        sends: EVERY_SAMPLE,
        check: OfSamples(|c| Box::pin(success_status(c))),
        ..BASE
    },
    Case {
        id: "http/equal-requests",
        requirements: &["CONSISTENT-5", "HTTP-2", "HTTP-4", "CALL-1"],
        checks: "The longest block of the sample, and a contract call, get the same response if the request is written in another way: the block with `accept: */*`, with other types after JSON, and with `connection: close`; the call with a `charset` after the content type, with a body in two pieces, as a slow connection or a proxy sends it, and in chunks, unless the node wants its length (411). So does the block after requests by other programs, which ask for a compressed response, for a part of it, for a change or for a page, and after calls that are sent as plain text or to another path, which the node may refuse. A compressed response says so.",
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
        id: "http/equal-queries",
        requirements: &["CONSISTENT-5", "HTTP-1"],
        checks: "A query gets the same response if its parameters are in another order, if all characters of their values are percent-encoded, and, for a list of balances, with the parameter that only another `balance_type` uses. Such a list may also be refused. Eight equal queries at once get the same response as one.",
        sends: &[
            get_balances::BALANCE,
            get_balances::HELD,
            get_balances::HOLDERS,
            sc_state::STATE,
            get_trustscore_wallets::SCORE,
        ],
        // It asks in other words.
        explained_by: &[Cause::new(&["chain/repeat-read"], When::Always)],
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
        checks: "A request after which the connection was closed, that got no response within `--request-timeout`, or for which the node could not be reached, gets a response when it is sent again alone. At most 10 such requests are repeated, and 2 of those that took too long. A node may take 10 seconds to restart. A request to an endpoint that returned no success in this run is not judged, because the network can be the cause.",
        matters: "A request that stops a node can be sent by anybody, as often as they want.",
        is_last: true,
        check: Connection(|c| Box::pin(responds(c))),
        ..BASE
    },
    Case {
        id: "http/json",
        requirements: &["HTTP-2", "CALL-6", "SUBMIT-4"],
        checks: "Each success of the whole run is a JSON document, whatever was requested, and nothing follows it. Everything else is a refusal with a status of its own: no redirect, no 304. An error with the content type of JSON is JSON.",
        matters: "A client that can't read a response can't see what happened. An unreadable response to an unusual request looks like an outage.",
        aspect: Aspect::Endpoint,
        is_last: true,
        check: WholeRun(form, false),
        ..BASE
    },
    Case {
        id: "http/etag",
        requirements: &["CONSISTENT-5", "HTTP-2"],
        checks: "If responses have an `ETag`, another content of the same request has another one.",
        matters: "Browsers and caches send the tag, and keep what they have if it is still the same. They would show an old balance.",
        is_last: true,
        check: WholeRun(tags, false),
        ..BASE
    },
    Case {
        id: "http/no-retries",
        level: Level::Should,
        requirements: &["HTTP-6"],
        checks: "No request of the whole run failed with a server error (5xx) and succeeded when it was sent again. The run sends each such request twice, so that no other case has to check the error.",
        is_last: true,
        check: Connection(|c| Box::pin(no_retries(c))),
        ..BASE
    },
];

/// The samples whose responses are JSON.
const JSON: [Sample; 7] = [
    Sample::Blocks,
    Sample::TokenBalance,
    Sample::WalletBalances,
    Sample::TokenHolders,
    Sample::ContractState,
    Sample::TrustScore,
    Sample::CallSc,
];

/// Returns the successful responses that have a JSON document.
async fn successes(context: &Samples) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
    let mut all = Vec::new();
    for sample in JSON {
        all.extend(context.sample(sample).await.unwrap_or_default());
    }
    all.retain(|exchange| exchange.is_success() && exchange.json().is_ok());
    if all.is_empty() {
        return unknown("no response was a success with a JSON document");
    }
    Ok(all)
}

/// Other ways to request a block.
const OF_BLOCK: [Wording; 3] = [Wording::AnyType, Wording::SeveralTypes, Wording::Closing];
/// Other ways to have a call built.
const OF_CALL: [Wording; 3] = [Wording::Charset, Wording::InPieces, Wording::Chunked];
/// Requests whose responses may be different, but that must not change those to others.
const OF_OTHERS: [Wording; 4] = [
    Wording::Compressed,
    Wording::Part,
    Wording::IfChanged,
    Wording::Page,
];
/// The status "Length Required".
const LENGTH_REQUIRED: u16 = 411;

async fn equal_requests(context: &Samples) -> Findings {
    let mut checked = Examination::default();
    let blocks = objects(context, Sample::Blocks).await?;
    let is_known = |block: &&Arc<Exchange>| block.success_object().is_some_and(is_block);
    let blocks = blocks.iter().filter(is_known);
    let block = blocks.max_by_key(|block| block.body.len());
    let built = objects(context, Sample::CallSc).await?;
    let is_built = |body: &Value| find(body, "specific_data").is_some();
    let built = built.iter();
    let built = built.filter(|call| call.success_object().is_some_and(is_built));
    let length = |call: &&Arc<Exchange>| call.request.body.as_ref().map(String::len);
    let call = built.max_by_key(length);
    if let Some(block) = block {
        for wording in OF_BLOCK {
            let what = format!("a request {} does not get the block", wording.description());
            checked.add(worded(context, None, block, wording, is_block, what).await);
        }
        let mut others = OF_OTHERS.map(|wording| (block, wording)).to_vec();
        others.extend(call.map(|call| (call, Wording::PlainText)));
        let others = others
            .into_iter()
            .map(|(known, wording)| known.request.clone().worded(wording));
        for other in others.chain(call.into_iter().flat_map(misdirected)) {
            checked.add(after_another(context, other, block).await);
        }
    }
    if let Some(call) = call {
        for wording in OF_CALL {
            let what = format!("a call {} is not built", wording.description());
            checked.add(worded(context, None, call, wording, is_built, what).await);
        }
    }
    Ok(checked)
}

/// Returns requests with the body of a call to paths that take none. A node may refuse them without reading the body.
fn misdirected(call: &Arc<Exchange>) -> Vec<Request> {
    let body = call.request.body.clone().unwrap_or_default();
    let paths = [NO_PATH, "/get-block"].into_iter();
    paths
        .map(|path| Request::post(path, body.clone()))
        .collect()
}

/// Sends a request of another program, and checks that the next one gets the block.
async fn after_another(context: &Samples, other: Request, block: &Exchange) -> Findings {
    let what = match other.wording {
        Wording::Usual => format!("the block is not returned after a POST to {}", other.path),
        wording => format!(
            "the block is not returned after a request {}",
            wording.description()
        ),
    };
    worded(context, Some(other), block, Wording::Usual, is_block, what).await
}

/// Returns a finding if a success that may be compressed is unreadable and does not say how it is encoded.
fn packed(response: &Arc<Exchange>) -> Option<Finding> {
    let is_readable = response.success_object().is_some_and(is_block);
    let is_packed = response.is_success() && response.content_encoding.is_none() && !is_readable;
    let what = "a response to a request with `accept-encoding` is neither the block nor does it say that it is encoded";
    let expected = "`content-encoding`, or the block";
    (is_packed && response.request.wording == Wording::Compressed)
        .then(|| Finding::new(response, what, expected, response.summary()))
}

/// Number of requests that must get no response, or a server error, until that is a finding. Each may happen once.
const TIMES: usize = 2;

/// Sends a request in another way, or after another one, and checks that it gets what it got before.
async fn worded(
    context: &Samples,
    other: Option<Request>,
    known: &Exchange,
    wording: Wording,
    is_right: impl Fn(&Value) -> bool,
    what: String,
) -> Findings {
    let usual = known.request.clone();
    let expected = known.excerpt(160);
    let mut lost = None;
    for _ in 0..TIMES {
        let (before, response) = one_after_another(context, other.clone(), wording, &usual).await;
        let (exchange, reason) = match response {
            Ok(response) if response.status < 500 => {
                let is_right = response.success_object().is_some_and(is_right)
                    || wording == Wording::Chunked && response.status == LENGTH_REQUIRED;
                let finding = || Finding::new(&response, what, expected, response.summary());
                let mut checked = Examination::of(1, (!is_right).then(finding));
                checked.findings.extend(before.as_ref().and_then(packed));
                return Ok(checked);
            }
            Ok(response) => {
                let summary = response.summary();
                (response, summary)
            }
            // The node may be gone, or handle one connection at a time, which another case has.
            Err(InconclusiveReason::Transport(reason)) => (
                context.send_renewed(usual.clone()).await?,
                escaped_up_to(&reason, 300),
            ),
            Err(reason) => return Err(reason),
        };
        lost = Some((exchange, reason));
    }
    let finding = lost.map(|(exchange, reason)| Finding::new(&exchange, what, expected, reason));
    Ok(Examination::of(1, finding))
}

/// Sends the request of another program, if any, and the usual one just after it, so both are on one connection.
async fn one_after_another(
    context: &Samples,
    other: Option<Request>,
    wording: Wording,
    usual: &Request,
) -> (
    Option<Arc<Exchange>>,
    Result<Arc<Exchange>, InconclusiveReason>,
) {
    let node = &context.node;
    let alone = match &other {
        Some(_) => node.all_turns().await,
        None => None,
    };
    let options = SendOptions {
        has_all_turns: alone.is_some(),
        wants_server_errors: true,
        ..SendOptions::default()
    };
    let unjudged = SendOptions {
        is_unjudged: true,
        ..options
    };
    let before = match other {
        Some(other) => node.send_with(other, unjudged).await.ok(),
        None => None,
    };
    let response = node.send_with(usual.clone().worded(wording), options).await;
    (
        before.map(|(response, _)| response),
        response.map(|(response, _)| response),
    )
}

/// The samples whose query is sent several times at once, and how often.
const AT_ONCE: [Sample; 3] = [
    Sample::TokenBalance,
    Sample::ContractState,
    Sample::TrustScore,
];
const COPIES: usize = 8;
const LISTS: [Sample; 2] = [Sample::WalletBalances, Sample::TokenHolders];
const WITH_PARAMETERS: [Sample; 4] = [
    Sample::Blocks,
    Sample::TokenBalance,
    Sample::ContractState,
    Sample::TrustScore,
];

/// Whether a response is a success that shows something.
fn carries_value(exchange: &Exchange) -> bool {
    let body = exchange.success_object();
    body.is_some_and(|body| !is_nothing(body) && !is_refusal(body))
}

/// Sends a query several times at once. If it gets the same response before and after, each of these gets it, too.
async fn at_once(
    context: &Samples,
    query: &Request,
    is_same: impl Fn(&Exchange, &Exchange) -> bool,
) -> Findings {
    // So many requests must not change the responses that other cases get.
    let alone = context.node.all_turns().await;
    let options = SendOptions {
        has_all_turns: alone.is_some(),
        ..SendOptions::default()
    };
    let one = || context.node.send_with(query.clone(), options);
    let (before, _) = one().await?;
    let all = join_all((0..COPIES).map(|_| one())).await;
    let (after, _) = one().await?;
    drop(alone);
    let mut all = all.iter().flatten().map(|(response, _)| response);
    let other = all.find(|response| response.is_success() && !is_same(response, &after));
    let found = other.filter(|_| is_same(&before, &after) && carries_value(&after));
    let finding = found.map(|other| {
        let what = format!("a query gets another response when {COPIES} are sent at once");
        Finding::new(other, what, after.excerpt(160), other.summary())
    });
    Ok(Examination::of(1, finding))
}

/// Asks queries several times at once, and in other words.
async fn equal_queries(context: &Samples) -> Findings {
    let mut checked = Examination::default();
    let mut queries = Vec::new();
    for sample in WITH_PARAMETERS.into_iter().chain(LISTS) {
        let samples = context.sample(sample).await.unwrap_or_default();
        let Some(known) = samples.into_iter().find(|known| carries_value(known)) else {
            continue;
        };
        if AT_ONCE.contains(&sample) {
            let described = described(&context.spec, sample);
            let is_same =
                |one: &Exchange, other: &Exchange| has_same_content(one, other, &described);
            checked.add(at_once(context, &known.request, is_same).await);
        }
        queries.push((sample, known));
    }
    let mut each = stream::iter(queries)
        .map(|(sample, known)| async move {
            http::beside_others(in_each_wording(context, sample, &known)).await
        })
        .buffered(context.node.jobs());
    while let Some(of_query) = each.next().await {
        checked.extend(of_query);
    }
    Ok(checked)
}

/// Asks a query in other words, between two requests in its usual words. If those get the same response, so does
/// the other one. A difference counts if it shows again.
async fn in_each_wording(context: &Samples, sample: Sample, known: &Exchange) -> Examination {
    let mut checked = Examination::default();
    let described = described(&context.spec, sample);
    let is_same = |one: &Exchange, other: &Exchange| has_same_content(one, other, &described);
    for (request, what) in in_other_words(context, sample, &known.request) {
        let mut received = Vec::new();
        for request in [&known.request, &request, &known.request] {
            let response = context.node.send(request.clone()).await;
            received.extend(checked.received(response));
        }
        let [before, asked, after] = &received[..] else {
            break;
        };
        checked.count_item();
        let may_be_refused = LISTS.contains(&sample) && !asked.is_success();
        if may_be_refused || !is_same(before, after) || is_same(asked, after) {
            continue;
        }
        let again = checked.received(context.node.send(known.request.clone()).await);
        let asked_again = checked.received(context.node.send(request).await);
        let (Some(again), Some(asked_again)) = (again, asked_again) else {
            break;
        };
        if carries_value(after) && is_same(&again, after) && is_same(&asked_again, asked) {
            let what = format!("the same query {what} gets another response");
            let expected = after.excerpt(160);
            checked.push(Finding::new(asked, what, expected, asked.summary()));
        }
    }
    checked
}

/// Returns the same query in other words. A node may refuse a parameter that a list does not use.
fn in_other_words(
    context: &Samples,
    sample: Sample,
    known: &Request,
) -> Vec<(Request, &'static str)> {
    let mut reversed = known.clone();
    reversed.query.reverse();
    let mut encoded = known.clone();
    let parameters = encoded.query.drain(..).map(|(name, value)| {
        let value = value.bytes().map(|byte| format!("%{byte:02X}"));
        format!("{name}={}", value.collect::<String>())
    });
    let query = parameters.collect::<Vec<_>>().join("&");
    let found = &context.discovered;
    let unused = match sample {
        Sample::WalletBalances => Some(("token_code", found.tokens.last())),
        Sample::TokenHolders => Some(("wallet_address", found.wallets.last())),
        _ => None,
    };
    if let Some((name, value)) = unused {
        let request = value.map(|value| known.clone().with(name, value));
        let what = "with a parameter that the list does not use";
        return request.map(|request| (request, what)).into_iter().collect();
    }
    let mut all = vec![
        (reversed, "with its parameters in another order"),
        (
            encoded.with_raw(query),
            "with all characters of its values percent-encoded",
        ),
    ];
    all.retain(|(request, _)| request != known);
    all
}

async fn missing_parameter(context: &Samples) -> Findings {
    let mut checked = Examination::default();
    let operations = context.spec.operations(View::Documented);
    for sample in WITH_PARAMETERS {
        let operation = operations
            .iter()
            .find(|known| known.id == sample.operation_id());
        let parameters = operation.map_or_else(Vec::new, Operation::parameters);
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
                checked.push(Finding::new(
                    &exchange,
                    what,
                    "a refusal",
                    exchange.summary(),
                ));
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
    let finding = || Finding::new(&exchange, what, "status 404", exchange.summary());
    Ok(Examination::of(1, is_result.then(finding)))
}

/// Repeats the requests that got no response, one at a time.
async fn responds(context: &Samples) -> Findings {
    let log = context.node.log();
    // If nothing succeeds at an endpoint, something between it and this program can be the cause.
    let succeeds = |request: &&Request| {
        log.of(request.operation)
            .statuses
            .range(200..300)
            .next()
            .is_some()
    };
    let (working, lost): (Vec<_>, Vec<_>) = log.unanswered.iter().partition(succeeds);
    if let ([], Some(request)) = (&working[..], lost.first()) {
        let reason = format!("no request to {} succeeded", request.path);
        return unknown(reason);
    }
    let mut checked = Examination::passed();
    for request in working {
        checked.count_item();
        let Some(again) = checked.received(context.send_alone(request).await) else {
            break;
        };
        if let Err(reason) = again {
            let body = request.body.as_deref().map_or_else(String::new, |body| {
                format!(" with the body {:?}", escaped_up_to(body, 100))
            });
            let what = format!(
                "{}{body} gets no response, also when it is sent alone",
                request.query_text()
            );
            let expected = "a response, or a refusal";
            checked.push(Finding::without_response(what, expected, reason));
        }
    }
    Ok(checked)
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
    let finding = Finding::new(error, what, expected, error.summary());
    Ok(Examination::failed(finding))
}

async fn success_status(context: &Samples) -> Findings {
    let all = successes(context).await?;
    let others = all.iter().filter(|exchange| exchange.status != 200);
    let findings = others.map(|exchange| {
        let what = "a successful response has another status than 200";
        Finding::new(exchange, what, "200", exchange.status.to_string())
    });
    Ok(Examination::of(all.len(), findings))
}
