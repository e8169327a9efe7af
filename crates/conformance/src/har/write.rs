//! Writes the exchanges of a run.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use nodeproof_primitives::{Network, escape::escaped_json};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::entry::Own;
use crate::{
    api::{Transaction, accepts, in_block},
    context::Redactor,
    discovery::Wanted,
    http::{Exchange, LoggedExchange, MissingStep, Node},
};

/// The exchanges of a run.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    pub(crate) all: Vec<LoggedExchange>,
    /// What the run looked for on the chain.
    pub(crate) wanted: Wanted,
    /// The steps that were not taken.
    pub(crate) missing: Vec<MissingStep>,
    /// The blocks that only a sweep has read, as far as they are kept.
    pub(crate) of_sweep: Vec<LoggedExchange>,
}

impl Exchanges {
    /// Returns the exchanges with a node. A sweep has kept these blocks.
    pub(crate) fn of(node: &Node, wanted: Wanted, kept: Vec<Arc<Exchange>>) -> Self {
        Self {
            wanted,
            all: node.exchanges(),
            missing: node.missing(),
            of_sweep: kept.into_iter().map(LoggedExchange::alone).collect(),
        }
    }

    /// Returns the signatures of accepted transactions in blocks, as text. They are not secret any more.
    fn public_signatures(&self) -> String {
        let exchanges = || {
            let all = self.all.iter().chain(&self.of_sweep);
            all.map(|logged| &*logged.exchange)
        };
        let codes: BTreeSet<String> = exchanges().flat_map(accepted_codes).collect();
        let blocks = exchanges().filter(|one| one.request.path == "/get-block");
        let bodies = blocks.filter_map(Exchange::success_object);
        let signatures = bodies.flat_map(|body| {
            let listed = codes.iter().filter_map(|code| in_block(body, code));
            listed.filter_map(|found| Some(found.signatures?.to_string()))
        });
        signatures.collect()
    }

    /// Returns the entries of an HTTP Archive, without the secrets that the redactor knows.
    pub(crate) fn entries(&self, network: Network, redactor: &Redactor) -> Vec<Value> {
        let public = self.public_signatures();
        // Both values of s belong to one r.
        let redactor = &redactor.without_public(|signature| {
            let r = signature.get(..signature.len() / 2).unwrap_or(signature);
            public.contains(r)
        });
        let of_sweep = self.of_sweep.iter().map(|logged| (logged, true));
        let all = self.all.iter().map(|logged| (logged, false));
        let mut all: Vec<_> = all.chain(of_sweep).collect();
        all.sort_by_key(|(logged, _)| (logged.started_at + logged.began, logged.ended));
        let mut of_run = Some((self.wanted.clone(), self.missing.clone()));
        all.into_iter()
            .map(|(logged, of_sweep)| {
                let (wanted, missing) = of_run.take().unzip();
                let own = Own {
                    network: Some(network.to_string()),
                    wanted,
                    missing: missing.unwrap_or_default(),
                    of_sweep,
                    ..Own::default()
                };
                entry(logged, own, redactor)
            })
            .collect()
    }
}

/// Returns the text of an HTTP Archive with these entries. It is safe to print to a terminal.
pub(crate) fn file(entries: &[Value]) -> String {
    let log = json!({"log": {
        "version": "1.2",
        "creator": {"name": "nodeproof", "version": env!("CARGO_PKG_VERSION")},
        "entries": entries,
    }});
    escaped_json(&format!("{log:#}\n"))
}

/// Returns the codes of the transactions that the response to a submission, alone or in a batch, accepts.
fn accepted_codes(submission: &Exchange) -> Vec<String> {
    if !submission.request.path.starts_with("/submit-transaction") {
        return Vec::new();
    }
    let all = submission.submissions().iter();
    let codes = all.filter_map(|one| Transaction::of(one)?.code());
    let accepted = codes.filter(|code| code.len() == 40 && accepts(submission, code));
    accepted.map(ToOwned::to_owned).collect()
}

fn entry(logged: &LoggedExchange, own: Own, redactor: &Redactor) -> Value {
    let exchange = &*logged.exchange;
    let request = &exchange.request;
    let url = exchange.url();
    let began_at = logged.started_at + logged.began;
    let milliseconds = (logged.ended.saturating_sub(logged.began)).as_micros();
    let milliseconds = Duration::from_micros(u64::try_from(milliseconds).unwrap_or(u64::MAX));
    let milliseconds = milliseconds.as_secs_f64() * 1000.0;
    let query = url.query_pairs();
    let query: Vec<_> = query
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    let (content, hidden) = content(exchange, redactor);
    let kept = exchange.fresh_for;
    let kept = kept.map(|time| format!("max-age={}", time.as_secs()));
    let own = Own {
        step: request.step.clone(),
        repeated: exchange.is_repeated,
        wrongly_signed: request.wrongly_signed.clone(),
        unlike_signed: request.unlike_signed.clone(),
        wording: request.wording,
        finds_nothing: request.finds_nothing,
        endpoint: request.moved.is_some().then(|| request.path.to_owned()),
        hidden,
        ..own
    };
    let mut entry = json!({
        "startedDateTime": began_at.format(&Rfc3339).unwrap_or_default(),
        "time": milliseconds,
        "request": {
            "method": request.method.name(),
            "url": url.as_str(),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": headers(request.headers().into_iter().map(|(name, value)| (name, Some(value)))),
            "queryString": query,
            "headersSize": -1,
            "bodySize": request.body.as_ref().map_or(0, String::len),
        },
        "response": {
            "status": exchange.status,
            "statusText": "",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": headers([
                ("content-type", exchange.content_type.as_deref()),
                ("content-encoding", exchange.content_encoding.as_deref()),
                ("location", exchange.location.as_deref()),
                ("etag", exchange.etag.as_deref()),
                ("cache-control", kept.as_deref()),
            ]),
            "content": content,
            "redirectURL": exchange.location.as_deref().unwrap_or_default(),
            "headersSize": -1,
            "bodySize": exchange.body.len(),
        },
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "_nodeproof": serde_json::to_value(own).unwrap_or_default(),
    });
    if let Some(body) = &request.body {
        entry["request"]["postData"] = json!({"mimeType": "application/json", "text": body});
    }
    redactor.redact_json(&mut entry);
    entry
}

fn headers<'h>(all: impl IntoIterator<Item = (&'h str, Option<&'h str>)>) -> Vec<Value> {
    let all = all.into_iter();
    all.filter_map(|(name, value)| Some(json!({"name": name, "value": value?})))
        .collect()
}

/// Returns the body of a response, and whether a secret in it is hidden. Only a body without secrets is encoded.
fn content(exchange: &Exchange, redactor: &Redactor) -> (Value, bool) {
    let text = String::from_utf8_lossy(&exchange.body);
    let without_secrets = redactor.without_secrets(&text);
    let hidden = without_secrets.is_some();
    let mut content = json!({
        "size": exchange.body.len(),
        "mimeType": exchange.content_type.as_deref().unwrap_or_default(),
    });
    if !hidden && std::str::from_utf8(&exchange.body).is_err() {
        content["text"] = STANDARD.encode(&exchange.body).into();
        content["encoding"] = "base64".into();
    } else {
        content["text"] = without_secrets.unwrap_or_else(|| text.into_owned()).into();
    }
    (content, hidden)
}
