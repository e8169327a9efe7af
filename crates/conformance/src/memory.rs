//! How much memory answers may take, all that are kept at a time together.
//!
//! Cases share answers and run side by side, so it is not enough to bound one answer: what a run has
//! in its hands is counted, and an answer that does not fit beside the others is not read further.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// What all answers of a run may take.
#[derive(Debug)]
pub(crate) struct Memory {
    limit: usize,
    taken: Arc<AtomicUsize>,
}

/// What one answer takes of it, until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Share {
    taken: Arc<AtomicUsize>,
    bytes: usize,
}

impl Memory {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            taken: Arc::default(),
        }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Nothing yet.
    pub(crate) fn share(&self) -> Share {
        Share {
            taken: Arc::clone(&self.taken),
            bytes: 0,
        }
    }

    /// Has a share grow to so many bytes, if they are there.
    pub(crate) fn grow(&self, share: &mut Share, bytes: usize) -> bool {
        let more = bytes.saturating_sub(share.bytes);
        let taken = self.taken.fetch_add(more, Ordering::Relaxed);
        share.bytes += more;
        taken.saturating_add(more) <= self.limit
    }

    /// Has a share be so many bytes, more or fewer than before, if they are there.
    pub(crate) fn settle(&self, share: &mut Share, bytes: usize) -> bool {
        let fewer = share.bytes.saturating_sub(bytes);
        self.taken.fetch_sub(fewer, Ordering::Relaxed);
        share.bytes -= fewer;
        self.grow(share, bytes)
    }
}

impl Share {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
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
        let memory = Memory::new(10);
        let (mut first, mut second) = (memory.share(), memory.share());
        assert!(memory.grow(&mut first, 4) && memory.grow(&mut first, 6));
        assert!(memory.grow(&mut second, 4));
        assert!(!memory.grow(&mut second, 5));
        drop(second);
        assert!(memory.grow(&mut first, 10));
        assert_eq!(first.bytes(), 10);
        assert!(memory.settle(&mut first, 3) && memory.grow(&mut memory.share(), 7));
        drop(first);
        assert!(memory.grow(&mut memory.share(), 10));
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
