//! The rule *same*: the same request gets the same response while nothing changes, and a block never changes.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use nodeproof_openapi::Spec;
use serde_json::Value;

use super::scored::scored;
use crate::{
    api::{Sample, has_record, listed_transactions, lists_transactions, requested},
    checks::{Examination, Finding, changed, described, has_same_content, is_about_the_chain},
    history::{Answer, Entry, History},
    http::{Exchange, Method},
};

/// Judges all requests of a run to the endpoint of a sample.
pub(crate) fn same(history: &History, spec: &Spec, sample: Sample) -> Examination {
    match sample {
        Sample::Blocks => same_block(history, &described(spec, sample)),
        Sample::TrustScore => {
            let mut result = same_value(history, sample.path(), &described(spec, sample));
            result.extend(scored(history));
            result
        }
        _ => same_value(history, sample.path(), &described(spec, sample)),
    }
}

/// Judges all block requests of a run: a block that was returned stays as it is, and can be read again at any time.
/// `described` has the documented members of a block.
fn same_block(history: &History, described: &[String]) -> Examination {
    let mut result = Examination::default();
    let found = history.blocks().map(|(index, _)| index);
    let first = found.min().unwrap_or(u64::MAX);
    for entries in understood(history, "/get-block") {
        result.findings.extend(hole(history, &entries, first));
        let mut earlier: Option<&Entry> = None;
        for entry in entries {
            let Some(before) = earlier else {
                // Another case is about a node that returns another block.
                earlier = entry.block_index.is_some().then_some(entry);
                continue;
            };
            match (before.answer, entry.answer) {
                (Answer::Content, Answer::Content) => {
                    result.count_item();
                    if !has_same_content(&entry.exchange, &before.exchange, described) {
                        let what = "the same block differs when requested again";
                        result.push(difference(what, before, entry, described));
                    }
                }
                (Answer::Content, _) if before.ended <= entry.began => {
                    let what = "a block is not there when it is requested again";
                    let expected = "the block, also if several servers answer for the node";
                    result.push(Finding::of_response(&entry.exchange, what, expected));
                }
                // A new block, unless there was a later one before.
                (_, Answer::Content) if is_missing(history, before) => {
                    let what = "a block is missing at first, although a later block is there";
                    let expected = entry.exchange.excerpt(160);
                    result.push(Finding::of_response(&before.exchange, what, expected));
                }
                _ => {}
            }
            earlier = Some(entry);
        }
    }
    result
}

/// Judges what the headers of all responses of a run permit browsers and caches to keep. A program that has the tag of a
/// response does not request the same content again, and one that may keep it for a time requests nothing in that time.
pub(crate) fn kept(history: &History) -> Examination {
    let mut result = Examination::default();
    let mut tagged: BTreeMap<(&str, &str), &Entry> = BTreeMap::new();
    let mut fresh: BTreeMap<&str, &Entry> = BTreeMap::new();
    for entry in history.entries() {
        let exchange = &entry.exchange;
        let is_read = matches!(entry.answer, Answer::Content | Answer::Nothing);
        if !is_read || exchange.request.method != Method::Get {
            continue;
        }
        result.count_item();
        let differs = |other: &&Entry| {
            entry.answer == Answer::Content && exchange.json() != other.exchange.json()
        };
        let kept = fresh.get(&*entry.question).copied();
        let is_kept = |other: &&Entry| ends_fresh(other).is_some_and(|end| end > entry.ended);
        if let Some(other) = kept.filter(is_kept).filter(differs) {
            let what = "another content comes in the time (`max-age`) for which a program may keep an \
                        earlier response";
            result.push(unlike_before(what, other, exchange));
            break;
        }
        if ends_fresh(entry) > kept.and_then(ends_fresh) {
            fresh.insert(&entry.question, entry);
        }
        let Some(tag) = &exchange.etag else { continue };
        let first = *tagged.entry((&entry.question, tag)).or_insert(entry);
        if differs(&first) {
            let what =
                "another content has the `ETag` of an earlier one, so that a program keeps that";
            result.push(unlike_before(what, first, exchange));
            break;
        }
    }
    result
}

/// Returns when a program that may keep a response has to request it again.
fn ends_fresh(entry: &Entry) -> Option<Duration> {
    Some(entry.ended.saturating_add(entry.exchange.fresh_for?))
}

fn unlike_before(what: &str, before: &Entry, exchange: &Arc<Exchange>) -> Finding {
    let expected = before.exchange.excerpt(160);
    Finding::of_body(exchange, what, expected)
}

/// Returns a finding if these requests for one block never got it, although later blocks are there, and `first` is an
/// earlier one.
fn hole(history: &History, entries: &[&Entry], first: u64) -> Option<Finding> {
    let is_missing = |entry: &&&Entry| {
        is_missing(history, entry) && entry.block_index.is_some_and(|index| index > first)
    };
    let missing = entries.iter().find(is_missing)?;
    if entries.iter().any(|entry| entry.answer == Answer::Content) {
        return None;
    }
    let what = "a block is missing, although a later block is there";
    let exchange = &missing.exchange;
    let finding = Finding::of_response(exchange, what, "the block");
    Some(finding)
}

/// Whether a response shows no block although a block above it had been read.
fn is_missing(history: &History, entry: &Entry) -> bool {
    entry.answer == Answer::Nothing
        && entry
            .block_index
            .is_some_and(|index| history.is_below_the_chains_end(index, entry.began))
}

/// Judges all requests of a run to an endpoint whose responses change only with a new block or a submission. A record
/// and a score stay there after these, too.
/// `described` has the documented members of its responses.
fn same_value(history: &History, path: &str, described: &[String]) -> Examination {
    let mut result = Examination::default();
    for entries in understood(history, path) {
        // The first difference in a period whose block was new at its start.
        let mut excused = None;
        for pair in entries.windows(2) {
            let [before, after] = pair else { continue };
            if has_same_answer(before, after, described) {
                // That nothing is there twice shows little: the endpoint may be missing.
                result.examined += u64::from(after.answer == Answer::Content);
                continue;
            }
            let Some(period) = history.unchanged(before, after) else {
                let what = gone(before, after).or_else(|| moved(history, before, after));
                if let Some(what) = what {
                    result.count_item();
                    result.push(difference(what, before, after, described));
                    break;
                }
                continue;
            };
            result.count_item();
            if period.is_fresh && excused != Some(period.height) {
                // The effects of a block may show shortly after the block itself, but only once.
                excused = Some(period.height);
                continue;
            }
            let what = "the response changed, although no block was made in between";
            result.push(difference(what, before, after, described));
            break;
        }
    }
    result
}

/// Describes a record of the contract, or a score, that was there before. Nothing that a run submits removes one.
fn gone(before: &Entry, after: &Entry) -> Option<&'static str> {
    let request = &before.exchange.request;
    let (was_there, what) = match request.path {
        "/sc-state" => (
            has_record(&before.exchange),
            "a record is not there when it is requested again",
        ),
        "/get-trustscore-wallets" => (
            before.answer == Answer::Content,
            "a score is not there when it is requested again",
        ),
        _ => return None,
    };
    let is_gone = was_there && before.ended <= after.began && after.answer == Answer::Nothing;
    (is_gone && !request.finds_nothing).then_some(what)
}

/// Describes a score that changed, although the blocks that were made in between list only what the run submitted. No
/// claim and no transfer changes a score. A node may change those of the wallets that make blocks and vote.
fn moved(history: &History, before: &Entry, after: &Entry) -> Option<&'static str> {
    if before.exchange.request.path != "/get-trustscore-wallets" {
        return None;
    }
    let blocks = history.blocks_between(before, after)?;
    let own = history.submitted_codes();
    let is_own = |(_, transaction): (&Value, &Value)| {
        let code = transaction["trans_code"].as_str();
        code.is_some_and(|code| own.contains(code))
    };
    let names = ["src_wallet_address", "dst_wallet_address"];
    let wallets = names.map(|name| requested(&before.exchange, name));
    let may_change_it = |block: &Value| {
        let mut makers = block.clone();
        if let Some(transactions) = makers.pointer_mut("/text/transactions") {
            transactions.take();
        }
        let makers = makers.to_string();
        let mut wallets = wallets.into_iter().flatten();
        wallets.any(|wallet| makers.contains(wallet))
            || !lists_transactions(block)
            || !listed_transactions(block).all(is_own)
    };
    let is_moved = !blocks.into_iter().any(may_change_it);
    is_moved.then_some("the score changed, although no transaction since then is about scores")
}

/// Whether two responses to the same request are equal. Refusals are equal, whatever their text is.
fn has_same_answer(one: &Entry, other: &Entry, described: &[String]) -> bool {
    match (one.answer, other.answer) {
        (Answer::Content, Answer::Content) => {
            has_same_content(&one.exchange, &other.exchange, described)
        }
        (one, other) => one == other,
    }
}

/// Returns the exchanges of an endpoint by request, in the order in which they were sent. Server errors
/// and responses that can't be read are left out: other cases are about them.
fn understood<'h>(history: &'h History, path: &str) -> impl Iterator<Item = Vec<&'h Entry>> {
    let questions = history.by_question(path).into_values();
    questions.map(|mut entries| {
        entries.retain(|entry| matches!(entry.answer, Answer::Content | Answer::Nothing));
        entries
    })
}

fn difference(what: &str, before: &Entry, after: &Entry, described: &[String]) -> Finding {
    let counts = |name: &str, value: &Value| is_about_the_chain(name, value, described);
    changed(what, &before.exchange, &after.exchange, counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::{block_request, contract_state_request, token_balance_request, trust_request},
        history::{exchange, history_of, recorded},
        http::Request,
    };

    /// One exchange: the moment in milliseconds, the request, the status and the body.
    type Row<'r> = (u64, Request, u16, &'r str);

    const ABSENT: &str = r#"{"detail":"Block not found"}"#;

    fn block(at: u64, index: u64) -> Row<'static> {
        let body = [
            r#"{"index":0,"proof":7}"#,
            r#"{"index":1,"proof":7}"#,
            r#"{"index":2,"proof":7}"#,
            r#"{"index":3,"proof":7}"#,
        ];
        (at, block_request(index), 200, body[index as usize])
    }

    fn absent(at: u64, index: u64) -> Row<'static> {
        (at, block_request(index), 400, ABSENT)
    }

    fn balance(at: u64, body: &str) -> Row<'_> {
        (at, token_balance_request("0x5a", "T"), 200, body)
    }

    fn findings(result: Examination) -> Vec<String> {
        let findings = result.findings.into_iter();
        findings.map(|finding| finding.what).collect()
    }

    fn of_blocks(rows: Vec<Row<'_>>) -> Vec<String> {
        let described = ["proof", "index"].map(ToOwned::to_owned);
        findings(same_block(&recorded(rows), &described))
    }

    fn of_balances(rows: Vec<Row<'_>>) -> Vec<String> {
        let described = ["balance".to_owned()];
        findings(same_value(&recorded(rows), "/get-balances", &described))
    }

    #[test]
    fn a_block_never_changes_and_never_goes_away() {
        let differs = "the same block differs when requested again";
        let gone = "a block is not there when it is requested again";
        let hole = "a block is missing, although a later block is there";
        let late = "a block is missing at first, although a later block is there";
        let changed = || (20, block_request(1), 200, r#"{"index":1,"proof":8}"#);
        let undocumented = || {
            (
                20,
                block_request(1),
                200,
                r#"{"index":1,"proof":7,"age":3}"#,
            )
        };
        let broken = || (20, block_request(1), 500, ABSENT);
        for (rows, expected) in [
            (vec![block(10, 1), block(20, 1)], vec![]),
            (vec![block(10, 1), changed()], vec![differs]),
            (
                vec![block(10, 1), changed(), block(30, 1)],
                vec![differs; 2],
            ),
            (vec![block(10, 1), undocumented()], vec![]),
            (vec![block(10, 1), broken(), block(30, 1)], vec![]),
            (vec![block(10, 1), absent(20, 1)], vec![gone]),
            (vec![absent(10, 2), block(20, 2)], vec![]),
            (vec![block(5, 3), absent(10, 2), block(20, 2)], vec![late]),
            (vec![block(15, 3), absent(10, 2), block(20, 2)], vec![]),
            (vec![block(3, 1), block(5, 3), absent(10, 2)], vec![hole]),
            // The second response began before the first one ended, so the block may be newer than it.
            (vec![block(10, 1), absent(5, 1)], vec![]),
            // A chain may begin later.
            (vec![block(5, 3), absent(10, 2)], vec![]),
            (vec![block(3, 1), absent(5, 2), block(10, 3)], vec![]),
        ] {
            assert_eq!(of_blocks(rows.clone()), expected, "{rows:?}");
        }
    }

    #[test]
    fn each_sample_has_its_rule() {
        let spec = Spec::from_json(nodeproof_openapi::NODE_JSON).expect("the description");
        let changed = (20, block_request(1), 200, r#"{"index":1,"proof":8}"#);
        let blocks = recorded(vec![block(10, 1), changed]);
        assert_eq!(same(&blocks, &spec, Sample::Blocks).findings.len(), 1);
        assert!(same(&blocks, &spec, Sample::TokenBalance).has_no_findings());
        let rows = vec![
            block(5, 1),
            balance(10, r#"{"balance":5}"#),
            balance(20, r#"{"balance":6}"#),
            absent(90, 2),
        ];
        let balances = recorded(rows);
        assert_eq!(
            same(&balances, &spec, Sample::TokenBalance).findings.len(),
            1
        );
        assert!(same(&balances, &spec, Sample::Blocks).has_no_findings());
    }

    /// That the same content comes again shows something, and that nothing is there again does not.
    #[test]
    fn contents_that_stay_are_counted() {
        let described = ["balance".to_owned()];
        for (body, examined) in [(r#"{"balance":5}"#, 2), (r#"{"balance":null}"#, 0)] {
            let rows = [10, 20, 30].map(|at| balance(at, body));
            let result = same_value(&recorded(rows.to_vec()), "/get-balances", &described);
            assert_eq!(result.examined, examined, "{body}");
        }
    }

    #[test]
    fn a_block_that_was_read_when_it_was_new_is_known() {
        let rows = vec![
            block(1, 0),
            block(5, 1),
            absent(10, 2),
            block(20, 2),
            block(30, 3),
        ];
        let new: Vec<_> = recorded(rows).blocks_read_when_new().collect();
        assert_eq!(new, [1, 2]);
    }

    #[test]
    fn a_value_changes_only_with_a_block() {
        let changed = "the response changed, although no block was made in between";
        let (five, six, none) = (r#"{"balance":5}"#, r#"{"balance":6}"#, r#"{"balance":0}"#);
        let end = || [absent(90, 2)];
        for (rows, expected) in [
            // The height is known to be 1 from 5 ms to 90 ms.
            (
                vec![block(5, 1), balance(10, five), balance(20, six)],
                vec![changed],
            ),
            (
                vec![block(5, 1), balance(10, none), balance(20, six)],
                vec![changed],
            ),
            (
                vec![block(5, 1), balance(10, five), balance(20, five)],
                vec![],
            ),
            (
                vec![block(5, 1), balance(10, five), balance(20, "no JSON")],
                vec![],
            ),
            // Each pair of neighbours is compared, and one finding is enough for a request.
            (
                vec![
                    block(5, 1),
                    balance(10, five),
                    balance(20, six),
                    balance(30, five),
                ],
                vec![changed],
            ),
            // No block was read before the first response, so one may have been made since.
            (
                vec![balance(10, five), balance(20, six), block(25, 1)],
                vec![],
            ),
            // A new block came.
            (
                vec![
                    block(5, 0),
                    balance(10, five),
                    balance(20, six),
                    block(25, 1),
                ],
                vec![],
            ),
        ] {
            let rows: Vec<_> = rows.into_iter().chain(end()).collect();
            assert_eq!(of_balances(rows.clone()), expected, "{rows:?}");
        }
        let no_end = vec![block(5, 1), balance(10, five), balance(20, six)];
        assert_eq!(of_balances(no_end), [""; 0]);
    }

    #[test]
    fn the_effects_of_a_new_block_may_show_a_little_later_but_once() {
        let (five, six) = (r#"{"balance":5}"#, r#"{"balance":6}"#);
        let new = |first: u64, second: u64| {
            let made = vec![block(1, 0), absent(2, 1), block(5, 1)];
            let read = vec![balance(first, five), balance(second, six)];
            [made, read, vec![absent(9000, 2)]].concat()
        };
        assert_eq!(of_balances(new(10, 20)), [""; 0]);
        assert_eq!(of_balances(new(3000, 3010)).len(), 1);
        let mut back = new(10, 20);
        back.push(balance(30, five));
        assert_eq!(of_balances(back).len(), 1);
    }

    #[test]
    fn a_record_never_goes_away() {
        let gone = "a record is not there when it is requested again";
        let record = |at, body| (at, contract_state_request("ct", "a"), 200, body);
        let (there, null) = (r#"{"value":{"asset_id":"a"}}"#, r#"{"value":null}"#);
        let there = |at| record(at, there);
        let submission = || Request::post("/submit-transaction", "{}".into());
        for (row, expected) in [
            (record(30, null), vec![gone]),
            (
                record(30, r#"{"value":{"asset_id":"a","remarks":"b"}}"#),
                vec![],
            ),
            (record(30, r#"{"detail":"try again"}"#), vec![gone]),
            (record(30, "no JSON"), vec![]),
            // It may have been requested before the record was there.
            (record(9, null), vec![]),
        ] {
            let rows = vec![
                there(10),
                (20, submission(), 200, "{}"),
                row.clone(),
                there(40),
            ];
            let described = ["value".to_owned()];
            let found = findings(same_value(&recorded(rows), "/sc-state", &described));
            assert_eq!(found, expected, "{row:?}");
        }
    }

    #[test]
    fn the_runs_own_transactions_change_no_score() {
        let gone = "a score is not there when it is requested again";
        let moved = "the score changed, although no transaction since then is about scores";
        let (own, unlisted) = (
            r#"{"index":2,"text":{"transactions":[{"transaction":{"trans_code":"aa"}}]}}"#,
            r#"{"index":2}"#,
        );
        let of_a_voter = r#"{"index":2,"text":{"transactions":[]},"committee":"[\"0x6b\"]"}"#;
        let of_another =
            r#"{"index":2,"text":{"transactions":[{"trans_code":"aa"},{"trans_code":"bb"}]}}"#;
        let (lower, none) = (r#"{"trust_score":3}"#, r#"{"detail":"not available"}"#);
        let submission = r#"{"transaction":{"trans_code":"aa"},"signatures":[]}"#;
        for (block_2, score, next, expected) in [
            (own, lower, 3, vec![moved]),
            (of_another, lower, 3, vec![]),
            (unlisted, lower, 3, vec![]),
            (of_a_voter, lower, 3, vec![]),
            // A block that the run did not read may list another transaction.
            (own, lower, 4, vec![]),
            (of_another, none, 3, vec![gone]),
        ] {
            let request = || trust_request("0x5a", "0x6b");
            let rows = vec![
                block(5, 1),
                absent(6, 2),
                (10, request(), 200, r#"{"trust_score":7}"#),
                (
                    20,
                    Request::post("/submit-transaction", submission.into()),
                    200,
                    "{}",
                ),
                (30, block_request(2), 200, block_2),
                (40, request(), 200, score),
                absent(50, next),
            ];
            let described = ["trust_score".to_owned()];
            let path = "/get-trustscore-wallets";
            let found = findings(same_value(&recorded(rows), path, &described));
            assert_eq!(found, expected, "{block_2} {score} {next}");
        }
    }

    #[test]
    fn a_submission_may_change_a_value() {
        let submission = |at| {
            (
                at,
                Request::post("/submit-transaction", "{}".into()),
                200,
                "{}",
            )
        };
        let rows = |at| {
            let read = [
                balance(10, r#"{"balance":5}"#),
                balance(20, r#"{"balance":6}"#),
            ];
            let mut rows = vec![block(5, 1), submission(at), absent(90, 2)];
            rows.extend(read);
            rows
        };
        assert_eq!(of_balances(rows(15)), [""; 0]);
        assert_eq!(of_balances(rows(6)), [""; 0]);
        assert_eq!(of_balances(rows(50)).len(), 1);
    }

    #[test]
    fn a_request_in_other_words_is_the_same_request() {
        let encoded = Request::get("/get-balances")
            .with_raw("wallet_address=0x%35a&token_code=%54&balance_type=TOKEN_IN_WALLET");
        let rows = vec![
            block(5, 1),
            balance(10, r#"{"balance":5}"#),
            (20, encoded, 200, r#"{"balance":6}"#),
            absent(90, 2),
        ];
        assert_eq!(of_balances(rows).len(), 1);
    }

    #[test]
    fn another_content_has_another_tag_and_comes_when_the_first_is_no_longer_kept() {
        let balance = |wallet: &str| crate::api::token_balance_request(wallet, "T");
        for (rows, fresh_for, is_right) in [
            ([("0xa", "5", Some("1")), ("0xa", "6", Some("2"))], 0, true),
            ([("0xa", "5", Some("1")), ("0xa", "5", Some("1"))], 0, true),
            ([("0xa", "5", Some("1")), ("0xa", "6", Some("1"))], 0, false),
            ([("0xa", "5", Some("1")), ("0xb", "6", Some("1"))], 0, true),
            ([("0xa", "5", None), ("0xa", "6", None)], 0, true),
            ([("0xa", "5", None), ("0xa", "6", None)], 9, true),
            ([("0xa", "5", None), ("0xa", "6", None)], 11, false),
            ([("0xa", "5", None), ("0xa", "5", None)], 11, true),
            ([("0xa", "5", None), ("0xb", "6", None)], 11, true),
        ] {
            let exchanges = rows.map(|(wallet, amount, tag)| {
                let body = format!("{{\"balance\":{amount}}}");
                let mut exchange = exchange(balance(wallet), 200, Some("application/json"), &body);
                exchange.etag = tag.map(ToOwned::to_owned);
                exchange.fresh_for = Some(Duration::from_millis(fresh_for));
                exchange
            });
            let history = history_of((1..).map(|at| 10 * at).zip(exchanges).collect());
            let result = kept(&history);
            assert_eq!(result.has_no_findings(), is_right, "{rows:?}, {fresh_for}");
            assert_eq!(result.examined, 2);
        }
    }
}
