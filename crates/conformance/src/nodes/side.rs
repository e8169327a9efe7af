//! One of the nodes that are compared.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::run::ExaminedNode;

/// A node that responded until the end of its run.
pub(crate) struct Side {
    /// Its base URL.
    pub(crate) name: String,
    pub(crate) examined: Arc<ExaminedNode>,
    /// Its last known height, or 0.
    height: AtomicU64,
}

impl Side {
    pub(crate) fn new(name: String, examined: Arc<ExaminedNode>) -> Self {
        let height = AtomicU64::new(examined.chain.tip.unwrap_or_default());
        Self {
            name,
            examined,
            height,
        }
    }

    /// Returns the last known height. It may be higher by now.
    pub(crate) fn last_height(&self) -> u64 {
        self.height.load(Ordering::Relaxed)
    }

    pub(crate) fn set_height(&self, height: u64) {
        self.height.store(height, Ordering::Relaxed);
    }
}
