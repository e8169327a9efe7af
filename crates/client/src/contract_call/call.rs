//! A contract call from start to end.

use futures_util::future::BoxFuture;
use nodeproof_primitives::{Network, Signer, TransactionCode};

use super::{
    checked::CheckedTransaction, fee::Fee, networks::check_networks, submission::SubmitPolicy,
    timely::Clock,
};
use crate::{Client, ContractCall, Error, SignedTransaction, SubmitError, SubmitResponse};

/// Options for building and submitting a contract call.
///
/// ```
/// use nodeproof_client::{CallOptions, SubmitPolicy, Clock};
///
/// let options = CallOptions { submit: SubmitPolicy::ONCE, ..CallOptions::default() };
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
    /// Makes a contract call: requests the transaction from the node, checks that it is exactly this call at
    /// this fee, has all `signers` sign it, submits it, and checks that the node accepted it.
    ///
    /// If the call names no signers, they are those of `signers`. The steps are
    /// [`build_call`](Self::build_call), [`CheckedTransaction::sign`] and
    /// [`submit`](Self::submit).
    ///
    /// The transaction is not saved. If the program ends while it submits the transaction, there is
    /// no way to find out whether it was sent. `nodeproof-claims` saves it first.
    ///
    /// A wallet that is bound to one network does not sign for a node on the port of another. The future
    /// keeps the signers, but not the list of them: `tokio::join!` takes several calls with `&[&wallet]`.
    ///
    /// # Errors
    /// If anything fails. [`SubmitError::maybe_sent`] returns whether the node may have accepted the
    /// transaction. Then save [`SubmitError::transaction`].
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     wallet: &dyn nodeproof_client::Signer,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::{CallOptions, ContractCall, Fee, InclusionOptions, Transfer};
    ///
    /// let tokens = "ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?;
    /// let receiver = "0xb21854c8df7c314b3778036b532c5438abfeff03".parse()?;
    /// let fee = Fee::new(1_500_000.into(), "TKN")?;
    /// let transfer = ContractCall::of(tokens, &Transfer::new(1_250_000, receiver, "TKN"))?;
    /// let accepted = node.call(&transfer, &fee, &[wallet], &CallOptions::default()).await?;
    /// let options = InclusionOptions::default();
    /// let included = node.wait_for_inclusion(accepted.trans_code(), &options).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn call<'a>(
        &self,
        call: &ContractCall,
        fee: &Fee,
        signers: &[&'a dyn Signer],
        options: &CallOptions,
    ) -> BoxFuture<'a, Result<AcceptedCall, SubmitError>> {
        let (client, fee, options) = (self.clone(), fee.clone(), options.clone());
        let (signers, mut call) = (signers.to_vec(), call.clone());
        if call.signers.is_empty() {
            call = call.signers(signers.iter().map(|signer| signer.wallet_address()));
        }
        Box::pin(async move {
            CheckedTransaction::check_call(&call)?;
            check_networks(&signers, Network::from_port(client.base_url().port()))?;
            let checked = client
                .build_call(&call, &fee, options.clock)
                .await
                .map_err(SubmitError::build)?;
            let trans_code = checked.trans_code();
            let transaction = checked.sign(&signers).await?;
            let submitted = client
                .submit(&transaction, &options.submit)
                .await
                .map_err(|error| error.of_transaction(trans_code, transaction.clone()))?;
            Ok(AcceptedCall {
                transaction,
                response: submitted.response,
                sent: submitted.sent,
                trans_code,
            })
        })
    }

    #[doc(alias = "call-sc")]
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
    /// #     wallet: &dyn nodeproof_client::Signer,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::contract_call::{Clock, Fee};
    ///
    /// let fee = Fee::new(1_500_000.into(), "DEVN")?;
    /// let checked = node.build_call(&call, &fee, Clock::Local).await?;
    /// println!("{checked}");
    /// let signed = checked.sign(&[wallet]).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn build_call(
        &self,
        call: &ContractCall,
        fee: &Fee,
        clock: Clock,
    ) -> Result<CheckedTransaction, Error> {
        let raw = self.request_call(call).await?;
        let checked = CheckedTransaction::check(call, &raw, fee)?;
        self.check_timely(&checked, clock).await?;
        Ok(checked)
    }
}
