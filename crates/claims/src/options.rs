//! The options of a claim and the steps that it reports.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use nodeproof_client::contract_call::{CheckedTransaction, SubmitPolicy};
use nodeproof_primitives::{Network, TransactionCode};

use crate::{
    document::{Document, HashProgress},
    read_back::ReadBack,
};

type Progress = dyn Fn(&ClaimStep<'_>) + Send + Sync;

/// The options of a claim: the file of its transaction, the time limits, and the progress callback.
///
/// ```
/// use nodeproof_claims::ClaimOptions;
/// use nodeproof_client::nodeproof_primitives::Network;
/// use std::time::Duration;
///
/// let options = ClaimOptions::default()
///     .save_to("claims/asset-7.json")
///     .search_folder("claims/earlier")
///     .network(Network::Testnet)
///     .pauses(Duration::from_secs(1), Duration::from_secs(10));
/// assert_eq!((options.wait, options.again), (Duration::from_secs(60), false));
///
/// let unchecked = options
///     .again(true)
///     .allow_existing_record(true)
///     .any_node(true)
///     .without_lock(true)
///     .node_time(true);
/// assert!(unchecked.again && unchecked.allow_existing_record);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ClaimOptions {
    /// The file in which the signed transaction is saved before it is sent. The default is none. Then
    /// nothing can be resumed, and a repeated claim after a crash may pay twice.
    pub save_to: Option<PathBuf>,
    /// The longest time to wait for the record after the transaction was accepted. The default is
    /// 60 seconds. At zero, the client requests the record once.
    pub wait: Duration,
    /// The pause after the first request for the record. The default is 500 ms. Each pause is half as
    /// long again as the one before.
    pub first_pause: Duration,
    /// The longest pause between two requests for the record. The default is 5 seconds.
    pub longest_pause: Duration,
    /// How often the same transaction is submitted, and when.
    pub submit: SubmitPolicy,
    /// Whether to make another transaction and pay again, although one is already saved for this or
    /// another claim about the same asset. The default is no. See [`again`](Self::again).
    pub again: bool,
    /// Whether to claim although this verifier already has a record about the asset. The default is no:
    /// nodes were seen to refuse such a claim only when the block is made, and then the fee may be lost.
    pub allow_existing_record: bool,
    /// Whether to submit a transaction that was saved for a node at another base URL. The default is
    /// no, because that node may be on another network. A node on the port of another network is always
    /// refused.
    pub any_node: bool,
    /// Whether to make the claim although a file system has no locks. The default is no. See
    /// [`without_lock`](Self::without_lock).
    pub without_lock: bool,
    /// More folders in which to look for saved claims about the same asset. The folder of
    /// [`save_to`](Self::save_to) is always searched. The default is none.
    pub search_folders: Vec<PathBuf>,
    /// The node's network, if it is known. Saved claims on another network do not count. The default
    /// is the network of the node's port. A wallet that is bound to another network than this one, or
    /// than that of the port, signs nothing.
    pub network: Option<Network>,
    /// Whether the time of the node's latest block may replace the local clock. The default is no. See
    /// [`node_time`](Self::node_time).
    pub node_time: bool,
    progress: Option<Arc<Progress>>,
}

impl Default for ClaimOptions {
    fn default() -> Self {
        Self {
            save_to: None,
            wait: Duration::from_secs(60),
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(5),
            submit: SubmitPolicy::default(),
            again: false,
            allow_existing_record: false,
            any_node: false,
            without_lock: false,
            search_folders: Vec::new(),
            network: None,
            node_time: false,
            progress: None,
        }
    }
}

impl ClaimOptions {
    /// Sets the file in which the signed transaction is saved before it is sent.
    ///
    /// The same claim with the same file submits the same transaction again.
    #[must_use]
    pub fn save_to(mut self, path: impl Into<PathBuf>) -> Self {
        self.save_to = Some(path.into());
        self
    }

    /// Sets the longest time to wait for the record.
    #[must_use]
    pub fn wait(mut self, longest: Duration) -> Self {
        self.wait = longest;
        self
    }

    /// Sets the first and the longest pause between two requests for the record.
    #[must_use]
    pub fn pauses(mut self, first: Duration, longest: Duration) -> Self {
        self.first_pause = first;
        self.longest_pause = longest;
        self
    }

    /// Sets how often the same transaction is submitted, and when.
    #[must_use]
    pub fn submit(mut self, policy: SubmitPolicy) -> Self {
        self.submit = policy;
        self
    }

    /// Sets whether to make another transaction and pay again, although one is
    /// [saved](Self::save_to).
    ///
    /// The saved transaction is not read. After the new transaction is signed, it takes the file's
    /// name. In the same step, the old file becomes `FILE.1`, or the first such name that is free. If
    /// anything fails before that, the file stays unchanged. The same claim *without* this option then
    /// submits the new transaction.
    #[must_use]
    pub fn again(mut self, yes: bool) -> Self {
        self.again = yes;
        self
    }

    /// Sets whether to claim although this verifier already has a record about the asset.
    #[must_use]
    pub fn allow_existing_record(mut self, yes: bool) -> Self {
        self.allow_existing_record = yes;
        self
    }

    /// Sets whether to submit a transaction that was saved for a node at another base URL.
    #[must_use]
    pub fn any_node(mut self, yes: bool) -> Self {
        self.any_node = yes;
        self
    }

    /// Sets whether to make the claim although the file system of a folder with saved claims has no locks.
    ///
    /// Then nothing keeps two processes from paying for two claims about one asset. Set this only if no
    /// other process makes claims with the same wallet. Claims of this process still wait for each other.
    #[must_use]
    pub fn without_lock(mut self, yes: bool) -> Self {
        self.without_lock = yes;
        self
    }

    /// Adds a folder in which to look for saved claims about the same asset. The folder of
    /// [`save_to`](Self::save_to) is always searched.
    #[must_use]
    pub fn search_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.search_folders.push(folder.into());
        self
    }

    /// Sets the node's network.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = Some(network);
        self
    }

    /// Sets whether a transaction's time may be compared with that of the node's latest block instead of
    /// the local clock.
    ///
    /// Then the node controls both times, so the check proves little. Use this only on test networks
    /// whose time differs from real time.
    #[must_use]
    pub fn node_time(mut self, yes: bool) -> Self {
        self.node_time = yes;
        self
    }

    /// Sets the function that is called at each step. While documents are hashed, it is called often
    /// and from other threads. It should not block, and it must not write a saved transaction itself.
    #[must_use]
    pub fn on_step(mut self, progress: impl Fn(&ClaimStep<'_>) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    pub(crate) fn report(&self, step: &ClaimStep<'_>) {
        if let Some(progress) = &self.progress {
            progress(step);
        }
    }
}

impl fmt::Debug for ClaimOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClaimOptions")
            .field("save_to", &self.save_to)
            .field("wait", &self.wait)
            .field("first_pause", &self.first_pause)
            .field("longest_pause", &self.longest_pause)
            .field("submit", &self.submit)
            .field("again", &self.again)
            .field("allow_existing_record", &self.allow_existing_record)
            .field("any_node", &self.any_node)
            .field("without_lock", &self.without_lock)
            .field("search_folders", &self.search_folders)
            .field("network", &self.network)
            .field("node_time", &self.node_time)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

/// A step of a claim.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClaimStep<'a> {
    /// A document is being hashed.
    Hashing {
        /// The document.
        document: &'a Document,
        /// Its index, from 0.
        index: usize,
        /// The number of documents.
        count: usize,
        /// The progress within the document.
        progress: HashProgress,
    },
    /// A transaction of this claim is already saved and will be submitted. It is from an earlier run
    /// or, after [`Signed`](Self::Signed), from a faster process. In that case, the transaction that
    /// was signed here is dropped.
    Resumed {
        /// The file.
        path: &'a Path,
        /// The transaction.
        trans_code: TransactionCode,
    },
    /// An earlier claim about the same asset may have been missed.
    NotSearched {
        /// The reason.
        reason: &'a str,
    },
    /// The node built the transaction, and it matches the requested call.
    Built {
        /// The transaction.
        transaction: &'a CheckedTransaction,
    },
    /// All signers have signed.
    Signed,
    /// The transaction that was saved before is now in another file.
    PutAside {
        /// The file.
        path: &'a Path,
    },
    /// The signed transaction is on disk.
    Saved {
        /// The file.
        path: &'a Path,
    },
    /// The transaction is about to be submitted, for the first time or again.
    Submitting {
        /// The number of earlier submissions in this run.
        earlier: u32,
    },
    /// The node accepted the transaction.
    Submitted {
        /// Whether it was new to the node, if the node reports it.
        new_transaction: Option<bool>,
    },
    /// The record was requested, but can't be read yet.
    Waiting {
        /// The state of the claim, as the node shows it.
        seen: &'a ReadBack,
        /// The time left to wait.
        left: Duration,
    },
}
