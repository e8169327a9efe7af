//! An exchange as reports show it.

use std::sync::Arc;

use super::exchange::Exchange;
use crate::report::ExchangeReport;

/// Returns an exchange as reports show it. The same exchange always has the same report, because
/// reports list each exchange once.
pub(crate) fn report_of(exchange: &Exchange) -> Arc<ExchangeReport> {
    let report = || Arc::new(ExchangeReport::of(exchange));
    Arc::clone(exchange.report.get_or_init(report))
}
