//! A node's state: what its requests read and change.

use std::{
    num::NonZeroU32,
    sync::{
        PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use nodeproof_primitives::{ContractAddress, Network};

use crate::{
    BlockTime, ChainTime, Config, Forms, InjectedFault, TestWallet,
    chain::{
        CLAIMED_ASSET, Cast, Chain, Start, Submission, TransactionRules, TrustScores, Verdict,
        found,
    },
    http::{Faulty, RateLimit},
    seed::Seed,
};

/// The state that all requests to one node share.
///
/// The chain stands under one lock, which is never held across an `await`, and
/// never while a signature is verified.
#[derive(Debug)]
pub struct Node {
    network: Network,
    wallets: Box<[TestWallet]>,
    rules: TransactionRules,
    trust: TrustScores,
    chain: RwLock<Chain>,
    founded_with: u64,
    block_time: BlockTime,
    time: ChainTime,
    body_limit: usize,
    rate_limit: Option<RateLimit>,
    allowed_hosts: Vec<String>,
    forms: Forms,
    faulty: Option<Faulty>,
    requests: AtomicU64,
    submissions: AtomicU64,
}

impl Node {
    /// Founds a chain and makes its first blocks, which takes time in proportion to their number.
    #[must_use]
    pub fn new(config: &Config) -> Self {
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
        let cast = Cast {
            validators: [v1, v2, v3],
            users: [alice, bob, carol],
            funded: &config.funded,
        };
        let start = Start {
            blocks: config.blocks,
            time: config.time,
            fault: config.fault,
        };
        let chain = found(seed, rules, &cast, start);
        Self {
            network: config.network,
            trust: TrustScores::new(seed, wallets.iter().map(TestWallet::address)),
            wallets: wallets.into(),
            rules,
            chain: RwLock::new(chain),
            founded_with: config.blocks,
            block_time: config.block_time,
            time: config.time,
            body_limit: config.body_limit,
            rate_limit: config.rate_limit.map(NonZeroU32::get).map(RateLimit::new),
            allowed_hosts: config.allowed_hosts.clone(),
            forms: config.forms,
            faulty: config.fault.map(Faulty::new),
            requests: AtomicU64::new(0),
            submissions: AtomicU64::new(0),
        }
    }

    /// The network that the node says to belong to.
    #[must_use]
    pub const fn network(&self) -> Network {
        self.network
    }

    /// The wallets that the chain started with: those that make blocks, then those that have tokens.
    #[must_use]
    pub fn wallets(&self) -> &[TestWallet] {
        &self.wallets
    }

    /// A wallet by its name, such as `alice`.
    #[must_use]
    pub fn wallet(&self, name: &str) -> Option<&TestWallet> {
        self.wallets.iter().find(|wallet| wallet.name() == name)
    }

    /// The verification contract, whose function is `add_verification`.
    #[must_use]
    pub const fn contract_address(&self) -> ContractAddress {
        self.rules.verification
    }

    /// The token contract, whose function is `transfer`.
    #[must_use]
    pub const fn token_contract_address(&self) -> ContractAddress {
        self.rules.token
    }

    /// The code of the token that fees are paid in.
    #[must_use]
    pub const fn native_token(&self) -> &'static str {
        crate::chain::NATIVE_TOKEN
    }

    /// An asset that the chain has a claim about from the start; `None` on a chain that was founded
    /// with fewer than 2 blocks.
    #[must_use]
    pub const fn claimed_asset(&self) -> Option<&'static str> {
        let (asset, block) = CLAIMED_ASSET;
        if self.founded_with >= block {
            Some(asset)
        } else {
            None
        }
    }

    /// The index of the latest block; 0 when there is none.
    #[must_use]
    pub fn height(&self) -> u64 {
        self.chain().height()
    }

    /// How many transactions wait for the next block.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.chain().waiting()
    }

    /// Makes a block of what waits, and answers its index.
    pub fn make_block(&self) -> u64 {
        self.next_block(&mut self.chain_mut())
    }

    fn next_block(&self, chain: &mut Chain) -> u64 {
        chain.make_block(self.block_time.step_ms(), self.time.clock())
    }

    /// How many requests have come in, of whatever kind.
    #[must_use]
    pub fn requests_received(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// How many requests have come in that could change the chain, whatever became of them.
    #[must_use]
    pub fn submissions_received(&self) -> u64 {
        self.submissions.load(Ordering::Relaxed)
    }

    pub(crate) fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_submission(&self) {
        self.submissions.fetch_add(1, Ordering::Relaxed);
    }

    /// The time of a transaction that is built now.
    pub(crate) fn now(&self) -> i64 {
        self.chain().now(self.time.clock())
    }

    pub(crate) const fn trust(&self) -> &TrustScores {
        &self.trust
    }

    pub(crate) const fn body_limit(&self) -> usize {
        self.body_limit
    }

    pub(crate) const fn rate_limit(&self) -> Option<&RateLimit> {
        self.rate_limit.as_ref()
    }

    pub(crate) const fn forms(&self) -> Forms {
        self.forms
    }

    pub(crate) const fn faulty(&self) -> Option<&Faulty> {
        self.faulty.as_ref()
    }

    pub(crate) fn fault(&self) -> Option<InjectedFault> {
        self.faulty.as_ref().map(|faulty| faulty.fault)
    }

    pub(crate) fn has(&self, fault: InjectedFault) -> bool {
        self.fault() == Some(fault)
    }

    pub(crate) fn allowed_hosts(&self) -> &[String] {
        &self.allowed_hosts
    }

    /// Judges a submission, and keeps its transaction for the next block if it is valid.
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
            Err(refusal) => {
                if fault == Some(InjectedFault::RefusedStored)
                    && let Ok(transaction) =
                        submission.check(self.rules, Some(InjectedFault::NoSignatureCheck))
                {
                    self.chain_mut().store_later(transaction);
                }
                let known = submission
                    .code
                    .zip(submission.digest())
                    .is_some_and(|(code, digest)| self.chain().knows(code, &digest));
                Verdict::refused(refusal.0, !known)
            }
        }
    }

    // Nothing panics while it holds the lock, and a chain is whole between any two
    // steps, so a lock that is poisoned all the same guards nothing broken.

    pub(crate) fn chain(&self) -> RwLockReadGuard<'_, Chain> {
        self.chain.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn chain_mut(&self) -> RwLockWriteGuard<'_, Chain> {
        self.chain.write().unwrap_or_else(PoisonError::into_inner)
    }
}
