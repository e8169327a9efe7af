//! The blocks that the findings of a sweep are about.

use std::sync::{Arc, Mutex, PoisonError};

use crate::{checks::Evidence, http::Exchange};

/// Maximum number of blocks to keep.
const MOST: usize = 200;

/// The first block with each kind of finding, each with the block before it. Long blocks are left out.
#[derive(Default)]
pub(crate) struct KeptBlocks(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    previous: Option<Arc<Exchange>>,
    kept: Vec<Arc<Exchange>>,
}

impl KeptBlocks {
    /// Adds the next block, which is kept if it has a new kind of finding.
    pub(super) fn follow(&self, block: Evidence, has_new_finding: bool) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Evidence::Exchange(block) = block else {
            kept.previous = None;
            return;
        };
        let previous = kept.previous.replace(Arc::clone(&block));
        if has_new_finding && kept.kept.len() < MOST {
            let is_kept =
                |one: &Arc<Exchange>| kept.kept.last().is_some_and(|last| Arc::ptr_eq(last, one));
            let new: Vec<_> = previous.into_iter().filter(|one| !is_kept(one)).collect();
            kept.kept.extend(new);
            kept.kept.push(block);
        }
    }

    /// Returns the blocks that were kept.
    pub(crate) fn take(&self) -> Vec<Arc<Exchange>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut kept.kept)
    }
}
