//! A transfer is made if the node accepted it and its wallet can pay it.

use std::{collections::BTreeSet, time::Duration};

use nodeproof_primitives::escape::escaped_up_to as shown;

use super::{super::readings::SINGLE, accepted::Accepted, money::Money};
use crate::{
    api::{Pair, is_address, lists_no_transaction},
    checks::Finding,
    history::{Entry, are_of_several},
};

/// Number of blocks after one with a later transaction, by which a pending transfer has been left out.
const ENOUGH_BLOCKS: u64 = 2;

/// Number of blocks after a transaction was accepted, by which it has been left out if a further one is empty.
const MANY_BLOCKS: u64 = 10;

/// Number of transactions in blocks that show how soon the node makes one. Then fewer blocks are enough.
const ENOUGH_OTHERS: usize = 3;

impl Money<'_> {
    /// Returns a finding about a transaction that its wallet could pay, whatever was paid before, and that was not made: a
    /// block lists a transfer as failed, or no block has a transfer or claim, and several have been made since one that has
    /// a later transaction, or an empty one long after it.
    pub(super) fn not_made(&self) -> Option<Finding> {
        if !self.shows_all_transactions() {
            return None;
        }
        let mut known = self.accepted.iter().filter(|one| !one.began.is_zero());
        known.find_map(|one| {
            let (what, by, shown_by) = match one.block {
                Some(index) if one.has_failed() && one.transfer.is_some() => {
                    ("is listed as failed", vec![index], index)
                }
                None if one.settled.is_none() => {
                    let last = *self.blocks.keys().next_back()?;
                    let by: Vec<_> = self.overtaken(one, last).collect();
                    let by = match by.is_empty() {
                        true => vec![self.empty_long_after(one)?],
                        false => by,
                    };
                    ("is in none of the later blocks", by, last)
                }
                _ => return None,
            };
            let is_payable = by.into_iter().any(|by| self.is_payable(one, by));
            let entry = self.read(shown_by).filter(|_| is_payable)?;
            let kind = one.transfer.as_ref().map_or("claim", |_| "transfer");
            let what = format!("an accepted {kind} that its wallet can pay {what}");
            let expected = format!("{} is made", shown(&one.code, 60));
            let exchange = &entry.exchange;
            let finding = Finding::of_body(exchange, what, expected);
            Some(finding.at("/text/transactions"))
        })
    }

    /// Returns a block that was read.
    fn read(&self, index: u64) -> Option<&Entry> {
        let mut blocks = self.history.blocks();
        blocks.find_map(|(read, entry)| (read == index).then_some(entry))
    }

    /// Returns the indexes of blocks with transactions that were submitted later, if enough have been made since.
    pub(super) fn overtaken(&self, one: &Accepted, last: u64) -> impl Iterator<Item = u64> {
        let began = one.began;
        let later = self
            .accepted
            .iter()
            .filter(move |other| other.began > began);
        let blocks: BTreeSet<_> = later.filter_map(|other| other.block).collect();
        let is_past = move |index: &u64| index.saturating_add(ENOUGH_BLOCKS) <= last;
        blocks.into_iter().filter(is_past)
    }

    /// Returns the index of an empty block long after a transaction. It is not known if blocks hide some that had an effect.
    fn empty_long_after(&self, one: &Accepted) -> Option<u64> {
        let hides = |one: &Accepted| one.settled.is_some() && one.block.is_none();
        // Blocks beyond an end were not there yet when the transaction was accepted.
        let read = self.history.height_before(one.began)?;
        let ends = self.history.ends_since(one.began).map(|(end, _)| end);
        let soon = ends.min();
        let soon = soon.map(|end| end.max(read).saturating_add(self.longest_delay()));
        let late = read.saturating_add(MANY_BLOCKS);
        let mut later = self
            .blocks
            .range(soon.map_or(late, |soon| soon.min(late))..);
        let empty = later.find(|(_, block)| lists_no_transaction(block));
        empty
            .filter(|_| !self.accepted.iter().any(hides))
            .map(|(index, _)| *index)
    }

    /// Returns the number of blocks after which a transaction would be later than all others, with some to spare.
    fn longest_delay(&self) -> u64 {
        let delays = self.in_blocks().filter_map(|one| {
            let height = self.history.height_before(one.began)?;
            Some(one.block?.saturating_sub(height))
        });
        let (count, longest) = delays.fold((0, 0), |(count, longest), delay| {
            (count + 1, delay.max(longest))
        });
        match count {
            ..ENOUGH_OTHERS => MANY_BLOCKS,
            _ => longest.saturating_add(ENOUGH_BLOCKS).min(MANY_BLOCKS),
        }
    }

    /// Whether an accepted transaction that its wallet can pay is in no block yet, and may still come.
    pub(super) fn awaits_a_block(&self) -> bool {
        let is_awaited = |one: &Accepted| {
            one.settled.is_none() && !one.is_left_out && self.is_payable(one, u64::MAX)
        };
        self.shows_all_transactions()
            && self.accepted.iter().any(is_awaited)
            && self.not_made().is_none()
    }

    /// Whether a transaction can be paid with what its signer had before it and before a block, whatever becomes of its
    /// other transactions. It is a transfer of one signer to a wallet that can receive, or a claim like one that was
    /// made, whose wallet had not claimed the asset before.
    fn is_payable(&self, one: &Accepted, block: u64) -> bool {
        let Some(transfer) = one.transfer.as_ref() else {
            return self.is_payable_claim(one, block);
        };
        let from = &transfer.from;
        let is_plain = one.payers.len() == 1
            && one.payers.contains(from)
            && transfer.fraction == 0.0
            && transfer.amount > 0
            && transfer.is_receiver_usual
            && is_address(&transfer.to);
        let holds = |wallet: &str, until: Duration| {
            let of_wallet = self.readings.iter();
            let of_wallet = of_wallet.filter(|((pair, _), _)| pair.0 == wallet);
            let mut all = of_wallet.flat_map(|(_, readings)| readings);
            all.any(|one| one.amount > 0 && one.entry.ended <= until)
        };
        // A wallet that the node did not know receives from this one, so another one does, too.
        let receives = |other: &Accepted| {
            let made = other.transfer.as_ref().filter(|_| !other.has_failed());
            made.is_some_and(|made| {
                [&made.from, &made.token] == [from, &transfer.token]
                    && !holds(&made.to, other.began)
            })
        };
        let mut tokens = [&one.token, &transfer.token].into_iter();
        is_plain
            && self.transferring.contains(&*transfer.contract)
            && (holds(&transfer.to, Duration::MAX) || self.in_blocks().any(receives))
            && self.reason_of_others(from).is_none()
            && tokens.all(|token| self.is_enough((from.clone(), token.clone()), one, block))
    }

    fn is_payable_claim(&self, one: &Accepted, block: u64) -> bool {
        let mut others = self.accepted.iter().filter(|other| other.code != one.code);
        let is_alike = |other: &Accepted| {
            other.block.is_some()
                && !other.has_failed()
                && other.claims_in == one.claims_in
                && (other.payers.len() > 1) == (one.payers.len() > 1)
        };
        let is_about_it = |other: &&Accepted| other.asset == one.asset && other.began < one.began;
        let mut about_it = others.clone().filter(is_about_it).peekable();
        // A contract may have one record of each asset.
        let is_first = about_it.peek().is_none()
            || about_it.all(|other| other.first != one.first) && self.makes_claims_of_several();
        one.claims_in.is_some()
            && others.any(is_alike)
            && is_first
            && one.payers.iter().all(|payer| {
                let pair = (payer.clone(), one.token.clone());
                self.reason_of_others(payer).is_none() && self.is_enough(pair, one, block)
            })
    }

    /// Whether blocks have claims of several wallets about one asset.
    fn makes_claims_of_several(&self) -> bool {
        let made = self.in_blocks().filter(|one| !one.has_failed());
        are_of_several(made.filter_map(|one| Some((one.asset.as_deref()?, one.first.as_ref()?))))
    }

    /// Whether a wallet had enough of a token, by transactions before this one and in earlier blocks, for all that it had
    /// submitted until the block was read.
    fn is_enough(&self, pair: Pair, before: &Accepted, block: u64) -> bool {
        let key = (pair, SINGLE);
        let base = self.since_base(&key);
        let base = base.and_then(|readings| Some(readings.first()?.amount));
        let pair = &key.0;
        let had = self.accepted.iter().fold(base.unwrap_or(0), |had, one| {
            let is_made = one.block.is_some_and(|index| index < block) && !one.has_failed();
            let is_received = is_made && one.began < before.began;
            let received = (-one.moved_from(pair)).max(0);
            had.saturating_add(if is_received { received } else { 0 })
        });
        let until = self.read(block).map_or(Duration::MAX, |entry| entry.ended);
        let submitted = self.accepted.iter().filter(|one| one.began <= until);
        let spent = submitted.fold(0_i128, |spent, one| {
            let fee = if one.fee_of(pair) == 0 { 0 } else { one.most() };
            let sent = match one.has_failed() && one.code != before.code {
                true => 0,
                // Also what a wallet sends to itself must be there.
                false => one.sent_by(pair),
            };
            spent.saturating_add(fee).saturating_add(sent)
        });
        had >= spent
    }
}
