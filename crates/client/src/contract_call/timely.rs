//! The check of a built transaction's time.

use nodeproof_primitives::TimestampMs;

use super::{
    built_call::{BuiltCallMismatch, MAX_DISTANCE, distance},
    checked::CheckedTransaction,
};
use crate::Client;

/// The clock by which a transaction's time is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The local clock.
    Local,
    /// The local clock, or else the time of the node's latest block. The node vouches for itself
    /// then. Only test networks need this, whose time does not pass like that of clocks.
    LocalOrNode,
}

impl CheckedTransaction {
    /// Checks that the transaction's time is within a day of the local clock.
    ///
    /// # Errors
    /// [`BuiltCallMismatch::Untimely`] if it is not.
    pub fn check_local_time(&self) -> Result<(), BuiltCallMismatch> {
        let (built, here) = (self.timestamp(), TimestampMs::now());
        if distance(built, here) <= MAX_DISTANCE {
            return Ok(());
        }
        Err(BuiltCallMismatch::Untimely {
            built,
            here,
            newest: None,
        })
    }
}

impl Client {
    /// Checks that a transaction that this node has just built bears the time at which it was
    /// built: it is within a day of the clock.
    ///
    /// The node sets the time, so it is the one number in the transaction that the caller did not
    /// choose. This rejects timestamps in seconds or in the wrong century before signing. The latest
    /// block is requested only with [`Clock::LocalOrNode`], and if the local clock is far away.
    ///
    /// Source: the contract, "All timestamps are integers in milliseconds since the Unix epoch".
    ///
    /// # Errors
    /// [`BuiltCallMismatch::Untimely`] if the time is more than a day away.
    pub async fn check_timely(
        &self,
        transaction: &CheckedTransaction,
        clock: Clock,
    ) -> Result<(), BuiltCallMismatch> {
        let local = transaction.check_local_time();
        if local.is_ok() || clock == Clock::Local {
            return local;
        }
        let (built, here) = (transaction.timestamp(), TimestampMs::now());
        let newest = self.latest_block_time().await;
        if newest.is_some_and(|newest| distance(built, newest) <= MAX_DISTANCE) {
            return Ok(());
        }
        Err(BuiltCallMismatch::Untimely {
            built,
            here,
            newest,
        })
    }

    /// The time of the latest block, if it can be found.
    async fn latest_block_time(&self) -> Option<TimestampMs> {
        let newest = self.newest_block().await.ok()??;
        self.block(newest).await.ok()??.timestamp().ok()
    }
}
