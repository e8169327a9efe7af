//! The options of a claim and the steps that it reports.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use nodeproof_client::{CallOptions, CheckedTransaction};
use nodeproof_primitives::{Network, TransactionCode};

use crate::{
    document::{Document, HashProgress},
    read_back::ReadBack,
};

/// The options of a claim: the time limits, the exceptions from its checks, and the progress callback.
///
/// ```
/// use nodeproof_claims::{ClaimOptions, ClaimStep, OnStep};
/// use nodeproof_client::Network;
/// use std::time::Duration;
///
/// let options = ClaimOptions {
///     network: Some(Network::Testnet),
///     wait: Duration::from_secs(120),
///     on_step: OnStep::new(|step| {
///         if let ClaimStep::Built { transaction } = step {
///             println!("{transaction}");
///         }
///     }),
///     ..ClaimOptions::default()
/// };
/// assert!(!options.again && !options.any_node && !options.without_lock);
/// ```
#[derive(Clone, Debug)]
pub struct ClaimOptions {
    /// The longest time to wait for the record after the transaction was accepted. The default is
    /// 60 seconds. At zero, the client requests the record once. The search for the transaction's block follows.
    /// It takes at most as long again, but not less than 5 and not more than 30 seconds.
    pub wait: Duration,
    /// The pause after the first request for the record. The default is 500 ms. Pauses double, up to ten
    /// times this.
    pub interval: Duration,
    /// How the transaction is submitted, and how its time is checked.
    pub call: CallOptions,
    /// Whether to make another transaction and pay again, although one is already saved for this or
    /// another claim about the same asset. The default is no.
    ///
    /// The saved transaction is not read. After the new transaction is signed, it takes the file's
    /// name. In the same step, the old file becomes `FILE.1`, or the first such name that is free. If
    /// anything fails before that, the file stays unchanged. The same claim *without* this option then
    /// submits the new transaction.
    pub again: bool,
    /// Whether to submit a transaction that was saved for a node at another base URL. The default is
    /// no, because that node may be on another network. A node on the port of another network is always
    /// refused.
    pub any_node: bool,
    /// Whether to make the claim although the file system of a folder with saved claims has no locks. The
    /// default is no.
    ///
    /// Then nothing keeps two processes from paying for two claims about one asset. Set this only if no
    /// other process makes claims with the same wallet. Claims of this process still wait for each other.
    pub without_lock: bool,
    /// More folders in which to look for saved claims about the same asset. The folder of the claim's file
    /// is always searched. The default is none.
    pub search_folders: Vec<PathBuf>,
    /// The node's network, if it is known. Saved claims on another network do not count. The default
    /// is the network of the node's port. A wallet that is bound to another network than this one, or
    /// than that of the port, signs nothing.
    pub network: Option<Network>,
    /// The function that is called at each step.
    pub on_step: OnStep,
}

impl Default for ClaimOptions {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(60),
            interval: Duration::from_millis(500),
            call: CallOptions::default(),
            again: false,
            any_node: false,
            without_lock: false,
            search_folders: Vec::new(),
            network: None,
            on_step: OnStep::default(),
        }
    }
}

impl ClaimOptions {
    pub(crate) fn report(&self, step: &ClaimStep<'_>) {
        if let Some(on_step) = &self.on_step.0 {
            on_step(step);
        }
    }
}

type StepFunction = dyn Fn(&ClaimStep<'_>) + Send + Sync;

/// A function that is called at each step of a claim. By default, none is called.
#[derive(Clone, Default)]
pub struct OnStep(Option<Arc<StepFunction>>);

impl OnStep {
    /// Sets the function. While documents are hashed, it is called often and from other threads. It should
    /// not block, and it must not write a saved transaction itself.
    #[must_use]
    pub fn new(function: impl Fn(&ClaimStep<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(function)))
    }
}

impl fmt::Debug for OnStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_set = self.0.is_some();
        f.debug_tuple("OnStep").field(&is_set).finish()
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
