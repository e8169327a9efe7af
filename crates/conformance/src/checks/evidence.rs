//! The exchange that a finding is about.

use std::sync::Arc;

use nodeproof_report::ExchangeReport;

use crate::http::{Exchange, report_of};

/// An exchange, or its report if the exchange is too large to wait for earlier blocks. A report takes time, so it is made
/// only for a finding.
#[derive(Clone, Debug)]
pub(crate) enum Evidence {
    Exchange(Arc<Exchange>),
    Report(Arc<ExchangeReport>),
}

impl Evidence {
    pub(crate) fn report(&self) -> Arc<ExchangeReport> {
        match self {
            Self::Exchange(exchange) => report_of(exchange),
            Self::Report(report) => Arc::clone(report),
        }
    }
}
