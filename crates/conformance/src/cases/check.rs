//! The check of a case, which is one of a few kinds.

use std::{future::Future, pin::Pin, sync::Arc};

use nodeproof_openapi::Spec;

use crate::{
    api::{BlockResponse, Sample},
    checks::{
        BlockCheck, CheckResult, CheckScope, Decoding, Evidence, Field, Findings, InOrder, Links,
        Memory, NEVER_SEEN, ObjectCheck, PinKind, check_field, check_objects, check_pinned,
        check_snapshot, decodes, over_sample, snapshot_path,
    },
    context::Context,
    http::{Exchange, Request},
};

type CheckFuture<'c> = Pin<Box<dyn Future<Output = Findings> + Send + 'c>>;
pub(super) type OwnCheck = for<'c> fn(&'c Context) -> CheckFuture<'c>;

/// The check of a case.
///
/// A check of samples is a function from responses to findings. It gets no [`Context`], so it cannot
/// send a request. [`run`](Self::run) waits for the samples, which all cases share. Only `Pinned` and
/// `Own` may send requests for their case alone: probes, repeated requests, calls and submissions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    Field(&'static Field),
    Blocks(BlockCheck),
    Snapshot(Sample),
    /// The client decodes the responses.
    Decode(Sample, Decoding),
    /// Checks each JSON object of these samples. The text is the reason why the case is inconclusive
    /// if nothing was examined.
    Objects(&'static [Sample], ObjectCheck, &'static str),
    /// Checks all responses of a sample together.
    Responses(Sample, fn(&Spec, &[Arc<Exchange>]) -> Findings),
    /// Compares the response to a request with the baseline.
    Pinned(PinKind, fn(&Context) -> Option<Request>),
    Own(OwnCheck),
}

impl Check {
    /// Checks each block on its own.
    pub(super) const fn alone(
        check: fn(&BlockResponse, &mut CheckResult),
        otherwise: &'static str,
    ) -> Self {
        Self::Blocks(BlockCheck {
            scope: CheckScope::Alone(check),
            least: 1,
            otherwise,
        })
    }

    /// Checks each block and those before it. Nothing is open after the last block.
    pub(super) const fn in_order(
        follow: fn(&Links, &mut Memory, &Evidence, &mut CheckResult),
        least: u64,
        otherwise: &'static str,
    ) -> Self {
        let end = |_: &mut Memory, _: &mut CheckResult| {};
        Self::Blocks(BlockCheck {
            scope: CheckScope::InOrder(InOrder { follow, end }),
            least,
            otherwise,
        })
    }

    pub(super) fn snapshot_path(self) -> Option<String> {
        match self {
            Check::Snapshot(sample) => Some(snapshot_path(sample)),
            _ => None,
        }
    }

    pub(super) const fn block_check(self) -> Option<BlockCheck> {
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
            Check::Decode(sample, decoding) => {
                decodes(spec, sample, &context.sample(sample).await?, decoding)
            }
            Check::Objects(samples, check, otherwise) => {
                check_objects(context, samples, check, otherwise).await
            }
            Check::Responses(sample, check) => check(spec, &context.sample(sample).await?),
            Check::Pinned(pin, request) => check_pinned(context, id, pin, request).await,
            Check::Own(check) => check(context).await,
        }
    }
}
