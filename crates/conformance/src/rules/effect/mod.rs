//! The rule *effect*: a balance changes by what the node accepted, and by nothing else.
//!
//! The first reading of a balance before anything was submitted is the base. Each later one may be lower by the fees of
//! some accepted transactions, and the last one is lower by all that are in blocks. What the blocks since then explain
//! in another way is not judged.

mod accepted;
mod lists;
mod made;
mod money;
mod others;
mod payable;
mod reasons;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use nodeproof_primitives::escape::escaped_up_to as shown;

use self::{
    accepted::Accepted,
    money::Money,
    payable::{in_any_order, payable},
};
use super::{
    authority::Replies,
    readings::{HOLDERS, Key, Reading, SINGLE},
};
use crate::{
    api::Pair,
    checks::{Examination, Finding},
    history::History,
    http::{Step, unknown},
};

/// What a finding of the rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The balance of a wallet whose transaction was accepted.
    Fee,
    /// The balance of a wallet whose submissions were only refused.
    Refusal,
    /// The balance of a wallet that signed nothing.
    Others,
    /// Money that nobody had before.
    Created,
}

/// Returns when the base of a balance was read.
type BaseOf<'b> = &'b dyn Fn(&Pair) -> Duration;

/// Names up to three wallets, or two of more.
fn named(pairs: &[&Pair]) -> String {
    let wallets: Vec<_> = pairs.iter().map(|pair| shown(&pair.0, 60)).collect();
    match wallets.as_slice() {
        [one, two, _, rest @ ..] if !rest.is_empty() => {
            format!("{one}, {two} and {} others", rest.len() + 1)
        }
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        all => all.concat(),
    }
}

impl<'h> Money<'h> {
    /// Returns the first reading that the accepted transactions do not explain, with the one before it.
    fn unexplained<'r>(
        &self,
        pair: &Pair,
        readings: &'r [Reading<'h>],
    ) -> Option<[&'r Reading<'h>; 2]> {
        let (base, last) = (readings.first()?, readings.last()?);
        let mut pairs = readings.windows(2);
        pairs.find_map(|pair_of| {
            let [before, reading] = pair_of else {
                return None;
            };
            let is_last = std::ptr::eq(reading, last);
            let is_explained = self.is_explained(pair, base, reading, is_last);
            (!is_explained).then_some([before, reading])
        })
    }

    /// Whether the accepted transactions explain how a reading of a balance differs from the first one.
    pub(super) fn is_explained(
        &self,
        pair: &Pair,
        base: &Reading<'_>,
        reading: &Reading<'_>,
        is_last: bool,
    ) -> bool {
        let lower = base.amount.checked_sub(reading.amount);
        let base_of = |_: &Pair| base.entry.ended;
        let how: (BaseOf<'_>, _) = (&base_of, is_last);
        lower.is_some_and(|lower| self.explains(&[pair], reading, how, lower))
    }

    /// Whether the accepted transactions explain that some balances of a token are lower by this much together. All must
    /// have been paid that a block contains two below one that was read before, and at the last reading all that were known
    /// to be in blocks. One that may have failed costs its fee, or nothing. One that began before the base was read may be paid
    /// already.
    fn explains(
        &self,
        pairs: &[&Pair],
        reading: &Reading<'_>,
        (base_of, is_last): (BaseOf<'_>, bool),
        lower: i128,
    ) -> bool {
        let mut sums = BTreeSet::from([0]);
        let mut slack = 0;
        for one in &self.accepted {
            let concerned = pairs.iter().filter(|pair| one.concerns(pair));
            let base = concerned.map(|pair| base_of(pair)).max();
            let Some(base) = base.filter(|_| !one.is_left_out && one.began <= reading.entry.ended)
            else {
                continue;
            };
            let paying = pairs.iter().filter(|pair| one.fee_of(pair) != 0).count();
            let (cost, more) = match paying {
                0 => (one.cost_to(pairs), 0),
                _ if paying == one.payers.len() => (one.cost_to(pairs), one.most() - one.fee),
                // The signers share the fee, in a way that the specification does not show.
                _ => (one.cost_to(pairs) - one.fee, one.most()),
            };
            slack += more;
            let mut with: BTreeSet<i128> = sums.iter().map(|sum| sum + cost).collect();
            if one.may_have_failed && paying > 0 {
                let fee = if paying == one.payers.len() {
                    one.fee
                } else {
                    0
                };
                with.extend(sums.iter().map(|sum| sum + fee));
            }
            let is_past = one.is_past.is_some_and(|at| at < reading.entry.began);
            let is_settled = one.settled.is_some_and(|at| at <= reading.entry.began);
            let is_paid = (is_past || is_last && is_settled) && one.began >= base;
            match is_paid && !one.may_have_failed {
                true => sums = with,
                false => sums.extend(with),
            }
            if sums.len() > MOST_SUMS {
                return true;
            }
        }
        let gifts = self.gifts_to(pairs);
        let may_be = |sum: &i128| sum.saturating_sub(gifts)..=sum.saturating_add(slack);
        sums.iter().any(|sum| may_be(sum).contains(&lower))
    }

    /// Returns what the accepted transactions of a wallet cost that are in blocks, and how many there are.
    fn cost(&self, pair: &Pair) -> (i128, usize) {
        let own = self.paid_since_base(pair);
        own.fold((0, 0), |(sum, count), one| {
            (sum + one.cost_to(&[pair]), count + 1)
        })
    }

    /// Returns the accepted transactions of a balance that are in blocks, and that began after it was read first.
    fn paid_since_base(&self, pair: &Pair) -> impl Iterator<Item = &Accepted> {
        let base = self.since_base(&(pair.clone(), SINGLE));
        let base = base.and_then(|readings| Some(readings.first()?.entry.ended));
        let later = self.in_blocks();
        let later = later.filter(move |one| base.is_none_or(|base| one.began >= base));
        later.filter(|one| one.concerns(pair))
    }

    /// Returns the accepted transactions of a wallet and the transfers to it, whatever their token.
    fn concerning(&self, wallet: &String) -> impl Iterator<Item = &Accepted> {
        let all = self.accepted.iter();
        all.filter(move |one| one.payers.contains(wallet) || one.is_to(wallet))
    }

    /// Whether between two different readings only refused submissions of the wallet were sent and no transfer was pending, it
    /// can pay what was accepted, and it has less than what is in blocks leaves. A refused submission gives nothing.
    fn were_refused(&self, pair: &Pair, [before, after]: [&Reading<'_>; 2], base: i128) -> bool {
        let between = |began: Duration| began >= before.entry.began && began <= after.entry.ended;
        let own = || self.concerning(&pair.0);
        let is_paid_by = |one: &Accepted, by: Duration| one.settled.is_some_and(|at| at <= by);
        let paid = own().filter(|one| is_paid_by(one, after.entry.began));
        let paid: i128 = paid.map(|one| one.cost_to(&[pair])).sum();
        let may_move = |one: &Accepted| {
            let is_pending = one.transfer.is_some() && !is_paid_by(one, before.entry.began);
            between(one.began) || is_pending && one.began < before.entry.began
        };
        own().next().is_none()
            || before.amount != after.amount
                && after.amount < base.saturating_sub(paid)
                && self.cost(pair).0 <= base
                && !own().any(may_move)
                && self.history.submissions().any(|entry| between(entry.began))
    }

    /// Whether a wallet gained something before a transfer to it was submitted: it receives fees.
    fn gains_before_transfers(&self, pair: &Pair) -> bool {
        let transfers = self.accepted.iter().filter(|one| one.moved_from(pair) < 0);
        let first = transfers.map(|one| one.began).min();
        let is_before = |one: &&Reading<'_>| first.is_none_or(|first| one.entry.ended < first);
        let mut all = self.judged().filter(|((other, _), _)| other == pair);
        all.any(|(_, readings)| {
            let base = readings.first().map_or(0, |base| base.amount);
            let mut before = readings.iter().take_while(is_before);
            before.any(|one| one.amount > base)
        })
    }

    fn finding(&self, pair: &Pair, readings: &[Reading<'h>], at: &Reading<'h>) -> Option<Finding> {
        let base = readings.first()?;
        let (cost, count) = self.cost(pair);
        let lower = base.amount.checked_sub(at.amount)?;
        let (change, reason) = (change_by(lower), self.only_reason(&[pair], cost, lower));
        let (wallet, token) = (shown(&pair.0, 60), shown(&pair.1, 60));
        let received = self.paid_since_base(pair);
        let received: i128 = received.map(|one| (-one.moved_from(pair)).max(0)).sum();
        let accepted = match (self.signers.contains(&pair.0), count) {
            _ if received > 0 => {
                let spent = cost + received;
                format!("it received {received}, and its accepted transactions cost {spent}")
            }
            (false, _) => "it signed nothing".to_owned(),
            (true, 0) => "no transaction of it was accepted and is in a block".to_owned(),
            (true, 1) => format!("its accepted transaction costs {cost}"),
            (true, count) => format!("its {count} accepted transactions cost {cost}"),
        };
        let listed = match received > 0 || count > 1 {
            true => {
                let right = self.unexplained(pair, readings).map(|[before, _]| before);
                self.listed(&[pair], right, at)
            }
            false => String::new(),
        };
        let what =
            format!("the {token} of the wallet {wallet} {change}, and {accepted}{reason}{listed}");
        let expected = match base.amount.checked_sub(cost)? {
            left if left < 0 => {
                "one of these is refused, because the wallet can't pay all of them".to_owned()
            }
            left => left.to_string(),
        };
        let exchange = &at.entry.exchange;
        let finding = Finding::new(exchange, what, expected, at.amount.to_string());
        Some(finding.at("/balance"))
    }

    /// Judges the balances one by one.
    fn balances(&self, effect: Effect, result: &mut Examination) {
        for (key, readings) in self.judged() {
            let (pair, kind) = key;
            let is_signer = self.signers.contains(&pair.0);
            let is_list = *kind != SINGLE;
            let is_judged = match effect {
                Effect::Fee | Effect::Refusal => is_signer && !is_list,
                Effect::Others => !is_signer && pair.0.starts_with("0x"),
                Effect::Created => false,
            };
            let is_concerned = self.concerning(&pair.0).next().is_some();
            if !is_judged || effect == Effect::Fee && !is_concerned {
                continue;
            }
            let Some(between) = self.unexplained(pair, readings) else {
                let is_paid = self.cost(pair).1 > 0;
                result.examined += u64::from(effect != Effect::Fee || is_paid);
                continue;
            };
            let [before, at] = between;
            let receives = self.accepted.iter().any(|one| one.moved_from(pair) < 0);
            let is_maker = self.makes_blocks(&pair.0);
            let may_gain = match effect {
                Effect::Others => !receives || is_maker || self.gains_before_transfers(pair),
                _ => effect == Effect::Refusal && is_maker,
            };
            let is_gain = may_gain && at.amount > before.amount;
            let base = readings.first().map_or(0, |base| base.amount);
            let is_refusal = self.were_refused(pair, between, base);
            if is_gain
                || (effect == Effect::Refusal && !is_refusal)
                || (effect == Effect::Fee && is_refusal)
            {
                result.count_item();
                continue;
            }
            // What all transactions cost can be compared with the last reading.
            let ends = readings.first().zip(readings.last());
            let wrong = ends.filter(|(base, last)| !self.is_explained(pair, base, last, true));
            let at = wrong.map_or(at, |(_, last)| last);
            self.report(key, readings, at, result);
        }
    }

    /// Returns the balances of the signers who share fees with each other. Together they pay exactly, also if others receive
    /// something.
    fn sharing(&self) -> Vec<BTreeSet<Pair>> {
        let mut all: Vec<BTreeSet<Pair>> = Vec::new();
        for one in self.accepted.iter().filter(|one| one.payers.len() > 1) {
            let payers = one.payers.iter().cloned();
            let mut pairs: BTreeSet<_> = payers.map(|payer| (payer, one.token.clone())).collect();
            all.retain(|others| {
                let is_apart = others.is_disjoint(&pairs);
                if !is_apart {
                    pairs.extend(others.iter().cloned());
                }
                is_apart
            });
            all.push(pairs);
        }
        all
    }

    /// Judges what the wallets of a transaction have together, and those of all transactions: the signers pay the fee, and
    /// each part may be rounded up. What one of them sends, another one receives.
    fn together(&self, result: &mut Examination) {
        let mut of_all = BTreeMap::<String, BTreeSet<Pair>>::new();
        for (wallet, token) in self.accepted.iter().flat_map(Accepted::balances).flatten() {
            of_all
                .entry(token.clone())
                .or_default()
                .insert((wallet, token));
        }
        let of_each = self.accepted.iter().flat_map(Accepted::balances);
        let mut known = BTreeSet::new();
        let single = self.judged().filter(|((_, kind), _)| *kind == SINGLE);
        let wrong =
            single.filter(|((pair, _), readings)| self.unexplained(pair, readings).is_some());
        let wrong: BTreeSet<_> = wrong.map(|(key, _)| key).collect();
        let sharing = self.sharing().into_iter();
        for balances in of_each.chain(sharing).chain(of_all.into_values()) {
            if balances.len() < 2 || !known.insert(balances.clone()) {
                continue;
            }
            let keys: Vec<_> = balances.into_iter().map(|pair| (pair, SINGLE)).collect();
            let readings: Option<Vec<_>> = keys.iter().map(|key| self.read_again(key)).collect();
            let Some(readings) = readings.filter(|_| !keys.iter().any(|key| wrong.contains(key)))
            else {
                continue;
            };
            let base_of = |pair: &Pair| {
                let mut all = keys.iter().zip(&readings);
                let own = all.find(|((other, _), _)| other == pair);
                own.and_then(|(_, all)| Some(all.first()?.entry.ended))
                    .unwrap_or_default()
            };
            let ends = readings
                .iter()
                .filter_map(|all| Some([all.first()?, all.last()?]));
            let lower = ends.map(|[base, last]| base.amount.saturating_sub(last.amount));
            let lower: i128 = lower.sum();
            let pairs: Vec<_> = keys.iter().map(|(pair, _)| pair).collect();
            let last = || readings.iter().filter_map(|all| all.last());
            let earliest = last().map(|reading| reading.entry.began).min();
            let latest = last().max_by_key(|reading| reading.entry.ended);
            let (Some(pair), Some(earliest), Some(at)) = (pairs.first(), earliest, latest) else {
                continue;
            };
            // Some of these balances may have been read before it, and some after it.
            let is_between = |one: &Accepted| {
                one.began <= at.entry.ended && one.settled.is_some_and(|settled| settled > earliest)
            };
            let is_undecided = |one: &Accepted| {
                let concerned = pairs.iter().filter(|pair| one.concerns(pair));
                let bases: Vec<_> = concerned.map(|pair| base_of(pair)).collect();
                // Another program may read one of two balances first when both have changed.
                let is_before_one = bases.iter().any(|base| one.began < *base);
                is_between(one) && !bases.is_empty() || is_before_one && bases.len() > 1
            };
            if self.accepted.iter().any(is_undecided) {
                continue;
            }
            if self.explains(&pairs, at, (&base_of, true), lower) {
                result.count_item();
            } else if pairs
                .iter()
                .all(|pair| self.other_reason(&pair.0).is_none())
            {
                result.count_item();
                // What failed moved nothing.
                let moved = |one: &&Accepted| one.transfer.is_none() || one.has_moved();
                let least = self.in_blocks().filter(moved);
                let least: i128 = least.map(|one| one.cost_to(&pairs)).sum();
                let what = format!(
                    "the {} of the wallets {} {} together, and their accepted transactions cost {least}{}{}",
                    shown(&pair.1, 60),
                    named(&pairs),
                    change_by(lower),
                    self.only_reason(&pairs, least, lower),
                    self.listed(&pairs, None, at),
                );
                let expected = least.to_string();
                let exchange = &at.entry.exchange;
                let finding = Finding::new(exchange, what, expected, lower.to_string());
                result.push(finding.at("/balance"));
                // Other transactions of the same wallets show the same.
                return;
            }
        }
    }

    fn report(
        &self,
        (pair, kind): &Key<'_>,
        readings: &[Reading<'h>],
        at: &Reading<'h>,
        result: &mut Examination,
    ) {
        let base = readings.first().map_or(0, |base| base.amount);
        // A reward adds something, so it does not explain what is missing of another token than that of fees.
        let lacks = *kind == SINGLE && at.amount < base.saturating_sub(self.cost(pair).0);
        let mut paid = self.accepted.iter().map(|one| &one.token);
        let reason = match lacks && !paid.any(|token| *token == pair.1) {
            true => self.reason_of_others(&pair.0),
            false => self.other_reason(&pair.0),
        };
        match reason.or_else(|| self.reason_just_before(&pair.0)) {
            Some(reason) => {
                let reason = format!("a balance changed by another amount, and {reason}");
                result.add(unknown(reason));
            }
            None => {
                result.count_item();
                if let Some(finding) = self.finding(pair, readings, at) {
                    result.push(finding);
                }
            }
        }
    }

    /// Judges whether there is money that nobody had before: a balance below 0 or near 2^64, and gains that are
    /// higher than all fees together.
    fn created(&self, result: &mut Examination) {
        let impossible =
            |amount: i128| amount < 0 || (NEAR_2_64..=u64::MAX.into()).contains(&amount);
        for ((pair, _), readings) in self.judged() {
            result.count_item();
            let base = readings.first().map_or(0, |base| base.amount);
            let found = readings.iter().find(|one| impossible(one.amount));
            if let Some(found) = found.filter(|_| !impossible(base)) {
                let (wallet, token) = (shown(&pair.0, 60), shown(&pair.1, 60));
                let (how, expected) = match found.amount < 0 {
                    true => (
                        "is below 0",
                        "at least 0: what a wallet can't pay with its fee, beside all that is pending, is refused",
                    ),
                    false => ("has wrapped around 0", "what the wallet has received"),
                };
                let listed = self.listed(&[pair], None, found);
                let what = format!("the {token} of the wallet {wallet} {how}{listed}");
                let actual = found.amount.to_string();
                let finding = Finding::new(&found.entry.exchange, what, expected, actual);
                result.push(finding.at("/balance"));
            }
        }
        if result.has_no_findings() {
            self.gains(result);
        }
        if result.has_no_findings() {
            result.findings.extend(self.lost());
        }
    }

    /// Judges the sum of what the holders of a token gained, except those that a block may explain.
    fn gains(&self, result: &mut Examination) {
        let lists = || self.judged().filter(|((_, kind), _)| *kind == HOLDERS);
        let bases = lists().filter_map(|(_, readings)| readings.first());
        let since = bases.map(|base| base.entry.began).min();
        let Some(fees_of_others) = since.and_then(|since| self.fees_of_others(since)) else {
            return;
        };
        let tokens: BTreeSet<&String> = lists().map(|((pair, _), _)| &pair.1).collect();
        for token in tokens {
            let of_token = lists().filter(|((pair, _), _)| pair.1 == **token);
            let is_unrewarded = self.has_unrewarded_creator(token);
            let other_reason = |wallet: &str| match is_unrewarded {
                true => self.reason_of_others(wallet),
                false => self.other_reason(wallet),
            };
            let mut gained = 0_i128;
            let mut shows: Option<&Reading<'h>> = None;
            for ((pair, _), readings) in of_token {
                let (Some(base), Some(last)) = (readings.first(), readings.last()) else {
                    continue;
                };
                let gain = last.amount.saturating_sub(base.amount);
                let moved = self.accepted.iter().filter(|one| one.has_moved());
                let received: i128 = moved.map(|one| one.received_by(&[pair])).sum();
                let gain = gain.saturating_sub(received);
                let gain = gain.saturating_sub(self.gifts_to(&[pair]));
                if gain <= 0 || other_reason(&pair.0).is_some() {
                    continue;
                }
                gained = gained.saturating_add(gain);
                shows = Some(last);
            }
            let paid = self.accepted.iter().map(|one| one.paid_in(token));
            let others = fees_of_others.get(token).copied();
            let paid = paid.chain(others).fold(0_i128, i128::saturating_add);
            if let Some(reading) = shows.filter(|_| gained > paid) {
                let what = format!(
                    "the holders of {} gained {gained}, and the accepted transactions cost {paid}",
                    shown(token, 60)
                );
                let finding = Finding::new(
                    &reading.entry.exchange,
                    what,
                    format!("at most {paid}"),
                    gained.to_string(),
                );
                result.push(finding.at("/balance"));
            }
        }
    }

    /// Whether the node accepts something, or refuses wrong signatures in other words than the rest. Another node may
    /// not even have read the submissions.
    fn tells_submissions_apart(&self) -> bool {
        let replies = Replies::to_right_ones(self.history);
        let mut submissions = self.history.submissions().map(|entry| &entry.exchange);
        submissions.any(|exchange| {
            exchange.request.wrongly_signed.is_some() && replies.set_apart(exchange)
        })
    }

    /// Whether a balance of a signer still has to change, or to change back, or a transaction has to be made. What was wrong
    /// before is not waited for.
    fn is_unsettled(&self) -> bool {
        self.judged().any(|((pair, kind), readings)| {
            let (Some(base), Some(last)) = (readings.first(), readings.last()) else {
                return false;
            };
            let lower = base.amount.checked_sub(last.amount);
            let is_explained = lower.is_some_and(|lower| {
                self.explains(&[pair], last, (&|_| base.entry.ended, true), lower)
            });
            // Another wallet that signed a transaction of the chain may receive fees. It is read in lists only.
            let may_gain = self.concerning(&pair.0).next().is_none()
                && (self.makes_blocks(&pair.0) || *kind != SINGLE);
            self.signers.contains(&pair.0) && !is_explained && !may_gain
        }) || self.lost().is_some()
            || self.awaits_a_block()
    }
}

/// Returns how a balance changed that is lower by this much.
fn change_by(lower: i128) -> String {
    match lower {
        0 => "did not change".to_owned(),
        1.. => format!("went down by {lower}"),
        _ => format!("went up by {}", lower.saturating_neg()),
    }
}

/// With more sums, accepted transactions that are in no block may explain anything.
const MOST_SUMS: usize = 50_000;

/// A balance from here to 2^64 is one below 0 that wrapped.
const NEAR_2_64: i128 = (1 << 64) - (1 << 50);

/// Judges the balances of a run.
pub(crate) fn effect(history: &History, effect: Effect) -> Examination {
    let mut result = Examination::default();
    match effect {
        Effect::Refusal => result.extend(payable(history)),
        Effect::Fee => result.extend(in_any_order(history)),
        Effect::Others | Effect::Created => {}
    }
    if let Some(money) = Money::of(history) {
        match effect {
            Effect::Created => money.created(&mut result),
            _ => money.balances(effect, &mut result),
        }
        if effect == Effect::Fee && result.has_no_findings() {
            money.together(&mut result);
        }
        if effect == Effect::Fee && result.has_no_findings() {
            result.findings.extend(money.not_made());
        }
        // Another program need not submit anything wrong.
        let accepts = history.is_of_others && !money.accepted.is_empty();
        if result.has_no_findings() && !accepts && !money.tells_submissions_apart() {
            result.examined = 0;
        }
    }
    match history.reason(&Step::KeepAll) {
        Some(reason) if !result.has_no_findings() => {
            let mut undecided = Examination::default();
            undecided.add(Err(reason.clone()));
            undecided
        }
        _ => result,
    }
}

/// Whether the balances that a run read do not show yet what the node accepted.
pub(crate) fn is_unsettled(history: &History) -> bool {
    // No later reading may be known.
    history.reason(&Step::KeepAll).is_none()
        && Money::of(history).is_some_and(|money| money.is_unsettled())
}
