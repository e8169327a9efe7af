//! How much memory responses may take, all that are kept at a time together.
//!
//! Cases share responses and run side by side, so a limit for one response is not enough. A response
//! that does not fit beside the others is not read further.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The memory that all responses of a run share, in bytes.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    limit: usize,
    free: Arc<Semaphore>,
}

/// What one response takes of it, until it is dropped.
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

    /// Grows a share to so many bytes. Returns `false` if they are not free.
    pub(crate) fn grow(&self, share: &mut Share, bytes: usize) -> bool {
        let mut missing = bytes.saturating_sub(share.bytes());
        while missing > 0 {
            // A semaphore hands out this many at most at a time.
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

    /// Makes a share take so many bytes, more or fewer than before. Returns `false` if they are not
    /// free.
    pub(crate) fn settle(&self, share: &mut Share, bytes: usize) -> bool {
        let unused = share.bytes().saturating_sub(bytes);
        if let Some(taken) = &mut share.taken {
            drop(taken.split(unused));
        }
        self.grow(share, bytes)
    }
}

impl Share {
    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let taken = self.taken.as_ref();
        taken.map_or(0, OwnedSemaphorePermit::num_permits)
    }
}

/// What an object takes in a tree of values, without its members' texts.
const OBJECT: usize = 400;
/// What a value takes beyond its text, with its name.
const VALUE: usize = 120;

/// What it takes to look into a JSON document, by estimate: its text, its tree of values, and what
/// the client reads of it.
pub(crate) fn needed(body: &[u8]) -> usize {
    let values = body.iter().fold(0_usize, |sum, byte| match byte {
        b'{' => sum + OBJECT,
        b',' | b'[' => sum + VALUE,
        _ => sum,
    });
    body.len().saturating_mul(3).saturating_add(values)
}

/// Whether there is room to look into a JSON document of these bytes, where there is that much.
pub(crate) fn fits(body: &[u8], room: usize) -> bool {
    // Most are so short that nothing need be counted.
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
