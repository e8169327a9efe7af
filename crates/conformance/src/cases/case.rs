//! A case: its metadata and its check.

use nodeproof_report::Level;

use super::check::{Check, OwnCheck};
use crate::{
    api::{Sample, Tier},
    checks::{BlockCheck, Field, Findings},
    context::Context,
};

/// One case.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `<operation>/<behaviour>`, lower-case with hyphens.
    pub id: &'static str,
    /// How binding the case is. MUST: a documented requirement. SHOULD: expected, but not
    /// documented. OBSERVED: seen on real nodes.
    pub level: Level,
    /// The IDs of the requirements that the case tests, the most important first.
    pub requirements: &'static [&'static str],
    /// The tier that a run has to allow.
    pub tier: Tier,
    /// Whether a run without a sample for this case has no verdict. Without it, little is tested.
    pub(crate) is_essential: bool,
    check: Check,
}

impl Case {
    const fn new(
        id: &'static str,
        level: Level,
        requirements: &'static [&'static str],
        check: Check,
    ) -> Self {
        Self {
            id,
            level,
            requirements,
            tier: Tier::Read,
            is_essential: false,
            check,
        }
    }

    pub(crate) const fn must(
        id: &'static str,
        requirements: &'static [&'static str],
        check: OwnCheck,
    ) -> Self {
        Self::new(id, Level::Must, requirements, Check::Own(check))
    }

    pub(crate) const fn should(
        id: &'static str,
        requirements: &'static [&'static str],
        check: OwnCheck,
    ) -> Self {
        Self::new(id, Level::Should, requirements, Check::Own(check))
    }

    pub(crate) const fn observed(
        id: &'static str,
        requirements: &'static [&'static str],
        check: OwnCheck,
    ) -> Self {
        Self::new(id, Level::Observed, requirements, Check::Own(check))
    }

    /// Creates a case about blocks. A sweep runs it, too.
    pub(crate) const fn of_blocks(
        id: &'static str,
        level: Level,
        requirements: &'static [&'static str],
        check: BlockCheck,
    ) -> Self {
        Self::new(id, level, requirements, Check::Blocks(check))
    }

    /// Creates a case about the normalised shape of a sample's responses.
    pub(crate) const fn of_snapshot(
        id: &'static str,
        level: Level,
        requirements: &'static [&'static str],
        sample: Sample,
    ) -> Self {
        Self::new(id, level, requirements, Check::Snapshot(sample))
    }

    /// Creates a case about one documented field.
    pub(crate) fn of_field(field: &'static Field) -> Self {
        let check = Check::Field(field);
        Self::new(field.id, Level::Must, field.requirements, check).of(field.tier())
    }

    /// Moves the case to another tier.
    pub(crate) const fn of(mut self, tier: Tier) -> Self {
        self.tier = tier;
        self
    }

    /// Makes the case essential for a verdict.
    pub(crate) const fn essential(mut self) -> Self {
        self.is_essential = true;
        self
    }

    /// Returns the path of the case's snapshot, for reports, if it has one.
    pub(crate) fn snapshot_path(&self) -> Option<String> {
        self.check.snapshot_path()
    }

    /// Returns the check of each block, if the case is about blocks.
    pub(crate) const fn block_check(&self) -> Option<BlockCheck> {
        self.check.block_check()
    }

    pub(crate) async fn run(&self, context: &Context) -> Findings {
        self.check.run(context).await
    }

    /// The operation that the case is about.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        self.id.split('/').next().unwrap_or(self.id)
    }
}
