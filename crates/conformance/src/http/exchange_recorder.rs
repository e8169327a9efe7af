//! Records which exchanges a case uses while it runs.

use std::{
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use nodeproof_report::ExchangeReport;

use super::{exchange::Exchange, exchange_report::report_of};

type Reports = Arc<Mutex<Vec<Arc<ExchangeReport>>>>;

/// What is known of the running case, or of a part of it that runs beside others.
#[derive(Clone, Default)]
struct Scope {
    /// `None` if no report lists the exchanges.
    reports: Option<Reports>,
    /// The moment of the latest recorded request that was repeated.
    moment: Arc<Mutex<Option<Duration>>>,
}

/// Maximum number of exchanges that a report lists for a case, in addition to those of its findings.
const MAX_LISTED: usize = 10;

tokio::task_local! {
    static RECORDED: Scope;
}

/// Runs a case, and returns its result and the exchanges that it used: each once, in order.
pub(crate) async fn recorded<T>(work: impl Future<Output = T>) -> (T, Vec<Arc<ExchangeReport>>) {
    let reports = Reports::default();
    let scope = Scope {
        reports: Some(Arc::clone(&reports)),
        moment: Arc::default(),
    };
    let done = RECORDED.scope(scope, work).await;
    let exchanges = reports.lock().map(|mut list| std::mem::take(&mut *list));
    (done, exchanges.unwrap_or_default())
}

/// Runs a part of a case beside others. In a recorded run, the requests of each part have an order of their own.
pub(crate) async fn beside_others<T>(work: impl Future<Output = T>) -> T {
    let scope = RECORDED.try_with(|scope| Scope {
        reports: scope.reports.clone(),
        moment: Arc::new(Mutex::new(moment())),
    });
    RECORDED.scope(scope.unwrap_or_default(), work).await
}

/// Sends requests that several cases share. They are not recorded for the running case.
///
/// Otherwise only the first case would list them, and reports would depend on the order of cases.
pub(crate) async fn shared<T>(work: impl Future<Output = T>) -> T {
    RECORDED.scope(Scope::default(), work).await
}

/// Records an exchange for the running case. Does nothing outside of a case.
pub(crate) fn record(exchange: &Exchange) {
    follow(exchange);
    // Only the excerpt is saved. All whole bodies of a run would need too much memory.
    let _ = RECORDED.try_with(|scope| {
        if let Some(reports) = &scope.reports
            && let Ok(mut list) = reports.lock()
            && list.len() < MAX_LISTED
            && let report = report_of(exchange)
            && !list.iter().any(|known| Arc::ptr_eq(known, &report))
        {
            list.push(report);
        }
    });
}

/// Returns the moment of the latest recorded request that the running part of a case has repeated.
pub(super) fn moment() -> Option<Duration> {
    let moment = RECORDED.try_with(|scope| scope.moment.lock().ok().and_then(|moment| *moment));
    moment.ok().flatten()
}

/// Notes that what follows in the running part of a case was sent after this exchange. In a recorded run, that decides
/// which response it gets.
pub(crate) fn follow(exchange: &Exchange) {
    let _ = RECORDED.try_with(|scope| {
        if let Ok(mut moment) = scope.moment.lock() {
            *moment = moment.max(exchange.moment);
        }
    });
}
