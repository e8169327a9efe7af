//! Sends requests with findings once more, alone: whether the fault shows there, too, is the first thing to know of it.

use std::sync::{Arc, PoisonError};

use nodeproof_report::ExchangeReport;

use super::case_results::CaseResults;
use crate::http::{Exchange, Method, Node, Request, report_of};

/// Maximum number of requests that are sent again.
const MOST: usize = 12;

/// Sends the first GET request of each case with findings once more, on a new connection, with nothing beside it. A
/// request with blanks is also sent in their other encoding. Notes each response that is another one.
pub(super) async fn send_again(node: &Node, progress: &CaseResults) {
    let Ok(alone) = node.renewed() else { return };
    let most = node.requests_left().min(MOST as u64) as usize;
    'requests: for (report, request) in requests(node, progress).into_iter().take(most) {
        let moment = ("sent again alone, at the end of the run", request.clone());
        let forms = std::iter::once(moment).chain(in_other_words(node, &request));
        for (how, request) in forms {
            let Ok(response) = alone.send(request).await else {
                break 'requests;
            };
            if is_another(&report, &response) {
                note(progress, &report, &format!("{how}: {}", response.summary()));
                break;
            }
        }
    }
    node.count(alone.requests());
}

/// Returns the requests of the first findings, each once, with the exchanges that the findings show.
fn requests(node: &Node, progress: &CaseResults) -> Vec<(Arc<ExchangeReport>, Request)> {
    let logged = node.exchanges();
    let results = progress.results.lock();
    let results = results.unwrap_or_else(PoisonError::into_inner);
    let mismatches = results.iter().filter(|result| result.is_mismatch());
    let reports = mismatches.filter_map(|result| result.findings.first()?.exchange.clone());
    let mut found: Vec<(Arc<ExchangeReport>, Request)> = Vec::new();
    for report in reports.filter(|report| report.method == Method::Get.name()) {
        let is_this = |one: &Arc<Exchange>| Arc::ptr_eq(&report_of(one), &report);
        let mut exchanges = logged.iter().map(|logged| &logged.exchange);
        let is_known = found.iter().any(|(known, _)| Arc::ptr_eq(known, &report));
        if let Some(exchange) = exchanges.find(|one| is_this(one)).filter(|_| !is_known) {
            found.push((report, exchange.request.clone()));
        }
    }
    found
}

/// Returns a request in which each blank is encoded in the other way.
fn in_other_words(node: &Node, request: &Request) -> Option<(&'static str, Request)> {
    let url = request.url(&node.target().base_url);
    let query = url.query()?;
    let (how, query) = match (query.contains("%20"), query.contains('+')) {
        (true, false) => ("sent with + for each blank", query.replace("%20", "+")),
        (false, true) => ("sent with %20 for each blank", query.replace('+', "%20")),
        _ => return None,
    };
    let request = Request {
        query: Vec::new(),
        ..request.clone()
    };
    Some((how, request.with_raw(query)))
}

fn is_another(report: &ExchangeReport, response: &Exchange) -> bool {
    let again = report_of(response);
    again.status != report.status
        || again.body != report.body
        || again.content_type != report.content_type
}

/// Notes the other response at each finding about the first one.
fn note(progress: &CaseResults, report: &Arc<ExchangeReport>, other: &str) {
    let results = progress.results.lock();
    let mut results = results.unwrap_or_else(PoisonError::into_inner);
    let findings = results.iter_mut().flat_map(|result| &mut result.findings);
    let about = findings.filter(|finding| {
        let exchange = finding.exchange.as_ref();
        exchange.is_some_and(|exchange| Arc::ptr_eq(exchange, report))
    });
    about.for_each(|finding| finding.again = Some(other.to_owned()));
}
