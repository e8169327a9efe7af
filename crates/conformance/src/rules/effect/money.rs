//! The balances of a run, what the node accepted, and the blocks since then.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    super::{
        readings::{Key, Reading, Readings, SINGLE, readings},
        refused::is_clear_refusal,
    },
    accepted::{Accepted, MAX_DECIMALS, Transfer},
    others::{Gift, Other, others_in},
};
use crate::{
    api::{
        Pair, Transaction, accepts, has_record, in_block, is_new, listed_codes,
        listed_transactions, lists_as_failed, lists_no_transaction, lists_transactions,
        made_transfers, requested,
    },
    history::{Entry, History, MIN_NEW_BLOCKS},
    http::Step,
};

/// The balances of a run, what was accepted, and the blocks since the first submission.
pub(super) struct Money<'h> {
    pub(super) history: &'h History,
    pub(super) first_submission: Duration,
    pub(super) accepted: Vec<Accepted>,
    /// The wallets in whose names submissions are signed, also those that were refused.
    pub(super) signers: BTreeSet<String>,
    /// The codes of what was not accepted, and whether all of them were clearly refused.
    refused: BTreeMap<String, bool>,
    pub(super) readings: Readings<'h>,
    /// The blocks since the first submission that were read, and whether all of them were.
    pub(super) blocks: BTreeMap<u64, &'h Value>,
    pub(super) has_all_blocks: bool,
    /// How many blocks above its own show the effect of a transaction.
    until_effect: u64,
    /// The contracts of transfers that blocks show as made. A run tries others, too.
    pub(super) transferring: BTreeSet<&'h str>,
    pub(super) of_others: Vec<Other>,
    /// What transactions of others may have given to each wallet that they name.
    gifts: BTreeMap<String, Gift>,
}

/// Returns how many blocks a node waits until a transaction has its effect: those above the block of each claim when its
/// record was read first. Fewer than [`MIN_NEW_BLOCKS`] may be the time that a request takes.
fn blocks_until_effect(history: &History) -> u64 {
    let mut claims: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, transaction) in history.accepted() {
        if let Some((asset, code)) = transaction.asset().zip(transaction.code()) {
            claims.entry(asset).or_default().insert(code);
        }
    }
    let blocks = history.blocks();
    let blocks =
        blocks.filter_map(|(index, entry)| Some((index, entry.exchange.success_object()?)));
    let codes =
        blocks.flat_map(|(index, block)| listed_codes(block).map(move |code| (code, index)));
    let codes: BTreeMap<&str, u64> = codes.collect();
    let mut known = BTreeSet::new();
    let above = history.of_path("/sc-state").filter_map(|entry| {
        let asset = requested(&entry.exchange, "unique_value")?;
        let claims = claims.get(asset).filter(|claims| claims.len() == 1)?;
        let is_first = has_record(&entry.exchange) && known.insert(asset);
        let index = codes.get(claims.first()?).filter(|_| is_first)?;
        history.height_before(entry.ended)?.checked_sub(*index)
    });
    let least = above.min().unwrap_or_default();
    if least < MIN_NEW_BLOCKS { 0 } else { least }
}

impl<'h> Money<'h> {
    pub(super) fn of(history: &'h History) -> Option<Self> {
        let first_submission = history.first_submission()?;
        let mut money = Self {
            history,
            first_submission,
            accepted: Vec::new(),
            signers: BTreeSet::new(),
            refused: BTreeMap::new(),
            readings: readings(history),
            blocks: BTreeMap::new(),
            has_all_blocks: true,
            until_effect: blocks_until_effect(history),
            transferring: BTreeSet::new(),
            of_others: Vec::new(),
            gifts: BTreeMap::new(),
        };
        money.add_blocks();
        let blocks = history
            .blocks()
            .filter_map(|(_, entry)| entry.exchange.success_object());
        let contracts = blocks.flat_map(made_transfers);
        let contracts = contracts.map(|call| call["address"].as_str().unwrap_or_default());
        money.transferring = contracts.collect();
        // What is in a block is the right one of several submissions with one code.
        let is_wrong = |entry: &&Entry| entry.exchange.request.wrongly_signed.is_some();
        let (wrong, right): (Vec<_>, Vec<_>) = history.submissions().partition(is_wrong);
        for entry in right.into_iter().chain(wrong) {
            money.add_submission(entry);
        }
        money.settle();
        let blocks = money.blocks.values();
        let own = money.own_codes();
        money.of_others = blocks.flat_map(|block| others_in(block, &own)).collect();
        if !money.of_others.is_empty() {
            money.keep_known();
        }
        for (wallet, gift) in money.of_others.iter().flat_map(|other| &other.gifts) {
            let all = money.gifts.entry(wallet.clone()).or_insert(Some(0));
            *all = all.zip(*gift).map(|(all, gift)| all.saturating_add(gift));
        }
        money.take_units();
        money.note_failures();
        money.note_left_out();
        Some(money)
    }

    fn add_blocks(&mut self) {
        let before = self.history.height_before(self.first_moment());
        let before = before.map(|before| before.saturating_sub(self.until_effect));
        let all = self.history.blocks();
        let since = all.filter(|(index, _)| before.is_none_or(|before| *index > before));
        let objects =
            since.filter_map(|(index, entry)| Some((index, entry.exchange.success_object()?)));
        self.blocks = objects.collect();
        let first = before.and_then(|before| before.checked_add(1));
        let span = first.zip(self.blocks.keys().next_back());
        self.has_all_blocks = before.is_some()
            && span.is_none_or(|(first, last)| last - first + 1 == self.blocks.len() as u64);
        if self.history.is_of_others {
            self.keep_complete();
        }
    }

    /// Returns the moment from which blocks may explain what a balance is: that of the first submission. Another program need
    /// not read balances just before it.
    fn first_moment(&self) -> Duration {
        let readings = self.readings.values().flatten();
        let read = readings.filter(|_| self.history.is_of_others);
        let read = read.map(|one| one.entry.began).min();
        read.map_or(self.first_submission, |read| {
            read.min(self.first_submission)
        })
    }

    /// Keeps what was read until all blocks were known for the last time. Another program may read balances later.
    fn keep_complete(&mut self) {
        let complete = self.complete();
        self.has_all_blocks = complete.is_some();
        if let Some((last, until)) = complete {
            self.blocks.retain(|index, _| *index <= last);
            self.keep_read_until(until);
        }
    }

    /// Keeps the balances that were read until all blocks were known for the last time. A later block may have another
    /// transaction of somebody else.
    fn keep_known(&mut self) {
        if let Some((_, until)) = self.complete() {
            self.keep_read_until(until);
        }
    }

    /// Returns the last block, and the moment, up to which all blocks that may explain a balance are known.
    fn complete(&self) -> Option<(u64, Duration)> {
        let before = self.history.height_before(self.first_moment())?;
        let before = before.saturating_sub(self.until_effect);
        self.history.complete_from(before.checked_add(1)?)
    }

    fn keep_read_until(&mut self, until: Duration) {
        for readings in self.readings.values_mut() {
            readings.retain(|one| one.entry.ended <= until);
        }
    }

    fn add_submission(&mut self, entry: &Entry) {
        // What it costs was paid before the run.
        if entry.exchange.request.step == Some(Step::OfABlock) {
            return;
        }
        for submission in entry.submissions() {
            // A wrong signature may stand in the name of any wallet.
            if entry.exchange.request.wrongly_signed.is_none() {
                self.signers.extend(signers(submission));
            }
            let Some(mut accepted) = Accepted::of(submission, entry) else {
                continue;
            };
            // Another program may have submitted it to another node before, at any time.
            if self.history.is_of_others && is_new(&entry.exchange) != Some(true) {
                accepted.began = Duration::ZERO;
            }
            // What the node received twice may be refused the second time. Its code in other letters is another one.
            let is_in_block = || {
                let mut codes = self.blocks.values().flat_map(|block| listed_codes(block));
                codes.any(|code| code == accepted.code)
            };
            let is_accepted = accepts(&entry.exchange, &accepted.code)
                || entry.exchange.is_repeated && is_in_block();
            if !is_accepted {
                let is_refused = is_clear_refusal(&entry.exchange);
                let known = self.refused.entry(accepted.code.clone());
                *known.or_insert(true) &= is_refused;
            }
            let is_known = self.accepted.iter().any(|one| one.code == accepted.code);
            if is_accepted && !is_known {
                self.accepted.push(accepted);
            }
        }
    }

    /// Notes which transactions are in blocks: those in a block that was read, and those with a record.
    fn settle(&mut self) {
        let mut recorded: BTreeMap<&str, Duration> = BTreeMap::new();
        for entry in self.history.of_path("/sc-state") {
            if let (true, Some(asset)) = (
                has_record(&entry.exchange),
                requested(&entry.exchange, "unique_value"),
            ) {
                let first = recorded.entry(asset).or_insert(entry.ended);
                *first = entry.ended.min(*first);
            }
        }
        // A record does not show which one of several claims about its asset made it.
        recorded.retain(|asset, _| {
            let accepted = self.accepted.iter();
            accepted
                .filter(|one| one.asset.as_deref() == Some(*asset))
                .count()
                < 2
        });
        let until_effect = self.until_effect;
        for one in &mut self.accepted {
            let mut blocks = self.blocks.iter();
            let asset = one.asset.as_deref();
            let block = blocks.find(|(_, block)| in_block(block, &one.code).is_some());
            let later = block.and_then(|(index, _)| {
                let second = index.saturating_add(MIN_NEW_BLOCKS + until_effect);
                let later = self.history.blocks().filter(|(other, _)| *other >= second);
                later.map(|(_, entry)| entry.ended).min()
            });
            one.is_past = later;
            let record = asset.and_then(|asset| recorded.get(asset)).copied();
            let of_block = block.and_then(|(index, _)| {
                let read = self
                    .history
                    .blocks()
                    .filter(|(read, entry)| match until_effect {
                        0 => read == index && entry.shows(&one.code),
                        more => *read >= index.saturating_add(more),
                    });
                read.map(|(_, entry)| entry.ended).min()
            });
            one.block = block.map(|(index, _)| *index);
            one.place = block.and_then(|(_, block)| {
                let mut codes = listed_codes(block);
                codes.position(|code| code.eq_ignore_ascii_case(&one.code))
            });
            let mut blocks = self.blocks.iter();
            let failed_in = blocks.find(|(_, block)| lists_as_failed(block, &one.code));
            one.failed_in = failed_in.map(|(index, _)| *index);
            one.settled = of_block.into_iter().chain(record).min();
            one.may_have_failed = record.is_none();
        }
    }

    /// Takes over the unit in which the node counts amounts: what the receiver of all transfers to it gained at most shows
    /// it. They may fail when their block is made. Then they move nothing.
    fn take_units(&mut self) {
        let transfers = self.accepted.iter().filter_map(|one| one.transfer.as_ref());
        let receivers: BTreeSet<Pair> = transfers.filter_map(Transfer::receiver).collect();
        for pair in receivers {
            let Some(readings) = self.read_again(&(pair.clone(), SINGLE)) else {
                continue;
            };
            let base = readings.first().map_or(0, |base| base.amount);
            let gains = readings.iter().map(|one| one.amount.saturating_sub(base));
            let gained = gains.max().unwrap_or_default();
            // What a wallet pays, here or in transactions of others, may hide what it received.
            let mut accepted = self.accepted.iter();
            let span = readings.first().zip(readings.last());
            let is_between = |one: &Accepted| {
                let is_before = |(base, last): (&Reading<'_>, &Reading<'_>)| {
                    base.entry.ended <= one.began && one.settled <= Some(last.entry.began)
                };
                one.is_to(&pair.0) && span.is_some_and(is_before)
            };
            let has_gained_nothing = gained == 0
                && self.in_blocks().any(is_between)
                && !accepted.any(|one| one.payers.contains(&pair.0))
                && self.reason_of_others(&pair.0).is_none();
            let accepted = self.accepted.iter_mut();
            let transfers = accepted.filter_map(|one| one.transfer.as_mut());
            let to_it = |one: &&mut Transfer| one.receiver().as_ref() == Some(&pair);
            let transfers: Vec<_> = transfers.filter(to_it).collect();
            let mut amounts = (0..=MAX_DECIMALS).flat_map(|power| [0, 1].map(|up| (power, up)));
            let in_units = |(power, up): (u32, usize)| -> Option<Vec<i128>> {
                let units = transfers.iter().map(|one| Some(one.in_units(power)?[up]));
                units.collect()
            };
            let right = amounts.find_map(|one| {
                in_units(one).filter(|amounts| amounts.iter().sum::<i128>() == gained)
            });
            let moved = right.or_else(|| has_gained_nothing.then(|| vec![0; transfers.len()]));
            for (transfer, amount) in transfers.into_iter().zip(moved.into_iter().flatten()) {
                transfer.amount = amount;
            }
        }
    }

    /// Notes which transactions may have failed, of those without a known effect: a block lists them as failed, or the
    /// payers had too little for them and for what else is in blocks. How several signers share a fee is not known, so
    /// other shared ones are not counted.
    fn note_failures(&mut self) {
        let can_pay = |one: &Accepted, token: &String| {
            let paying: BTreeSet<_> = one.paying().filter(|pair| pair.1 == *token).collect();
            let pairs: Vec<_> = paying.iter().collect();
            let base =
                |pair: &&Pair| Some(self.since_base(&((*pair).clone(), SINGLE))?.first()?.amount);
            let base: Option<i128> = pairs.iter().map(base).sum();
            let shares = |other: &Accepted| {
                let is_other = other.payers.len() > 1 && other.code != one.code;
                is_other
                    && pairs
                        .iter()
                        .any(|(wallet, _)| other.payers.contains(wallet))
            };
            let known = self.in_blocks().filter(|other| !shares(other));
            // What is received later pays nothing, and what is spent later takes nothing away.
            let cost: i128 = known
                .map(|other| {
                    let blocks = other.block.zip(one.block);
                    let is_earlier = blocks.map_or(other.began < one.began, |(other_at, own)| {
                        (other_at, other.place) < (own, one.place)
                    });
                    let is_later = blocks.is_some_and(|(other, own)| other > own);
                    match other.cost_to(&pairs) {
                        ..0 if !is_earlier => 0,
                        0.. if is_later => 0,
                        cost => cost,
                    }
                })
                .sum();
            base.is_none_or(|base| cost <= base)
        };
        let may_fail = |one: &Accepted| {
            one.failed_in.is_some() || !one.paying().all(|(_, token)| can_pay(one, &token))
        };
        let may_fail: Vec<_> = self.accepted.iter().map(may_fail).collect();
        for (one, may_fail) in self.accepted.iter_mut().zip(may_fail) {
            one.may_have_failed &= may_fail;
        }
    }

    /// Notes which transactions are in no block for good. A block that leaves one out takes nothing for it.
    fn note_left_out(&mut self) {
        let last = self.blocks.keys().next_back().copied();
        let Some(last) = last.filter(|_| self.shows_all_transactions()) else {
            return;
        };
        let is_left_out =
            |one: &Accepted| one.settled.is_none() && self.overtaken(one, last).next().is_some();
        let left_out: Vec<_> = self.accepted.iter().map(is_left_out).collect();
        for (one, is_left_out) in self.accepted.iter_mut().zip(left_out) {
            one.is_left_out = is_left_out;
        }
    }

    /// Whether the run has read all blocks since its first submission, and they list transactions.
    pub(super) fn shows_all_transactions(&self) -> bool {
        let mut blocks = self.blocks.values();
        self.has_all_blocks && blocks.all(|block| lists_transactions(block))
    }

    /// Returns the accepted transactions that are known to be in blocks.
    pub(super) fn in_blocks(&self) -> impl Iterator<Item = &Accepted> {
        self.accepted.iter().filter(|one| one.settled.is_some())
    }

    /// Whether a wallet made one of the blocks.
    pub(super) fn makes_blocks(&self, wallet: &str) -> bool {
        self.blocks.values().any(|block| made_by(block, wallet))
    }

    /// Returns the reason, other than the run's own transactions, for which a wallet's balance may have changed.
    pub(super) fn other_reason(&self, wallet: &str) -> Option<&'static str> {
        if self.makes_blocks(wallet) {
            return Some("the wallet made a block, which may be rewarded");
        }
        self.reason_of_others(wallet)
    }

    /// Returns the reason, other than its own transactions and blocks, for which a wallet's balance may have changed.
    pub(super) fn reason_of_others(&self, wallet: &str) -> Option<&'static str> {
        let mut blocks = self.blocks.values();
        let shows_codes = self.of_others.iter().any(|other| other.is_code);
        if shows_codes || blocks.any(|block| !lists_transactions(block)) {
            return Some("blocks do not show whether the wallet has other transactions");
        }
        if self.gifts.get(&wallet.to_ascii_lowercase()) == Some(&None) {
            return Some("the wallet has other transactions in the blocks since");
        }
        let unread = "not all blocks since then were read, so others may be the reason";
        (!self.has_all_blocks).then_some(unread)
    }

    /// Returns the most that transactions of others may have given to some wallets.
    pub(super) fn gifts_to(&self, pairs: &[&Pair]) -> i128 {
        let gift = |pair: &&Pair| *self.gifts.get(&pair.0.to_ascii_lowercase())?;
        let gifts = pairs.iter().filter_map(gift);
        gifts.fold(0, i128::saturating_add)
    }

    /// Returns the fees, by token, that others paid in the blocks since a moment, and in the two before it: the node may not
    /// have paid them out by then. Returns `None` if they may have paid anything else, or if not all of these blocks are known.
    pub(super) fn fees_of_others(&self, since: Duration) -> Option<BTreeMap<String, i128>> {
        let before = self.history.height_before(since)?;
        let blocks: BTreeMap<u64, &Entry> = self.history.blocks().collect();
        let (last, _) = blocks.last_key_value()?;
        let own = self.own_codes();
        let mut fees = BTreeMap::<_, i128>::new();
        // A chain may begin with block 1.
        for index in before.saturating_sub(1).max(1)..=*last {
            for other in others_in(blocks.get(&index)?.exchange.success_object()?, &own) {
                if other.may_pay_anybody {
                    return None;
                }
                if let Some((token, fee)) = other.fee {
                    let all = fees.entry(token).or_default();
                    *all = all.saturating_add(fee);
                }
            }
        }
        Some(fees)
    }

    /// Returns a reason from before the first submission, for a wallet that signs none: a node may show a balance as it was
    /// a block ago.
    pub(super) fn reason_just_before(&self, wallet: &str) -> Option<&'static str> {
        if self.signers.contains(wallet) {
            return None;
        }
        let before = self.history.height_before(self.first_submission)?;
        let mut blocks = self.history.blocks();
        let is_named = blocks.any(|(index, entry)| {
            let block = entry.exchange.success_object().into_iter();
            let mut listed = block.flat_map(listed_transactions);
            index <= before
                && before - index < 2
                && listed.any(|(entry, _)| entry.to_string().contains(wallet))
        });
        is_named.then_some("the wallet has a transaction in the latest blocks before")
    }

    /// Whether the blocks since show that nobody else has transactions in them.
    pub(super) fn has_only_own_transactions(&self) -> bool {
        let mut blocks = self.blocks.values();
        self.has_all_blocks
            && self.of_others.is_empty()
            && blocks.all(|block| lists_transactions(block))
    }

    /// Whether a wallet made a block without transactions and gained nothing of this token. Then blocks are not rewarded.
    pub(super) fn has_unrewarded_creator(&self, token: &str) -> bool {
        let empty = self.history.blocks().filter(|(index, entry)| {
            let block = entry.exchange.success_object();
            self.blocks.contains_key(index) && block.is_some_and(lists_no_transaction)
        });
        let empty: Vec<_> = empty.collect();
        self.judged().any(|((pair, _), readings)| {
            let (Some(base), Some(last)) = (readings.first(), readings.last()) else {
                return false;
            };
            let made_one = |(_, entry): &(u64, &Entry)| {
                let block = entry.exchange.success_object();
                entry.ended <= last.entry.began && block.is_some_and(|one| made_by(one, &pair.0))
            };
            pair.1 == token && last.amount <= base.amount && empty.iter().any(made_one)
        })
    }

    /// Returns the codes of what this run submitted, in lower case, unless it is not known what became of it.
    fn own_codes(&self) -> BTreeSet<String> {
        let accepted = self.accepted.iter().map(|one| &one.code);
        // Another program may have submitted it to another node.
        let refused = self.refused.iter();
        let refused = refused.filter(|(_, is_clear)| **is_clear && !self.history.is_of_others);
        let codes = accepted.chain(refused.map(|(code, _)| code));
        codes.map(|code| code.to_ascii_lowercase()).collect()
    }

    /// Returns the readings of a balance from the last one before anything was submitted. A new wallet may have been read
    /// later, before the first transaction that concerns the balance.
    pub(super) fn since_base(&self, key: &Key<'h>) -> Option<&[Reading<'h>]> {
        let readings = self.readings.get(key)?;
        let last_by = |moment: Duration| {
            let is_before = |reading: &Reading<'_>| reading.entry.ended <= moment;
            readings.iter().rposition(is_before)
        };
        let concerning = || self.accepted.iter().filter(|one| one.concerns(&key.0));
        let first = || concerning().map(|one| one.began).min();
        let base = last_by(self.first_submission).or_else(|| last_by(first()?));
        // Another program may read a balance first when something is pending.
        let base = base.or(self.history.is_of_others.then_some(0))?;
        readings.get(base..)
    }

    /// Returns the readings of a balance that was read before and after something was submitted.
    pub(super) fn read_again(&self, key: &Key<'h>) -> Option<&[Reading<'h>]> {
        self.since_base(key).filter(|readings| readings.len() > 1)
    }

    /// Returns the readings of all balances that were read before and after something was submitted.
    pub(super) fn judged(&self) -> impl Iterator<Item = (&Key<'h>, &[Reading<'h>])> {
        let read_again = |key| Some((key, self.read_again(key)?));
        self.readings.keys().filter_map(read_again)
    }
}

/// Returns the signers of a submission in whose names it is signed, or all of them if it has no signatures.
fn signers(submission: &Value) -> impl Iterator<Item = String> {
    let signatures = submission.get("signatures").and_then(Value::as_array);
    let is_signed_by = move |signer: &&str| {
        let mut names = signatures.into_iter().flatten();
        signatures.is_none() || names.any(|one| one.get("wallet_address") == Some(&json!(signer)))
    };
    let signers = Transaction::of(submission).into_iter();
    let signers = signers.flat_map(Transaction::signers);
    signers.filter(is_signed_by).map(ToOwned::to_owned)
}

/// Whether a block names a wallet as its creator.
fn made_by(block: &Value, wallet: &str) -> bool {
    let names = ["creator_wallet", "expected_miner"].into_iter();
    let mut named = names.filter_map(|name| block.get(name)?.as_str());
    named.any(|name| name == wallet)
}
