//! What a sweep is to do, and how far it is.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{
    lock::Lock,
    range::BlockRange,
    state::{State, StateError},
};
use crate::{cases::Case, http::Target};

/// A sweep that a run is to make.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sweep {
    /// The blocks.
    pub blocks: BlockRange,
    /// The file of the sweep's state, with which it can be resumed. No file if not given.
    pub(crate) state: Option<PathBuf>,
    /// How far it was, if it is resumed.
    pub(crate) resumed: Option<Arc<State>>,
    /// Whether the run's limit of requests counts for its blocks, too.
    pub counts_requests: bool,
    /// Whether the run's deadline counts for it, too.
    pub has_deadline: bool,
    /// Keeps other runs from the state.
    lock: Option<Arc<Lock>>,
}

impl Sweep {
    /// A sweep over these blocks. It has no state file, and takes the requests and the time that it
    /// needs.
    #[must_use]
    pub const fn new(blocks: BlockRange) -> Self {
        Self {
            blocks,
            state: None,
            resumed: None,
            counts_requests: false,
            has_deadline: false,
            lock: None,
        }
    }

    /// The sweep with a lock on its state, held until the last copy is dropped.
    pub(crate) fn locked(mut self, lock: Lock) -> Self {
        self.lock = Some(Arc::new(lock));
        self
    }

    /// The sweep with its state in a file, which is replaced. The caller makes sure that no two runs
    /// use one file at a time. The command line does.
    #[must_use]
    pub fn keeping_state(mut self, path: PathBuf) -> Self {
        self.state = Some(path);
        self
    }

    /// The sweep from where the one that left its state in that file was stopped.
    ///
    /// # Errors
    /// When there is no such file, or it is damaged, or of another node, range or selection of
    /// cases.
    pub fn resuming(
        mut self,
        path: PathBuf,
        target: &Target,
        cases: &[Case],
    ) -> Result<Self, StateError> {
        let about_blocks = about_blocks(cases);
        let state = State::read(&path, target, self.blocks, &about_blocks)?;
        self.resumed = Some(Arc::new(state));
        Ok(self.keeping_state(path))
    }

    /// Returns the next block of the unfinished sweep that a file is of, and the index after its
    /// last block. `None` if the file is not the state of an unfinished sweep.
    #[must_use]
    pub fn unfinished(path: &Path) -> Option<(u64, u64)> {
        State::unfinished(path)
    }
}

/// Returns the cases that a sweep runs.
pub(crate) fn about_blocks(cases: &[Case]) -> Vec<Case> {
    let about = |case: &&Case| case.block_check().is_some();
    cases.iter().filter(about).copied().collect()
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SweepProgress {
    /// The first block.
    pub from: u64,
    /// The index after the last block.
    pub to: u64,
    /// The next block.
    pub next: u64,
    /// How many blocks this run has checked.
    pub done: u64,
    /// The time since the first request.
    pub elapsed: Duration,
    /// How many findings there are.
    pub findings: u64,
}
