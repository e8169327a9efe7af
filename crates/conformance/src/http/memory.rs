//! The memory budget of all responses that are in use at the same time.
//!
//! Cases share responses and run at the same time, so a limit for each response is not enough. Reading
//! stops if a response does not fit into the rest of the budget.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The memory budget that all responses of a run share, in bytes.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    limit: usize,
    free: Arc<Semaphore>,
}

/// One response's share of the budget. Dropping it returns the memory.
#[derive(Debug, Default)]
pub(crate) struct Share {
    taken: Option<OwnedSemaphorePermit>,
}

impl MemoryBudget {
    pub(crate) fn new(limit: usize) -> Self {
        let limit = limit.min(Semaphore::MAX_PERMITS);
        Self {
            limit,
            free: Arc::new(Semaphore::new(limit)),
        }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Grows a share to this many bytes. Returns `false` if the budget does not have them.
    pub(crate) fn grow(&self, share: &mut Share, bytes: usize) -> bool {
        let mut missing = bytes.saturating_sub(share.bytes());
        while missing > 0 {
            // A semaphore grants at most this many permits in one call.
            let part = u32::try_from(missing).unwrap_or(u32::MAX);
            let Ok(permit) = Arc::clone(&self.free).try_acquire_many_owned(part) else {
                return false;
            };
            match &mut share.taken {
                Some(taken) => taken.merge(permit),
                none => *none = Some(permit),
            }
            missing -= usize::try_from(part).unwrap_or(missing);
        }
        true
    }

    /// Sets a share to this many bytes, more or fewer than before. Returns `false` if the budget does not
    /// have them.
    pub(crate) fn settle(&self, share: &mut Share, bytes: usize) -> bool {
        let unused = share.bytes().saturating_sub(bytes);
        if let Some(taken) = &mut share.taken {
            drop(taken.split(unused));
        }
        self.grow(share, bytes)
    }
}

impl Share {
    /// Returns the share's size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let taken = self.taken.as_ref();
        taken.map_or(0, OwnedSemaphorePermit::num_permits)
    }
}

/// Estimated bytes of an object in a tree of values, without the text of its members.
const OBJECT: usize = 400;
/// Estimated bytes of a value in addition to its text, with its name.
const VALUE: usize = 120;

/// Estimates the memory, in bytes, for parsing a JSON document: its text, its tree of values, and the
/// client's types.
pub(crate) fn needed(body: &[u8]) -> usize {
    let values = body.iter().fold(0_usize, |sum, byte| match byte {
        b'{' => sum + OBJECT,
        b',' | b'[' => sum + VALUE,
        _ => sum,
    });
    body.len().saturating_mul(3).saturating_add(values)
}

/// Whether parsing a JSON document needs at most `room` bytes.
pub(crate) fn fits(body: &[u8], room: usize) -> bool {
    // Most documents are so short that counting is not necessary.
    body.len().saturating_mul(3 + OBJECT) <= room || needed(body) <= room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_there_again() {
        let memory = MemoryBudget::new(10);
        let (mut first, mut second) = (Share::default(), Share::default());
        assert!(memory.grow(&mut first, 4) && memory.grow(&mut first, 6));
        assert!(memory.grow(&mut second, 4));
        assert!(!memory.grow(&mut second, 5));
        drop(second);
        assert!(memory.grow(&mut first, 10));
        assert_eq!(first.bytes(), 10);
        assert!(memory.settle(&mut first, 3) && memory.grow(&mut Share::default(), 7));
        drop(first);
        assert!(memory.grow(&mut Share::default(), 10));
    }

    #[test]
    fn small_values_weigh_more_than_their_text() {
        assert!(needed(b"[0,0,0,0]") > 500);
        assert_eq!(needed(&[b'x'; 1000]), 3000);
        for body in [&[b'{'; 100][..], &[b'x'; 100], &[b','; 100]] {
            let needed = needed(body);
            assert!(fits(body, needed) && !fits(body, needed - 1));
        }
    }
}
