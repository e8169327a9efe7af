//! A contract call from start to end, with a save file that is paid for once.

use std::path::PathBuf;

use nodeproof_client::{
    CallOptions, Client, ContractCall, Error, ErrorKind, Inclusion, InclusionOptions, InputError,
    SignedTransaction, SubmitError,
    contract_call::{CheckedTransaction, ContractFunction, Fee, check_networks},
};
use nodeproof_primitives::{ContractAddress, Network, Signer, TransactionCode, escape::escaped};

use crate::{
    blocking::blocking,
    saved::{Placement, SavedTransaction, SavedTransactionError, TransactionState},
    submitted::{note, note_if_possible},
};

/// A contract call, such as a transfer, that is paid for once.
///
/// The signed transaction is saved in a file before it is sent. With the same call and the same file,
/// [`make`](Self::make) submits the same transaction again, wherever an earlier run ended. Use a new
/// file for each payment: two equal transfers differ only in their files.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_claims::SavedCall;
/// use nodeproof_client::{Transfer, contract_call::Fee, nodeproof_primitives::TokenDecimals};
///
/// let tokens = "ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?;
/// let receiver = "0xb21854c8df7c314b3778036b532c5438abfeff03".parse()?;
/// let amount = TokenDecimals::new(6).parse("1.25")?;
/// let transfer = Transfer::new(amount, receiver, "GRAIN");
/// let fee = Fee::new(1_500_000.into(), "TKN")?;
/// let call = SavedCall::new(tokens, &transfer, fee, "invoice-17.json")?;
/// let outcome = call.make(&node, &[wallet]).await?;
/// match outcome.block {
///     Some(block) => println!("in block {block}"),
///     None => println!("{} is not in a block yet", outcome.trans_code()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a call is only made with `make`"]
pub struct SavedCall {
    call: ContractCall,
    fee: Fee,
    file: PathBuf,
    options: CallOptions,
    inclusion: InclusionOptions,
    any_node: bool,
    network: Option<Network>,
}

/// A contract call that a node accepted.
///
/// An accepted call can still fail: its function runs when the block is made. Read the state back, for
/// example the balance.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallOutcome {
    /// The index of the block that contains the transaction. `None` if no block contained it before the
    /// wait was over, or the node does not show transactions.
    pub block: Option<u64>,
    /// The transaction in its block, if this run searched for the block. An earlier run can have found it.
    pub included: Option<Inclusion>,
    /// Whether the node shows the transactions of its blocks. `None` if there was no wait.
    pub shows_transactions: Option<bool>,
    /// The transaction that was submitted.
    pub transaction: SignedTransaction,
    /// Whether it was new to the node, if the node reports it. If not, it had arrived before.
    pub new_transaction: Option<bool>,
    /// Whether an earlier run signed and saved it.
    pub resumed: bool,
    /// The number of submissions in this run.
    pub sent: u32,
    trans_code: TransactionCode,
}

impl CallOutcome {
    /// Returns the transaction's identifier.
    #[must_use]
    pub fn trans_code(&self) -> TransactionCode {
        self.trans_code
    }
}

/// A contract call was not made, or it is unknown whether it was made.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     call: nodeproof_claims::SavedCall,
/// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
/// # ) {
/// match call.make(&node, &[wallet]).await {
///     Ok(outcome) => println!("{}", outcome.trans_code()),
///     Err(error) if error.is_refused() => println!("nothing was paid: {error}"),
///     Err(error) if error.maybe_sent() => println!("make it again with the same file: {error}"),
///     Err(error) if error.is_retryable() => println!("not made; try later: {error}"),
///     Err(error) => println!("not made: {error}"),
/// }
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedCallError {
    /// A signer is missing, is bound to another network, or did not sign. This run sent nothing.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A request failed before anything was signed, or the node built another transaction. This run sent
    /// nothing. Try again if `Error::is_retryable` is true.
    #[error(transparent)]
    Network(#[from] Error),
    /// The file of the saved transaction can't be used. This run sent nothing, but an earlier run may
    /// have. Keep the file, and see [`SavedTransactionError`] for what to do.
    #[error(transparent)]
    Saved(#[from] SavedTransactionError),
    /// The node did not accept the transaction, or no response shows that it did. The same call with the
    /// same file submits the same transaction again.
    #[error(
        "{}; transaction {trans_code} is saved in {}, and the same call with this file submits it again",
        error.full_message(),
        escaped(&saved_in.to_string_lossy())
    )]
    Submission {
        /// The error.
        error: SubmitError,
        /// The transaction.
        trans_code: TransactionCode,
        /// The file in which it is saved.
        saved_in: PathBuf,
    },
    /// The node accepted the transaction, but the requests for its block failed. The same call with the
    /// same file submits the same transaction again.
    #[error(
        "transaction {trans_code} was accepted, but its block could not be read: {}",
        error.full_message()
    )]
    Waiting {
        /// The error.
        error: Error,
        /// The transaction.
        trans_code: TransactionCode,
    },
}

impl SavedCallError {
    /// Returns whether the node refused the transaction, and no earlier submission can have been
    /// accepted.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Submission { error, .. } if error.is_refused() && !error.maybe_accepted())
    }

    /// Returns whether the same call with the same file can succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Network(error) => error.is_retryable(),
            Self::Submission { .. } => !self.is_refused(),
            Self::Waiting { .. } => true,
            Self::Input(_) | Self::Saved(_) => false,
        }
    }

    /// Returns whether a node may have accepted the transaction. Another call, with another file, may
    /// then pay twice.
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        match self {
            Self::Submission { error, .. } => error.maybe_accepted(),
            Self::Waiting { .. } => true,
            Self::Saved(_) | Self::Network(_) | Self::Input(_) => false,
        }
    }
}

impl SavedCall {
    /// Describes the call of a contract's function at this fee. Its transaction is saved in `file`.
    ///
    /// # Errors
    /// If the parameters can't be written as JSON.
    pub fn new(
        contract: ContractAddress,
        function: &impl ContractFunction,
        fee: Fee,
        file: impl Into<PathBuf>,
    ) -> Result<Self, InputError> {
        Ok(Self::of(ContractCall::of(contract, function)?, fee, file))
    }

    /// Describes any contract call. If it names no signers, they are those of [`make`](Self::make).
    ///
    /// ```
    /// use nodeproof_claims::SavedCall;
    /// use nodeproof_client::{ContractCall, contract_call::Fee};
    /// use serde_json::json;
    ///
    /// let call = ContractCall::new("ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?, "vote")
    ///     .params(&json!({"proposal": 7, "approve": true}))?;
    /// let fee = Fee::new(1_500_000.into(), "TKN")?;
    /// let vote = SavedCall::of(call, fee, "vote-7.json");
    /// # let _ = vote;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(call: ContractCall, fee: Fee, file: impl Into<PathBuf>) -> Self {
        Self {
            call,
            fee,
            file: file.into(),
            options: CallOptions::default(),
            inclusion: InclusionOptions::default(),
            any_node: false,
            network: None,
        }
    }

    /// Sets how the transaction is submitted, and how its time is checked.
    pub fn options(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets how to wait for the block. With a time-out of zero, there is no wait.
    ///
    /// ```
    /// # fn example(call: nodeproof_claims::SavedCall) -> nodeproof_claims::SavedCall {
    /// use nodeproof_client::{CallOptions, InclusionOptions, SubmitPolicy};
    /// use nodeproof_client::nodeproof_primitives::Network;
    /// use std::time::Duration;
    ///
    /// call.wait(InclusionOptions { timeout: Duration::from_secs(120), ..InclusionOptions::default() })
    ///     .options(CallOptions { submit: SubmitPolicy::once(), ..CallOptions::default() })
    ///     .network(Network::Testnet)
    ///     .any_node(true)
    /// # }
    /// ```
    pub fn wait(mut self, options: InclusionOptions) -> Self {
        self.inclusion = options;
        self
    }

    /// Sets whether to submit a transaction that was saved for a node at another base URL. A node on the
    /// port of another network is always refused.
    pub fn any_node(mut self, yes: bool) -> Self {
        self.any_node = yes;
        self
    }

    /// Sets the node's network, if it is known. A wallet that is bound to another network than this one,
    /// or than that of the node's port, signs nothing.
    pub fn network(mut self, network: Network) -> Self {
        self.network = Some(network);
        self
    }

    /// Makes the call: builds, checks, signs and saves its transaction, or reads the saved one; submits
    /// it; and waits until it is in a block.
    ///
    /// All `signers` sign, in this order unless the call names them in another one. You can drop the future at any
    /// time. Before the file is written, nothing was sent. After that, the call can be resumed.
    ///
    /// # Errors
    /// The first error of a step. [`SavedCallError::maybe_sent`] returns whether a node may have accepted
    /// the transaction. It is not an error if no block contains it before the wait is over.
    pub async fn make(
        &self,
        client: &Client,
        signers: &[&dyn Signer],
    ) -> Result<CallOutcome, SavedCallError> {
        let mut call = self.call.clone();
        if call.signers.is_empty() {
            call = call.signers(signers.iter().map(|signer| signer.wallet_address()));
        }
        CheckedTransaction::check_call(&call).map_err(Error::from)?;
        // A saved transaction is already signed, but it is submitted to this node.
        for network in self.networks(client) {
            check_networks(signers, Some(network))?;
        }
        match self.saved(client, &call).await? {
            Some(saved) => self.submit(client, saved, true).await,
            None => {
                let (saved, resumed) = self.sign(client, &call, signers).await?;
                self.submit(client, saved, resumed).await
            }
        }
    }

    /// Returns the stated network, and that of the node's port.
    fn networks(&self, client: &Client) -> impl Iterator<Item = Network> {
        let of_port = Network::from_port(client.base_url().port());
        self.network.into_iter().chain(of_port)
    }

    /// Reads the saved transaction of this call, if there is one.
    async fn saved(
        &self,
        client: &Client,
        call: &ContractCall,
    ) -> Result<Option<SavedTransaction>, SavedCallError> {
        let path = self.file.clone();
        let Some(saved) = blocking(move || SavedTransaction::open(&path)).await? else {
            return Ok(None);
        };
        saved.check_same(call, &self.fee)?;
        if let Err(error) = saved.check_node(client.base_url()) {
            saved.check_network(self.networks(client))?;
            if !self.any_node {
                return Err(error.into());
            }
        }
        Ok(Some(saved))
    }

    /// Signs the call, and saves it. Also returns whether another process had saved it in the meantime.
    async fn sign(
        &self,
        client: &Client,
        call: &ContractCall,
        signers: &[&dyn Signer],
    ) -> Result<(SavedTransaction, bool), SavedCallError> {
        let checked = client
            .build_checked_call(call, &self.fee, self.options.clock)
            .await?;
        // A later run searches the blocks from here on.
        let height = match self.inclusion.timeout.is_zero() {
            true => None,
            false => client.check_node().await?,
        };
        let signed = checked.sign(signers).await?;
        let (path, node) = (self.file.clone(), client.base_url().clone());
        let created = blocking(move || {
            let saved = SavedTransaction::of(&path, &node, &checked, &signed)?.at_block(height);
            let new = Placement::New;
            saved.write_first(new, &[], |_| Ok::<_, SavedTransactionError>(()))?;
            Ok(saved)
        });
        match created.await {
            Ok(saved) => Ok((saved, false)),
            // Another process was faster. Submit its transaction.
            Err(SavedTransactionError::Exists { path }) => {
                let other = self.saved(client, call).await?;
                let other = other.ok_or(SavedTransactionError::Exists { path })?;
                Ok((other, true))
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn submit(
        &self,
        client: &Client,
        saved: SavedTransaction,
        resumed: bool,
    ) -> Result<CallOutcome, SavedCallError> {
        let (transaction, trans_code) = (saved.signed().clone(), saved.trans_code());
        let saved_in = saved.path().to_owned();
        let wait = InclusionOptions {
            start: self.inclusion.start.or(saved.block()),
            ..self.inclusion.clone()
        };
        let mut earlier_block = saved.block();
        let mut saved = Some(saved);
        // If the state can't be saved on disk, nothing is sent.
        let before = note(&mut saved, TransactionState::Sent).await?;
        let earlier = before.is_some_and(TransactionState::may_have_arrived);
        if before != Some(TransactionState::Recorded) {
            earlier_block = None;
        }
        let submitted = client
            .submit_with_retries(&transaction, &self.options.submit)
            .await;
        let (sent, new_transaction) = match submitted {
            Ok(submitted) => {
                note_if_possible(&mut saved, TransactionState::Accepted).await;
                let response = submitted.response.response;
                (submitted.sent, response.new_transaction)
            }
            Err(error) => {
                // A refusal does not undo an earlier acceptance.
                let error = error.or_accepted_earlier(earlier);
                let is_in_block = error.maybe_accepted()
                    && match earlier_block {
                        Some(block) => contains(client, block, trans_code).await,
                        None => {
                            let found = client.find_transaction(trans_code, &wait).await;
                            found.is_ok_and(|found| found.is_some())
                        }
                    };
                if !is_in_block {
                    let state = match before {
                        Some(before) if !error.maybe_accepted() && error.sent() == 0 => before,
                        _ if !error.maybe_accepted() => TransactionState::Refused,
                        _ => TransactionState::Sent,
                    };
                    note_if_possible(&mut saved, state).await;
                    return Err(SavedCallError::Submission {
                        error,
                        trans_code,
                        saved_in,
                    });
                };
                (error.sent(), Some(false))
            }
        };
        let (included, shows_transactions) = match earlier_block {
            Some(block) if contains(client, block, trans_code).await => (None, Some(true)),
            _ => {
                earlier_block = None;
                wait_for_block(client, trans_code, &wait).await?
            }
        };
        let block = included.as_ref().map(|included| included.block);
        if block.is_some() {
            saved = saved.map(|saved| saved.at_block(block));
            note_if_possible(&mut saved, TransactionState::Recorded).await;
        }
        Ok(CallOutcome {
            block: block.or(earlier_block),
            included,
            shows_transactions,
            transaction,
            new_transaction,
            resumed,
            sent,
            trans_code,
        })
    }
}

/// Returns the transaction in its block, and whether the node shows transactions.
async fn wait_for_block(
    client: &Client,
    trans_code: TransactionCode,
    wait: &InclusionOptions,
) -> Result<(Option<Inclusion>, Option<bool>), SavedCallError> {
    if wait.timeout.is_zero() {
        return Ok((None, None));
    }
    match client.wait_for_inclusion(trans_code, wait).await {
        Ok(included) => Ok((included, Some(true))),
        Err(error) if error.kind() == ErrorKind::NoTransactions => Ok((None, Some(false))),
        Err(error) => Err(SavedCallError::Waiting { error, trans_code }),
    }
}

/// Returns whether a block contains a transaction, as far as the node shows it.
async fn contains(client: &Client, block: u64, trans_code: TransactionCode) -> bool {
    let block = client.block(block).await;
    block.is_ok_and(|block| block.is_some_and(|block| block.transaction(trans_code).is_some()))
}
