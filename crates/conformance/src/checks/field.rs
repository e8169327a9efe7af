//! One documented field of a response.

use nodeproof_openapi::requirement;
use serde_json::Value;

use crate::{api::Sample, http::Exchange};

/// One documented field of a response.
#[derive(Debug)]
pub(crate) struct Field {
    /// The ID of its case.
    pub(crate) id: String,
    pub(crate) sample: Sample,
    /// Member names from the top of the response. `*` stands for every element of an array.
    pub(crate) path: Vec<String>,
    /// The path as people write it, such as `text.previous_block_receipts[].data`.
    pub(crate) name: String,
    /// The IDs of the requirements that describe it.
    pub(crate) requirements: Vec<&'static str>,
    /// What its case checks.
    pub(crate) checks: String,
    /// The place of its schema in the documented view.
    pub(crate) schema: String,
    /// Whether every response with a place for it has to have it.
    pub(crate) is_required: bool,
}

impl Field {
    pub(crate) fn new(
        id: String,
        sample: Sample,
        path: Vec<String>,
        requirements: Vec<&'static str>,
        schema: String,
        is_required: bool,
    ) -> Self {
        let name = path.join(".").replace(".*", "[]");
        let mut field = Self {
            id,
            sample,
            path,
            requirements,
            checks: String::new(),
            schema,
            is_required,
            name,
        };
        field.checks = format!(
            "Wherever a response has a place for `{}`, it is there with the documented type and form: {}",
            field.name,
            field.expected()
        );
        field
    }

    /// Returns the expectation: the text of its first requirement.
    pub(crate) fn expected(&self) -> &'static str {
        let first = self.requirements.first();
        first
            .and_then(|id| requirement(id))
            .map_or("", |known| known.text)
    }

    /// Whether the field is inside what `path` leads to.
    pub(crate) fn is_below(&self, path: &[&str]) -> bool {
        self.path.len() > path.len() && path.iter().zip(&self.path).all(|(step, own)| step == own)
    }

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
fn leads_to_an_object(value: &Value, path: &[String]) -> bool {
    match (path.split_first(), value) {
        (None, value) => value.is_object(),
        (Some((step, rest)), Value::Array(items)) if step == "*" => {
            items.iter().any(|item| leads_to_an_object(item, rest))
        }
        (Some((name, rest)), Value::Object(members)) => members
            .get(name)
            .is_some_and(|member| leads_to_an_object(member, rest)),
        _ => false,
    }
}
