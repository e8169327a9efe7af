//! Records which exchanges a case uses while it runs.

use std::{
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use nodeproof_report::ExchangeReport;

use super::{exchange::Exchange, exchange_report::report_of};

/// What is known of the running case.
#[derive(Default)]
struct Scope {
    reports: Vec<Arc<ExchangeReport>>,
    /// The moment of the latest recorded request that the case has repeated.
    moment: Option<Duration>,
}

type Shared = Arc<Mutex<Scope>>;

/// Maximum number of exchanges to record for a case. Reports list fewer.
const MOST: usize = 100;

tokio::task_local! {
    static RECORDED: Shared;
}

/// Runs a case, and returns its result and the exchanges that it used: each once, in order.
pub(crate) async fn recorded<T>(work: impl Future<Output = T>) -> (T, Vec<Arc<ExchangeReport>>) {
    let scope = Shared::default();
    let done = RECORDED.scope(Arc::clone(&scope), work).await;
    let exchanges = scope
        .lock()
        .map(|mut scope| std::mem::take(&mut scope.reports));
    (done, exchanges.unwrap_or_default())
}

/// Sends requests that several cases share. They are not recorded for the running case.
///
/// Otherwise only the first case would list them, and reports would depend on the order of cases.
pub(crate) async fn shared<T>(work: impl Future<Output = T>) -> T {
    RECORDED.scope(Shared::default(), work).await
}

/// Records an exchange for the running case. Does nothing outside of a case.
pub(crate) fn record(exchange: &Exchange) {
    // Only the excerpt is saved. All whole bodies of a run would need too much memory.
    let _ = RECORDED.try_with(|scope| {
        if let Ok(mut scope) = scope.lock()
            && scope.reports.len() < MOST
            && let report = report_of(exchange)
            && !scope
                .reports
                .iter()
                .any(|known| Arc::ptr_eq(known, &report))
        {
            scope.reports.push(report);
        }
    });
}

/// Returns the moment of the latest recorded request that the running case has repeated.
pub(super) fn moment() -> Option<Duration> {
    let moment = RECORDED.try_with(|scope| scope.lock().ok()?.moment);
    moment.ok().flatten()
}

/// Notes the moment of a recorded request that the running case repeats.
pub(super) fn move_on(to: Duration) {
    let _ = RECORDED.try_with(|scope| {
        if let Ok(mut scope) = scope.lock() {
            scope.moment = scope.moment.max(Some(to));
        }
    });
}
