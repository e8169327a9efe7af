//! A contract call from start to end, with a save file that is paid for once.

use std::{path::PathBuf, time::Duration};

use nodeproof_client::{
    CallOptions, Client, ContractCall, ErrorKind, Inclusion, InclusionOptions, InputError,
    SignedTransaction,
    contract_call::{CheckedTransaction, ContractFunction, Fee, check_networks},
};
use nodeproof_primitives::{ContractAddress, Network, Signer, TransactionCode};

use crate::{
    blocking::blocking,
    call_error::SavedCallError,
    saved::{KnownBlock, SavedTransaction, SavedTransactionError, TransactionState},
};

/// The longest search for the block of a transaction that may not have been submitted.
pub(crate) const MAX_SEARCH_TIME: Duration = Duration::from_secs(30);

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
/// match outcome.block() {
///     Some(block) => println!("in block {block}"),
///     None => println!("{} is not in a block yet", outcome.trans_code()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a call is only made with `make`"]
pub struct SavedCall {
    pub(crate) call: ContractCall,
    pub(crate) fee: Fee,
    pub(crate) file: PathBuf,
    pub(crate) options: CallOptions,
    pub(crate) inclusion: InclusionOptions,
    pub(crate) any_node: bool,
    pub(crate) network: Option<Network>,
}

/// A contract call that a node accepted.
///
/// An accepted call can still fail: its function runs when the block is made. Read the state back, for
/// example the balance.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallOutcome {
    /// The transaction in its block. `None` if no block contained it before the wait was over, or the node
    /// does not show transactions.
    pub included: Option<Inclusion>,
    /// Whether the node shows the transactions of its blocks. `None` if there was no wait.
    pub shows_transactions: Option<bool>,
    /// The transaction that was submitted.
    pub transaction: SignedTransaction,
    /// Whether it was new to the node, if the node reports it. If not, it had arrived before.
    pub new_transaction: Option<bool>,
    /// Whether an earlier run signed and saved it.
    pub resumed: bool,
    /// The number of submissions in this run. Zero if the block that an earlier run found still contains
    /// the transaction.
    pub sent: u32,
    trans_code: TransactionCode,
}

impl CallOutcome {
    /// Returns the transaction's identifier.
    #[must_use]
    pub fn trans_code(&self) -> TransactionCode {
        self.trans_code
    }

    /// Returns the index of the block that contains the transaction, if it is known.
    #[must_use]
    pub fn block(&self) -> Option<u64> {
        self.included.as_ref().map(|included| included.block)
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

    /// Reads the transaction that an earlier run saved, without submitting it. Returns `None` if there is no
    /// such file. The call has to name its signers.
    ///
    /// # Errors
    /// If the file can't be read, is damaged, or is of another call, or was saved for another node, unless
    /// [`any_node`](Self::any_node) is set and that node's port is not of another network.
    pub async fn saved(
        &self,
        client: &Client,
    ) -> Result<Option<SavedTransaction>, SavedTransactionError> {
        let path = self.file.clone();
        let Some(saved) = blocking(move || SavedTransaction::open(&path)).await? else {
            return Ok(None);
        };
        saved.check_same(&self.call, &self.fee)?;
        saved.check_target(client.base_url(), self.network, self.any_node)?;
        Ok(Some(saved))
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
        let mut this = self.clone();
        if this.call.signers.is_empty() {
            let wallets = signers.iter().map(|signer| signer.wallet_address());
            this.call = this.call.signers(wallets);
        }
        CheckedTransaction::check_call(&this.call)?;
        // A saved transaction is already signed, but it is submitted to this node.
        this.check_networks(client, signers)?;
        let (saved, resumed) = match this.saved(client).await? {
            Some(saved) => (saved, true),
            None => this.sign(client, signers).await?,
        };
        this.submit(client, saved, resumed).await
    }

    /// Fails if a signer is bound to another network than the stated one, or that of the node's port.
    pub(crate) fn check_networks(
        &self,
        client: &Client,
        signers: &[&dyn Signer],
    ) -> Result<(), InputError> {
        check_networks(signers, self.network)?;
        check_networks(signers, Network::from_port(client.base_url().port()))
    }

    /// Signs the call, and saves it. Also returns whether another process had saved it in the meantime.
    async fn sign(
        &self,
        client: &Client,
        signers: &[&dyn Signer],
    ) -> Result<(SavedTransaction, bool), SavedCallError> {
        let checked = client
            .build_checked_call(&self.call, &self.fee, self.options.clock)
            .await?;
        // A later run searches the blocks from here on.
        let latest = match self.inclusion.timeout.is_zero() {
            true => None,
            false => client.latest_block().await?,
        };
        let signed = checked.sign(signers).await?;
        let (path, node) = (self.file.clone(), client.base_url().clone());
        let created = blocking(move || {
            let block = latest.as_ref().and_then(KnownBlock::of);
            let saved = SavedTransaction::of(&path, &node, &checked, &signed)?.at_block(block);
            saved.write_new()?;
            Ok(saved)
        });
        match created.await {
            Ok(saved) => Ok((saved, false)),
            Err(error) => Ok((self.saved_meanwhile(client, error).await?, true)),
        }
    }

    /// Returns the transaction of another process that was faster, if that is why this one was not saved.
    pub(crate) async fn saved_meanwhile(
        &self,
        client: &Client,
        error: SavedTransactionError,
    ) -> Result<SavedTransaction, SavedTransactionError> {
        match error {
            SavedTransactionError::Exists { .. } => self.saved(client).await?.ok_or(error),
            error => Err(error),
        }
    }

    async fn submit(
        &self,
        client: &Client,
        mut saved: SavedTransaction,
        resumed: bool,
    ) -> Result<CallOutcome, SavedCallError> {
        let trans_code = saved.trans_code();
        let mut outcome = CallOutcome {
            included: None,
            shows_transactions: None,
            transaction: saved.signed().clone(),
            new_transaction: Some(false),
            resumed,
            sent: 0,
            trans_code,
        };
        if let (TransactionState::Recorded, Some(known)) = (saved.state(), saved.block())
            && let Ok(Some(block)) = client.block(known.index).await
            && let Ok(Some(included)) = Inclusion::in_block(&block, trans_code)
        {
            outcome.included = Some(included);
            outcome.shows_transactions = Some(true);
            return Ok(outcome);
        }
        let start = match resumed {
            true => search_start(client, saved.block()).await,
            false => saved.block().map(|block| block.index),
        };
        let wait = InclusionOptions {
            start: self.inclusion.start.or(start),
            ..self.inclusion.clone()
        };
        match saved.submit(client, &self.options.submit, |_| ()).await {
            Ok(submitted) => {
                outcome.sent = submitted.sent;
                outcome.new_transaction = submitted.response.response.new_transaction;
            }
            Err(error) => {
                // It can be in a block, whatever the node responds now.
                let search = client.find_transaction(trans_code, &wait);
                let found = match error.maybe_sent() {
                    true => tokio::time::timeout(MAX_SEARCH_TIME, search).await,
                    false => return Err(error),
                };
                let (Ok(Ok(Some(included))), SavedCallError::Submission { error: failed, .. }) =
                    (found, &error)
                else {
                    return Err(error);
                };
                outcome.sent = failed.sent();
                outcome.included = Some(included);
            }
        }
        if outcome.included.is_none() && !wait.timeout.is_zero() {
            match client.wait_for_inclusion(trans_code, &wait).await {
                Ok(included) => outcome.included = included,
                Err(error) if error.kind() == ErrorKind::NoTransactions => {
                    outcome.shows_transactions = Some(false);
                    return Ok(outcome);
                }
                Err(error) => return Err(SavedCallError::Waiting { error, trans_code }),
            }
        }
        outcome.shows_transactions =
            (outcome.included.is_some() || !wait.timeout.is_zero()).then_some(true);
        if let Some(included) = &outcome.included {
            saved = saved.at_block(Some(KnownBlock::from(included)));
            saved.note_if_possible(TransactionState::Recorded).await;
        }
        Ok(outcome)
    }
}

/// Returns the index from which to search for the block of a saved transaction: that of the block that was
/// the latest, or that contained it. If the node has another block there, or none, its chain was replaced,
/// and the transaction can be in any block.
async fn search_start(client: &Client, known: Option<KnownBlock>) -> Option<u64> {
    let known = known?;
    match client.block(known.index).await {
        Ok(Some(block)) if known.is(&block) => Some(known.index),
        Ok(_) => Some(1),
        // The search meets the same error.
        Err(_) => Some(known.index),
    }
}
