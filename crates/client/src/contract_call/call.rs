//! A contract call from start to end.

use nodeproof_primitives::{ContractAddress, Network, Signer, TransactionCode};

use super::{
    checked::CheckedTransaction, fee::Fee, function::ContractFunction, networks::check_networks,
    submission::SubmitPolicy, timely::Clock,
};
use crate::{Client, ContractCall, Error, SignedTransaction, SubmitError, SubmitResponse};

/// Options for building and submitting a contract call.
///
/// ```
/// use nodeproof_client::{CallOptions, SubmitPolicy, contract_call::Clock};
///
/// let options = CallOptions { submit: SubmitPolicy::once(), ..CallOptions::default() };
/// assert_eq!(options.clock, Clock::Local);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOptions {
    /// How often the same transaction is submitted, and when.
    pub submit: SubmitPolicy,
    /// The clock for checking the transaction's time. The local one.
    pub clock: Clock,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            submit: SubmitPolicy::default(),
            clock: Clock::Local,
        }
    }
}

/// A contract call that the node accepted. It takes effect once it is
/// [in a block](Client::wait_for_inclusion).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AcceptedCall {
    /// The transaction, as it was signed and submitted.
    pub transaction: SignedTransaction,
    /// The node's response.
    pub response: SubmitResponse,
    /// The number of times the transaction was sent.
    pub sent: u32,
    trans_code: TransactionCode,
}

impl AcceptedCall {
    /// Returns the transaction's identifier.
    #[must_use]
    pub fn trans_code(&self) -> TransactionCode {
        self.trans_code
    }
}

impl Client {
    /// Calls a function of a contract.
    ///
    /// Requests the transaction from the node, checks that it is exactly this call at this fee, has
    /// all `signers` sign it, submits it, and checks that the node accepted it.
    ///
    /// Use [`call_with`](Self::call_with) for options and for calls without a type. The steps are
    /// [`build_checked_call`](Self::build_checked_call), [`CheckedTransaction::sign`] and
    /// [`submit_with_retries`](Self::submit_with_retries).
    ///
    /// The transaction is not saved. If the program ends while it submits the transaction, there is
    /// no way to find out whether it was sent. `nodeproof-claims` saves it first.
    ///
    /// A wallet that is bound to one network does not sign for a node on the port of another.
    ///
    /// # Errors
    /// If anything fails. [`SubmitError::maybe_accepted`] returns whether the node may have accepted the
    /// transaction. Then save [`SubmitError::transaction`].
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::{InclusionOptions, Transfer, contract_call::Fee};
    ///
    /// let tokens = "ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?;
    /// let receiver = "0xb21854c8df7c314b3778036b532c5438abfeff03".parse()?;
    /// let fee = Fee::new(1_500_000.into(), "TKN")?;
    /// let transfer = Transfer::new(1_250_000, receiver, "TKN");
    /// let accepted = node.call(tokens, &transfer, &fee, &[wallet]).await?;
    /// let options = InclusionOptions::default();
    /// let included = node.wait_for_inclusion(accepted.trans_code(), &options).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn call(
        &self,
        contract: ContractAddress,
        function: &impl ContractFunction,
        fee: &Fee,
        signers: &[&dyn Signer],
    ) -> Result<AcceptedCall, SubmitError> {
        let call = ContractCall::of(contract, function)?
            .signers(signers.iter().map(|signer| signer.wallet_address()));
        self.call_with(&call, fee, signers, &CallOptions::default())
            .await
    }

    /// Makes any contract call, with options. Works like [`call`](Self::call).
    ///
    /// # Errors
    /// As for [`call`](Self::call). Each of the call's signers has to be among `signers`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::{CallOptions, ContractCall, SubmitPolicy, contract_call::Fee};
    /// use serde_json::json;
    ///
    /// let call = ContractCall::new("ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?, "vote")
    ///     .signers([wallet.wallet_address()])
    ///     .params(&json!({"proposal": 7, "approve": true}))?;
    /// let fee = Fee::new(1_500_000.into(), "TKN")?;
    /// let options = CallOptions { submit: SubmitPolicy::once(), ..CallOptions::default() };
    /// let accepted = node.call_with(&call, &fee, &[wallet], &options).await?;
    /// println!("{}", accepted.trans_code());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn call_with(
        &self,
        call: &ContractCall,
        fee: &Fee,
        signers: &[&dyn Signer],
        options: &CallOptions,
    ) -> Result<AcceptedCall, SubmitError> {
        CheckedTransaction::check_call(call)?;
        check_networks(signers, Network::from_port(self.base_url().port()))?;
        let checked = self
            .build_checked_call(call, fee, options.clock)
            .await
            .map_err(SubmitError::build)?;
        let trans_code = checked.trans_code();
        let transaction = checked.sign(signers).await?;
        let submitted = self
            .submit_with_retries(&transaction, &options.submit)
            .await
            .map_err(|error| error.of_transaction(trans_code, transaction.clone()))?;
        Ok(AcceptedCall {
            transaction,
            response: submitted.response,
            sent: submitted.sent,
            trans_code,
        })
    }

    /// Requests the transaction of a call, and checks that it is exactly the requested call, at the
    /// fee, with a time that the clock confirms. The result can be signed.
    ///
    /// # Errors
    /// If the request fails, or the node built another transaction ([`Error::mismatch`]).
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     call: nodeproof_client::ContractCall,
    /// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::contract_call::{Clock, Fee};
    ///
    /// let fee = Fee::new(1_500_000.into(), "DEVN")?;
    /// let checked = node.build_checked_call(&call, &fee, Clock::Local).await?;
    /// println!("{checked}");
    /// let signed = checked.sign(&[wallet]).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn build_checked_call(
        &self,
        call: &ContractCall,
        fee: &Fee,
        clock: Clock,
    ) -> Result<CheckedTransaction, Error> {
        let raw = self.build_call(call).await?;
        let checked = CheckedTransaction::check(call, &raw, fee)?;
        self.check_timely(&checked, clock).await?;
        Ok(checked)
    }
}
