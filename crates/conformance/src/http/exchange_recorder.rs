//! Records which exchanges a case uses while it runs.

use std::{
    future::Future,
    sync::{Arc, Mutex},
};

use nodeproof_report::ExchangeReport;

use super::{exchange::Exchange, exchange_report::report_of};

type List = Arc<Mutex<Vec<Arc<ExchangeReport>>>>;

/// Maximum number of exchanges to record for a case. Reports list fewer.
const MOST: usize = 100;

tokio::task_local! {
    static RECORDED: List;
}

/// Runs a case, and returns its result and the exchanges that it used: each once, in order.
pub(crate) async fn recorded<T>(work: impl Future<Output = T>) -> (T, Vec<Arc<ExchangeReport>>) {
    let list = List::default();
    let done = RECORDED.scope(Arc::clone(&list), work).await;
    let exchanges = list.lock().map(|mut list| std::mem::take(&mut *list));
    (done, exchanges.unwrap_or_default())
}

/// Sends requests that several cases share. They are not recorded for the running case.
///
/// Otherwise only the first case would list them, and reports would depend on the order of cases.
pub(crate) async fn shared<T>(work: impl Future<Output = T>) -> T {
    RECORDED.scope(List::default(), work).await
}

/// Records an exchange for the running case. Does nothing outside of a case.
pub(crate) fn record(exchange: &Exchange) {
    // Only the excerpt is saved. All whole bodies of a run would need too much memory.
    let _ = RECORDED.try_with(|list| {
        if let Ok(mut list) = list.lock()
            && list.len() < MOST
            && let report = report_of(exchange)
            && !list.iter().any(|known| Arc::ptr_eq(known, &report))
        {
            list.push(report);
        }
    });
}
