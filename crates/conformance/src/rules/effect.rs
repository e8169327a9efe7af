//! The rule *effect*: a balance changes by what the node accepted, and by nothing else.
//!
//! The first reading of a balance before anything was submitted is the base. Each later one may be lower by the fees of
//! some accepted transactions, and the last one is lower by all that are in blocks. What the blocks since then explain
//! in another way is not judged.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use nodeproof_primitives::escape::escaped_up_to as shown;
use serde_json::Value;

use crate::{
    api::{
        List, Pair, held, in_block, is_valid, lists_transactions, requested, stored, times_in_batch,
    },
    checks::{Examination, Finding, Reply},
    history::{Entry, History},
    http::InconclusiveReason,
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
    /// A list that does not show what the wallet has paid.
    List,
    /// Money that nobody had before.
    Created,
}

/// A transaction that the node accepted.
struct Accepted {
    code: String,
    payers: Vec<String>,
    token: String,
    fee: i128,
    asset: Option<String>,
    began: Duration,
    /// Whether it is known to be in a block.
    is_settled: bool,
}

impl Accepted {
    fn of(submission: &Value, began: Duration) -> Option<Self> {
        let transaction = submission.get("transaction")?;
        let data = transaction.get("specific_data")?;
        let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
        let signers = data.get("signers")?.as_array()?;
        let fee = transaction.get("fee")?;
        let whole = fee.as_f64().filter(|fee| fee.fract() == 0.0);
        Some(Self {
            code: text(transaction.get("trans_code")?)?,
            payers: signers.iter().filter_map(text).collect(),
            token: text(transaction.get("currency")?)?,
            fee: match fee.as_i64() {
                Some(fee) => fee.into(),
                None => whole.map(|fee| fee as i128)?,
            },
            asset: text(&data["params"]["asset_id"]),
            began,
            is_settled: false,
        })
    }

    fn concerns(&self, (wallet, token): &Pair) -> bool {
        self.token == *token && self.payers.contains(wallet)
    }

    /// Returns the most that the signers pay together: each part of the fee may be rounded up.
    fn most(&self) -> i128 {
        let payers = (self.payers.len() as i128).max(1);
        (self.fee + payers - 1) / payers * payers
    }
}

/// One reading of a balance.
struct Reading<'h> {
    entry: &'h Entry,
    amount: i128,
}

/// A balance, and the kind of query that showed it.
type Key<'h> = (Pair, &'h str);
/// The balances that each kind of query showed, in the order in which they were read.
type Readings<'h> = BTreeMap<Key<'h>, Vec<Reading<'h>>>;

const SINGLE: &str = "TOKEN_IN_WALLET";
const TOKENS: &str = "ALL_TOKENS_IN_WALLET";
const HOLDERS: &str = "ALL_WALLETS_FOR_TOKEN";

/// The balances of a run, what was accepted, and the blocks since the first submission.
struct Money<'h> {
    history: &'h History,
    first_submission: Duration,
    accepted: Vec<Accepted>,
    /// The codes and wallets of all submissions, also of those that were refused.
    signers: BTreeSet<String>,
    readings: Readings<'h>,
    /// The blocks since the first submission that were read, and whether all of them were.
    blocks: BTreeMap<u64, &'h Value>,
    has_all_blocks: bool,
}

/// Returns the submissions in the body of a request: one, or those of a batch.
fn submissions(entry: &Entry) -> Vec<Value> {
    let body = entry.exchange.request.body.as_deref().unwrap_or_default();
    match serde_json::from_str(body) {
        Ok(Value::Array(batch)) => batch,
        Ok(one) => vec![one],
        Err(_) => Vec::new(),
    }
}

impl<'h> Money<'h> {
    fn of(history: &'h History) -> Option<Self> {
        let first_submission = history.first_submission()?;
        let mut money = Self {
            history,
            first_submission,
            accepted: Vec::new(),
            signers: BTreeSet::new(),
            readings: Readings::new(),
            blocks: BTreeMap::new(),
            has_all_blocks: true,
        };
        money.add_blocks();
        money.add_readings();
        for entry in history.submissions() {
            money.add_submission(entry);
        }
        money.settle();
        Some(money)
    }

    fn add_blocks(&mut self) {
        let before = self.history.height_before(self.first_submission);
        let all = self.history.blocks();
        let since = all.filter(|(index, _)| before.is_none_or(|before| *index > before));
        let objects =
            since.filter_map(|(index, entry)| Some((index, entry.exchange.success_object()?)));
        self.blocks = objects.collect();
        let first = before.and_then(|before| before.checked_add(1));
        let span = first.zip(self.blocks.keys().next_back());
        self.has_all_blocks = before.is_some()
            && span.is_none_or(|(first, last)| last - first + 1 == self.blocks.len() as u64);
    }

    fn add_submission(&mut self, entry: &Entry) {
        for submission in submissions(entry) {
            let signers = submission.pointer("/transaction/specific_data/signers");
            let signers = signers.and_then(Value::as_array).into_iter().flatten();
            self.signers
                .extend(signers.filter_map(Value::as_str).map(ToOwned::to_owned));
            let Some(accepted) = Accepted::of(&submission, entry.began) else {
                continue;
            };
            let is_accepted = is_valid(&entry.exchange)
                || times_in_batch(&entry.exchange, "accepted_transactions", &accepted.code) > 0;
            let is_known = self.accepted.iter().any(|one| one.code == accepted.code);
            if is_accepted && !is_known {
                self.accepted.push(accepted);
            }
        }
    }

    /// Adds the balances in all responses. A list that leaves out a balance, which another such list has, shows 0.
    fn add_readings(&mut self) {
        let mut lists = Vec::new();
        for entry in self.history.of_path("/get-balances") {
            let exchange = &entry.exchange;
            let of = |name| requested(exchange, name);
            let (wallet, token) = (of("wallet_address"), of("token_code"));
            if exchange.request.raw_query.is_some() {
                continue;
            }
            match (of("balance_type"), wallet, token) {
                (Some(SINGLE), Some(wallet), Some(token)) => {
                    if let Some(amount) = held(exchange) {
                        let key = ((wallet.to_owned(), token.to_owned()), SINGLE);
                        let amount = amount.get();
                        self.readings
                            .entry(key)
                            .or_default()
                            .push(Reading { entry, amount });
                    }
                }
                (Some(kind @ TOKENS), Some(_), None) | (Some(kind @ HOLDERS), None, Some(_)) => {
                    lists.extend(List::of(exchange).map(|list| (entry, kind, list)))
                }
                _ => {}
            }
        }
        let pairs = lists
            .iter()
            .flat_map(|(_, kind, list)| list.held.iter().map(|(pair, _)| (pair.clone(), *kind)));
        for key in pairs.collect::<BTreeSet<Key<'_>>>() {
            let (pair, kind) = &key;
            let of_key = lists
                .iter()
                .filter(|(_, of, list)| of == kind && list.is_for(pair));
            let readings = of_key.map(|(entry, _, list)| {
                let amount = list.get(pair).map_or(0, |amount| amount.get());
                Reading { entry, amount }
            });
            let readings = readings.collect();
            self.readings.insert(key, readings);
        }
    }

    /// Notes which transactions are in blocks: those in a block that was read, and those with a record.
    fn settle(&mut self) {
        let states = self.history.of_path("/sc-state").filter_map(|entry| {
            let found = entry.exchange.success_object().and_then(stored).is_some();
            found.then(|| requested(&entry.exchange, "unique_value"))?
        });
        let recorded: BTreeSet<&str> = states.collect();
        for one in &mut self.accepted {
            let mut blocks = self.blocks.values();
            let asset = one.asset.as_deref();
            one.is_settled = blocks.any(|block| in_block(block, &one.code).is_some())
                || asset.is_some_and(|asset| recorded.contains(asset));
        }
    }

    /// Returns the reason, other than the run's own transactions, for which a wallet's balance may have changed.
    fn other_reason(&self, wallet: &str) -> Option<&'static str> {
        for block in self.blocks.values() {
            let made_it = |name| block.get(name).and_then(Value::as_str) == Some(wallet);
            if made_it("creator_wallet") || made_it("expected_miner") {
                return Some("the wallet made a block, which may be rewarded");
            }
            if !lists_transactions(block) {
                return Some("blocks do not show whether the wallet has other transactions");
            }
            if self
                .of_others(block)
                .any(|entry| entry.to_string().contains(wallet))
            {
                return Some("the wallet has other transactions in the blocks since");
            }
        }
        let unread = "not all blocks since then were read, so others may be the reason";
        (!self.has_all_blocks).then_some(unread)
    }

    /// Returns the transactions of a block that this run did not submit.
    fn of_others<'b>(&'b self, block: &'b Value) -> impl Iterator<Item = &'b Value> {
        let list = block
            .pointer("/text/transactions")
            .and_then(Value::as_array);
        let is_own = |entry: &Value| {
            let mut codes = self.accepted.iter().map(|one| &one.code);
            codes.any(|code| in_block(entry, code).is_some())
        };
        list.into_iter()
            .flatten()
            .filter(move |entry| !is_own(entry))
    }

    /// Returns the readings of a balance from the last one before anything was submitted.
    fn since_base(&self, key: &Key<'h>) -> Option<&[Reading<'h>]> {
        let readings = self.readings.get(key)?;
        let is_before = |reading: &Reading<'_>| reading.entry.ended <= self.first_submission;
        let base = readings.iter().rposition(is_before)?;
        readings.get(base..)
    }

    /// Returns the readings of all balances that were read before and after something was submitted.
    fn judged(&self) -> impl Iterator<Item = (&Key<'h>, &[Reading<'h>])> {
        let since_base = |key| Some((key, self.since_base(key)?));
        let all = self.readings.keys().filter_map(since_base);
        all.filter(|(_, readings)| readings.len() > 1)
    }

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
            let lower = base.amount.checked_sub(reading.amount);
            let explained = lower.is_some_and(|lower| self.explains(pair, reading, is_last, lower));
            (!explained).then_some([before, reading])
        })
    }

    /// Whether the accepted transactions explain that a balance is lower by this much. At the last reading, all that
    /// are in blocks must have been paid.
    fn explains(&self, pair: &Pair, reading: &Reading<'_>, is_last: bool, lower: i128) -> bool {
        let mut sums = BTreeSet::from([0]);
        let mut slack = 0;
        for one in self.accepted.iter().filter(|one| one.concerns(pair)) {
            if one.began > reading.entry.ended {
                continue;
            }
            if one.payers.len() > 1 {
                // The signers share the fee, in a way that the specification does not show.
                slack += one.most();
                continue;
            }
            let with: BTreeSet<i128> = sums.iter().map(|sum| sum + one.fee).collect();
            match is_last && one.is_settled {
                true => sums = with,
                false => sums.extend(with),
            }
        }
        sums.iter().any(|sum| (*sum..=sum + slack).contains(&lower))
    }

    /// Returns what the accepted transactions of a wallet cost that are in blocks, and how many there are.
    fn cost(&self, pair: &Pair) -> (i128, usize) {
        let own = self.accepted.iter().filter(|one| one.concerns(pair));
        let settled = own.filter(|one| one.is_settled);
        settled.fold((0, 0), |(sum, count), one| (sum + one.fee, count + 1))
    }

    /// Whether between two readings only refused submissions of the wallet were sent.
    fn were_refused(&self, pair: &Pair, [before, after]: [&Reading<'_>; 2]) -> bool {
        let between = |began: Duration| began >= before.entry.began && began <= after.entry.ended;
        let own: Vec<_> = self
            .accepted
            .iter()
            .filter(|one| one.concerns(pair))
            .collect();
        own.is_empty()
            || !own.iter().any(|one| between(one.began))
                && self.history.submissions().any(|entry| between(entry.began))
    }

    fn finding(&self, pair: &Pair, readings: &[Reading<'h>], at: &Reading<'h>) -> Option<Finding> {
        let base = readings.first()?;
        let (cost, count) = self.cost(pair);
        let change = match base.amount.checked_sub(at.amount)? {
            0 => "did not change".to_owned(),
            lower if lower > 0 => format!("went down by {lower}"),
            higher => format!("went up by {}", -higher),
        };
        let (wallet, token) = (shown(&pair.0, 60), shown(&pair.1, 60));
        let accepted = match (self.signers.contains(&pair.0), count) {
            (false, _) => "it signed nothing".to_owned(),
            (true, 0) => "no transaction of it was accepted and is in a block".to_owned(),
            (true, 1) => format!("its accepted transaction costs {cost}"),
            (true, count) => format!("its {count} accepted transactions cost {cost}"),
        };
        let what = format!("the {token} of the wallet {wallet} {change}, and {accepted}");
        let expected = base.amount.checked_sub(cost)?.to_string();
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
                Effect::List => is_signer && is_list,
                Effect::Created => false,
            };
            let has_paid = self.accepted.iter().any(|one| one.concerns(pair));
            if !is_judged
                || effect == Effect::Fee && !has_paid
                || effect == Effect::List && !self.is_list_judged(pair, readings)
            {
                continue;
            }
            let Some(between) = self.unexplained(pair, readings) else {
                let is_paid = self.cost(pair).1 > 0;
                result.examined += u64::from(effect != Effect::Fee || is_paid);
                continue;
            };
            let [before, at] = between;
            let is_gain = effect == Effect::Others && at.amount > before.amount;
            let is_refusal = self.were_refused(pair, between);
            if is_gain
                || (effect == Effect::Refusal && !is_refusal)
                || (effect == Effect::Fee && is_refusal)
            {
                result.count_item();
                continue;
            }
            self.report(pair, readings, at, result);
        }
    }

    /// Whether a list showed the same as the single balance before, which the single balance still explains.
    fn is_list_judged(&self, pair: &Pair, list: &[Reading<'h>]) -> bool {
        let single = self.since_base(&(pair.clone(), SINGLE));
        single.is_some_and(|single| {
            let bases = [single, list].map(|readings| readings.first().map(|one| one.amount));
            bases[0] == bases[1] && self.unexplained(pair, single).is_none()
        })
    }

    /// Judges what the signers of a transaction paid together: the fee, and each part may be rounded up.
    fn shared(&self, result: &mut Examination) {
        for one in self.accepted.iter().filter(|one| one.payers.len() > 1) {
            let keys = one
                .payers
                .iter()
                .map(|payer| ((payer.clone(), one.token.clone()), SINGLE));
            let keys: Vec<_> = keys.collect();
            let readings: Option<Vec<_>> = keys.iter().map(|key| self.since_base(key)).collect();
            let Some(readings) = readings else { continue };
            let mut each = keys.iter().zip(&readings);
            if each.any(|((pair, _), readings)| self.unexplained(pair, readings).is_some()) {
                continue;
            }
            let ends = readings
                .iter()
                .filter_map(|all| Some([all.first()?, all.last()?]));
            let lower = ends.map(|[base, last]| base.amount.saturating_sub(last.amount));
            let lower: i128 = lower.sum();
            let of_these = self
                .accepted
                .iter()
                .filter(|other| keys.iter().any(|(pair, _)| other.concerns(pair)));
            let (mut least, mut most) = (0, 0);
            for other in of_these {
                least += if other.is_settled { other.fee } else { 0 };
                most += other.most();
            }
            if (least..=most).contains(&lower) {
                result.count_item();
            } else if let (Some((pair, _)), Some(at)) =
                (keys.first(), readings.first().and_then(|all| all.last()))
            {
                match keys.iter().find_map(|(pair, _)| self.other_reason(&pair.0)) {
                    Some(_) => continue,
                    None => result.count_item(),
                }
                let what = format!(
                    "the {} of the {} signers of a transaction went down by {lower} together, and their accepted \
                     transactions cost {least}",
                    shown(&pair.1, 60),
                    keys.len()
                );
                let expected = least.to_string();
                let exchange = &at.entry.exchange;
                let finding = Finding::new(exchange, what, expected, lower.to_string());
                result.push(finding.at("/balance"));
            }
        }
    }

    fn report(
        &self,
        pair: &Pair,
        readings: &[Reading<'h>],
        at: &Reading<'h>,
        result: &mut Examination,
    ) {
        match self.other_reason(&pair.0) {
            Some(reason) => {
                let reason = format!("a balance changed by another amount, and {reason}");
                result.add(Err(InconclusiveReason::NoSample(reason)));
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
                let token = shown(&pair.1, 60);
                let what = format!(
                    "the {token} of the wallet {} is impossible",
                    shown(&pair.0, 60)
                );
                let expected = "a balance that was received before";
                let actual = found.amount.to_string();
                let finding = Finding::new(&found.entry.exchange, what, expected, actual);
                result.push(finding.at("/balance"));
            }
        }
        if result.has_no_findings() {
            self.gains(result);
        }
    }

    /// Judges the sum of what the holders of a token gained, except those that a block may explain.
    fn gains(&self, result: &mut Examination) {
        let is_call = |entry: &Value| {
            let transaction = entry.get("transaction").unwrap_or(entry);
            transaction.get("type").and_then(Value::as_i64) == Some(3)
        };
        let mut blocks = self.blocks.values();
        if !self.has_all_blocks
            || blocks.any(|block| !lists_transactions(block) || self.of_others(block).any(is_call))
        {
            return;
        }
        let tokens: BTreeSet<&String> = self.accepted.iter().map(|one| &one.token).collect();
        for token in tokens {
            let of_token = self.judged().filter(|((pair, kind), _)| {
                *kind == HOLDERS && pair.1 == **token && self.other_reason(&pair.0).is_none()
            });
            let mut gained = 0_i128;
            let mut largest: Option<(i128, &Reading<'h>)> = None;
            for (_, readings) in of_token {
                let (Some(base), Some(last)) = (readings.first(), readings.last()) else {
                    continue;
                };
                let gain = last.amount.saturating_sub(base.amount);
                gained = gained.saturating_add(gain.max(0));
                if gain > 0 && largest.is_none_or(|(most, _)| gain > most) {
                    largest = Some((gain, last));
                }
            }
            let paid = self.accepted.iter().filter(|one| one.token == **token);
            let paid: i128 = paid.map(Accepted::most).sum();
            if let Some((_, reading)) = largest.filter(|_| gained > paid) {
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

    /// Whether the node accepted something, or refused submissions in different words. Another node may not even have
    /// read them.
    fn tells_submissions_apart(&self) -> bool {
        let all = || self.history.submissions();
        let mut replies = all().map(|entry| Reply::of(&entry.exchange));
        let first = replies.next();
        !self.accepted.is_empty()
            || all().any(|entry| entry.exchange.is_success())
                && replies.any(|reply| Some(reply) != first)
    }

    /// Whether a balance of a signer still has to change, or to change back.
    fn is_unsettled(&self) -> bool {
        self.judged().any(|((pair, _), readings)| {
            self.signers.contains(&pair.0) && self.unexplained(pair, readings).is_some()
        })
    }
}

/// A balance from here to 2^64 is one below 0 that wrapped.
const NEAR_2_64: i128 = (1 << 64) - (1 << 50);

/// Judges the balances of a run.
pub(crate) fn effect(history: &History, effect: Effect) -> Examination {
    let mut result = Examination::default();
    if let Some(money) = Money::of(history) {
        match effect {
            Effect::Created => money.created(&mut result),
            _ => money.balances(effect, &mut result),
        }
        if effect == Effect::Fee && result.has_no_findings() {
            money.shared(&mut result);
        }
        if result.has_no_findings() && !money.tells_submissions_apart() {
            result.examined = 0;
        }
    }
    result
}

/// Whether the balances that a run read do not show yet what the node accepted.
pub(crate) fn is_unsettled(history: &History) -> bool {
    Money::of(history).is_some_and(|money| money.is_unsettled())
}

#[cfg(test)]
mod tests {
    use Effect::{Created, Fee, List, Others, Refusal};

    use super::*;
    use crate::{
        api::{block_request, token_balance_request, token_holders_request},
        history::recorded,
        http::Request,
    };

    /// One exchange of a history.
    #[derive(Clone, Copy)]
    enum Row {
        /// The balance of a wallet.
        Holds(&'static str, i64),
        /// The list of the balances of wallets a, b and c.
        List([i64; 3]),
        /// A submission with this code by these wallets, for a fee of 10. It is accepted or refused.
        Submit(&'static str, &'static [&'static str], bool),
        /// A block with its creator, and the codes of the transactions of this run.
        Block(u64, &'static str, &'static [&'static str]),
        /// A block with a transfer of another program, by wallet d to this wallet.
        Transfer(u64, &'static str),
    }
    use Row::{Block, Holds, Submit, Transfer};

    fn wallet(name: &str) -> String {
        format!("0x{}", name.repeat(40))
    }

    fn submission(code: &str, signers: &[&str]) -> Value {
        let signers: Vec<_> = signers.iter().map(|name| wallet(name)).collect();
        serde_json::json!({"transaction": {"trans_code": code, "type": 3, "currency": "T", "fee": 10,
            "specific_data": {"signers": signers, "params": {"asset_id": code}}}, "signatures": []})
    }

    fn exchange(row: Row) -> (Request, String) {
        let block = |index: u64, creator: &str, transactions: Vec<Value>| {
            let text = serde_json::json!({"transactions": transactions});
            let block = serde_json::json!({"index": index, "creator_wallet": wallet(creator), "text": text});
            (block_request(index), block.to_string())
        };
        match row {
            Holds(name, amount) => (
                token_balance_request(&wallet(name), "T"),
                serde_json::json!({ "balance": amount }).to_string(),
            ),
            Row::List(amounts) => {
                let entries = ["a", "b", "c"].iter().zip(amounts).map(|(name, amount)| {
                    serde_json::json!({"wallet": wallet(name), "token_code": "T", "balance": amount})
                });
                let list: Vec<_> = entries.collect();
                let body = serde_json::json!({ "balance": list }).to_string();
                (token_holders_request("T"), body)
            }
            Submit(code, signers, valid) => (
                Request::post("/submit-transaction", submission(code, signers).to_string()),
                serde_json::json!({"status": "SUCCESS", "response": {"valid": valid}}).to_string(),
            ),
            Block(index, creator, codes) => {
                let own = codes.iter().map(|code| submission(code, &["a"]));
                block(index, creator, own.collect())
            }
            Transfer(index, to) => {
                let transfer = serde_json::json!({"transaction": {"trans_code": "other", "type": 2,
                    "specific_data": {"from": wallet("d"), "to": wallet(to)}}});
                block(index, "e", vec![transfer])
            }
        }
    }

    fn history(rows: &[Row]) -> History {
        let exchanges: Vec<_> = rows.iter().map(|row| exchange(*row)).collect();
        let rows = exchanges
            .iter()
            .enumerate()
            .map(|(at, (request, body))| (at as u64 * 10, request.clone(), 200, body.as_str()));
        recorded(rows.collect())
    }

    /// Returns the effects with findings, and whether the balances are inconclusive.
    fn judged(rows: &[Row]) -> (Vec<Effect>, bool) {
        let history = history(rows);
        let mut is_open = false;
        let all = [Fee, Refusal, Others, List, Created].into_iter();
        let found = all.filter(|kind| match effect(&history, *kind).end() {
            Ok(result) => !result.has_no_findings(),
            Err(_) => {
                is_open = true;
                false
            }
        });
        (found.collect(), is_open)
    }

    const START: Row = Block(1, "e", &[]);
    const PAID: [Row; 2] = [Submit("1", &["a"], true), Block(2, "e", &["1"])];
    const REFUSED: Row = Submit("1", &["a"], false);

    #[test]
    fn a_balance_changes_by_what_was_accepted() {
        let [paid, block] = PAID;
        let of = |had: i64, has: i64| vec![START, Holds("a", had), paid, block, Holds("a", has)];
        let twice = [Submit("2", &["a"], true), Block(3, "e", &["2"])];
        for (what, rows, found) in [
            ("the fee is paid", of(50, 40), &[][..]),
            ("nothing is paid", of(50, 50), &[Fee]),
            ("it is paid twice", of(50, 30), &[Fee]),
            ("a part is paid", of(50, 45), &[Fee]),
            ("the wallet gains", of(50, 60), &[Fee]),
            (
                "it is paid before the block is read",
                vec![
                    START,
                    Holds("a", 50),
                    paid,
                    Holds("a", 40),
                    block,
                    Holds("a", 40),
                ],
                &[],
            ),
            (
                "it is paid twice, and given back",
                vec![
                    START,
                    Holds("a", 50),
                    paid,
                    block,
                    Holds("a", 30),
                    Holds("a", 40),
                ],
                &[Fee],
            ),
            (
                "it is paid late",
                vec![
                    START,
                    Holds("a", 50),
                    paid,
                    block,
                    Holds("a", 50),
                    Holds("a", 40),
                ],
                &[],
            ),
            (
                "one submission is sent twice",
                vec![START, Holds("a", 50), paid, paid, block, Holds("a", 30)],
                &[Fee],
            ),
            (
                "two transactions are paid",
                [&of(50, 40)[..], &twice, &[Holds("a", 30)]].concat(),
                &[],
            ),
            (
                "one of two transactions is paid",
                [&of(50, 40)[..], &twice, &[Holds("a", 40)]].concat(),
                &[Fee],
            ),
            (
                "an accepted one that is in no block may cost nothing",
                vec![START, Holds("a", 50), paid, Holds("a", 50)],
                &[],
            ),
            (
                "a refused one costs something",
                vec![START, Holds("a", 50), REFUSED, Holds("a", 40)],
                &[Refusal],
            ),
            (
                "a refused one costs something after an accepted one",
                [
                    &of(50, 40)[..],
                    &[Submit("2", &["a"], false), Holds("a", 30)],
                ]
                .concat(),
                &[Refusal],
            ),
            (
                "a throw-away wallet holds something",
                vec![
                    START,
                    Holds("b", 0),
                    Submit("1", &["b"], false),
                    Holds("b", 7),
                ],
                &[Refusal],
            ),
        ] {
            assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
        }
    }

    #[test]
    fn what_others_explain_is_not_judged() {
        let [paid, block] = PAID;
        let start = |last: Row| vec![START, Holds("a", 50), paid, last, Holds("a", 35)];
        for (what, rows, found, is_open) in [
            ("all is read", start(block), &[Fee][..], false),
            ("it made the block", start(Block(2, "a", &["1"])), &[], true),
            (
                "a transfer",
                [&start(block)[..], &[Transfer(3, "a")]].concat(),
                &[],
                true,
            ),
            (
                "not its own",
                [&start(block)[..], &[Transfer(3, "b")]].concat(),
                &[Fee],
                false,
            ),
            (
                "a block is missing",
                [&start(block)[..], &[Block(4, "e", &[])]].concat(),
                &[],
                true,
            ),
        ] {
            assert_eq!(judged(&rows), (found.to_vec(), is_open), "{what}");
        }
    }

    #[test]
    fn the_other_wallets_and_the_lists_are_judged_too() {
        let [paid, block] = PAID;
        let lists = |after: [i64; 3]| {
            vec![
                START,
                Holds("a", 50),
                Row::List([50, 20, 0]),
                paid,
                block,
                Holds("a", 40),
                Row::List(after),
            ]
        };
        for (what, rows, found) in [
            ("a treasury gains", lists([40, 20, 10]), &[][..]),
            ("the fee is burned", lists([40, 20, 0]), &[]),
            ("the list is stale", lists([50, 20, 0]), &[List]),
            ("another one pays too", lists([40, 10, 0]), &[Others]),
            (
                "more is gained than was paid",
                lists([40, 20, 11]),
                &[Created],
            ),
            (
                "a balance falls below 0",
                lists([40, -1, 0]),
                &[Others, Created],
            ),
        ] {
            assert_eq!(judged(&rows), (found.to_vec(), false), "{what}");
        }
    }

    #[test]
    fn two_signers_pay_a_fee_together() {
        let submit = Submit("1", &["a", "b"], true);
        for (a, b, found) in [
            (40, 50, &[][..]),
            (45, 45, &[]),
            (44, 45, &[Fee]),
            (40, 40, &[Fee]),
            (50, 50, &[Fee]),
            (30, 50, &[Fee]),
        ] {
            let rows = [
                START,
                Holds("a", 50),
                Holds("b", 50),
                submit,
                Block(2, "e", &["1"]),
                Holds("a", a),
                Holds("b", b),
            ];
            assert_eq!(judged(&rows).0, found, "{a} {b}");
        }
    }

    #[test]
    fn readings_are_repeated_until_they_show_the_fee() {
        let [paid, block] = PAID;
        for (has, unsettled) in [(50, true), (40, false)] {
            let rows = [START, Holds("a", 50), paid, block, Holds("a", has)];
            assert_eq!(is_unsettled(&history(&rows)), unsettled);
        }
    }
}
