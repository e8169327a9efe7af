//! Checks that the same request gets the same response while the height stays the same.

use std::sync::Arc;

use serde_json::Value;

use super::{
    finding::{Examination, Finding, Findings},
    json_response::objects,
};
use crate::{
    api::{FirstDifference, Sample, block_request, is_block, is_empty, member},
    context::Samples,
    http::{Exchange, InconclusiveReason},
};
use nodeproof_openapi::View;

/// Maximum number of times that a different response is requested again while blocks arrive.
const MAX_READS: u32 = 4;

/// Checks that a response changes only with a new block, and not each time it is requested.
pub(crate) async fn steady(context: &Samples, sample: Sample) -> Findings {
    // The last response. Most other requests are about the first.
    let Some(first) = objects(context, sample).await?.into_iter().next_back() else {
        return Ok(Examination::default());
    };
    if first.success_object().is_some_and(is_empty) {
        return Ok(Examination::default());
    }
    let described = described(context, sample);
    let same = |one: &Exchange, other: &Exchange| has_same_content(one, other, &described);
    let counts = |name: &str, value: &Value| is_about_the_chain(name, value, &described);
    let mut before = context.node.send(first.request.clone()).await?;
    if same(&before, &first) {
        return Ok(Examination::passed());
    }
    let mut height = Height::found(context);
    let mut no_block_since = context.discovered.tip.is_some() && height.stands(context).await?;
    for _ in 0..MAX_READS {
        let after = context.node.send(first.request.clone()).await?;
        if same(&after, &before) {
            if !(no_block_since && height.stands(context).await?) {
                return Ok(Examination::passed());
            }
            let what = "the response changed, although no block was made in between";
            return Ok(Examination::failed(changed(what, &first, &after, counts)));
        }
        no_block_since = false;
        // The effects of a block may show shortly after the block itself.
        let again = context.node.send(first.request.clone()).await?;
        if same(&again, &after) {
            return Ok(Examination::passed());
        }
        if height.stands(context).await? {
            let what = "the response differs each time the same request is sent";
            return Ok(Examination::failed(changed(what, &before, &after, counts)));
        }
        before = again;
    }
    let reason = "the response differs each time, but a block was made each time as well";
    Err(InconclusiveReason::NoSample(reason.to_owned()))
}

/// Returns the documented members of a response, under all of their names.
pub(crate) fn described(context: &Samples, sample: Sample) -> Vec<String> {
    let at = sample.schema(&context.spec, View::Documented);
    let schema = at.and_then(|at| context.spec.unwrap(View::Documented, &at));
    let schema = schema.map(|(_, schema)| schema);
    let branches = schema.and_then(|schema| schema.get("anyOf")?.as_array());
    let schemas = schema.into_iter().chain(branches.into_iter().flatten());
    let members = schemas.filter_map(|schema| schema.get("properties")?.as_object());
    members
        .flat_map(|members| members.keys().cloned())
        .collect()
}

/// Creates a finding about a response that is not the same as an earlier one. Both are shown around the
/// first difference in a member that counts.
pub(crate) fn changed(
    what: &str,
    before: &Exchange,
    after: &Arc<Exchange>,
    counts: impl Fn(&str, &Value) -> bool,
) -> Finding {
    let first = match (before.json(), after.json()) {
        (Ok(Value::Object(one)), Ok(Value::Object(other))) if before.status == after.status => {
            one.keys().chain(other.keys()).find_map(|name| {
                let (one, other) = (one.get(name), other.get(name));
                let mut values = [one, other].into_iter().flatten();
                let counts = values.any(|value| counts(name, value));
                let first = FirstDifference::at(member(name), one, other);
                first.filter(|_| counts)
            })
        }
        _ => None,
    };
    match first {
        Some(first) => Finding::new(after, what, first.expected, first.actual).at(first.pointer),
        None => Finding::new(after, what, before.summary(), after.summary()),
    }
}

/// Whether a member of a response is about the chain. An undocumented text or number may be about the
/// response, such as its duration or a count of confirmations.
pub(crate) fn is_about_the_chain(name: &str, value: &Value, described: &[String]) -> bool {
    value.is_object() || value.is_array() || described.iter().any(|known| known == name)
}

/// Whether two responses have the same content about the chain.
pub(crate) fn has_same_content(one: &Exchange, other: &Exchange, described: &[String]) -> bool {
    one.status == other.status
        && match (one.json().ok(), other.json().ok()) {
            (Some(Value::Object(one)), Some(Value::Object(other))) => {
                let members = one.keys().chain(other.keys());
                members.into_iter().all(|name| {
                    let (one, other) = (one.get(name), other.get(name));
                    let counts = |value: Option<&Value>| {
                        value.is_some_and(|value| is_about_the_chain(name, value, described))
                    };
                    one == other || !counts(one) && !counts(other)
                })
            }
            (one, other) => one == other,
        }
}

/// The height, for finding out whether the chain grows in the meantime.
pub(crate) struct Height(Option<u64>);

/// Maximum number of blocks to request in search of the latest one.
const MAX_NEW_BLOCKS: u32 = 100;

impl Height {
    /// Returns the current height, which is unknown if the run has not found a block.
    pub(crate) async fn of(context: &Samples) -> Result<Self, InconclusiveReason> {
        let mut height = Self::found(context);
        height.stands(context).await?;
        Ok(height)
    }

    /// Returns the height at the start of the run.
    pub(crate) fn found(context: &Samples) -> Self {
        Self(context.discovered.tip)
    }

    /// Updates the height. Returns whether it is unchanged. An unknown height counts as unchanged.
    pub(crate) async fn stands(&mut self, context: &Samples) -> Result<bool, InconclusiveReason> {
        let Some(height) = &mut self.0 else {
            return Ok(true);
        };
        let before = *height;
        for _ in 0..MAX_NEW_BLOCKS {
            let next = context.node.send(block_request(*height + 1)).await?;
            if !next.success_object().is_some_and(is_block) {
                break;
            }
            *height += 1;
        }
        Ok(*height == before)
    }
}
