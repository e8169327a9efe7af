//! A contract call from start to end.

use nodeproof_primitives::{ContractAddress, Signer, TransactionCode};

use super::{
    build::BuildCallError,
    checked::{CheckedTransaction, SignError},
    fee::Fee,
    function::ContractFunction,
    submission::{SubmitError, SubmitPolicy},
    timely::Clock,
};
use crate::{
    Client, ContractCall, Error, ErrorKind, NotAccepted, SignedTransaction, SubmitResponse,
};

/// Options for building and submitting a contract call.
///
/// ```
/// use nodeproof_client::contract_call::{CallOptions, Clock, SubmitPolicy};
///
/// let options = CallOptions::default()
///     .submit(SubmitPolicy::once())
///     .clock(Clock::LocalOrNode);
/// assert_eq!(options.clock, Clock::LocalOrNode);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl CallOptions {
    /// Sets how often the same transaction is submitted, and when.
    #[must_use]
    pub fn submit(mut self, policy: SubmitPolicy) -> Self {
        self.submit = policy;
        self
    }

    /// Sets the clock for checking the transaction's time.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }
}

/// A contract call that the node accepted. It takes effect once it is
/// [in a block](Client::wait_for_inclusion).
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// A contract call failed, or its outcome is unknown.
///
/// [`maybe_sent`](Self::maybe_sent) distinguishes the two.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     call: nodeproof_client::ContractCall,
/// #     fee: nodeproof_client::contract_call::Fee,
/// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_client::contract_call::{CallError, CallOptions};
///
/// match node.call_with(&call, &fee, &[wallet], &CallOptions::default()).await {
///     Ok(accepted) => println!("accepted: {}", accepted.trans_code()),
///     Err(CallError::NoClearResponse { source, transaction, .. }) if source.maybe_sent() => {
///         std::fs::write("transaction.json", transaction.text().as_str())?;
///     }
///     Err(error) if error.maybe_sent() => println!("an earlier submission may count: {error}"),
///     Err(error) => println!("not accepted: {error}"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The node did not build the call. Nothing was signed. Correct the call, or use another node.
    #[error(transparent)]
    Build(#[from] BuildCallError),
    /// A signer did not sign. Nothing was sent. Unlock the wallet or the device, or pass the missing
    /// signer.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// The node refuses the transaction. Read the messages, and correct the call. Anyone who has the
    /// transaction can still submit it.
    #[error("transaction {trans_code}: {source}")]
    Refused {
        /// The refusal, with the node's messages.
        source: NotAccepted,
        /// The transaction's identifier.
        trans_code: TransactionCode,
    },
    /// No response shows whether the node accepted the transaction. If it may have, submit the
    /// *same* transaction again, or search the next blocks for it. A new call would be another
    /// transaction, with another fee.
    #[error("transaction {trans_code}: {source}")]
    NoClearResponse {
        /// The error of the submissions.
        source: SubmitError,
        /// The transaction's identifier.
        trans_code: TransactionCode,
        /// The transaction.
        transaction: Box<SignedTransaction>,
    },
}

impl CallError {
    /// Returns whether the node may have accepted the transaction.
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        match self {
            Self::Refused { source, .. } => source.maybe_accepted(),
            Self::NoClearResponse { source, .. } => source.maybe_sent(),
            Self::Build(_) | Self::Sign(_) => false,
        }
    }
}

/// Keeps [`maybe_sent`](Error::maybe_sent) and the [transaction's identifier](Error::trans_code), but
/// not the transaction of [`NoClearResponse`](CallError::NoClearResponse).
impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        match error {
            // The request arrived, but there was no transaction yet.
            CallError::Build(error) => Self::from(error).sent(false),
            CallError::Sign(error) => error.into(),
            CallError::Refused { trans_code, .. } => {
                let maybe_sent = error.maybe_sent();
                Self::from_kind(ErrorKind::Refused, error.to_string())
                    .caused_by(error)
                    .sent(maybe_sent)
                    .about(trans_code)
            }
            CallError::NoClearResponse {
                source, trans_code, ..
            } => Self::from(source)
                .within(&format!("transaction {trans_code}"))
                .about(trans_code),
        }
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
    /// # Errors
    /// [`CallError`], which reports whether the node may have accepted the transaction.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::{InclusionOptions, contract_call::{Fee, Transfer}};
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
    ) -> Result<AcceptedCall, CallError> {
        let call = ContractCall::of(contract, function)
            .map_err(BuildCallError::Client)?
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
    /// use nodeproof_client::{ContractCall, contract_call::{CallOptions, Fee, SubmitPolicy}};
    /// use serde_json::json;
    ///
    /// let call = ContractCall::new("ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?, "vote")
    ///     .signer(wallet.wallet_address())
    ///     .params(&json!({"proposal": 7, "approve": true}))?;
    /// let fee = Fee::new(1_500_000.into(), "TKN")?;
    /// let options = CallOptions::default().submit(SubmitPolicy::once());
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
    ) -> Result<AcceptedCall, CallError> {
        CheckedTransaction::check_call(call).map_err(BuildCallError::Mismatch)?;
        let checked = self.build_checked_call_by(call, fee, options.clock).await?;
        let trans_code = checked.trans_code();
        let transaction = checked.sign(signers).await?;
        let submitted = self
            .submit_with_retries(&transaction, &options.submit)
            .await;
        let submitted = match submitted {
            Ok(submitted) => submitted,
            Err(source) => {
                return Err(CallError::NoClearResponse {
                    source,
                    trans_code,
                    transaction: Box::new(transaction),
                });
            }
        };
        if let Err(source) = submitted.accepted() {
            return Err(CallError::Refused { source, trans_code });
        }
        Ok(AcceptedCall {
            transaction,
            response: submitted.response,
            sent: submitted.sent,
            trans_code,
        })
    }
}
