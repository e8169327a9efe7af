//! The rule *agree*: the three queries that show a balance show the same one.
//!
//! A balance may change between two responses. A response is wrong only if another query shows the same amount before and
//! after it, and a different one than this response: at the end of the run, and at any moment in between when the run
//! submitted nothing.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use nodeproof_primitives::escape::escaped_up_to as shown;

use super::readings::{HOLDERS, Reading, Readings, SINGLE, TOKENS, readings, strays};
use crate::{
    api::{Pair, token_balance_request, token_holders_request, wallet_balances_request},
    checks::{Examination, Finding},
    history::History,
    http::{Exchange, Request, unknown},
};

/// The queries for a balance, the one that most programs use first.
const KINDS: [&str; 3] = [SINGLE, TOKENS, HOLDERS];

/// In so short a time, a balance does not change and change back.
const MOMENT: Duration = Duration::from_secs(3);

/// Judges the balances in all responses of a run.
pub(crate) fn agree(history: &History) -> Examination {
    let mut result = Examination::default();
    for (entry, place) in strays(history) {
        let what = "the list has an entry of another wallet or token than requested";
        let expected = "entries of the requested wallet or token";
        let finding = Finding::of_body(&entry.exchange, what, expected);
        result.push(finding.at(format!("/balance/{place}")));
    }
    let all = readings(history);
    let (mut is_open, mut is_compared) = (false, false);
    for balance in Balance::all(&all) {
        is_compared = true;
        match balance.compared(history) {
            Agreement::Same => result.count_item(),
            Agreement::Open(..) => is_open = true,
            Agreement::Different(one, other) => {
                result.count_item();
                result.push(balance.finding(one, other));
            }
        }
    }
    if is_open {
        let reason = "balances change too fast to compare two responses about the same balance";
        result.add(unknown(reason));
    }
    if !is_compared {
        let reason = "no balance was shown by two queries: a list is compared if it is an array of objects with wallet \
                      or token_code, and balance";
        result.add(unknown(reason));
    }
    result
}

/// Returns the requests that decide whether two queries disagree, for each balance that they show differently and that
/// may have changed in between. Returns nothing once a response is known to be wrong.
pub(crate) fn undecided_balances(history: &History) -> Vec<Vec<Request>> {
    let all = readings(history);
    let mut undecided = Vec::new();
    for balance in Balance::all(&all) {
        match balance.compared(history) {
            Agreement::Same => {}
            Agreement::Different(..) => return Vec::new(),
            Agreement::Open(one, other) => {
                let third = KINDS.iter().filter(|kind| **kind != one && **kind != other);
                let kinds = third.copied().chain([one, other, one]);
                undecided.push(kinds.map(|kind| balance.request(kind)).collect());
            }
        }
    }
    undecided
}

/// What two or three queries showed of one balance.
struct Balance<'r, 'h> {
    pair: &'r Pair,
    shown: Vec<(&'static str, &'r [Reading<'h>])>,
}

/// Whether the queries for a balance agree.
enum Agreement<'r, 'h> {
    Same,
    /// These two kinds of query differ, but the balance may have changed in between.
    Open(&'static str, &'static str),
    /// The first response stands between two others of the kind of the second, which are equal.
    Different(Shown<'r, 'h>, Shown<'r, 'h>),
}

/// A reading, and the kind of its query.
type Shown<'r, 'h> = (&'static str, &'r Reading<'h>);

impl<'r, 'h> Balance<'r, 'h> {
    /// Returns the balances that more than one query shows.
    fn all(readings: &'r Readings<'h>) -> impl Iterator<Item = Self> {
        let mut all: BTreeMap<&Pair, Vec<_>> = BTreeMap::new();
        for kind in KINDS {
            for ((pair, of), readings) in readings {
                if *of == kind {
                    all.entry(pair).or_default().push((kind, &**readings));
                }
            }
        }
        let all = all.into_iter().filter(|(_, shown)| shown.len() > 1);
        all.map(|(pair, shown)| Self { pair, shown })
    }

    fn compared(&self, history: &History) -> Agreement<'r, 'h> {
        if let Some((this, other)) = self.contradiction(history) {
            return Agreement::Different(this, other);
        }
        let mut open = None;
        for (kind, readings) in &self.shown {
            for (other, others) in &self.shown {
                let (Some(last), Some(of_other)) = (readings.last(), others.last()) else {
                    continue;
                };
                if last.amount == of_other.amount {
                    continue;
                }
                open = open.or(Some((*kind, *other)));
                // What another program submits may change a balance, and change it back.
                let is_decisive = |[before, after]: &[&Reading<'_>; 2]| {
                    let (from, to) = (before.entry.began, after.entry.ended);
                    !(history.is_of_others && history.has_submitted(from, to))
                };
                let around = around(last, others).filter(is_decisive);
                if let Some([_, after]) = around {
                    return Agreement::Different((kind, last), (other, after));
                }
            }
        }
        open.map_or(Agreement::Same, |(one, other)| Agreement::Open(one, other))
    }

    /// Returns the first response that differs from one of another kind when nothing can have changed, or that stands between
    /// two of another kind, which are equal, at a moment when the run neither submitted anything nor saw a new block.
    fn contradiction(&self, history: &History) -> Option<(Shown<'r, 'h>, Shown<'r, 'h>)> {
        let is_contradicted = |reading: &Reading<'_>, others: &'r [Reading<'h>]| {
            let after = next(reading, others)?;
            let is_still = || history.is_still(reading.entry.began, after.entry.ended);
            if after.amount != reading.amount && is_still() {
                return Some(after);
            }
            let [before, after] = around(reading, others)?;
            let (from, to) = (before.entry.began, after.entry.ended);
            let is_quiet = to.saturating_sub(from) <= MOMENT && history.is_quiet(from, to);
            is_quiet.then_some(after)
        };
        self.shown.iter().find_map(|(kind, readings)| {
            let mut others = self.shown.iter().filter(|(other, _)| other != kind);
            others.find_map(|(other, others)| {
                readings.iter().find_map(|reading| {
                    let after = is_contradicted(reading, others)?;
                    Some(((*kind, reading), (*other, after)))
                })
            })
        })
    }

    /// Returns the request of this kind for the balance.
    fn request(&self, kind: &str) -> Request {
        let (wallet, token) = self.pair;
        match kind {
            SINGLE => token_balance_request(wallet, token),
            TOKENS => wallet_balances_request(wallet),
            _ => token_holders_request(token),
        }
    }

    /// Creates a finding about the wrong one of two responses: the one that the third query does not confirm, that was
    /// rounded, or that leaves the balance out.
    fn finding(&self, one: Shown<'r, 'h>, other: Shown<'r, 'h>) -> Finding {
        let mut third = self
            .shown
            .iter()
            .filter(|(kind, _)| *kind != one.0 && *kind != other.0);
        let third = third.next().and_then(|(_, readings)| readings.last());
        let third = third.filter(|reading| reading.is_known);
        let third = third.map(|reading| reading.amount);
        let is_rounded = |from: i128, to: i128| from != to && from as f64 as i128 == to;
        let is_one_right = match (one.1.amount, other.1.amount) {
            (one, other) if is_rounded(one, other) => true,
            (one, other) if is_rounded(other, one) => false,
            _ if third.is_none() => one.1.is_listed && !other.1.is_listed,
            (one, _) => third == Some(one),
        };
        let (alone, other) = match is_one_right {
            true => (other, one),
            false => (one, other),
        };
        self.mismatch(alone, other, third == Some(other.1.amount))
    }

    /// Creates a finding about a response with another balance than that of the others.
    fn mismatch(&self, alone: Shown<'_, '_>, other: Shown<'_, '_>, is_outvoted: bool) -> Finding {
        let (wallet, token) = self.pair;
        let of = format!("{} of {}", shown(token, 60), shown(wallet, 60));
        let (others, return_it) = match is_outvoted {
            true => ("both other queries", "return"),
            false => (other.0, "returns"),
        };
        let (this, reading) = alone;
        let exchange: &Arc<Exchange> = &reading.entry.exchange;
        let finding = match reading.is_listed {
            true => Finding::new(
                exchange,
                format!("{this} returns another balance than {others} for {of}"),
                other.1.amount.to_string(),
                reading.amount.to_string(),
            ),
            false => Finding::of_body(
                exchange,
                format!("{this} leaves out a balance that {others} {return_it}"),
                format!("an entry for {of}"),
            ),
        };
        finding.at("/balance")
    }
}

/// Returns the readings just before and after another one, if both show the same amount, and not that one.
fn around<'r, 'h>(
    reading: &Reading<'_>,
    others: &'r [Reading<'h>],
) -> Option<[&'r Reading<'h>; 2]> {
    let before = others
        .iter()
        .rfind(|one| one.entry.ended <= reading.entry.began)?;
    let after = next(reading, others)?;
    let is_other = before.amount == after.amount && after.amount != reading.amount;
    is_other.then_some([before, after])
}

/// Returns the first reading after another one.
fn next<'r, 'h>(reading: &Reading<'_>, others: &'r [Reading<'h>]) -> Option<&'r Reading<'h>> {
    let mut others = others.iter();
    others.find(|one| one.entry.began >= reading.entry.ended)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{api::block_request, history::recorded};

    /// One response: the query, and the balances of the tokens T and U in the wallet 0x1.
    type Row = (&'static str, [Option<i64>; 2]);

    fn exchange((kind, [t, u]): Row) -> (Request, String) {
        let entry = |name: &str, token: &str, amount: Option<i64>| {
            Some(json!({name: "0x1", "token_code": token, "balance": amount?}))
        };
        let (request, balance) = match kind {
            SINGLE => (token_balance_request("0x1", "T"), json!(t)),
            TOKENS => {
                let entries =
                    [("T", t), ("U", u)].map(|(token, held)| entry("wallet", token, held));
                let entries: Vec<_> = entries.into_iter().flatten().collect();
                (wallet_balances_request("0x1"), json!(entries))
            }
            _ => {
                let entries: Vec<_> = entry("wallet_address", "T", t).into_iter().collect();
                (token_holders_request("T"), json!(entries))
            }
        };
        (request, json!({ "balance": balance }).to_string())
    }

    fn history(rows: &[Row]) -> History {
        let exchanges: Vec<_> = rows.iter().map(|row| exchange(*row)).collect();
        let rows = exchanges.iter().zip(1..);
        let rows = rows.map(|((request, body), at)| (at * 10, request.clone(), 200, body.as_str()));
        recorded(rows.collect())
    }

    const fn single(amount: i64) -> Row {
        (SINGLE, [Some(amount), None])
    }

    const fn tokens(t: i64, u: i64) -> Row {
        (TOKENS, [Some(t), Some(u)])
    }

    const fn holders(amount: i64) -> Row {
        (HOLDERS, [Some(amount), None])
    }

    #[test]
    fn the_queries_for_a_balance_agree() {
        let other = |this: &str, others: &str| {
            format!("{this} returns another balance than {others} for T of 0x1")
        };
        let (one, both) = (other(TOKENS, SINGLE), other(SINGLE, "both other queries"));
        let outvoted = other(TOKENS, "both other queries");
        let missing = format!("{TOKENS} leaves out a balance that {SINGLE} returns");
        const LARGE: i64 = (1 << 53) + 1;
        for (rows, found) in [
            (vec![single(5), tokens(5, 7), holders(5)], None),
            // The last responses of two queries are from before and after a payment.
            (
                vec![single(5), tokens(5, 7), single(5), single(4), tokens(4, 7)],
                None,
            ),
            // Only one query shows it.
            (vec![single(5), single(6), single(5)], None),
            (vec![single(5), tokens(6, 7), single(5)], Some(one.clone())),
            // The last responses agree, and the earlier ones don't.
            (
                vec![single(5), tokens(6, 7), single(5), tokens(5, 7)],
                Some(one.clone()),
            ),
            (
                vec![single(5), (TOKENS, [None, Some(7)]), single(5)],
                Some(missing),
            ),
            // Zero may be left out.
            (vec![single(0), (TOKENS, [None, Some(7)]), single(0)], None),
            (
                vec![holders(6), tokens(6, 7), single(5), tokens(6, 7)],
                Some(both.clone()),
            ),
            (
                vec![single(5), tokens(6, 7), single(5), holders(5)],
                Some(outvoted),
            ),
            (
                vec![tokens(5, 7), single(6), tokens(5, 7), holders(5)],
                Some(both.clone()),
            ),
            (
                vec![single(5), tokens(6, 7), single(5), holders(6)],
                Some(both),
            ),
            // A float can't hold the right one.
            (
                vec![
                    tokens(LARGE - 1, 7),
                    single(LARGE),
                    tokens(LARGE - 1, 7),
                    holders(LARGE - 1),
                ],
                Some(other(TOKENS, SINGLE)),
            ),
            (
                vec![
                    single(LARGE),
                    tokens(LARGE - 1, 7),
                    single(LARGE),
                    holders(LARGE - 1),
                ],
                Some(other(TOKENS, SINGLE)),
            ),
        ] {
            let result = agree(&history(&rows)).end();
            if rows.iter().all(|(kind, _)| *kind == SINGLE) {
                assert!(result.is_err(), "{rows:?}");
                continue;
            }
            let result = result.unwrap();
            let what: Vec<_> = result.findings.into_iter().map(|one| one.what).collect();
            assert_eq!(what, Vec::from_iter(found), "{rows:?}");
            assert!(undecided_balances(&history(&rows)).is_empty(), "{rows:?}");
        }
    }

    #[test]
    fn a_list_in_any_form_names_each_wallet_and_token_with_a_balance() {
        let [of_wallet, of_token] = [wallet_balances_request("0x1"), token_holders_request("T")];
        for (request, body, found) in [
            (&of_token, json!({"balance": {"0x1": "5"}}), false),
            (&of_token, json!({"value": [["0X1", 5]]}), false),
            (&of_token, json!({"value": ["T:0x1:5"]}), false),
            (&of_token, json!({"value": ["T:0x11:5"]}), true),
            (&of_token, json!({"balance": [{"balance": 5}]}), true),
            (&of_token, json!({"balance": {"total": 5}}), true),
            (&of_wallet, json!({"balance": {"t": 5}}), false),
            (&of_wallet, json!({"balance": [5]}), true),
        ] {
            for held in [0, 5] {
                let (single, text) = exchange(single(held));
                let list = (20, request.clone(), 200, &*body.to_string());
                let row = |at| (at, single.clone(), 200, &*text);
                let result = agree(&recorded(vec![row(10), list, row(30)]));
                let what = result.findings.iter().map(|finding| &*finding.what);
                let what: Vec<_> = what.collect();
                assert_eq!(
                    what.len(),
                    usize::from(found && held > 0),
                    "{body}: {what:?}"
                );
                assert!(
                    what.iter().all(|one| one.contains("leaves out")),
                    "{what:?}"
                );
            }
        }
    }

    #[test]
    fn a_balance_that_may_have_changed_is_read_again() {
        let rows = [tokens(4, 7), single(5), tokens(6, 7)];
        assert!(agree(&history(&rows)).end().is_err());
        let rows = [single(5), tokens(6, 7)];
        assert!(agree(&history(&rows)).end().is_err());
        let again = undecided_balances(&history(&rows));
        let (single, tokens) = (
            token_balance_request("0x1", "T"),
            wallet_balances_request("0x1"),
        );
        let expected = vec![token_holders_request("T"), single.clone(), tokens, single];
        assert_eq!(again, [expected]);
    }

    #[test]
    fn an_earlier_difference_counts_if_nothing_was_submitted_meanwhile() {
        let rows = [single(5), tokens(6, 7), single(5), tokens(5, 7)].map(exchange);
        let submission = (
            Request::post("/submit-transaction", "{}".to_owned()),
            "{}".to_owned(),
        );
        let block = (block_request(3), r#"{"index":3}"#.to_owned());
        for (other, found) in [(None, 1), (Some(submission), 0), (Some(block), 0)] {
            let mut all = rows.to_vec();
            drop(all.splice(2..2, other));
            let all = all.iter().zip(1..);
            let all = all.map(|((request, body), at)| (at * 10, request.clone(), 200, &**body));
            let result = agree(&recorded(all.collect()));
            assert_eq!(result.findings.len(), found);
        }
    }

    #[test]
    fn two_queries_agree_while_nothing_can_change() {
        let submission = Request::post("/submit-transaction", "{}".to_owned());
        let block = |index| (block_request(index), 200, r#"{"index":3}"#.to_owned());
        let absent = |index| (block_request(index), 404, "{}".to_owned());
        let [one, other] = [single(5), tokens(6, 7)].map(|row| {
            let (request, body) = exchange(row);
            (request, 200, body)
        });
        let between = |what| vec![block(3), one.clone(), what, other.clone(), absent(4)];
        for (rows, found) in [
            (vec![block(3), one.clone(), other.clone(), absent(4)], 1),
            (vec![block(3), one.clone(), absent(4), other.clone()], 0),
            (vec![one.clone(), block(3), other.clone(), absent(4)], 0),
            (between((submission, 200, "{}".to_owned())), 0),
            (
                vec![block(3), one.clone(), block(4), other.clone(), absent(5)],
                0,
            ),
            (between(absent(4)), 1),
            // The block may be so new that one query does not count it yet.
            (vec![absent(3), block(3), one.clone(), other, absent(4)], 0),
        ] {
            let rows = rows.iter().zip(1..);
            let rows = rows.map(|((request, status, body), at)| {
                (at * 10, request.clone(), *status, body.as_str())
            });
            let rows: Vec<_> = rows.collect();
            let result = agree(&recorded(rows.clone()));
            assert_eq!(result.findings.len(), found, "{rows:?}");
        }
    }

    #[test]
    fn what_must_find_nothing_is_not_compared() {
        let body = r#"{"balance":5}"#;
        let list = r#"{"balance":[{"token_code":"T","balance":5}]}"#;
        let wrong = token_balance_request("0x1", "t");
        for (request, count) in [(wrong.clone(), 1), (wrong.finding_nothing(), 0)] {
            let rows = vec![
                (10, wallet_balances_request("0x1"), 200, list),
                (20, request, 200, body),
                (30, wallet_balances_request("0x1"), 200, list),
            ];
            assert_eq!(agree(&recorded(rows)).findings.len(), count);
        }
    }

    #[test]
    fn a_list_has_no_entry_of_another_wallet() {
        let list = r#"{"balance":[{"wallet":"0x2","token_code":"T","balance":5}]}"#;
        let rows = vec![(10, wallet_balances_request("0x1"), 200, list)];
        let found = agree(&recorded(rows)).findings;
        assert_eq!(found.len(), 1);
        assert!(
            found[0].what.contains("another wallet"),
            "{}",
            found[0].what
        );
    }
}
