//! What all holders of a token have together.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use nodeproof_primitives::escape::escaped_up_to as shown;

use super::{
    super::readings::{HOLDERS, Key, Reading, SINGLE},
    accepted::Accepted,
    change_by,
    money::Money,
};
use crate::{
    checks::{Examination, Finding},
    history::Entry,
};

/// One of so many units of a fee is the least that a node burns, or leaves out, on purpose.
const LEAST_SHARE: i128 = 1_000;

/// Maximum number of failed transactions whose fees may have been given back.
const MOST_FAILED: usize = 8;

/// What the holders in one list have together: all of them, and those who sign.
struct Sums<'h> {
    entry: &'h Entry,
    of_all: i128,
    of_signers: i128,
}

/// A part of the run between two lists, before and after which nothing is pending.
struct Part<'l, 'h> {
    lists: [&'l Sums<'h>; 2],
    change: i128,
    /// The number of transactions that were paid.
    count: i128,
    /// How many units may be lost, or gained, in parts of a unit.
    rounded: i128,
    is_suspicious: bool,
}

/// Returns the sums of the fees of failed transactions.
fn fees_of_failed<'m>(paid: impl Iterator<Item = &'m Accepted>, token: &str) -> BTreeSet<i128> {
    let is_failed =
        |one: &&Accepted| one.may_have_failed && one.settled.is_some() && one.token == token;
    let fees = paid.filter(is_failed).map(|one| one.fee);
    let mut sums = BTreeSet::from([0]);
    for fee in fees.take(MOST_FAILED) {
        let more: Vec<_> = sums.iter().map(|sum| sum + fee).collect();
        sums.extend(more);
    }
    sums
}

impl<'h> Money<'h> {
    /// Returns a finding if other holders of a token received some fees and lost others, or received all but a few units.
    pub(super) fn lost(&self) -> Option<Finding> {
        // Another transaction may be the reason, or a wrong payment, which is a finding of its own.
        if !self.has_only_own_transactions() || self.is_paid_wrongly() {
            return None;
        }
        let tokens: BTreeSet<&String> = self.accepted.iter().map(|one| &one.token).collect();
        tokens.into_iter().find_map(|token| self.lost_of(token))
    }

    fn is_paid_wrongly(&self) -> bool {
        let mut together = Examination::default();
        self.together(&mut together);
        !together.has_no_findings()
            || self.judged().any(|((pair, kind), readings)| {
                let is_signer = self.signers.contains(&pair.0);
                // In a list, a signer's balance may be wrong for a time, as the sum is then.
                let ends = readings.first().zip(readings.last());
                let is_right_at_last = |(base, last)| self.is_explained(pair, base, last, true);
                if is_signer && *kind != SINGLE && ends.is_some_and(is_right_at_last) {
                    return false;
                }
                let unexplained = self.unexplained(pair, readings);
                let is_wrong =
                    |[before, at]: [&Reading<'_>; 2]| is_signer || at.amount < before.amount;
                unexplained.is_some_and(is_wrong) && self.other_reason(&pair.0).is_none()
            })
    }

    fn lost_of(&self, token: &String) -> Option<Finding> {
        let lists = self.sums_of_lists(token)?;
        let mut pairs = lists.windows(2);
        let is_received = pairs.any(|pair| {
            let [before, after] = [&pair[0], &pair[1]];
            after.of_signers < before.of_signers && after.of_all == before.of_all
        });
        let (first, last) = (lists.first()?, lists.last()?);
        let (mut paid, mut rounded) = (0, 0);
        for one in self.accepted.iter().filter(|one| one.token == *token) {
            paid += one.fee;
            rounded += one.most() - one.fee + one.burned_of(token);
        }
        let lost = first.of_all.saturating_sub(last.of_all);
        // A part that is burned on purpose is larger.
        let is_rest = lost < paid / LEAST_SHARE;
        if lost <= rounded || !is_received && !is_rest {
            return self.units_lost(token, &lists);
        }
        let received = match is_rest {
            true => "the rest of the fees",
            false => "some of the fees in full",
        };
        let what = format!(
            "the holders of {} lost {lost} together, although others received {received}",
            shown(token, 60)
        );
        let [expected, actual] = [first, last].map(|list| list.of_all.to_string());
        let finding = Finding::new(&last.entry.exchange, what, expected, actual);
        Some(finding.at("/balance"))
    }

    /// Returns a finding if the holders of a token have a few units more, or less, than before some transactions were paid:
    /// at most two for each. No part of a fee is so small. Or they have the fees of failed transactions more, which were
    /// refunded although their receivers keep them.
    fn units_lost(&self, token: &str, lists: &[Sums<'h>]) -> Option<Finding> {
        let is_paid = |list: &Entry| {
            let mut before = self.in_blocks().filter(|one| one.began < list.ended);
            before.all(|one| one.settled.is_some_and(|at| at < list.began))
        };
        let quiet: Vec<_> = lists.iter().filter(|list| is_paid(list.entry)).collect();
        let parts: Vec<_> = quiet
            .windows(2)
            .map(|pair| {
                let [before, after] = [pair[0], pair[1]];
                let between = before.entry.ended..after.entry.ended;
                let paid = self.accepted.iter();
                let paid = paid.filter(|one| between.contains(&one.began));
                let (count, rounded) = paid.clone().fold((0, 0), |(count, rounded), one| {
                    (count + 1, rounded + one.rounded_of(token))
                });
                let change = after.of_all.saturating_sub(before.of_all);
                let earlier = lists
                    .iter()
                    .take_while(|list| list.entry.began <= before.entry.began);
                let mut earlier = earlier.map(|list| list.of_all);
                let is_most = earlier.all(|sum| sum < after.of_all);
                let is_given_back = is_most && fees_of_failed(paid, token).contains(&change);
                let few = rounded + 1..=rounded + 2 * count;
                Part {
                    lists: [before, after],
                    change,
                    count,
                    rounded,
                    is_suspicious: is_given_back || few.contains(&change.saturating_abs()),
                }
            })
            .collect();
        if let Some(finding) = self.missing_for_a_time(token, lists, &quiet) {
            return Some(finding);
        }
        // Some part has to show that blocks have no reward, or some block, if what is paid makes more several times.
        let (paying, idle): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part.count > 0);
        let grows = |part: &Part<'_, '_>| part.count > 0 && part.change > part.rounded;
        let makes_more = paying.iter().filter(|part| grows(part)).count() > 1
            && idle.iter().all(|part| part.change == 0)
            && self.shows_no_reward(lists);
        let has_no_rewards = paying.iter().any(|part| part.change == 0);
        let mut wrong = parts.into_iter();
        let wrong = wrong.find(|part| match part.change {
            ..0 => part.is_suspicious,
            _ => part.is_suspicious && has_no_rewards || grows(part) && makes_more,
        });
        let Part {
            lists: [before, after],
            change,
            count,
            ..
        } = wrong.filter(|_| self.has_all_blocks)?;
        let what = format!(
            "the {} of all holders together {} while {count} transactions were paid",
            shown(token, 60),
            change_by(change.saturating_neg())
        );
        let (exchange, actual) = (&after.entry.exchange, after.of_all.to_string());
        let finding = Finding::new(exchange, what, before.of_all.to_string(), actual);
        Some(finding.at("/balance"))
    }

    /// Returns a finding if the holders of a token have less for a time, and then all of it again, although blocks have no
    /// reward.
    fn missing_for_a_time(
        &self,
        token: &str,
        lists: &[Sums<'h>],
        quiet: &[&Sums<'h>],
    ) -> Option<Finding> {
        if !self.has_all_blocks || !self.shows_no_reward(lists) {
            return None;
        }
        let mut pairs = quiet.windows(2).enumerate();
        pairs.find_map(|(at, pair)| {
            let [before, low] = [pair[0], pair[1]];
            let mut later = quiet.iter().skip(at + 2);
            let after = later.find(|list| list.of_all >= before.of_all)?;
            let missing = before.of_all.saturating_sub(low.of_all);
            if missing <= 0
                || self
                    .accepted
                    .iter()
                    .any(|one| self.may_reserve(one, low.entry))
            {
                return None;
            }
            let what = format!(
                "the holders of {} have {missing} less together for a time, and then {} again",
                shown(token, 60),
                after.of_all
            );
            let (exchange, actual) = (&low.entry.exchange, low.of_all.to_string());
            let finding = Finding::new(exchange, what, before.of_all.to_string(), actual);
            Some(finding.at("/balance"))
        })
    }

    /// Whether what a transaction costs may be reserved when a list is read: no block has it, and it may still be pending.
    fn may_reserve(&self, one: &Accepted, list: &Entry) -> bool {
        let is_left_out_by = |at: Duration| {
            let mut read = self.history.blocks().filter(|(_, entry)| entry.ended < at);
            read.any(|(last, _)| self.overtaken(one, last).next().is_some())
        };
        one.settled.is_none() && one.began < list.ended && !is_left_out_by(list.began)
    }

    /// Whether the holders of a token had the same before and after a block was made.
    fn shows_no_reward(&self, lists: &[Sums<'_>]) -> bool {
        lists.windows(2).any(|pair| {
            let [before, after] = [&pair[0], &pair[1]];
            let (from, to) = (before.entry.ended, after.entry.began);
            before.of_all == after.of_all && self.history.has_grown(from, to)
        })
    }

    /// Returns what the lists of a token's holders show, or `None` if one lacks a holder, as a list that is cut off does.
    fn sums_of_lists(&self, token: &String) -> Option<Vec<Sums<'h>>> {
        let mut lists: BTreeMap<Duration, Sums<'h>> = BTreeMap::new();
        let of_token = |(pair, kind): &Key<'h>| *kind == HOLDERS && pair.1 == *token;
        let judged = self.judged().filter(|(key, _)| of_token(key));
        let bases = judged.filter_map(|(_, readings)| Some(readings.first()?.entry.began));
        let first = bases.min()?;
        // All that a list shows counts, also what was read once since the first transaction that concerns it.
        for ((pair, _), readings) in self.readings.iter().filter(|(key, _)| of_token(key)) {
            let since = readings.partition_point(|one| one.entry.began < first);
            let readings = &readings[since..];
            // A node may leave out wallets that have nothing left.
            let single = self.readings.get(&(pair.clone(), SINGLE));
            let is_emptied = |since: &Reading<'_>| {
                let mut later = single.into_iter().flatten();
                later.any(|one| one.amount == 0 && one.entry.began > since.entry.began)
            };
            let mut pairs = readings.windows(2);
            if pairs.any(|two| two[0].amount != 0 && !two[1].is_listed && !is_emptied(&two[0])) {
                return None;
            }
            for Reading { entry, amount, .. } in readings {
                let sums = lists.entry(entry.began).or_insert(Sums {
                    entry,
                    of_all: 0,
                    of_signers: 0,
                });
                sums.of_all = sums.of_all.saturating_add(*amount);
                if self.signers.contains(&pair.0) {
                    sums.of_signers = sums.of_signers.saturating_add(*amount);
                }
            }
        }
        Some(lists.into_values().collect())
    }
}
