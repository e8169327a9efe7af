//! One documented field of a response.

use nodeproof_openapi::requirement;
use serde_json::Value;

use crate::{
    api::{Sample, Tier},
    http::Exchange,
};

/// One documented field of a response.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) id: &'static str,
    pub(crate) sample: Sample,
    /// Member names from the top of the response. `*` stands for every element of an array.
    pub(crate) path: &'static [&'static str],
    /// The IDs of the requirements that describe it.
    pub(crate) requirements: &'static [&'static str],
}

impl Field {
    /// Returns the tier that a run needs to see the field.
    pub(crate) const fn tier(&self) -> Tier {
        match self.sample {
            Sample::Refusals => Tier::Reject,
            _ => Tier::Read,
        }
    }

    /// Returns the expectation: the text of its first requirement.
    pub(crate) fn expected(&self) -> &'static str {
        let first = self.requirements.first();
        first
            .and_then(|id| requirement(id))
            .map_or("", |known| known.text)
    }
}

impl Field {
    /// Whether a response has a place for the field.
    pub(crate) fn is_in(&self, exchange: &Exchange) -> bool {
        let Some((_, parents)) = self.path.split_last() else {
            return false;
        };
        let body = exchange.success_object();
        body.is_some_and(|body| leads_to_an_object(body, parents))
    }
}

/// Whether a path of member names leads to an object.
fn leads_to_an_object(value: &Value, path: &[&str]) -> bool {
    match (path.split_first(), value) {
        (None, value) => value.is_object(),
        (Some((&"*", rest)), Value::Array(items)) => {
            items.iter().any(|item| leads_to_an_object(item, rest))
        }
        (Some((name, rest)), Value::Object(members)) => members
            .get(*name)
            .is_some_and(|member| leads_to_an_object(member, rest)),
        _ => false,
    }
}
