//! The check of a case, which is one of a few kinds.

use std::{future::Future, pin::Pin, sync::Arc};

use nodeproof_openapi::Spec;

use super::refusing::refuses;
use crate::{
    api::{BlockResponse, Sample},
    checks::{
        BlockCheck, CheckScope, Evidence, Examination, Field, Findings, Links, Memory, NEVER_SEEN,
        ObjectCheck, PinKind, WrongRequests, check_field, check_objects, check_pinned,
        check_snapshot, over_sample, refused, snapshot_path,
    },
    context::{Context, Samples},
    history::History,
    http::{self, Exchange, Request},
    rules::{Effect, agree, effect, is_unsettled, near, same, undecided_balances},
    script::{Script, confirm_balances, observe_settled_balances, repeat_older_blocks},
};

type CheckFuture<'c> = Pin<Box<dyn Future<Output = Findings> + Send + 'c>>;
type OwnCheck = for<'c> fn(&'c Context) -> CheckFuture<'c>;
type ReadingCheck = for<'c> fn(&'c Samples) -> CheckFuture<'c>;

/// The check of a case.
///
/// Most checks are functions from responses to findings, and send nothing: [`run`](Self::run) gets the
/// responses. A check whose requests depend on earlier responses is a `Read`. It gets only the [`Samples`],
/// so it cannot submit. Only `Own`, `AtEnd` and `Rule` have the [`Context`], for submissions and probes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    Field(&'static Field),
    Blocks(BlockCheck),
    Snapshot(Sample),
    /// Checks each JSON object of these samples. The text is the reason why the case is inconclusive
    /// if nothing was examined.
    Objects(&'static [Sample], ObjectCheck, &'static str),
    /// Checks all responses of a sample together.
    Responses(Sample, fn(&Spec, &[Arc<Exchange>]) -> Findings),
    /// Compares all responses of the run to the same request, by the rule *same*.
    Same(Sample),
    /// Compares all requests to the endpoint of a sample, by the rule *near*.
    Near(Sample),
    /// Judges all contract calls of the run by a rule.
    Calls(fn(&History) -> Examination),
    /// Judges all exchanges of the run by a rule. If it is about submissions, those that a node must refuse
    /// are made first.
    WholeRun(fn(&History) -> Examination, bool),
    /// Judges the balances of the run by the rule *effect*, once everything was submitted.
    Effects(Effect),
    /// Judges the balances of the run by the rule *agree*, once everything was submitted.
    Agree,
    /// Compares the response to a request with the baseline.
    Pinned(PinKind, fn(&Samples) -> Option<Request>),
    /// Requests that the node must refuse.
    Refused(fn(&Samples) -> WrongRequests),
    Read(ReadingCheck),
    /// Checks which requests got no response. No record shows that.
    Connection(ReadingCheck),
    /// Judges what the run has read. It sends only what other checks would have sent before.
    AtEnd(OwnCheck),
    Own(OwnCheck),
    /// Sends what a rule needs, unless the exchanges are recorded, and judges by it.
    Rule(OwnCheck),
    /// The wrong submissions of the case, which are the rows of a table with its ID.
    WrongSubmissions,
}

impl Check {
    /// Checks each block on its own.
    pub(super) const fn alone(
        check: fn(&BlockResponse, &mut Examination),
        otherwise: &'static str,
    ) -> Self {
        Self::Blocks(BlockCheck {
            scope: CheckScope::Alone(check),
            least: 1,
            otherwise,
        })
    }

    /// Checks each block and those before it.
    pub(super) const fn in_order(
        follow: fn(&Links, &mut Memory, &Evidence, &mut Examination),
        least: u64,
        otherwise: &'static str,
    ) -> Self {
        Self::Blocks(BlockCheck {
            scope: CheckScope::InOrder(follow),
            least,
            otherwise,
        })
    }

    pub(crate) fn snapshot_path(self) -> Option<String> {
        match self {
            Check::Snapshot(sample) => Some(snapshot_path(sample)),
            _ => None,
        }
    }

    pub(crate) const fn block_check(self) -> Option<BlockCheck> {
        match self {
            Check::Blocks(check) => Some(check),
            Check::Field(field) if matches!(field.sample, Sample::Blocks) => Some(BlockCheck {
                scope: CheckScope::Field(field),
                least: 1,
                otherwise: NEVER_SEEN,
            }),
            _ => None,
        }
    }

    /// Whether the check is of a sample that the run may have to make first: on a new chain, only its own claim has a
    /// record.
    pub(crate) fn is_of_records(self) -> bool {
        let is_it = |sample| matches!(sample, Sample::ContractState);
        match self {
            Check::Field(field) => is_it(field.sample),
            Check::Snapshot(sample) | Check::Responses(sample, _) => is_it(sample),
            Check::Objects(samples, ..) => samples.iter().copied().any(is_it),
            _ => false,
        }
    }

    /// The stage of the check: the form of a value, what it means, whole responses, the whole run, and the effects of what
    /// was submitted.
    pub(super) const fn stage(self) -> u8 {
        match self {
            Check::Field(_) => 0,
            Check::Snapshot(_) | Check::Pinned(..) => 2,
            Check::Effects(_) => 4,
            _ if self.is_about_whole_run() => 3,
            _ => 1,
        }
    }

    /// Whether the check is about all exchanges of the run.
    pub(super) const fn is_about_whole_run(self) -> bool {
        matches!(
            self,
            Check::WholeRun(..)
                | Check::Effects(_)
                | Check::Agree
                | Check::Calls(_)
                | Check::Near(_)
                | Check::Same(_)
        )
    }

    /// Whether the check can judge recorded responses. `are_own`: whether the requests were those of a run, which
    /// answer the check's own requests.
    pub(crate) const fn judges_records(self, are_own: bool) -> bool {
        match self {
            // The parameters of a call decide its shape.
            Check::Snapshot(Sample::CallSc) | Check::Near(_) => are_own,
            Check::Field(_)
            | Check::Blocks(_)
            | Check::Snapshot(_)
            | Check::Objects(..)
            | Check::Responses(..)
            | Check::Same(_)
            | Check::Calls(_)
            | Check::WholeRun(..)
            | Check::Effects(_)
            | Check::Agree
            | Check::Rule(_) => true,
            Check::Refused(_)
            | Check::Read(_)
            | Check::AtEnd(_)
            | Check::Own(_)
            | Check::WrongSubmissions => are_own,
            Check::Pinned(..) | Check::Connection(_) => false,
        }
    }

    /// Whether the check judges claims, whatever program made them.
    pub(crate) const fn judges_claims(self) -> bool {
        matches!(self, Check::Own(_))
    }

    /// Returns the sample whose requests are repeated for this check.
    pub(crate) const fn repeated_sample(self) -> Option<Sample> {
        match self {
            Check::Same(sample) => Some(sample),
            _ => None,
        }
    }

    /// Whether the check is about the balances of the run.
    pub(crate) const fn is_about_balances(self) -> bool {
        matches!(self, Check::Effects(_))
    }

    /// The turn of the check at the end of a run: first those that submit, then those that read, then those that only judge.
    pub(crate) const fn turn(self) -> u8 {
        match self {
            Check::Own(_) | Check::Rule(_) => 0,
            Check::Effects(_) | Check::Agree | Check::Read(_) => 1,
            _ => 2,
        }
    }

    /// Returns what is sent only for the rule of this check.
    pub(crate) const fn script(self) -> Option<Script> {
        match self {
            Check::Near(sample) => Some(Script::Similar(sample)),
            Check::Calls(_) => Some(Script::Calls),
            Check::Agree => Some(Script::Balances),
            _ => None,
        }
    }

    pub(super) async fn run(self, id: &str, context: &Context) -> Findings {
        if let Some(check) = self.block_check() {
            return over_sample(context, check).await;
        }
        let spec = &context.spec;
        match self {
            Check::Field(field) => check_field(spec, field, &context.sample(field.sample).await?),
            Check::Blocks(check) => over_sample(context, check).await,
            Check::Snapshot(sample) => {
                let responses = context.sample(sample).await?;
                check_snapshot(spec, &context.snapshots, sample, &responses)
            }
            Check::Objects(samples, check, otherwise) => {
                check_objects(context, samples, check, otherwise).await
            }
            Check::Responses(sample, check) => check(spec, &context.sample(sample).await?),
            Check::WholeRun(rule, is_about_submissions) => {
                if is_about_submissions && !context.is_recorded {
                    context.submissions.refusals().await?;
                }
                Ok(rule(&context.history()))
            }
            Check::Effects(of) => {
                let mut result = Examination::default();
                result.add(settled_balances(context, of).await);
                result.extend(effect(&context.history(), of));
                Ok(result)
            }
            Check::Agree => {
                let mut result = Examination::default();
                if !context.is_recorded {
                    let submissions = &context.submissions;
                    if submissions.have_claims() {
                        result.add(settled_balances(context, Effect::Fee).await);
                    }
                    result.received(confirm_balances(context, undecided_balances).await);
                }
                result.extend(agree(&context.history()));
                Ok(with_unsent(context, result))
            }
            Check::Calls(rule) => Ok(with_unsent(context, rule(&context.history()))),
            Check::Near(sample) => Ok(with_unsent(context, near(&context.history(), spec, sample))),
            Check::Same(sample) => {
                if sample == Sample::Blocks && !context.is_recorded {
                    repeat_older_blocks(context).await;
                }
                let history = context.history();
                for entry in history.repeated(sample.path()) {
                    http::record(&entry.exchange);
                }
                Ok(with_unsent(context, same(&history, spec, sample)))
            }
            Check::Pinned(pin, request) => check_pinned(context, id, pin, request).await,
            Check::Refused(wrong) => refused(context, wrong(context)?).await,
            Check::Read(check) | Check::Connection(check) => check(context).await,
            Check::Own(check) | Check::AtEnd(check) | Check::Rule(check) => check(context).await,
            Check::WrongSubmissions => refuses(context, id).await,
        }
    }
}

/// Makes the submissions whose effects are judged, and reads the balances once they are in blocks.
async fn settled_balances(context: &Context, of: Effect) -> Findings {
    if !context.is_recorded {
        let submissions = &context.submissions;
        if matches!(of, Effect::Refusal | Effect::Created) {
            submissions.refusals().await?;
        } else {
            submissions.claims().await?;
        }
        let observed = submissions
            .observed
            .get_or_init(|| observe_settled_balances(&submissions.submitter, is_unsettled));
        observed.await.clone()?;
    }
    Ok(Examination::default())
}

/// Adds why requests that a rule needs were not sent.
pub(super) fn with_unsent(context: &Samples, mut result: Examination) -> Examination {
    if let Some(reason) = context.unsent.get() {
        result.add(Err(reason.clone()));
    }
    result
}
