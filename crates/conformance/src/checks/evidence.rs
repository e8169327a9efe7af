//! The request and its answer that a finding is about.

use std::sync::Arc;

use nodeproof_report::ExchangeReport;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::http::{Exchange, report_of};

/// What is kept of an exchange for as long as something may be found in it: told only where there is
/// a finding, as that takes its time.
#[derive(Clone, Debug)]
pub(crate) enum Evidence {
    Exchange(Arc<Exchange>),
    Told(Arc<ExchangeReport>),
}

impl Evidence {
    pub(crate) fn told(&self) -> Arc<ExchangeReport> {
        match self {
            Self::Exchange(exchange) => report_of(exchange),
            Self::Told(told) => Arc::clone(told),
        }
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.told().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Evidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ExchangeReport::deserialize(deserializer).map(|told| Self::Told(Arc::new(told)))
    }
}
