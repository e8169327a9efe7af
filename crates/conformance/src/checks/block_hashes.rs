//! The hash of a block, and which blocks of a chain have the hash that known nodes compute.

use nodeproof_client::{Block, from_json};
use nodeproof_primitives::Hash256;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::http::Exchange;

/// The hash of a longer block is not computed, because that takes much memory.
const LONG: usize = 1 << 20;

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

/// The hash of a block as it was returned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HashedBlock {
    pub(crate) hash: String,
    /// The hash without the `status` of transactions: some nodes add it later (observed).
    without_status: Option<String>,
    /// What a node may write otherwise than it was hashed.
    pub(super) form: u8,
}

impl HashedBlock {
    /// Returns `None` if the response is not a block in the documented form, or is long.
    pub(crate) fn of(exchange: &Exchange) -> Option<Self> {
        if exchange.body.len() > LONG {
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
            hash: block.block_hash()?.to_string(),
            without_status: without_status(exchange).map(|hash| hash.to_string()),
            form: properties.fold(0, |form, (property, _)| form | property),
        })
    }

    /// Whether this is the hash that the next block names.
    pub(crate) fn is(&self, previous: &str) -> bool {
        self.hash == previous || self.without_status.as_deref() == Some(previous)
    }
}

/// Returns the hash of a block with transactions as if none of them had a `status`.
fn without_status(exchange: &Exchange) -> Option<Hash256> {
    let mut block: Value = from_json(&exchange.body).ok()?;
    let transactions = block.pointer_mut("/text/transactions")?.as_array_mut()?;
    let objects = transactions.iter_mut().filter_map(Value::as_object_mut);
    let removed = objects.filter_map(|entry| entry.remove("status"));
    if removed.count() == 0 {
        return None;
    }
    from_json::<Block>(block.to_string().as_bytes())
        .ok()?
        .block_hash()
}

/// How many blocks of each form have the hash that the next block names, and how many have another one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct HashedForms(Vec<(u8, u64, u64)>);

impl HashedForms {
    pub(super) fn count(&mut self, form: u8, fits: bool) {
        let known = self.0.iter().position(|(known, ..)| *known == form);
        let at = known.unwrap_or_else(|| {
            self.0.push((form, 0, 0));
            self.0.len() - 1
        });
        let (_, fitting, others) = &mut self.0[at];
        *(if fits { fitting } else { others }) += 1;
    }

    /// Whether the chain shows how blocks of this form are hashed: two or more, and three of four, have the hash that the next
    /// block names. So have those that also have transactions. Without one, a node may list no transactions at all.
    pub(crate) fn show(&self, block: &HashedBlock) -> bool {
        let fullest = if block.form & OWN_HASH == 0 {
            block.form | TRANSACTION
        } else {
            block.form
        };
        [block.form, fullest].into_iter().all(|needed| {
            let alike = self.0.iter().filter(|(form, ..)| form & needed == needed);
            let (fitting, others) = alike.fold((0, 0), |sum, (_, fitting, others)| {
                (sum.0 + fitting, sum.1 + others)
            });
            fitting >= 2 && others * 3 <= fitting
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: u8 = RECEIPTS;
    const PAID: u8 = RECEIPTS | TRANSACTION;
    const CROWDED: u8 = PAID | TRANSACTIONS;

    /// Whether blocks of a form can be judged, if these blocks had the hash that the next one names, or another one.
    fn can_judge(seen: &[(u8, u64, u64)], form: u8) -> bool {
        let mut forms = HashedForms::default();
        for (form, fitting, others) in seen {
            for number in 0..fitting + others {
                forms.count(*form, number < *fitting);
            }
        }
        forms.show(&HashedBlock {
            hash: String::new(),
            without_status: None,
            form,
        })
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
