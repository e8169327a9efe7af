//! Judging blocks, one after the other in rising order of their index.
//!
//! A case about blocks is a [`BlockCheck`]. A run feeds it the few blocks that discovery has read,
//! a sweep every block of a range: the check is the same. What it says of a block alone may be said
//! in any order and on any core; what it says of a block and those before it is said in order, with
//! a [`Memory`] that does not grow with the chain.

use nodeproof_client::Block;

use super::{
    chain_memory::{Links, Memory},
    check_result::CheckResult,
    decode::decodes_one,
    evidence::Evidence,
    field::Field,
    field_check::{check_places, field_schema},
    finding::{Checked, Findings},
};
use crate::{
    api::{BlockResponse, ResponseKind, Sample},
    context::Context,
    http::InconclusiveReason,
};
use nodeproof_openapi::{SchemaValidator, Spec, View};

/// A check of blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockCheck {
    /// What it looks at, and how.
    pub(crate) look: CheckScope,
    /// Of how many things it has to have seen, to say anything,
    pub(crate) least: u64,
    /// and what it says where it has seen fewer.
    pub(crate) otherwise: &'static str,
}

/// What a check looks at, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CheckScope {
    /// At each block alone.
    Alone(fn(&BlockResponse, &mut CheckResult)),
    /// At each answer that should be a block, alone.
    Answers(fn(&BlockResponse, &mut CheckResult)),
    /// At each block that says its index, be it the one that was asked for or another.
    Indexes(fn(&BlockResponse, &mut CheckResult)),
    /// At each index that has no block.
    Holes(fn(&BlockResponse, &mut CheckResult)),
    /// At a block and those before it.
    InOrder(InOrder),
    /// At one documented field.
    Field(&'static Field),
    /// At what a client makes of it.
    Decode(fn(&Block) -> Result<(), String>),
}

/// A look at a block and those before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InOrder {
    /// At the next block.
    pub(crate) follow: fn(&Links, &mut Memory, &Evidence, &mut CheckResult),
    /// At what was left open until there is no next one.
    pub(crate) end: fn(&mut Memory, &mut CheckResult),
}

/// A check made ready: with the schema that it holds against.
pub(crate) struct PreparedCheck {
    pub(crate) check: BlockCheck,
    schema: Option<(SchemaValidator, bool)>,
}

impl PreparedCheck {
    pub(crate) fn new(check: BlockCheck, spec: &Spec) -> Result<Self, InconclusiveReason> {
        let schema = match check.look {
            CheckScope::Field(field) => Some(field_schema(spec, field)?),
            CheckScope::Decode(_) => Some((whole_block(spec)?, true)),
            _ => None,
        };
        Ok(Self { check, schema })
    }

    /// Whether the check is about answers of this kind.
    const fn concerns(&self, kind: ResponseKind) -> bool {
        match self.check.look {
            CheckScope::Answers(_) => matches!(
                kind,
                ResponseKind::Block | ResponseKind::WrongIndex | ResponseKind::NotAnObject
            ),
            CheckScope::Indexes(_) => {
                matches!(kind, ResponseKind::Block | ResponseKind::WrongIndex)
            }
            CheckScope::Holes(_) => matches!(kind, ResponseKind::Block | ResponseKind::Missing),
            CheckScope::Alone(_) | CheckScope::Field(_) | CheckScope::Decode(_) => {
                matches!(kind, ResponseKind::Block)
            }
            CheckScope::InOrder(_) => false,
        }
    }

    /// What the check says of a block alone; nothing if it looks at blocks in order.
    pub(crate) fn look(&self, seen: &BlockResponse) -> CheckResult {
        let mut judged = CheckResult::default();
        if !self.concerns(seen.kind) {
            return judged;
        }
        match (self.check.look, &self.schema) {
            (
                CheckScope::Alone(look)
                | CheckScope::Answers(look)
                | CheckScope::Indexes(look)
                | CheckScope::Holes(look),
                _,
            ) => look(seen, &mut judged),
            (CheckScope::Field(field), Some((validator, required))) => {
                check_places(&seen.exchange, field, *required, validator, &mut judged);
            }
            (CheckScope::Decode(decode), Some((validator, _))) => {
                judged.one();
                let read = seen.read().and_then(decode);
                match decodes_one(&seen.exchange, read.map_err(Into::into), validator, true) {
                    Ok(found) => judged.findings.extend(found),
                    Err(obstacle) => judged.obstacle = Some(obstacle),
                }
            }
            _ => {}
        }
        judged
    }

    /// What the check says of a block and those before it; nothing if it looks at each alone.
    pub(crate) fn follow(
        &self,
        links: &Links,
        memory: &mut Memory,
        evidence: &Evidence,
    ) -> CheckResult {
        let mut judged = CheckResult::default();
        if let CheckScope::InOrder(look) = self.check.look {
            (look.follow)(links, memory, evidence, &mut judged);
        }
        judged
    }

    /// What the check says when there are no more blocks. What it finds names its block.
    pub(crate) fn end(&self, memory: &mut Memory) -> CheckResult {
        let mut judged = CheckResult::default();
        if let CheckScope::InOrder(look) = self.check.look {
            (look.end)(memory, &mut judged);
        }
        judged
    }
}

/// The documented schema of a block as a whole.
pub(crate) fn whole_block(spec: &Spec) -> Result<SchemaValidator, InconclusiveReason> {
    let at = Sample::Blocks
        .schema(spec, View::Documented)
        .ok_or_else(|| {
            InconclusiveReason::Harness("the spec does not describe a block".to_owned())
        })?;
    spec.validator(View::Documented, &at)
        .map_err(|error| InconclusiveReason::Harness(error.to_string()))
}

/// Feeds a check the blocks that discovery has read.
pub(crate) async fn over_sample(context: &Context, check: BlockCheck) -> Findings {
    let answers = context.sample(Sample::Blocks).await?;
    let sample = context.seen_blocks(&answers);
    let blocks = sample
        .iter()
        .filter(|seen| seen.kind == ResponseKind::Block);
    match (check.look, blocks.count()) {
        (CheckScope::Answers(_) | CheckScope::Field(_), _) | (_, 1..) => {}
        (_, 0) => {
            let reason = "no answer was a 200 with a JSON object";
            return Err(InconclusiveReason::NoSample(reason.to_owned()));
        }
    }
    let judge = PreparedCheck::new(check, &context.spec)?;
    let mut memory = Memory::default();
    let mut all = CheckResult::default();
    for seen in sample.iter() {
        let mut judged = judge.look(seen);
        if matches!(check.look, CheckScope::InOrder(_)) && seen.kind == ResponseKind::Block {
            let evidence = Evidence::Exchange(seen.exchange.clone());
            judged = judge.follow(&Links::of(seen), &mut memory, &evidence);
        }
        all.count += judged.count;
        all.findings.extend(judged.findings);
        all.obstacle = all.obstacle.or(judged.obstacle);
    }
    all.findings.extend(judge.end(&mut memory).findings);
    for finding in &mut all.findings {
        // Only a sweep tells blocks by their index; here the exchange does.
        finding.block = None;
    }
    findings_of(check, all)
}

/// What a check says in the end.
pub(crate) fn findings_of(check: BlockCheck, all: CheckResult) -> Findings {
    match all.obstacle {
        Some(obstacle @ InconclusiveReason::Harness(_)) => return Err(obstacle),
        Some(obstacle) if all.findings.is_empty() => return Err(obstacle),
        _ => {}
    }
    if all.findings.is_empty() && all.count < check.least {
        return Err(InconclusiveReason::NoSample(check.otherwise.to_owned()));
    }
    Ok(Checked {
        examined: all.count,
        findings: all.findings,
    })
}
