//! Equal requests that are written in other ways, or sent after others or at once.

use std::sync::Arc;

use futures_util::{StreamExt as _, future::join_all, stream};
use nodeproof_primitives::escape::escaped_up_to;
use serde_json::Value;

use crate::{
    api::{NO_PATH, Sample, find, is_block, is_nothing, is_refusal},
    checks::{Examination, Finding, Findings, described, has_same_content, objects},
    context::Samples,
    http::{self, Exchange, InconclusiveReason, Request, SendOptions, Wording},
};

/// Other ways to request a block.
const OF_BLOCK: [Wording; 9] = [
    Wording::AnyType,
    Wording::FromPage,
    Wording::Upgrading,
    Wording::WithCookie,
    Wording::Typed,
    Wording::Old,
    Wording::SeveralTypes,
    Wording::Closing,
    Wording::AfterHead,
];
/// Other ways to have a call built.
const OF_CALL: [Wording; 5] = [
    Wording::Charset,
    Wording::FromPage,
    Wording::Expecting,
    Wording::InPieces,
    Wording::BesideHalf,
];
/// Requests whose responses may be different, but that must not change those to others.
const OF_OTHERS: [Wording; 4] = [
    Wording::Compressed,
    Wording::Part,
    Wording::IfChanged,
    Wording::Page,
];
/// The status "Length Required".
const LENGTH_REQUIRED: u16 = 411;

pub(super) async fn equal_requests(context: &Samples) -> Findings {
    let mut checked = Examination::default();
    let blocks = objects(context, Sample::Blocks).await?;
    let is_known = |block: &&Arc<Exchange>| block.success_object().is_some_and(is_block);
    let known = blocks.iter().filter(is_known);
    let block = known.max_by_key(|block| block.body.len());
    let call = longest_call(context).await?;
    let call = call.as_ref();
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
        if let Some(other) = blocks.iter().find(|other| other.body != block.body) {
            checked.add(compressed(context, [block, other]).await);
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

/// Sends a call whose length is not known before its end. Small servers may refuse that.
pub(super) async fn chunked_call(context: &Samples) -> Findings {
    let Some(call) = longest_call(context).await? else {
        return Ok(Examination::default());
    };
    let wording = Wording::Chunked;
    let what = format!("a call {} is not built", wording.description());
    worded(context, None, &call, wording, is_built, what).await
}

/// Returns the longest call that the node has built.
async fn longest_call(context: &Samples) -> Result<Option<Arc<Exchange>>, InconclusiveReason> {
    let built = objects(context, Sample::CallSc).await?;
    let built = built.into_iter();
    let built = built.filter(|call| call.success_object().is_some_and(is_built));
    Ok(built.max_by_key(|call| call.request.body.as_ref().map(String::len)))
}

fn is_built(body: &Value) -> bool {
    find(body, "specific_data").is_some()
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
        .then(|| Finding::of_response(response, what, expected))
}

/// Checks that compressed responses to different requests differ. A cache may forget what was requested.
async fn compressed(context: &Samples, different: [&Arc<Exchange>; 2]) -> Findings {
    let mut checked = Examination::default();
    let mut received = Vec::new();
    for known in different {
        let request = known.request.clone().worded(Wording::Compressed);
        // What follows gets the block again.
        let (packed, usual) =
            one_after_another(context, Some(request), Wording::Usual, &known.request).await;
        let usual = usual?;
        if usual.status >= 500 {
            return Ok(checked);
        }
        if !usual.success_object().is_some_and(is_block) {
            let what = "the block is not returned after a compressed one";
            let expected = known.excerpt(160);
            checked.push(Finding::of_response(&usual, what, expected));
            return Ok(checked);
        }
        received.extend(packed.filter(|response| response.is_success()));
    }
    if let [one, other] = &received[..] {
        checked.count_item();
        if one.body == other.body {
            let what = "two blocks get the same response if it may be compressed";
            let expected = "another response than for the other block";
            checked.push(Finding::of_response(other, what, expected));
        }
    }
    Ok(checked)
}

/// Number of requests that must get no response, or a server error, until that is a finding. Each may happen once.
const TIMES: usize = 3;

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
                let finding = || Finding::of_response(&response, what, expected);
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

/// How often each query is sent when many are sent at once.
const COPIES: usize = 8;
const LISTS: [Sample; 2] = [Sample::WalletBalances, Sample::TokenHolders];
pub(super) const WITH_PARAMETERS: [Sample; 4] = [
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

/// Sends several queries at once, each several times. If one gets the same response before and after, each of these gets it, too.
async fn at_once(context: &Samples, queries: &[(Sample, Arc<Exchange>)]) -> Findings {
    // So many requests must not change the responses that other cases get.
    let alone = context.node.all_turns().await;
    let options = SendOptions {
        has_all_turns: alone.is_some(),
        ..SendOptions::default()
    };
    let one = async |known: &Exchange| {
        let sent = context.node.send_with(known.request.clone(), options);
        sent.await.map(|(response, _)| response)
    };
    let mut before = Vec::new();
    for (_, known) in queries {
        before.push(one(known).await?);
    }
    let copies = (0..COPIES).flat_map(|_| queries);
    let all = join_all(copies.map(|(_, known)| one(known))).await;
    let mut after = Vec::new();
    for (_, known) in queries {
        after.push(one(known).await?);
    }
    drop(alone);
    let mut checked = Examination::default();
    for (place, (sample, _)) in queries.iter().enumerate() {
        let described = described(&context.spec, *sample);
        let is_same = |one: &Exchange, other: &Exchange| has_same_content(one, other, &described);
        let (before, after) = (&before[place], &after[place]);
        let copies = all.iter().skip(place).step_by(queries.len());
        let other = copies
            .flatten()
            .find(|response| response.is_success() && !is_same(response, after));
        let found = other.filter(|_| is_same(before, after) && carries_value(after));
        checked.extend(Examination::of(
            1,
            found.map(|other| {
                let what = format!(
                    "a query gets another response when {} are sent at once",
                    all.len()
                );
                Finding::of_response(other, what, after.excerpt(160))
            }),
        ));
    }
    Ok(checked)
}

/// Asks queries several times at once, and in other words.
pub(super) async fn equal_queries(context: &Samples) -> Findings {
    let mut checked = Examination::default();
    let mut queries = Vec::new();
    for sample in WITH_PARAMETERS.into_iter().chain(LISTS) {
        let samples = context.sample(sample).await.unwrap_or_default();
        let Some(known) = samples.into_iter().find(|known| carries_value(known)) else {
            continue;
        };
        queries.push((sample, known));
    }
    let others = queries
        .iter()
        .filter(|(sample, _)| *sample != Sample::Blocks);
    checked.add(at_once(context, &others.cloned().collect::<Vec<_>>()).await);
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
            checked.push(Finding::of_response(asked, what, expected));
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
        let value = value.bytes().map(|byte| format!("%{byte:02x}"));
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
