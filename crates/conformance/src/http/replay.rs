//! The exchanges of an earlier run, which answer requests in place of a node.

use std::{collections::HashMap, sync::Arc};

use url::Url;

use super::{
    exchange::{Exchange, Request},
    exchange_log::LoggedExchange,
    exchange_recorder,
    inconclusive_reason::{InconclusiveReason, unknown},
};

/// The exchanges of an earlier run, by request.
#[derive(Debug)]
pub(super) struct Replay(HashMap<String, Vec<LoggedExchange>>);

impl Replay {
    pub(super) fn of(exchanges: &[LoggedExchange]) -> Self {
        let mut by_request: HashMap<_, Vec<_>> = HashMap::new();
        for logged in exchanges {
            let key = key(&logged.exchange.request, &logged.exchange.url());
            by_request.entry(key).or_default().push(logged.clone());
        }
        for of_request in by_request.values_mut() {
            of_request.sort_by_key(|logged| logged.began);
        }
        Self(by_request)
    }

    /// Returns the response to a request after the last one that the running case got, or else the latest one. So the
    /// responses of a case are in the order in which the node gave them, whatever ran beside it.
    pub(super) fn response(
        &self,
        request: &Request,
        url: &Url,
    ) -> Result<Arc<Exchange>, InconclusiveReason> {
        let all = self
            .0
            .get(&key(request, url))
            .map_or(&[][..], Vec::as_slice);
        let moment = exchange_recorder::moment();
        let later = all.iter().find(|logged| Some(logged.began) > moment);
        let Some(found) = later.or(all.last()) else {
            return unknown("the recording does not have all of its requests");
        };
        exchange_recorder::record(&found.exchange);
        Ok(Arc::clone(&found.exchange))
    }
}

/// Returns what is equal for equal requests only.
fn key(request: &Request, url: &Url) -> String {
    let method = request.method.name();
    let body = request.body.as_deref().unwrap_or_default();
    let wording = request.wording;
    format!("{method} {url} {wording:?} {body}")
}
