//! The settings and the progress of a sweep.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use nodeproof_files::LockFile;

use super::{
    merge::merge,
    range::BlockRange,
    state::{State, StateError},
};
use crate::{cases::Case, http::Target};

/// The settings of a sweep.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sweep {
    /// The blocks.
    pub blocks: BlockRange,
    /// The file of the sweep's state, which makes it possible to resume the sweep. Optional.
    pub(crate) state: Option<PathBuf>,
    /// The saved state, if the sweep is resumed.
    pub(crate) resumed: Option<Arc<State>>,
    /// The state of a finished sweep. This one begins after its last block.
    pub(crate) after: Option<Arc<State>>,
    /// Whether its blocks count towards the run's limit of requests.
    pub counts_requests: bool,
    /// Whether the run's deadline applies to it.
    pub has_deadline: bool,
    /// Maximum number of blocks, from the first one on. Default: no limit.
    pub most_blocks: Option<u64>,
    /// Prevents other runs from using the state.
    lock: Option<Arc<LockFile>>,
}

impl Sweep {
    /// Creates a sweep over these blocks.
    ///
    /// It has no state file, and no limit of requests or time.
    #[must_use]
    pub const fn new(blocks: BlockRange) -> Self {
        Self {
            blocks,
            state: None,
            resumed: None,
            after: None,
            counts_requests: false,
            has_deadline: false,
            most_blocks: None,
            lock: None,
        }
    }

    /// Adds a lock on the state, which is held until the last copy of the sweep is dropped.
    pub(crate) fn locked(mut self, lock: LockFile) -> Self {
        self.lock = Some(Arc::new(lock));
        self
    }

    /// Saves the sweep's state in a file, which is replaced if it exists.
    ///
    /// The caller must make sure that no two runs use the same file at the same time. The command line does.
    #[must_use]
    pub fn keeping_state(mut self, path: PathBuf) -> Self {
        self.state = Some(path);
        self
    }

    /// Continues the sweep whose state is in that file.
    ///
    /// # Errors
    /// Returns an error if the file does not exist or is damaged, or if it belongs to another node, range
    /// or selection of cases.
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

    /// Merges the results of the sweeps over all parts of the range, which [`Part`](super::Part) defines. No
    /// block is left to check.
    ///
    /// # Errors
    /// Returns an error if a file can't be read, if its sweep is not finished or belongs to another node or
    /// selection of cases, or if the sweeps are not those of the parts.
    pub fn merging(
        mut self,
        paths: &[PathBuf],
        target: &Target,
        cases: &[Case],
    ) -> Result<Self, StateError> {
        let state = merge(paths, target, self.blocks, &about_blocks(cases))?;
        self.resumed = Some(Arc::new(state));
        Ok(self)
    }

    /// If the sweep to resume is finished, checks only the blocks after it.
    pub(crate) fn only_new_blocks(mut self) -> Self {
        if self.finished().is_some() {
            self.after = self.resumed.take();
        }
        self
    }

    /// Returns the first block, if it does not depend on the chain.
    pub(crate) fn first(&self) -> Option<u64> {
        let after = self.after.as_ref().map(|state| state.to);
        after.or(self.blocks.first())
    }

    /// Whether it continues a sweep that has blocks left.
    pub(crate) fn has_begun(&self) -> bool {
        let state = self.resumed.as_ref();
        state.is_some_and(|state| state.next < state.to)
    }

    /// Returns the exit status of the run that finished the sweep, if the saved state has one.
    pub(crate) fn finished(&self) -> Option<u8> {
        self.resumed.as_ref()?.finished
    }

    /// Reads the state of an unfinished sweep, and returns its next block and the index after its last one.
    ///
    /// Returns `None` if the file is not the state of an unfinished sweep.
    #[must_use]
    pub fn unfinished(path: &Path) -> Option<(u64, u64)> {
        State::unfinished(path)
    }
}

/// Returns the cases about blocks.
pub(crate) fn about_blocks(cases: &[Case]) -> Vec<Case> {
    let about = |case: &&Case| case.check.block_check().is_some();
    cases.iter().filter(about).copied().collect()
}

/// The progress of a sweep.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SweepProgress {
    /// The first block.
    pub from: u64,
    /// The index after the last block.
    pub to: u64,
    /// The next block.
    pub next: u64,
    /// Number of blocks that this run has checked.
    pub done: u64,
    /// The time since the first request.
    pub elapsed: Duration,
    /// Number of findings.
    pub findings: u64,
}
