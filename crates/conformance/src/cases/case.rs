//! A case: its metadata, and its check.

use std::{future::Future, pin::Pin};

use nodeproof_report::Level;

use crate::{
    api::{Sample, Tier},
    checks::{BlockCheck, CheckScope, Field, Findings, NEVER_SEEN, check_field, over_sample},
    context::Context,
};

/// One case.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `<operation>/<behaviour>`, lower-case with hyphens.
    pub id: &'static str,
    /// How binding the sentence is.
    pub level: Level,
    /// The sentence of the contract, or for [`Level::Observed`] what nodes were seen to do.
    pub requirement: &'static str,
    /// How far it goes, and so what a run needs to be allowed.
    pub tier: Tier,
    pub(crate) check: Check,
}

type CheckFuture<'c> = Pin<Box<dyn Future<Output = Findings> + Send + 'c>>;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    Field(&'static Field),
    Blocks(BlockCheck),
    Own(for<'c> fn(&'c Context) -> CheckFuture<'c>),
}

impl Case {
    pub(crate) const fn must(
        id: &'static str,
        requirement: &'static str,
        check: for<'c> fn(&'c Context) -> CheckFuture<'c>,
    ) -> Self {
        Self {
            id,
            level: Level::Must,
            requirement,
            tier: Tier::Read,
            check: Check::Own(check),
        }
    }

    pub(crate) const fn should(
        id: &'static str,
        requirement: &'static str,
        check: for<'c> fn(&'c Context) -> CheckFuture<'c>,
    ) -> Self {
        Self {
            id,
            level: Level::Should,
            requirement,
            tier: Tier::Read,
            check: Check::Own(check),
        }
    }

    pub(crate) const fn observed(
        id: &'static str,
        requirement: &'static str,
        check: for<'c> fn(&'c Context) -> CheckFuture<'c>,
    ) -> Self {
        Self {
            id,
            level: Level::Observed,
            requirement,
            tier: Tier::Read,
            check: Check::Own(check),
        }
    }

    /// A case about blocks, which a sweep has as well.
    pub(crate) const fn of_blocks(
        id: &'static str,
        level: Level,
        requirement: &'static str,
        check: BlockCheck,
    ) -> Self {
        Self {
            id,
            level,
            requirement,
            tier: Tier::Read,
            check: Check::Blocks(check),
        }
    }

    /// The same in another tier.
    pub(crate) const fn of(mut self, tier: Tier) -> Self {
        self.tier = tier;
        self
    }

    /// The operation that the case is about.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        self.id.split('/').next().unwrap_or(self.id)
    }

    /// What the case checks of each block, if it is about blocks.
    pub(crate) const fn block_check(&self) -> Option<BlockCheck> {
        match self.check {
            Check::Blocks(check) => Some(check),
            Check::Field(field) if matches!(field.sample, Sample::Blocks) => Some(BlockCheck {
                look: CheckScope::Field(field),
                least: 1,
                otherwise: NEVER_SEEN,
            }),
            Check::Field(_) | Check::Own(_) => None,
        }
    }

    pub(crate) async fn run(&self, context: &Context) -> Findings {
        if let Some(check) = self.block_check() {
            return over_sample(context, check).await;
        }
        match self.check {
            Check::Field(field) => check_field(context, field).await,
            Check::Blocks(check) => over_sample(context, check).await,
            Check::Own(check) => check(context).await,
        }
    }
}
