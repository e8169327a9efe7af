//! Building a call and checking what the node built.

use super::{built_call::BuiltCallMismatch, checked::CheckedTransaction, fee::Fee, timely::Clock};
use crate::{Client, ContractCall, Error};

/// The node did not build the requested call. Nothing was signed.
#[derive(Debug, thiserror::Error)]
pub enum BuildCallError {
    /// The request failed. Retry if `Error::is_retryable` is true. Otherwise correct the call, or
    /// use another node.
    #[error(transparent)]
    Client(#[from] Error),
    /// The node built something other than the requested call. Use another node, or correct the
    /// call if the mismatch is in it.
    #[error(transparent)]
    Mismatch(#[from] BuiltCallMismatch),
}

impl Client {
    /// Requests the transaction of a call, checks that it is exactly this call, sets the fee, and
    /// checks the transaction's time by the local clock.
    ///
    /// # Errors
    /// [`BuildCallError::Client`] if the request fails. [`BuildCallError::Mismatch`] if the built
    /// transaction is not the call, or its time is [not close to the clock](Self::check_timely).
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     call: nodeproof_client::ContractCall,
    /// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::contract_call::{Fee, SubmitPolicy};
    ///
    /// let fee = Fee::new(1_500_000.into(), "TKN")?;
    /// let checked = node.build_checked_call(&call, &fee).await?;
    /// println!("{checked}");
    /// let signed = checked.sign(&[wallet]).await?;
    /// node.submit_with_retries(&signed, &SubmitPolicy::default()).await?.accepted()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn build_checked_call(
        &self,
        call: &ContractCall,
        fee: &Fee,
    ) -> Result<CheckedTransaction, BuildCallError> {
        self.build_checked_call_by(call, fee, Clock::Local).await
    }

    /// Works like [`build_checked_call`](Self::build_checked_call), with another clock.
    ///
    /// # Errors
    /// As for [`build_checked_call`](Self::build_checked_call).
    pub async fn build_checked_call_by(
        &self,
        call: &ContractCall,
        fee: &Fee,
        clock: Clock,
    ) -> Result<CheckedTransaction, BuildCallError> {
        let raw = self.build_call(call).await?;
        let checked = CheckedTransaction::check(call, &raw, fee)?;
        self.check_timely(&checked, clock).await?;
        Ok(checked)
    }
}
