//! The state of a node, which requests read and change.

use std::{
    io,
    num::NonZeroU32,
    sync::{
        PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use nodeproof_primitives::{ContractAddress, Network, TransactionCode};
use tokio::sync::Notify;

use crate::{
    BlockTime, ChainTime, Config, InjectedFault, Outage, TestWallet,
    chain::{
        CLAIMED_ASSET, Chain, GenesisWallets, SavedChain, Start, Submission, TransactionRules,
        TrustScores, Verdict, create_chain, start_time,
    },
    http::RateLimit,
    outage::Outages,
    seed::Seed,
};

/// The state of one node. All its requests share it.
///
/// The chain is behind one lock. The lock is never held across an `await`, or while a signature is
/// verified.
///
/// ```
/// use nodeproof_devnode::{Config, Node, TestWallet};
///
/// let node = Node::new(&Config::for_tests());
/// assert_eq!((node.height(), node.pending()), (12, 0));
/// assert_eq!(node.make_block(), 13);
///
/// let names: Vec<_> = node.wallets().iter().map(TestWallet::name).collect();
/// assert_eq!(names, ["validator-1", "validator-2", "validator-3", "alice", "bob", "carol"]);
/// assert_eq!(node.native_token(), "DEVN");
/// assert_eq!(node.claimed_asset(), Some("warehouse-receipt-0001"));
/// assert_ne!(node.contract_address(), node.token_contract_address());
/// ```
#[derive(Debug)]
pub struct Node {
    network: Network,
    wallets: Box<[TestWallet]>,
    rules: TransactionRules,
    trust: TrustScores,
    chain: RwLock<Chain>,
    initial_blocks: u64,
    block_time: BlockTime,
    time: ChainTime,
    rate_limit: Option<RateLimit>,
    allowed_hosts: Vec<String>,
    fault: Option<InjectedFault>,
    /// Notified when a block could not be saved.
    not_saved: Notify,
    outages: RwLock<Outages>,
    counts: Counts,
    /// Held while a body arrives, by a node that reads one at a time.
    body_turn: tokio::sync::Mutex<()>,
}

/// Numbers since the start.
#[derive(Debug, Default)]
struct Counts {
    requests: AtomicU64,
    submissions: AtomicU64,
    calls: AtomicU64,
}

impl Node {
    /// Waits until no other body is being read, for a fault.
    pub(crate) async fn body_turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.body_turn.lock().await
    }

    /// Counts a call that is built. Returns the number of those before it.
    pub(crate) fn count_call(&self) -> u64 {
        self.counts.calls.fetch_add(1, Ordering::Relaxed)
    }

    /// Creates a node with the saved chain of [`Config::state`], or a new one.
    ///
    /// # Errors
    /// Returns an error if the file is not the chain of a node with the same options, or if it can't be written.
    ///
    /// ```
    /// use nodeproof_devnode::{Config, Node};
    ///
    /// let mut config = Config::for_tests();
    /// config.state = Some("/no/such/folder/chain".into());
    /// assert!(Node::open(&config).is_err());
    /// ```
    pub fn open(config: &Config) -> io::Result<Self> {
        let Some(path) = &config.state else {
            return Ok(Self::new(config));
        };
        let start = start_time(config.time, config.blocks);
        let wrong =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let (saved, start, blocks) = SavedChain::open(path, config, start).map_err(wrong)?;
        let node = Self::starting_at(config, start);
        node.chain_mut().restore(saved, blocks).map_err(wrong)?;
        Ok(node)
    }

    /// Creates a chain with its initial blocks. This takes time in proportion to their number.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self::starting_at(config, start_time(config.time, config.blocks))
    }

    fn starting_at(config: &Config, start: i64) -> Self {
        let seed = Seed(config.seed);
        let rules = TransactionRules {
            verification: seed.contract("verification contract"),
            token: seed.contract("token contract"),
        };
        let names = [
            "validator-1",
            "validator-2",
            "validator-3",
            "alice",
            "bob",
            "carol",
        ];
        let wallets = names.map(|name| TestWallet::new(seed, name));
        let [v1, v2, v3, alice, bob, carol] = &wallets;
        let roles = GenesisWallets {
            validators: [v1, v2, v3],
            users: [alice, bob, carol],
            funded: &config.funded,
        };
        let start = Start {
            blocks: config.blocks,
            time: start,
            fault: config.fault,
            fault_from: config.fault_from,
        };
        let chain = create_chain(seed, rules, &roles, start);
        Self {
            network: config.network,
            trust: TrustScores::new(seed, wallets.iter().map(TestWallet::address)),
            wallets: wallets.into(),
            rules,
            chain: RwLock::new(chain),
            initial_blocks: config.blocks,
            block_time: config.block_time,
            time: config.time,
            rate_limit: config.rate_limit.map(NonZeroU32::get).map(RateLimit::new),
            allowed_hosts: config.allowed_hosts.clone(),
            fault: config.fault,
            not_saved: Notify::new(),
            outages: RwLock::default(),
            counts: Counts::default(),
            body_turn: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the network that the node reports.
    #[must_use]
    pub const fn network(&self) -> Network {
        self.network
    }

    /// Returns the chain's initial wallets: those that create blocks, then those with tokens.
    #[must_use]
    pub fn wallets(&self) -> &[TestWallet] {
        &self.wallets
    }

    /// Returns a wallet by its name, such as `alice`.
    #[must_use]
    pub fn wallet(&self, name: &str) -> Option<&TestWallet> {
        self.wallets.iter().find(|wallet| wallet.name() == name)
    }

    /// Returns the address of the verification contract, whose function is `add_verification`.
    #[must_use]
    pub const fn contract_address(&self) -> ContractAddress {
        self.rules.verification
    }

    /// Returns the address of the token contract, whose function is `transfer`.
    #[must_use]
    pub const fn token_contract_address(&self) -> ContractAddress {
        self.rules.token
    }

    /// Returns the code of the token for fees.
    #[must_use]
    pub const fn native_token(&self) -> &'static str {
        crate::chain::NATIVE_TOKEN
    }

    /// Returns an asset with a claim in the initial blocks, or `None` if there were fewer than 2 blocks.
    #[must_use]
    pub const fn claimed_asset(&self) -> Option<&'static str> {
        let (asset, block) = CLAIMED_ASSET;
        if self.initial_blocks >= block {
            Some(asset)
        } else {
            None
        }
    }

    /// Returns the index of the latest block, or 0 if there is none.
    #[must_use]
    pub fn height(&self) -> u64 {
        self.chain().height()
    }

    /// Returns the number of pending transactions.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.chain().waiting()
    }

    /// Creates a block from the pending transactions, and returns its index.
    pub fn make_block(&self) -> u64 {
        self.next_block(&mut self.chain_mut())
    }

    fn next_block(&self, chain: &mut Chain) -> u64 {
        let height = chain.make_block(self.block_time.step_ms(), self.time.clock());
        if chain.not_saved().is_some() {
            self.not_saved.notify_one();
        }
        height
    }

    /// Waits until a block could not be saved, and returns why. No further blocks are made then.
    #[cfg(feature = "cli")]
    pub(crate) async fn saving_failed(&self) -> String {
        self.not_saved.notified().await;
        self.chain().not_saved().unwrap_or_default().to_owned()
    }

    /// Starts an outage, or ends it with `None`. It applies to the requests that follow.
    ///
    /// ```
    /// use nodeproof_devnode::{Config, Outage};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let node = nodeproof_devnode::spawn(Config::for_tests()).await?;
    /// node.set_outage(Some(Outage::Unavailable));
    /// // Your code gets status 503, and has to wait or to retry.
    /// node.set_outage(None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_outage(&self, outage: Option<Outage>) {
        self.set_outages(Outages {
            submissions: outage,
            others: outage,
        });
    }

    /// Starts an outage of submissions only, or ends any outage with `None`. It applies to the
    /// submissions that follow. Other requests are handled.
    ///
    /// ```
    /// use nodeproof_devnode::{Config, Outage};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let node = nodeproof_devnode::spawn(Config::for_tests()).await?;
    /// node.set_submission_outage(Some(Outage::LostResponses));
    /// // Your code can build a transaction, and loses only the response to its submission.
    /// node.set_submission_outage(None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_submission_outage(&self, outage: Option<Outage>) {
        self.set_outages(Outages {
            submissions: outage,
            others: None,
        });
    }

    fn set_outages(&self, outages: Outages) {
        *self.outages.write().unwrap_or_else(PoisonError::into_inner) = outages;
    }

    /// Returns the outage that applies to a request.
    pub(crate) fn outage(&self, is_submission: bool) -> Option<Outage> {
        let outages = *self.outages.read().unwrap_or_else(PoisonError::into_inner);
        if is_submission {
            outages.submissions
        } else {
            outages.others
        }
    }

    /// Returns the number of requests of all kinds so far.
    #[must_use]
    pub fn requests_received(&self) -> u64 {
        self.counts.requests.load(Ordering::Relaxed)
    }

    /// Returns the number of submissions so far, accepted or not.
    #[must_use]
    pub fn submissions_received(&self) -> u64 {
        self.counts.submissions.load(Ordering::Relaxed)
    }

    pub(crate) fn count_request(&self) {
        self.counts.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_submission(&self) {
        self.counts.submissions.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the timestamp for the transaction of this call, which is built now. Without a clock, each call is a
    /// millisecond later, so that the time does not stand still.
    pub(crate) fn now(&self, call: u64) -> i64 {
        let clock = self.time.clock();
        let later = match clock {
            Some(_) => 0,
            None => i64::try_from(call).unwrap_or_default(),
        };
        self.chain().now(clock).saturating_add(later)
    }

    pub(crate) const fn trust(&self) -> &TrustScores {
        &self.trust
    }

    pub(crate) const fn rate_limit(&self) -> Option<&RateLimit> {
        self.rate_limit.as_ref()
    }

    /// Returns the fault that the node has, or will have at a later height.
    pub(crate) const fn later_fault(&self) -> Option<InjectedFault> {
        self.fault
    }

    /// Returns the fault that the node has now.
    pub(crate) fn fault(&self) -> Option<InjectedFault> {
        self.fault.and_then(|_| self.chain().fault())
    }

    pub(crate) fn has(&self, fault: InjectedFault) -> bool {
        self.fault() == Some(fault)
    }

    pub(crate) fn allowed_hosts(&self) -> &[String] {
        &self.allowed_hosts
    }

    /// Whether a submission is valid on its own. Whether it can be paid is not checked.
    pub(crate) fn is_valid_alone(&self, submission: &Submission<'_>) -> bool {
        let checked = submission.check(self.rules, self.fault());
        checked.is_ok_and(|transaction| self.chain().affordable(&transaction).is_ok())
    }

    /// Takes the fee of a pending transaction, and forgets it.
    pub(crate) fn charge_and_forget(&self, code: TransactionCode) {
        self.chain_mut().charge_and_forget(code);
    }

    /// Keeps a transaction as `/call-sc` built it.
    pub(crate) fn keep_built(&self, code: TransactionCode, text: String) {
        self.chain_mut().keep_built(code, text);
    }

    /// Takes no fee for a pending transaction.
    pub(crate) fn exempt(&self, code: TransactionCode) {
        self.chain_mut().exempt(code);
    }

    /// Removes the pending transactions from this place on, except for the last one.
    pub(crate) fn drop_between(&self, place: usize) {
        self.chain_mut().drop_between(place);
    }

    /// Checks a submission. A valid transaction waits for the next block.
    pub(crate) fn submit(&self, submission: &Submission<'_>) -> Verdict {
        let fault = self.fault();
        match submission.check(self.rules, fault) {
            Ok(transaction) => {
                let mut chain = self.chain_mut();
                let verdict = chain.submit(transaction);
                if self.block_time == BlockTime::OnSubmission
                    && verdict.valid
                    && verdict.new_transaction
                {
                    self.next_block(&mut chain);
                }
                verdict
            }
            Err(_)
                if fault == Some(InjectedFault::PendingUnverified)
                    && submission.code.is_some_and(|code| self.chain().waits(code)) =>
            {
                Verdict::accepted(false)
            }
            Err(refusal) => {
                let unchecked =
                    || submission.check(self.rules, Some(InjectedFault::NoSignatureCheck));
                let was_refused = |code| self.chain().has_refused(code);
                match fault {
                    Some(InjectedFault::SignatureRemembered)
                        if submission.code.is_some_and(was_refused) =>
                    {
                        if let Ok(transaction) = unchecked() {
                            return self.chain_mut().submit(transaction);
                        }
                    }
                    Some(InjectedFault::BuiltSigned) => {
                        let built = submission.code.and_then(|code| self.chain().built(code));
                        let is_signed = built.is_some_and(|text| {
                            let transaction = text.as_str();
                            let signatures = submission.signatures.clone();
                            let built = Submission {
                                transaction,
                                signatures,
                                ..*submission
                            };
                            built.has_right_signatures()
                        });
                        if let (true, Ok(transaction)) = (is_signed, unchecked()) {
                            return self.chain_mut().submit(transaction);
                        }
                    }
                    Some(InjectedFault::RefusedStored) => unchecked()
                        .into_iter()
                        .for_each(|transaction| self.chain_mut().store_later(transaction)),
                    Some(InjectedFault::RefusedCosts) => unchecked()
                        .into_iter()
                        .for_each(|transaction| self.chain_mut().charge(&transaction)),
                    _ => {}
                }
                let known = submission
                    .code
                    .zip(submission.digest())
                    .is_some_and(|(code, digest)| self.chain().knows(code, &digest));
                Verdict::refused(refusal.0, !known)
            }
        }
    }

    // The lock can be used even if it is poisoned: nothing panics while it is held, and the chain is
    // consistent between any two steps.

    pub(crate) fn chain(&self) -> RwLockReadGuard<'_, Chain> {
        self.chain.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn chain_mut(&self) -> RwLockWriteGuard<'_, Chain> {
        self.chain.write().unwrap_or_else(PoisonError::into_inner)
    }
}
