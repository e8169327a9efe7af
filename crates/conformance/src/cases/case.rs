//! A case: its metadata, and its check.

use std::{future::Future, pin::Pin};

use nodeproof_report::Level;

use crate::{
    api::{Sample, Tier},
    checks::{
        BlockCheck, CheckScope, Field, Findings, NEVER_SEEN, check_field, check_snapshot,
        over_sample, snapshot_path,
    },
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
    /// Whether a run without a sample for it has no verdict: without it, little is tested.
    pub(crate) is_essential: bool,
    check: Check,
}

type CheckFuture<'c> = Pin<Box<dyn Future<Output = Findings> + Send + 'c>>;
type OwnCheck = for<'c> fn(&'c Context) -> CheckFuture<'c>;

#[derive(Clone, Copy, Debug)]
enum Check {
    Field(&'static Field),
    Blocks(BlockCheck),
    Snapshot(Sample),
    Own(OwnCheck),
}

impl Case {
    const fn new(id: &'static str, level: Level, requirement: &'static str, check: Check) -> Self {
        Self {
            id,
            level,
            requirement,
            tier: Tier::Read,
            is_essential: false,
            check,
        }
    }

    pub(crate) const fn must(id: &'static str, requirement: &'static str, check: OwnCheck) -> Self {
        Self::new(id, Level::Must, requirement, Check::Own(check))
    }

    pub(crate) const fn should(
        id: &'static str,
        requirement: &'static str,
        check: OwnCheck,
    ) -> Self {
        Self::new(id, Level::Should, requirement, Check::Own(check))
    }

    pub(crate) const fn observed(
        id: &'static str,
        requirement: &'static str,
        check: OwnCheck,
    ) -> Self {
        Self::new(id, Level::Observed, requirement, Check::Own(check))
    }

    /// A case about blocks, which a sweep has as well.
    pub(crate) const fn of_blocks(
        id: &'static str,
        level: Level,
        requirement: &'static str,
        check: BlockCheck,
    ) -> Self {
        Self::new(id, level, requirement, Check::Blocks(check))
    }

    /// A case about the normalised shape of a sample's responses.
    pub(crate) const fn of_snapshot(
        id: &'static str,
        level: Level,
        requirement: &'static str,
        sample: Sample,
    ) -> Self {
        Self::new(id, level, requirement, Check::Snapshot(sample))
    }

    /// A case about one documented field.
    pub(crate) fn of_field(field: &'static Field) -> Self {
        let case = Self::new(
            field.id,
            Level::Must,
            field.requirement,
            Check::Field(field),
        );
        case.of(field.tier())
    }

    /// The same in another tier.
    pub(crate) const fn of(mut self, tier: Tier) -> Self {
        self.tier = tier;
        self
    }

    /// The same, essential for a verdict.
    pub(crate) const fn essential(mut self) -> Self {
        self.is_essential = true;
        self
    }

    /// The path of the case's snapshot, if it has one, as reports name it.
    pub(crate) fn snapshot_path(&self) -> Option<String> {
        match self.check {
            Check::Snapshot(sample) => Some(snapshot_path(sample)),
            Check::Field(_) | Check::Blocks(_) | Check::Own(_) => None,
        }
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
            Check::Field(_) | Check::Snapshot(_) | Check::Own(_) => None,
        }
    }

    pub(crate) async fn run(&self, context: &Context) -> Findings {
        if let Some(check) = self.block_check() {
            return over_sample(context, check).await;
        }
        match self.check {
            Check::Field(field) => check_field(context, field).await,
            Check::Blocks(check) => over_sample(context, check).await,
            Check::Snapshot(sample) => check_snapshot(context, sample).await,
            Check::Own(check) => check(context).await,
        }
    }
}
