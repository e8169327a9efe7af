//! Checks of blocks, in ascending order of their index.
//!
//! A case about blocks is a [`BlockCheck`]. A run gives it the few blocks that discovery has read,
//! a sweep every block of a range. The check is the same. Blocks on their own are checked in any
//! order and on any core. Checks that compare a block with those before it run in order, with a
//! [`Memory`] that does not grow with the chain.

use std::sync::Arc;

use super::{
    chain_memory::{Links, Memory},
    evidence::Evidence,
    field::Field,
    field_check::{check_places, compiled, sample_schema},
    finding::{Examination, Findings},
};
use crate::{
    api::{BlockResponse, ResponseKind, Sample},
    context::Samples,
    http::{InconclusiveReason, unknown},
};
use nodeproof_openapi::{SchemaValidator, Spec};

/// A check of blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockCheck {
    /// What the check examines, and how.
    pub(crate) scope: CheckScope,
    /// Minimum number of observations before the check gives a verdict.
    pub(crate) least: u64,
    /// The reason why the case is inconclusive with fewer observations.
    pub(crate) otherwise: &'static str,
}

/// What a check examines, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CheckScope {
    /// Each block on its own.
    Alone(fn(&BlockResponse, &mut Examination)),
    /// Each response that should be a block, on its own.
    Responses(fn(&BlockResponse) -> Findings),
    /// Each block that has an index, whether it is the requested one or another.
    Indexes(fn(&BlockResponse, &mut Examination)),
    /// Each block, and each index without a block.
    Holes(fn(&BlockResponse, &mut Examination)),
    /// A block and those before it.
    InOrder(fn(&Links, &mut Memory, &Evidence, &mut Examination)),
    /// One documented field.
    Field(&'static Field),
}

/// A check with the schema that it uses.
pub(crate) struct PreparedCheck {
    pub(crate) check: BlockCheck,
    schema: Option<Arc<SchemaValidator>>,
}

impl PreparedCheck {
    pub(crate) fn new(check: BlockCheck, spec: &Spec) -> Result<Self, InconclusiveReason> {
        let schema = match check.scope {
            CheckScope::Field(field) => Some(compiled(spec, &field.schema)?),
            _ => None,
        };
        Ok(Self { check, schema })
    }

    /// Whether the check examines responses of this kind.
    const fn concerns(&self, kind: ResponseKind) -> bool {
        match self.check.scope {
            CheckScope::Responses(_) => matches!(
                kind,
                ResponseKind::Block | ResponseKind::WrongIndex | ResponseKind::NotAnObject
            ),
            CheckScope::Indexes(_) => {
                matches!(kind, ResponseKind::Block | ResponseKind::WrongIndex)
            }
            CheckScope::Holes(_) => matches!(kind, ResponseKind::Block | ResponseKind::Missing),
            CheckScope::Alone(_) | CheckScope::Field(_) => {
                matches!(kind, ResponseKind::Block)
            }
            CheckScope::InOrder(_) => false,
        }
    }

    /// Checks a block on its own. The result is empty if the check compares blocks in order.
    pub(crate) fn check_block(&self, seen: &BlockResponse) -> Findings {
        let mut judged = Examination::default();
        if !self.concerns(seen.kind) {
            return Ok(judged);
        }
        match (self.check.scope, &self.schema) {
            (CheckScope::Responses(check), _) => return check(seen),
            (
                CheckScope::Alone(check) | CheckScope::Indexes(check) | CheckScope::Holes(check),
                _,
            ) => check(seen, &mut judged),
            (CheckScope::Field(field), Some(validator)) => {
                check_places(&seen.exchange, field, validator, &mut judged);
            }
            _ => {}
        }
        Ok(judged)
    }

    /// Checks a block and those before it. The result is empty if the check examines each block on its own.
    pub(crate) fn follow(
        &self,
        links: &Links,
        memory: &mut Memory,
        evidence: &Evidence,
    ) -> Examination {
        let mut judged = Examination::default();
        if let CheckScope::InOrder(follow) = self.check.scope {
            follow(links, memory, evidence, &mut judged);
        }
        judged
    }

    /// Checks blocks in ascending order. Each finding names its block. Fails if the harness is at fault.
    pub(crate) fn check_all(&self, blocks: &[BlockResponse], memory: &mut Memory) -> Findings {
        let mut all = Examination::default();
        for seen in blocks {
            let judged = match self.check.scope {
                CheckScope::InOrder(_) if seen.kind == ResponseKind::Block => {
                    let evidence = Evidence::Exchange(seen.exchange.clone());
                    Ok(self.follow(&Links::of(seen), memory, &evidence))
                }
                _ => self.check_block(seen),
            };
            if let Err(fault @ InconclusiveReason::Harness(_)) = judged {
                return Err(fault);
            }
            let Some(mut judged) = all.received(judged) else {
                continue;
            };
            for finding in &mut judged.findings {
                finding.block = finding.block.or(Some(seen.index));
            }
            all.extend(judged);
        }
        Ok(all)
    }
}

/// Compiles the documented schema of a whole block.
pub(crate) fn whole_block(spec: &Spec) -> Result<Arc<SchemaValidator>, InconclusiveReason> {
    sample_schema(spec, Sample::Blocks)
}

/// Runs a check on the blocks that discovery has read.
pub(crate) async fn over_sample(context: &Samples, check: BlockCheck) -> Findings {
    let responses = context.sample(Sample::Blocks).await?;
    let sample = context.seen_blocks(&responses);
    let needs_none = matches!(check.scope, CheckScope::Responses(_) | CheckScope::Field(_));
    let is_block = |seen: &BlockResponse| seen.kind == ResponseKind::Block;
    if !needs_none && !sample.iter().any(is_block) {
        return unknown("no response was a 200 with a JSON object");
    }
    let judge = PreparedCheck::new(check, &context.spec)?;
    let mut all = judge.check_all(&sample, &mut Memory::default())?;
    for finding in &mut all.findings {
        // Only a sweep names blocks by their index. Here, the exchange identifies the block.
        finding.block = None;
    }
    let all = all.end()?;
    if all.findings.is_empty() && all.examined < check.least {
        return unknown(check.otherwise);
    }
    Ok(all)
}
