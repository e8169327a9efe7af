//! A contract call from start to end, with a save file that is paid for once.

use std::{path::PathBuf, time::Duration};

use futures_util::future::BoxFuture;
use nodeproof_client::{
    CallOptions, Client, ContractCall, Error, ErrorKind, Fee, Inclusion, InclusionOptions,
    InputError, SignedTransaction,
    contract_call::{CheckedTransaction, check_networks},
};
use nodeproof_primitives::{Network, Signer, TransactionCode};

use crate::{
    blocking::blocking,
    call_error::SavedCallError,
    saved::{KnownBlock, Placement, SavedTransaction, SavedTransactionError, TransactionState},
};

/// The longest search for the block of a transaction that may not have been submitted.
pub(crate) const MAX_SEARCH_TIME: Duration = Duration::from_secs(30);
/// The least time for such a search. It is longer than a short wait.
const MIN_SEARCH_TIME: Duration = Duration::from_secs(5);

/// Returns the longest search for the block of a transaction, for a user who waits this long.
pub(crate) fn search_limit(wait: Duration) -> Duration {
    wait.clamp(MIN_SEARCH_TIME, MAX_SEARCH_TIME)
}

/// A contract call, such as a transfer, that is paid for once.
///
/// The signed transaction is saved in a file before it is sent. With the same call and the same file,
/// [`make`](Self::make) submits the same transaction again, wherever an earlier run ended. Use a new
/// file for each payment: two equal transfers differ only in their files.
///
/// ```no_run
/// # async fn example(
/// #     node: nodeproof_client::Client,
/// #     wallet: &dyn nodeproof_client::Signer,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_claims::SavedCall;
/// use nodeproof_client::{ContractCall, Fee, TokenDecimals, Transfer};
///
/// let tokens = "ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?;
/// let receiver = "0xb21854c8df7c314b3778036b532c5438abfeff03".parse()?;
/// let amount = TokenDecimals::new(6).parse("1.25")?;
/// let transfer = ContractCall::of(tokens, &Transfer::new(amount, receiver, "GRAIN"))?;
/// let fee = Fee::new(1_500_000.into(), "TKN")?;
/// let call = SavedCall::new(transfer, fee, "invoice-17.json");
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
    /// The call. If it names no signers, they are those of [`make`](Self::make).
    pub call: ContractCall,
    /// The fee, in base units of its currency.
    pub fee: Fee,
    /// The file in which the transaction is saved.
    pub file: PathBuf,
    /// How the transaction is submitted, and how its time is checked.
    pub options: CallOptions,
    /// How to wait for the block. With a time-out of zero, there is no wait.
    pub wait: InclusionOptions,
    /// Whether to sign the call once more, at another fee, although a transaction of it is saved. The
    /// default is no. Use it for a call that was refused for its fee, and for one run only.
    ///
    /// **You may pay for both transactions:** anyone who has the first one can still submit it. If a block
    /// contains the first one, no other one is made. The new transaction takes the file's name. The first
    /// one becomes `FILE.1`, or the first such name that is free. Without this option, the call at the new
    /// fee then submits the new transaction.
    pub again: bool,
    /// Whether to submit a transaction that was saved for a node at another base URL. The default is no. A
    /// node on the port of another network is always refused.
    pub any_node: bool,
    /// The node's network, if it is known. A wallet that is bound to another network than this one, or than
    /// that of the node's port, signs nothing.
    pub network: Option<Network>,
}

/// A saved call, and what the node shows of it. See [`SavedCall::status`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallStatus {
    /// The transaction, with its last known state.
    pub saved: SavedTransaction,
    /// The transaction in its block. `None` if no block contains it, or the node does not show transactions.
    pub included: Option<Inclusion>,
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
    /// The number of submissions in this run. Zero if a block contains the transaction of an earlier run.
    pub sent: u32,
    /// The new path of the earlier file, if it was put aside to make the call [again](SavedCall::again).
    pub put_aside: Option<PathBuf>,
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
    /// Describes a contract call at this fee. Its transaction is saved in `file`. Set other fields as in
    /// the example.
    ///
    /// ```
    /// use nodeproof_claims::SavedCall;
    /// use nodeproof_client::{CallOptions, ContractCall, Fee, InclusionOptions, Network, SubmitPolicy};
    /// use serde_json::json;
    /// use std::time::Duration;
    ///
    /// let call = ContractCall::new("ct8acac3e5d4b00f083c314707a41ca995c61c6f8c".parse()?, "vote")
    ///     .params(&json!({"proposal": 7, "approve": true}))?;
    /// let fee = Fee::new(1_500_000.into(), "TKN")?;
    /// let vote = SavedCall {
    ///     options: CallOptions { submit: SubmitPolicy::ONCE, ..CallOptions::default() },
    ///     wait: InclusionOptions { timeout: Duration::from_secs(120), ..InclusionOptions::default() },
    ///     network: Some(Network::Testnet),
    ///     ..SavedCall::new(call, fee, "vote-7.json")
    /// };
    /// # let _ = vote;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(call: ContractCall, fee: Fee, file: impl Into<PathBuf>) -> Self {
        Self {
            call,
            fee,
            file: file.into(),
            options: CallOptions::default(),
            wait: InclusionOptions::default(),
            again: false,
            any_node: false,
            network: None,
        }
    }

    /// Reads the transaction that an earlier run saved, without a request. Returns `None` if there is no
    /// such file. If the call names no signers, those in the file are taken.
    ///
    /// # Errors
    /// If the file can't be read, is damaged, or is of another call, or was saved for another node, unless
    /// [`any_node`](Self::any_node) is set and that node's port is not of another network. The fee may be
    /// another one if the call is to be made [again](Self::again).
    pub async fn saved(
        &self,
        client: &Client,
    ) -> Result<Option<SavedTransaction>, SavedTransactionError> {
        let path = self.file.clone();
        let Some(saved) = blocking(move || SavedTransaction::open(&path)).await? else {
            return Ok(None);
        };
        let mut call = self.call.clone();
        if call.signers.is_empty() {
            call.signers.clone_from(&saved.call().signers);
        }
        saved.check_same(&call, (!self.again).then_some(&self.fee))?;
        saved.check_target(client.base_url(), self.network, self.any_node)?;
        Ok(Some(saved))
    }

    /// Reads the saved transaction, and looks for it in the blocks. Submits nothing. Returns `None` if there
    /// is no such file.
    ///
    /// The block that an earlier run found is read first, and then those from the one that was the latest
    /// when the transaction was signed.
    ///
    /// # Errors
    /// Those of [`saved`](Self::saved), or if a request fails.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     call: nodeproof_claims::SavedCall,
    /// # ) -> Result<(), nodeproof_claims::SavedCallError> {
    /// match call.status(&node).await? {
    ///     None => println!("not signed yet"),
    ///     Some(status) => match status.included {
    ///         Some(included) => println!("in block {}", included.block),
    ///         None => println!("{:?}, and in no block yet", status.saved.state()),
    ///     },
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn status(&self, client: &Client) -> Result<Option<CallStatus>, SavedCallError> {
        let Some(saved) = self.saved(client).await? else {
            return Ok(None);
        };
        let included = included(client, &saved, &self.wait).await?;
        if let Some(included) = &included {
            check_included(&saved, included)?;
        }
        Ok(Some(CallStatus { saved, included }))
    }

    /// Makes the call: builds, checks, signs and saves its transaction, or reads the saved one; submits
    /// it unless a block contains it; and waits until it is in a block.
    ///
    /// All `signers` sign, in this order unless the call names them in another one. You can drop the future at any
    /// time. Before the file is written, nothing was sent. After that, the call can be resumed. The future
    /// keeps the signers, but not the list of them: `tokio::join!` takes several calls with `&[&wallet]`.
    ///
    /// # Errors
    /// The first error of a step. [`SavedCallError::maybe_sent`] returns whether a node may have accepted
    /// the transaction. It is not an error if no block contains it before the wait is over.
    pub fn make<'a>(
        &self,
        client: &Client,
        signers: &[&'a dyn Signer],
    ) -> BoxFuture<'a, Result<CallOutcome, SavedCallError>> {
        let (mut this, client, signers) = (self.clone(), client.clone(), signers.to_vec());
        if this.call.signers.is_empty() {
            let wallets = signers.iter().map(|signer| signer.wallet_address());
            this.call = this.call.signers(wallets);
        }
        Box::pin(async move { this.make_as_signed(&client, &signers).await })
    }

    async fn make_as_signed(
        &self,
        client: &Client,
        signers: &[&dyn Signer],
    ) -> Result<CallOutcome, SavedCallError> {
        CheckedTransaction::check_call(&self.call)?;
        // A saved transaction is already signed, but it is submitted to this node.
        self.check_networks(client, signers)?;
        let saved = match self.saved(client).await? {
            Some(saved) if self.again && !self.is_included(client, &saved).await? => None,
            saved => saved,
        };
        match saved {
            Some(saved) => self.submit(client, saved, true, None).await,
            None => {
                let (saved, resumed, put_aside) = self.sign(client, signers).await?;
                self.submit(client, saved, resumed, put_aside).await
            }
        }
    }

    /// Returns whether a block contains a saved transaction. A node without transactions in its
    /// blocks can't show that.
    async fn is_included(
        &self,
        client: &Client,
        saved: &SavedTransaction,
    ) -> Result<bool, SavedCallError> {
        match included(client, saved, &self.wait).await {
            Ok(found) => Ok(found.is_some()),
            Err(error) if error.kind() == ErrorKind::NoTransactions => Ok(false),
            Err(error) => Err(error.into()),
        }
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

    /// Signs the call, and saves it. Also returns whether another process had saved it in the meantime, and
    /// the path of the file that was put aside.
    async fn sign(
        &self,
        client: &Client,
        signers: &[&dyn Signer],
    ) -> Result<(SavedTransaction, bool, Option<PathBuf>), SavedCallError> {
        let checked = client
            .build_call(&self.call, &self.fee, self.options.clock)
            .await?;
        // A later run searches the blocks from here on.
        let latest = match self.wait.timeout.is_zero() {
            true => None,
            false => client.latest_block().await?,
        };
        let signed = checked.sign(signers).await?;
        let (path, node) = (self.file.clone(), client.base_url().clone());
        let network = self.network;
        let placement = match self.again {
            true => Placement::Aside,
            false => Placement::New,
        };
        let created = blocking(move || {
            let block = latest.as_ref().and_then(KnownBlock::of);
            let saved = SavedTransaction::of(&path, &node, &checked, &signed)?;
            let saved = saved.on_network(network).at_block(block);
            let aside = saved.write_first(placement, &[], |_| Ok(()))?;
            Ok((saved, aside))
        });
        match created.await {
            Ok((saved, aside)) => Ok((saved, false, aside)),
            Err(error) => Ok((self.saved_meanwhile(client, error).await?, true, None)),
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
        put_aside: Option<PathBuf>,
    ) -> Result<CallOutcome, SavedCallError> {
        let trans_code = saved.trans_code();
        let mut outcome = CallOutcome {
            included: None,
            shows_transactions: None,
            transaction: saved.signed().clone(),
            new_transaction: Some(false),
            resumed,
            sent: 0,
            put_aside,
            trans_code,
        };
        let limit = search_limit(self.wait.timeout);
        // A transaction that was never sent is in no block.
        if resumed && saved.state().was_submitted() {
            outcome.included = included_if_possible(client, &saved, &self.wait, limit).await;
        }
        if outcome.included.is_none() {
            match saved.submit(client, &self.options.submit, |_| ()).await {
                Ok(submitted) => {
                    outcome.sent = submitted.sent;
                    outcome.new_transaction = submitted.response.response.new_transaction;
                }
                Err(error) => {
                    // It can be in a block, whatever the node responds now.
                    outcome.included = match error.maybe_sent() {
                        true => included_if_possible(client, &saved, &self.wait, limit).await,
                        false => None,
                    };
                    match &error {
                        SavedCallError::Submission { error, .. } if outcome.included.is_some() => {
                            outcome.sent = error.sent();
                        }
                        _ => return Err(error),
                    }
                }
            }
        }
        if outcome.included.is_none() && !self.wait.timeout.is_zero() {
            let wait = InclusionOptions {
                start: search_start(client, &saved, &self.wait).await,
                ..self.wait.clone()
            };
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
            (outcome.included.is_some() || !self.wait.timeout.is_zero()).then_some(true);
        if let Some(included) = &outcome.included {
            check_included(&saved, included)?;
            let known = Some(KnownBlock::from(included));
            if saved.block() != known {
                saved = saved.at_block(known);
                saved.note_if_possible(TransactionState::Recorded).await;
            }
        }
        Ok(outcome)
    }
}

/// Finds the block that contains a saved transaction: the one that an earlier run found, or one after the
/// block that was the latest when it was signed.
async fn included(
    client: &Client,
    saved: &SavedTransaction,
    options: &InclusionOptions,
) -> Result<Option<Inclusion>, Error> {
    if let (TransactionState::Recorded, Some(known)) = (saved.state(), saved.block())
        && let Some(block) = client.block(known.index).await?
        && let Some(included) = Inclusion::in_block(&block, saved.trans_code())?
    {
        return Ok(Some(included));
    }
    let search = InclusionOptions {
        start: search_start(client, saved, options).await,
        timeout: Duration::ZERO,
        ..options.clone()
    };
    client.wait_for_inclusion(saved.trans_code(), &search).await
}

/// Compares the transaction in a block with the saved one. A node can show another one with the same code. Contents in a
/// form that was not observed are not compared.
pub(crate) fn check_included(
    saved: &SavedTransaction,
    included: &Inclusion,
) -> Result<(), SavedCallError> {
    let Ok(Some(shown)) = included.transaction.contract_call() else {
        return Ok(());
    };
    let shown = ContractCall::new(shown.address, shown.function)
        .signers(shown.signers)
        .params(&shown.params)?;
    let in_block = included.transaction.signed().ok();
    let Some(difference) = saved.difference_from(&shown, in_block.as_ref()) else {
        return Ok(());
    };
    Err(SavedCallError::AnotherInBlock {
        block: included.block,
        trans_code: saved.trans_code(),
        difference,
        saved_in: saved.path().to_owned(),
    })
}

/// Finds the block that contains a saved transaction, unless that fails or takes longer than `limit`.
pub(crate) async fn included_if_possible(
    client: &Client,
    saved: &SavedTransaction,
    options: &InclusionOptions,
    limit: Duration,
) -> Option<Inclusion> {
    let search = included(client, saved, options);
    let found = tokio::time::timeout(limit, search).await.ok()?;
    found
        .inspect_err(|error| tracing::debug!(%error, "the block can't be found"))
        .ok()?
}

/// Returns the index from which to search for the block of a saved transaction: that of the block that was
/// the latest, or that contained it. If the node has another block there, or none, its chain was replaced,
/// and the transaction can be in any block.
async fn search_start(
    client: &Client,
    saved: &SavedTransaction,
    options: &InclusionOptions,
) -> Option<u64> {
    let Some(known) = saved.block().filter(|_| options.start.is_none()) else {
        return options.start;
    };
    match client.block(known.index).await {
        Ok(Some(block)) if known.is(&block) => Some(known.index),
        Ok(_) => Some(1),
        // The search meets the same error.
        Err(_) => Some(known.index),
    }
}
