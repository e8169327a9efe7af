//! Which exchanges a case looked at, written down while it runs.

use std::{
    future::Future,
    sync::{Arc, Mutex},
};

use nodeproof_report::ExchangeReport;

use crate::exchange::Exchange;

type List = Arc<Mutex<Vec<Arc<ExchangeReport>>>>;

tokio::task_local! {
    static ASKED: List;
}

/// Runs a case, and hands back what it looked at, too: each exchange once, in order.
pub(crate) async fn recorded<T>(work: impl Future<Output = T>) -> (T, Vec<Arc<ExchangeReport>>) {
    let list = List::default();
    let done = ASKED.scope(Arc::clone(&list), work).await;
    let asked = list.lock().map(|mut list| std::mem::take(&mut *list));
    (done, asked.unwrap_or_default())
}

/// Asks on behalf of all cases: the one that happens to come first does not get what others share
/// written down as its own doing, or reports would differ with the order in which cases run.
pub(crate) async fn for_all<T>(work: impl Future<Output = T>) -> T {
    ASKED.scope(List::default(), work).await
}

/// Writes down that the running case has looked at an exchange. Outside of a case this does nothing.
pub(crate) fn looked_at(exchange: &Exchange) {
    // Only the excerpt is kept, as whole bodies of a whole run would be too much.
    let _ = ASKED.try_with(|list| {
        let told = exchange.told();
        if let Ok(mut list) = list.lock()
            && !list.iter().any(|known| Arc::ptr_eq(known, &told))
        {
            list.push(told);
        }
    });
}
