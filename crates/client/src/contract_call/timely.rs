//! The check of a built transaction's time.

use nodeproof_primitives::TimestampMs;

use super::{
    built_call::{BuiltCallMismatch, MAX_DISTANCE, distance},
    checked::CheckedTransaction,
};
use crate::Client;

/// The clock for checking a transaction's time.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     call: nodeproof_client::ContractCall,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_client::contract_call::{Clock, Fee};
///
/// let fee = Fee::new(1_500_000.into(), "DEVN")?;
/// let checked = node.build_call(&call, &fee, Clock::LocalOrNode).await?;
/// if let Err(error) = checked.check_local_time() {
///     println!("the network has another time: {error}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The local clock.
    Local,
    /// The local clock or, if that differs, the time of the node's latest block. The node then
    /// confirms its own time. Only test networks need this, where time does not pass as on clocks.
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
            latest: None,
        })
    }
}

impl Client {
    /// Checks that the time of a transaction that this node has just built is within a day of the
    /// clock.
    ///
    /// The node sets the time. It is the one number in the transaction that the caller did not
    /// choose. This check rejects timestamps in seconds or in the wrong century before signing. The
    /// latest block is requested only with [`Clock::LocalOrNode`], if the local clock is far away.
    ///
    /// Source: FORM-1 of the specification.
    ///
    /// # Errors
    /// [`BuiltCallMismatch::Untimely`] if the time is more than a day away.
    pub(super) async fn check_timely(
        &self,
        transaction: &CheckedTransaction,
        clock: Clock,
    ) -> Result<(), BuiltCallMismatch> {
        let local = transaction.check_local_time();
        if local.is_ok() || clock == Clock::Local {
            return local;
        }
        let (built, here) = (transaction.timestamp(), TimestampMs::now());
        let latest = self.latest_block_time().await;
        if latest.is_some_and(|latest| distance(built, latest) <= MAX_DISTANCE) {
            return Ok(());
        }
        Err(BuiltCallMismatch::Untimely {
            built,
            here,
            latest,
        })
    }

    /// Returns the time of the latest block, if it can be found.
    async fn latest_block_time(&self) -> Option<TimestampMs> {
        Some(self.latest_block().await.ok()??.timestamp)
    }
}
