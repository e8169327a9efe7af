//! Writes the exchanges of a run.

use std::{collections::HashMap, sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use nodeproof_primitives::{Network, escape::escaped_json};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::entry::Own;
use crate::{
    api::Sample,
    context::{Redactor, Samples},
    http::{Exchange, LoggedExchange, Node},
};

/// The exchanges of a run, and which of them belong to a sample.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    pub(crate) all: Vec<LoggedExchange>,
    pub(crate) of_samples: Vec<(Sample, Arc<Exchange>)>,
}

impl Exchanges {
    /// Returns the exchanges with a node, and those of a run's samples.
    pub(crate) fn of(node: &Node, samples: Option<&Samples>) -> Self {
        Self {
            all: node.exchanges(),
            of_samples: samples.map(Samples::of_samples).unwrap_or_default(),
        }
    }

    /// Adds blocks that a sweep has read.
    pub(crate) fn add_blocks(&mut self, blocks: Vec<Arc<Exchange>>) {
        for block in blocks {
            self.of_samples.push((Sample::Blocks, Arc::clone(&block)));
            self.all.push(LoggedExchange::alone(block));
        }
    }

    /// Returns the entries of an HTTP Archive, without the secrets that the redactor knows.
    pub(crate) fn entries(&self, network: Network, redactor: &Redactor) -> Vec<Value> {
        let mut samples = HashMap::new();
        for (sample, exchange) in &self.of_samples {
            samples.entry(Arc::as_ptr(exchange)).or_insert(*sample);
        }
        let mut all: Vec<_> = self.all.iter().collect();
        all.sort_by_key(|logged| (logged.started_at + logged.began, logged.ended));
        all.into_iter()
            .map(|logged| {
                let own = Own {
                    network: Some(network.to_string()),
                    sample: samples.get(&Arc::as_ptr(&logged.exchange)).copied(),
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
    let own = Own {
        wrongly_signed: request.wrongly_signed.clone(),
        unlike_signed: request.unlike_signed.clone(),
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
            "headers": headers([
                ("accept", request.accept),
                ("content-type", request.body.is_some().then_some("application/json")),
            ]),
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
