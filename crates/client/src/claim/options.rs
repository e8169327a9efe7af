//! How a claim is made.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use nodeproof_primitives::TransactionCode;

use super::{Document, HashProgress, ReadBack, SubmitPolicy};

type Progress = dyn Fn(&ClaimStep<'_>) + Send + Sync;

/// How a claim is made: where its transaction is kept, how long is waited, who is told.
#[derive(Clone)]
#[non_exhaustive]
pub struct ClaimOptions {
    /// The file in which the signed transaction is kept before it is sent. None unless set: then
    /// nothing can be resumed, and claiming again after a crash may pay twice.
    pub keep: Option<PathBuf>,
    /// How long is waited for the record to be readable, after the transaction was accepted. 60
    /// seconds; at zero, it is looked for once.
    pub wait: Duration,
    /// The pause after the first look for the record; each is half as long again. 500 ms.
    pub first_pause: Duration,
    /// The longest pause between two looks for the record. 5 seconds.
    pub longest_pause: Duration,
    /// How often the same transaction is submitted, and when.
    pub submit: SubmitPolicy,
    /// Whether to make another transaction of the claim, and pay again, although one is kept
    /// already. No. See [`again`](Self::again).
    pub again: bool,
    /// Whether to claim although this verifier has a record about the asset already. No: nodes
    /// were seen to refuse such a claim only when the block is made, where the fee may be lost.
    pub although_recorded: bool,
    /// Whether a transaction that was kept for a node at another base URL is submitted here. No,
    /// as it may be of another network.
    pub any_node: bool,
    progress: Option<Arc<Progress>>,
}

impl Default for ClaimOptions {
    fn default() -> Self {
        Self {
            keep: None,
            wait: Duration::from_secs(60),
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(5),
            submit: SubmitPolicy::default(),
            again: false,
            although_recorded: false,
            any_node: false,
            progress: None,
        }
    }
}

impl ClaimOptions {
    /// Sets the file in which the signed transaction is kept before it is sent.
    ///
    /// Claiming the same again with the same file submits the same transaction.
    #[must_use]
    pub fn keep(mut self, path: impl Into<PathBuf>) -> Self {
        self.keep = Some(path.into());
        self
    }

    /// Sets how long is waited for the record to be readable.
    #[must_use]
    pub fn wait(mut self, longest: Duration) -> Self {
        self.wait = longest;
        self
    }

    /// Sets the first and the longest pause between two looks for the record.
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

    /// Sets whether to make another transaction of the claim, and pay again, whatever is
    /// [kept](Self::keep).
    ///
    /// What is kept is not read. Only when the new transaction is signed does its file take the
    /// other one's name, which is put aside in the same step as `FILE.1`, or the first such name
    /// that is free. Whatever fails before that leaves the file as it is. Claiming the same once
    /// more *without* this submits the transaction that bears the name then.
    #[must_use]
    pub fn again(mut self, yes: bool) -> Self {
        self.again = yes;
        self
    }

    /// Sets whether to claim although this verifier has a record about the asset already.
    #[must_use]
    pub fn although_recorded(mut self, yes: bool) -> Self {
        self.although_recorded = yes;
        self
    }

    /// Sets whether a transaction that was kept for a node at another base URL is submitted here.
    #[must_use]
    pub fn any_node(mut self, yes: bool) -> Self {
        self.any_node = yes;
        self
    }

    /// Sets who is told of each step. It is called often while documents are hashed, and from
    /// other threads; it should not block.
    #[must_use]
    pub fn on_step(mut self, progress: impl Fn(&ClaimStep<'_>) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    pub(super) fn tell(&self, step: &ClaimStep<'_>) {
        if let Some(progress) = &self.progress {
            progress(step);
        }
    }
}

impl fmt::Debug for ClaimOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClaimOptions")
            .field("keep", &self.keep)
            .field("wait", &self.wait)
            .field("first_pause", &self.first_pause)
            .field("longest_pause", &self.longest_pause)
            .field("submit", &self.submit)
            .field("again", &self.again)
            .field("although_recorded", &self.although_recorded)
            .field("any_node", &self.any_node)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

/// A step on the way of a claim.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClaimStep<'a> {
    /// A document is being hashed.
    Hashing {
        /// The document.
        document: &'a Document,
        /// Which one it is, counted from 0.
        index: usize,
        /// How many there are.
        count: usize,
        /// How far it has come.
        progress: HashProgress,
    },
    /// A transaction of this claim is kept already, and is what will be submitted: one of an earlier
    /// run or, after [`Signed`](Self::Signed), one of a process that was faster. What was signed
    /// here is dropped then.
    Resumed {
        /// The file.
        path: &'a Path,
        /// The transaction.
        trans_code: TransactionCode,
    },
    /// The node built the transaction, and it is what was asked for.
    Built {
        /// The transaction.
        transaction: &'a super::CheckedTransaction,
    },
    /// All signers have signed.
    Signed,
    /// The transaction that was kept before is now kept in another file.
    PutAside {
        /// The file.
        path: &'a Path,
    },
    /// The signed transaction is on disk.
    Kept {
        /// The file.
        path: &'a Path,
    },
    /// The transaction is about to be submitted, for the first time or again.
    Submitting {
        /// How often that was tried before in this run.
        earlier: u32,
    },
    /// The node took the transaction.
    Submitted {
        /// Whether it was new to the node, where the node says so.
        new_transaction: Option<bool>,
    },
    /// The record was looked for, and can't be read yet.
    Waiting {
        /// What was seen.
        seen: &'a ReadBack,
        /// How long is left to wait.
        left: Duration,
    },
}
