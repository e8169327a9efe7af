//! The hash of a block, and which blocks of a chain have the hash that known nodes compute.

use std::sync::Arc;

use nodeproof_client::{Block, PreviousHash, from_json};
use nodeproof_primitives::Hash256;

use crate::{api::requested_index, http::Exchange};

/// The hash of a longer block, or of one with more JSON values, is not computed, because that takes much memory.
const LONG: (usize, usize) = (1 << 20, 10_000);

/// The block has its own hash as a member.
const OWN_HASH: u8 = 1;
/// The block has a transaction.
const TRANSACTION: u8 = 2;
/// The block has more than one transaction, so their order matters.
const TRANSACTIONS: u8 = 4;
/// The block has more than one receipt, so their order matters.
const RECEIPTS: u8 = 8;
/// The block has members that are not documented.
const OTHER_MEMBERS: u8 = 16;

/// A block as it was returned.
struct HashedBlock {
    index: u64,
    hash: String,
    /// The hash without the `status` of transactions: some nodes add it later (observed).
    without_status: Option<String>,
    previous: Option<String>,
    /// What a node may write otherwise than it was hashed.
    form: u8,
}

impl HashedBlock {
    /// Returns `None` if the response is not a block in the documented form, or is long.
    fn of(exchange: &Exchange) -> Option<Self> {
        if exchange.body.len() > LONG.0 || exchange.values > LONG.1 {
            return None;
        }
        let block: Block = from_json(&exchange.body).ok()?;
        let (transactions, receipts) = block.text.as_ref().map_or((0, 0), |text| {
            let receipts = text.previous_block_receipts.len();
            (text.transactions.len(), receipts)
        });
        let properties = [
            (OWN_HASH, block.hash.is_some()),
            (TRANSACTION, transactions > 0),
            (TRANSACTIONS, transactions > 1),
            (RECEIPTS, receipts > 1),
            (OTHER_MEMBERS, !block.extra.is_empty()),
        ];
        let properties = properties.into_iter().filter(|(_, has)| *has);
        Some(Self {
            index: requested_index(&exchange.request)?,
            hash: block.block_hash()?.to_string(),
            without_status: without_status(exchange).map(|hash| hash.to_string()),
            previous: match block.previous_hash {
                PreviousHash::Hash(hash) => Some(hash.to_string()),
                _ => None,
            },
            form: properties.fold(0, |form, (property, _)| form | property),
        })
    }
}

/// A block, and the hash that the next block names.
pub(crate) struct NamedHash {
    pub(crate) index: u64,
    /// The hash of the block as it was returned.
    pub(crate) hash: String,
    /// The hash that the next block names.
    pub(crate) named: String,
    /// Whether they are equal, with or without the `status` of transactions.
    pub(crate) fits: bool,
    pub(crate) next: Arc<Exchange>,
    form: u8,
}

impl NamedHash {
    /// Compares each of these blocks with the next one.
    pub(crate) fn all(blocks: &[Arc<Exchange>]) -> Vec<Self> {
        let mut all = Vec::new();
        let mut before: Option<HashedBlock> = None;
        for next in blocks {
            let hashed = HashedBlock::of(next);
            let named = hashed
                .as_ref()
                .and_then(|hashed| Some((hashed.index, hashed.previous.clone()?)));
            if let (Some(block), Some((index, named))) = (before, named)
                && block.index.checked_add(1) == Some(index)
            {
                all.push(Self {
                    index: block.index,
                    fits: block.hash == named || block.without_status.as_ref() == Some(&named),
                    hash: block.hash,
                    named,
                    next: Arc::clone(next),
                    form: block.form,
                });
            }
            before = hashed;
        }
        all
    }

    /// Whether these blocks show how a block of this form is hashed.
    pub(crate) fn has_known_form(&self, all: &[Self]) -> bool {
        is_known(self.form, all.iter().map(|block| (block.form, block.fits)))
    }
}

/// Returns the hash of a block with transactions as if none of them had a `status`.
fn without_status(exchange: &Exchange) -> Option<Hash256> {
    let mut block = exchange.json().ok()?.clone();
    let transactions = block.pointer_mut("/text/transactions")?.as_array_mut()?;
    let objects = transactions.iter_mut();
    let objects = objects.filter_map(|transaction| transaction.as_object_mut());
    let removed = objects.filter_map(|entry| entry.remove("status"));
    if removed.count() == 0 {
        return None;
    }
    from_json::<Block>(block.to_string().as_bytes())
        .ok()?
        .block_hash()
}

/// Whether a chain shows how blocks of a form are hashed: of the blocks, given by form and whether they fit, two or more, and
/// three of four, have the hash that the next block names. So have those that also have transactions. Without one, a node may
/// list no transactions at all.
fn is_known(form: u8, blocks: impl Iterator<Item = (u8, bool)> + Clone) -> bool {
    let fullest = if form & OWN_HASH == 0 {
        form | TRANSACTION
    } else {
        form
    };
    [form, fullest].into_iter().all(|needed| {
        let alike = blocks.clone().filter(|(form, _)| form & needed == needed);
        let (fitting, others): (Vec<_>, Vec<_>) = alike.partition(|(_, fits)| *fits);
        fitting.len() >= 2 && others.len() * 3 <= fitting.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: u8 = RECEIPTS;
    const PAID: u8 = RECEIPTS | TRANSACTION;
    const CROWDED: u8 = PAID | TRANSACTIONS;

    /// Whether blocks of a form can be judged, if these blocks had the hash that the next one names, or another one.
    fn can_judge(seen: &[(u8, u64, u64)], form: u8) -> bool {
        let blocks = seen.iter().flat_map(|(form, fitting, others)| {
            (0..fitting + others).map(|number| (*form, number < *fitting))
        });
        is_known(form, blocks)
    }

    #[test]
    fn a_block_is_judged_only_if_most_blocks_of_its_form_and_of_the_fullest_form_fit() {
        for (seen, form, expected) in [
            // Nothing is known of a chain without transactions: it may list none at all.
            (&[(IDLE, 99, 1)][..], IDLE, false),
            (&[(IDLE, 9, 1), (PAID, 2, 0)], IDLE, true),
            (&[(IDLE, 9, 1), (PAID, 1, 0)], IDLE, false),
            (&[(IDLE, 9, 0), (PAID, 3, 1)], PAID, true),
            // All transactions, or some, are written otherwise than they were hashed.
            (&[(IDLE, 99, 0), (PAID, 0, 9)], PAID, false),
            (&[(IDLE, 99, 0), (PAID, 2, 1)], PAID, false),
            // Blocks without a transaction are hashed in another way.
            (&[(IDLE, 0, 99), (PAID, 9, 0)], IDLE, false),
            // The order of transactions is not the one that was hashed.
            (&[(PAID, 99, 0), (CROWDED, 1, 1)], CROWDED, false),
            (&[(PAID, 9, 0), (CROWDED, 3, 1)], CROWDED, true),
            // A block names its own hash.
            (&[(OWN_HASH, 3, 1)], OWN_HASH, true),
            (&[(OWN_HASH, 1, 1)], OWN_HASH, false),
            (
                &[(OTHER_MEMBERS | PAID, 0, 1), (PAID, 9, 0)],
                OTHER_MEMBERS | PAID,
                false,
            ),
        ] {
            assert_eq!(can_judge(seen, form), expected, "{seen:?}, {form}");
        }
    }
}
