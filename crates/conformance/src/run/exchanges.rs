//! The list of exchanges that a report's cases refer to.

use std::{collections::HashMap, sync::Arc};

use nodeproof_client::BaseUrl;
use nodeproof_primitives::escape::escaped_up_to;
use nodeproof_report::{CaseReport, ExchangeReport};
use url::form_urlencoded;

use crate::{cases::CaseResult, discovery::samples_of, http::request_line};

/// Limit of the total length of all bodies in a report, in bytes. Above it, exchanges without a finding
/// get a shortened body.
const MAX_BODIES: usize = 2 * 1024 * 1024;

/// The exchanges of a report. Each exchange is listed once, in the order in which cases refer to them.
#[derive(Debug)]
pub(crate) struct Exchanges {
    /// The base URL of the node.
    base: String,
    listed: Vec<ExchangeReport>,
    /// The index of each exchange in the list, by the address of the shared report.
    places: HashMap<*const ExchangeReport, usize>,
    /// Total length of the listed bodies, in bytes.
    bodies: usize,
}

impl Exchanges {
    pub(crate) fn of(base: &BaseUrl) -> Self {
        Self {
            base: base.to_string(),
            listed: Vec::new(),
            places: HashMap::new(),
            bodies: 0,
        }
    }

    /// Returns the request of an exchange, if it is about a sample.
    fn request(&self, exchange: &ExchangeReport) -> Option<String> {
        let rest = exchange.url.strip_prefix(self.base.trim_end_matches('/'))?;
        let (path, query) = rest.split_once('?')?;
        let pairs = form_urlencoded::parse(query.as_bytes());
        let line = request_line(path, pairs);
        (exchange.method == "GET" && samples_of(&line).is_some()).then_some(line)
    }

    /// Adds exchange indexes to the report of a case: those of its findings, then the first others.
    pub(crate) fn named_by(&mut self, result: &CaseResult, mut case: CaseReport) -> CaseReport {
        for (report, finding) in case.findings.iter_mut().zip(&result.findings) {
            let place = finding
                .exchange
                .as_ref()
                .map(|exchange| self.place(exchange, true));
            report.exchange = place;
            let request = finding
                .exchange
                .as_ref()
                .and_then(|exchange| self.request(exchange));
            report.sample = request.or_else(|| {
                let block = finding.block?;
                Some(request_line(
                    "/get-block",
                    [("block_index", block.to_string())],
                ))
            });
            if let Some(place) = place.filter(|place| !case.exchanges.contains(place)) {
                case.exchanges.push(place);
            }
        }
        for exchange in &result.exchanges {
            let place = self.place(exchange, false);
            if !case.exchanges.contains(&place) {
                case.exchanges.push(place);
            }
        }
        case
    }

    fn place(&mut self, exchange: &Arc<ExchangeReport>, found: bool) -> usize {
        if let Some(place) = self.places.get(&Arc::as_ptr(exchange)) {
            if found && self.listed[*place].body != exchange.body {
                self.listed[*place] = ExchangeReport::clone(exchange);
            }
            return *place;
        }
        let report = if found || self.bodies < MAX_BODIES {
            ExchangeReport::clone(exchange)
        } else {
            with_short_body(exchange)
        };
        self.bodies += report.body.len();
        let place = self.listed.len();
        self.listed.push(report);
        self.places.insert(Arc::as_ptr(exchange), place);
        place
    }

    pub(crate) fn into_list(self) -> Vec<ExchangeReport> {
        self.listed
    }
}

/// Copies an exchange with the first 200 characters of its body.
fn with_short_body(exchange: &ExchangeReport) -> ExchangeReport {
    ExchangeReport {
        body: escaped_up_to(&exchange.body, 200),
        ..exchange.clone()
    }
}
