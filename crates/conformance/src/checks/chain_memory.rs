//! The data of earlier blocks that later blocks are compared with.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
};

use nodeproof_primitives::{TimestampMs, TransactionCode};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};

use crate::api::{BlockMembers, BlockResponse, MILLISECONDS, Unread};

/// Maximum difference between the clocks of two computers, in milliseconds.
pub(crate) const CLOCKS_DIFFER: i64 = 24 * 60 * 60 * 1000;

/// The data of a block that is compared with other blocks.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    pub(crate) index: u64,
    pub(crate) time: Option<TimestampMs>,
    /// The block before it.
    pub(crate) previous: Option<Previous>,
    /// The codes of transactions in the form of a submission, with their positions.
    pub(crate) codes: Vec<(usize, TransactionCode)>,
    /// The earliest and the latest time in milliseconds at which a receipt was given, with the
    /// receipts' positions.
    pub(crate) votes: Option<[(usize, i64); 2]>,
}

impl Links {
    /// Collects the data of a block that is compared with other blocks.
    pub(crate) fn of(response: &BlockResponse) -> Self {
        let block = response.block();
        let found = block.and_then(|block| block.transactions.as_ref().ok());
        let mut codes = Vec::new();
        for (place, transaction) in found.into_iter().flatten().enumerate() {
            let in_form = transaction.signed().is_ok();
            codes.extend(
                transaction
                    .trans_code()
                    .filter(|_| in_form)
                    .map(|code| (place, code)),
            );
        }
        Self {
            index: response.index,
            time: block.and_then(|block| block.timestamp.as_ref().ok().copied()),
            previous: block
                .and_then(|block| match &block.previous_hash {
                    Ok(hash) => Some(hash.to_string()),
                    Err(Unread::Null(_)) => Some("0".to_owned()),
                    Err(_) => None,
                })
                .map(|text| Previous {
                    fingerprint: Fingerprint::of(&text),
                    text,
                }),
            codes,
            votes: block.and_then(votes),
        }
    }
}

/// Returns the earliest and the latest plausible time of a block's receipts.
fn votes(block: &BlockMembers) -> Option<[(usize, i64); 2]> {
    let receipts = block.receipts.as_ref().ok()?.iter().enumerate();
    let times = receipts.filter_map(|(place, receipt)| {
        let time = receipt.timestamp.as_ref().ok()?.as_millis();
        MILLISECONDS.contains(&time).then_some((place, time))
    });
    let mut times = times.peekable();
    let first = *times.peek()?;
    Some(times.fold([first; 2], |[earliest, latest], (place, time)| {
        [
            if time < earliest.1 {
                (place, time)
            } else {
                earliest
            },
            if time > latest.1 {
                (place, time)
            } else {
                latest
            },
        ]
    }))
}

/// A block's reference to the one before it.
#[derive(Clone, Debug)]
pub(crate) struct Previous {
    /// The hash, in lower case.
    pub(crate) text: String,
    /// The fingerprint of the hash. It is computed when the block is read, because blocks are put
    /// in order one at a time.
    pub(crate) fingerprint: Fingerprint,
}

/// Maximum number of remembered items of one kind. In a longer chain, the latest ones are remembered.
const REMEMBERED: usize = 16_384;

/// The data of earlier blocks. It takes the same memory for a chain of any length.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// The time with which the next block is compared.
    pub(crate) time: Option<i64>,
    /// The hashes of the previous blocks.
    pub(crate) previous: Recent,
    /// The codes of transactions.
    pub(crate) codes: Recent,
    /// The index and the time of the last block, if it has a plausible one.
    #[serde(default)]
    pub(crate) last_time: Option<(u64, i64)>,
}

/// A position: the block, and the position within it.
pub(crate) type Place = (u64, usize);

/// The latest of many items, each with the position where it was last seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recent {
    order: VecDeque<(Fingerprint, Place)>,
    places: HashMap<Fingerprint, Place>,
}

impl Recent {
    /// Remembers an item, and returns the position where it was seen before.
    pub(crate) fn seen_before(&mut self, thing: Fingerprint, place: Place) -> Option<Place> {
        let before = self.places.insert(thing, place);
        self.order.push_back((thing, place));
        if self.order.len() > REMEMBERED
            && let Some((oldest, its_place)) = self.order.pop_front()
            && self.places.get(&oldest) == Some(&its_place)
        {
            self.places.remove(&oldest);
        }
        before
    }

    /// Returns the item that was added last, with its position.
    pub(crate) fn latest(&self) -> Option<(Fingerprint, Place)> {
        self.order.back().copied()
    }
}

impl Serialize for Recent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.order.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Recent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let order = VecDeque::<(Fingerprint, Place)>::deserialize(deserializer)?;
        let places = order.iter().copied().collect();
        Ok(Self { order, places })
    }
}

/// A hash of a text, in 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Fingerprint([u8; 16]);

impl Fingerprint {
    pub(crate) fn of(text: &str) -> Self {
        let digest = Sha256::digest(text);
        let mut short = [0; 16];
        short.copy_from_slice(&digest[..16]);
        Self(short)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        u128::from_str_radix(&text, 16)
            .map(|number| Self(number.to_be_bytes()))
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_is_noticed_with_the_place_before_it() {
        let mut recent = Recent::default();
        let (one, two) = (Fingerprint::of("one"), Fingerprint::of("two"));
        assert_eq!(recent.seen_before(one, (1, 0)), None);
        assert_eq!(recent.seen_before(two, (2, 0)), None);
        assert_eq!(recent.seen_before(one, (3, 7)), Some((1, 0)));
        assert_eq!(recent.seen_before(one, (4, 0)), Some((3, 7)));
    }

    #[test]
    fn memory_does_not_grow_with_the_chain_and_keeps_the_latest() {
        let mut recent = Recent::default();
        let last = 3 * REMEMBERED as u64;
        for block in 0..last {
            recent.seen_before(Fingerprint::of(&block.to_string()), (block, 0));
        }
        assert_eq!(recent.order.len(), REMEMBERED);
        assert_eq!(recent.places.len(), REMEMBERED);
        let latest = Fingerprint::of(&(last - 1).to_string());
        assert_eq!(recent.seen_before(latest, (last, 0)), Some((last - 1, 0)));
        assert_eq!(recent.seen_before(Fingerprint::of("0"), (last, 1)), None);
    }

    #[test]
    fn memory_is_the_same_after_it_was_written_down() {
        let mut memory = Memory::default();
        for block in 0..REMEMBERED as u64 + 5 {
            let thing = Fingerprint::of(&(block % 20_000).to_string());
            memory.previous.seen_before(thing, (block, 3));
        }
        memory.time = Some(-5);
        let text = serde_json::to_string(&memory).unwrap();
        let mut again: Memory = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
        let thing = Fingerprint::of("9");
        let place = (99_999, 0);
        assert_eq!(
            again.previous.seen_before(thing, place),
            memory.previous.seen_before(thing, place)
        );
    }
}
