//! A case: one value with all its facts, and its check.

use nodeproof_report::{Aspect, Level, Outcome};

use super::{cause::Cause, check::Check, request_kind::RequestKind};
use crate::{
    api::Tier,
    checks::{Field, Findings},
    context::Context,
    http::InconclusiveReason,
};

/// A good response, for `explain`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Example {
    /// None: the case is about several responses, or the specification leaves their form open.
    None,
    /// The first documented example of the operation with this path.
    Of(&'static str),
    /// The documented example with this name.
    Named(&'static str, &'static str),
    /// This text.
    Text(&'static str),
}

impl Example {
    /// A refusal of a request.
    pub(super) const REFUSED: Self =
        Self::Text("A status that is not 2xx, such as 400, with\n{\"detail\": \"the reason\"}");
}

/// One case.
///
/// Each operation has a base value with the facts that most of its cases share. A case states what
/// is its own, and takes the rest from the base. So all facts are fields of one type, and none is in a second table.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `<operation>/<behaviour>`, lower-case with hyphens.
    pub id: &'static str,
    /// How binding the case is. MUST: a documented requirement, with an `exception` also an observed one.
    /// SHOULD: expected, but not documented. OBSERVED: seen on real nodes.
    pub level: Level,
    /// The IDs of the requirements that the case tests.
    pub requirements: &'static [&'static str],
    /// The tier that a run has to allow.
    pub tier: Tier,
    /// What is checked, in a sentence or two.
    pub checks: &'static str,
    /// Why it matters to those who use the node.
    pub(crate) matters: &'static str,
    /// A good response.
    pub(crate) example: Example,
    /// Why a MUST case cites a requirement that is only observed.
    pub(crate) exception: Option<&'static str>,
    /// The subject of the case.
    pub(crate) aspect: Aspect,
    /// The kinds of requests that the case sends, without those of the search for samples.
    pub(crate) sends: &'static [RequestKind],
    /// The cases whose failure leaves it without anything to examine.
    pub(crate) needs: &'static [Cause],
    /// Other cases that explain its result, although they are not about the same response.
    pub(crate) explained_by: &'static [Cause],
    /// Whether a run without a sample for this case has no verdict. Without it, little is tested.
    pub(crate) is_essential: bool,
    /// What the headline of a report shows if no item is right. Such a node may follow another rule, so that is a
    /// warning: a mismatch shows something only beside an item that is right. Empty if the case is decided item by
    /// item.
    pub(crate) if_none_fits: &'static str,
    /// Whether it runs after all others, although its check is not about the whole run.
    pub(crate) is_last: bool,
    /// Whether it also examines what a sweep found, and so runs after the sweep.
    pub(crate) follows_sweep: bool,
    pub(crate) check: Check,
}

impl Case {
    /// A MUST case of the read tier without an ID, texts and a check of its own.
    pub(super) const BASE: Self = Self {
        id: "",
        level: Level::Must,
        requirements: &[],
        tier: Tier::Read,
        checks: "",
        matters: "",
        example: Example::None,
        exception: None,
        aspect: Aspect::Content,
        sends: &[],
        needs: &[],
        explained_by: &[],
        is_essential: false,
        if_none_fits: "",
        is_last: false,
        follows_sweep: false,
        check: Check::Own(|_| {
            Box::pin(async {
                Err(InconclusiveReason::Harness(
                    "the case has no check".to_owned(),
                ))
            })
        }),
    };

    /// Returns the case about a documented field, with this base.
    pub(super) fn about_field(self, field: &'static Field) -> Self {
        Self {
            id: &field.id,
            requirements: &field.requirements,
            checks: &field.checks,
            aspect: Aspect::Shape,
            check: Check::Field(field),
            ..self
        }
    }

    /// Returns the documented field that the case is about, if it is about one.
    pub(crate) const fn field(&self) -> Option<&'static Field> {
        match self.check {
            Check::Field(field) => Some(field),
            _ => None,
        }
    }

    /// Whether the case runs after all others.
    pub(crate) const fn runs_last(&self) -> bool {
        let is_of_connections = matches!(self.check, Check::Connection(_));
        self.is_last || is_of_connections || self.check.is_about_whole_run()
    }

    /// The stage of the case in the order of causes.
    pub(crate) const fn stage(&self) -> u8 {
        match (self.check.stage(), self.aspect) {
            (1, Aspect::Shape) => 0,
            (stage, _) => stage,
        }
    }

    /// Whether the case compares a response with a baseline.
    pub(crate) fn is_of_baseline(&self) -> bool {
        self.operation() == "baseline"
    }

    pub(crate) async fn run(&self, context: &Context) -> Findings {
        self.check.run(self.id, context).await?.end()
    }

    /// Returns the outcome of this many examined items with this many mismatches.
    pub(crate) const fn outcome(&self, examined: u64, mismatches: u64) -> Outcome {
        match self.level {
            _ if mismatches == 0 => Outcome::Pass,
            Level::Must if !self.if_none_fits.is_empty() && mismatches >= examined => Outcome::Warn,
            Level::Must => Outcome::Fail,
            Level::Should => Outcome::Warn,
            Level::Observed => Outcome::Info,
        }
    }

    /// The operation that the case is about.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        self.id.split('/').next().unwrap_or(self.id)
    }
}
