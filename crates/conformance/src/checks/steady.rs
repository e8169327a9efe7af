//! Checks that the same request gets the same response while the chain stands still.

use serde_json::Value;

use super::{
    finding::{Checked, Finding, Findings},
    json_response::objects,
};
use crate::{
    api::{Sample, block_request, is_block, is_empty},
    context::Context,
    http::{Exchange, InconclusiveReason},
};
use nodeproof_openapi::View;

/// How often an answer that differs is looked at again while the chain goes on.
const MOST_LOOKS: u32 = 4;

/// An answer may change with a block, but neither without one nor with every look.
pub(crate) async fn steady(context: &Context, sample: Sample) -> Findings {
    // The last one, as most other questions are about the first.
    let Some(first) = objects(context, sample).await?.into_iter().next_back() else {
        return Ok(Checked::default());
    };
    if first.answered_object().is_some_and(is_empty) {
        return Ok(Checked::default());
    }
    let described = described(context, sample);
    let same = |one: &Exchange, other: &Exchange| reads_alike(one, other, &described);
    let mut before = context.node.send(first.request.clone()).await?;
    if same(&before, &first) {
        return Ok(Checked::right());
    }
    let mut height = Height::found(context);
    let mut no_block_since = context.material.tip.is_some() && height.stands(context).await?;
    for _ in 0..MOST_LOOKS {
        let after = context.node.send(first.request.clone()).await?;
        if same(&after, &before) {
            if !(no_block_since && height.stands(context).await?) {
                return Ok(Checked::right());
            }
            let what = "the answer changed, and no block was made meanwhile";
            return Ok(Checked::wrong(Finding::new(
                &after,
                what,
                first.excerpt(160),
                after.excerpt(160),
            )));
        }
        no_block_since = false;
        // What a block changes may show a moment after the block does.
        let again = context.node.send(first.request.clone()).await?;
        if same(&again, &after) {
            return Ok(Checked::right());
        }
        if height.stands(context).await? {
            let what = "the answer is another one each time the same is asked";
            return Ok(Checked::wrong(Finding::new(
                &after,
                what,
                before.excerpt(160),
                after.excerpt(160),
            )));
        }
        before = again;
    }
    let reason = "the answer is another one each time, and a block was made each time as well";
    Err(InconclusiveReason::NoSample(reason.to_owned()))
}

/// The members of an answer that are documented, by any name.
pub(crate) fn described(context: &Context, sample: Sample) -> Vec<String> {
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

/// Whether two answers say the same. A word or number beside what is described may be about the
/// answer and not about the chain, as the time that it took or a count of confirmations.
pub(crate) fn reads_alike(one: &Exchange, other: &Exchange, described: &[String]) -> bool {
    let about_the_chain = |(name, value): &(&String, &Value)| {
        value.is_object() || value.is_array() || described.contains(name)
    };
    one.status == other.status
        && match (one.json().ok(), other.json().ok()) {
            (Some(Value::Object(one)), Some(Value::Object(other))) => {
                let members = one.keys().chain(other.keys());
                members.into_iter().all(|name| {
                    let (one, other) = (one.get(name), other.get(name));
                    let counts = |value: Option<&Value>| {
                        value.is_some_and(|value| about_the_chain(&(name, value)))
                    };
                    one == other || !counts(one) && !counts(other)
                })
            }
            (one, other) => one == other,
        }
}

/// Whether the chain goes on while something is looked at.
pub(crate) struct Height(Option<u64>);

/// How many blocks are asked for to find the newest again.
const MOST_NEW_BLOCKS: u32 = 100;

impl Height {
    /// The latest block there is now; unknown where the run has not found one.
    pub(crate) async fn of(context: &Context) -> Result<Self, InconclusiveReason> {
        let mut height = Self::found(context);
        height.stands(context).await?;
        Ok(height)
    }

    /// The latest block when the run began.
    pub(crate) fn found(context: &Context) -> Self {
        Self(context.material.tip)
    }

    /// Whether there is no newer block than at the last look. Where it is not known which is the
    /// newest, none is taken to have come.
    pub(crate) async fn stands(&mut self, context: &Context) -> Result<bool, InconclusiveReason> {
        let Some(height) = &mut self.0 else {
            return Ok(true);
        };
        let before = *height;
        for _ in 0..MOST_NEW_BLOCKS {
            let next = context.node.send(block_request(*height + 1)).await?;
            if !next.answered_object().is_some_and(is_block) {
                break;
            }
            *height += 1;
        }
        Ok(*height == before)
    }
}
