//! The check of a case, which is one of a few kinds.

use std::{future::Future, pin::Pin};

use crate::{
    api::Sample,
    checks::{
        BlockCheck, CheckScope, Field, Findings, NEVER_SEEN, PinKind, check_field, check_pinned,
        check_snapshot, over_sample, snapshot_path,
    },
    context::Context,
    http::Request,
};

type CheckFuture<'c> = Pin<Box<dyn Future<Output = Findings> + Send + 'c>>;
pub(super) type OwnCheck = for<'c> fn(&'c Context) -> CheckFuture<'c>;

/// The check of a case.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    Field(&'static Field),
    Blocks(BlockCheck),
    Snapshot(Sample),
    /// Compares the response to a request with the baseline.
    Pinned(PinKind, fn(&Context) -> Option<Request>),
    Own(OwnCheck),
}

impl Check {
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
        match self {
            Check::Field(field) => check_field(context, field).await,
            Check::Blocks(check) => over_sample(context, check).await,
            Check::Snapshot(sample) => check_snapshot(context, sample).await,
            Check::Pinned(pin, request) => check_pinned(context, id, pin, request).await,
            Check::Own(check) => check(context).await,
        }
    }
}
