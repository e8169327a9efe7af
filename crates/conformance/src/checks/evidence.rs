//! The exchange that a finding is about.

use std::sync::Arc;

use nodeproof_report::ExchangeReport;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::http::{Exchange, report_of};

/// An exchange that is kept as long as a later block may lead to a finding about it. Its report
/// takes time, so it is made only for a finding.
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

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.report().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Evidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ExchangeReport::deserialize(deserializer).map(|report| Self::Report(Arc::new(report)))
    }
}
