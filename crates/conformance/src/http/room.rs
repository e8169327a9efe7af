//! What all responses in use may have together.
//!
//! Cases share responses and run at the same time, so a limit for each response is not enough.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

const KIB: usize = 1024;

/// The number of JSON values, and the KiB of text, that all responses in use may have together.
#[derive(Debug)]
pub(super) struct Room([Arc<Semaphore>; 2]);

/// One response's share. Dropping it returns it.
pub(super) type Share = [OwnedSemaphorePermit; 2];

impl Room {
    pub(super) fn new(values: usize, bytes: usize) -> Self {
        let room = |most: usize| Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        Self([room(values), room(bytes / KIB)])
    }

    /// Takes the share of a body with this many values. Returns `None` if there is too little room.
    pub(super) fn take(&self, values: usize, body: &[u8]) -> Option<Share> {
        let Self([free_values, free_kib]) = self;
        let take = |free: &Arc<Semaphore>, number: usize| {
            let number = u32::try_from(number).ok()?;
            Arc::clone(free).try_acquire_many_owned(number).ok()
        };
        let kib = body.len().div_ceil(KIB);
        Some([take(free_values, values)?, take(free_kib, kib)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_free_again() {
        let room = Room::new(10, 4 * KIB);
        let first = room.take(6, b"").unwrap();
        assert!(room.take(5, b"").is_none() && room.take(4, b"").is_some());
        drop(first);
        let second = room.take(10, &[0; 4 * KIB]).unwrap();
        assert!(room.take(0, b"x").is_none());
        drop(second);
        assert!(room.take(0, b"x").is_some());
    }
}
