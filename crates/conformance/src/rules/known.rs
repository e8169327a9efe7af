//! The rule *known*: a transaction is new once.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use serde_json::Value;

use crate::{
    api::{is_new, is_valid, listed_codes, submitted_code, times_in_batch},
    checks::{Examination, Finding},
    history::{Entry, History},
    http::Exchange,
};

const AT: &str = "/response/new_transaction";

/// Judges all submissions of a run that were sent more than once, or first in a batch, or that a block already has: once
/// the node has accepted one, it is not new again, however much later.
pub(crate) fn known(history: &History) -> Examination {
    let mut result = Examination::default();
    let in_blocks = codes_in_blocks(history);
    let mut same: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    for entry in history.of_path("/submit-transaction") {
        let request = &entry.exchange.request;
        if let (Some(body), None) = (request.body.as_deref(), &request.wrongly_signed) {
            // Another program may sign it again.
            let sent = entry.exchange.sent().filter(|_| history.is_of_others);
            let transaction = sent.and_then(|sent| sent.get("transaction"));
            let text = transaction.map_or_else(|| body.to_owned(), Value::to_string);
            same.entry(text).or_default().push(entry);
        }
    }
    let read: BTreeSet<_> = history.blocks().map(|(_, block)| block.ended).collect();
    for entries in same.values() {
        let accepted = entries.iter().filter(|entry| is_valid(&entry.exchange));
        let alone = accepted.map(|entry| entry.ended);
        let in_batch = batches_with(history, entries);
        let accepted = alone.chain(in_batch).min();
        let first = entries.first();
        let in_block = first.and_then(|entry| in_blocks.get(&submitted_code(&entry.exchange)?));
        let Some(since) = accepted.into_iter().chain(in_block.copied()).min() else {
            continue;
        };
        // A node may forget what it left out of a block, as it may do with a wallet's second claim.
        let next_block = read.range(since..).next();
        let is_later = |entry: &&Entry| next_block.is_some_and(|read| *read < entry.began);
        if history.is_of_others && in_block.is_none() && entries.iter().any(is_later) {
            continue;
        }
        let is_accepted = |entry: &Entry| accepted.is_some_and(|moment| moment <= entry.began);
        let later = entries.iter().filter(|entry| entry.began >= since);
        // A node may refuse what it has in a block, and what another program signed wrongly.
        let right = entries.iter().filter(|entry| is_valid(&entry.exchange));
        let right: BTreeSet<_> = right.map(|one| &one.exchange.request.body).collect();
        let is_same =
            |entry: &Entry| !history.is_of_others || right.contains(&entry.exchange.request.body);
        let later =
            later.filter(|entry| is_accepted(entry) && is_same(entry) || is_valid(&entry.exchange));
        let later: Vec<_> = later
            .filter(|entry| entry.exchange.success_object().is_some())
            .collect();
        later.iter().for_each(|_| result.count_item());
        let mut found = later
            .iter()
            .find_map(|entry| new_again(entry, is_accepted(entry)));
        let mut new = entries
            .iter()
            .filter(|entry| is_new(&entry.exchange) == Some(true) && is_valid(&entry.exchange));
        if let (None, Some(_), Some(second)) = (&found, new.next(), new.next()) {
            let what = "a transaction that is sent several times at the same moment is reported as new more than once";
            let expected = "new_transaction: true for one of them";
            let exchange = &second.exchange;
            found = Some(Finding::of_response(exchange, what, expected).at(AT));
        }
        result
            .findings
            .extend(found.or_else(|| never_accepted(history, entries, in_block.copied())));
    }
    result.findings.extend(code_of_two(history));
    result
}

/// Returns the codes of the transactions that blocks list, each with the end of the first response that shows it.
pub(super) fn codes_in_blocks(history: &History) -> BTreeMap<String, Duration> {
    let mut codes = BTreeMap::new();
    for (_, entry) in history.blocks() {
        let block = entry.exchange.success_object().into_iter();
        for code in block.flat_map(listed_codes) {
            let first = codes.entry(code.to_owned()).or_insert(entry.ended);
            *first = entry.ended.min(*first);
        }
    }
    codes
}

/// Returns a finding if a code stands for two different transactions, both of which the node accepted as new.
fn code_of_two(history: &History) -> Option<Finding> {
    let mut first: BTreeMap<String, &Value> = BTreeMap::new();
    let all = history.of_path("/submit-transaction");
    let rightly = all.filter(|entry| entry.exchange.request.wrongly_signed.is_none());
    let new = rightly.map(|entry| &entry.exchange);
    let mut new = new.filter(|exchange| is_valid(exchange) && is_new(exchange) == Some(true));
    new.find_map(|exchange| {
        let transaction = exchange.sent()?.get("transaction")?;
        let known = first
            .entry(submitted_code(exchange)?)
            .or_insert(transaction);
        // A fee can be written in two ways.
        if known["specific_data"] == transaction["specific_data"] {
            return None;
        }
        let what = "a transaction with the code of another one is accepted as new";
        let finding = Finding::of_response(exchange, what, "a refusal");
        Some(finding.at(AT))
    })
}

/// Returns a finding if a transaction is known although no response to it, or to another one with its code, accepted it
/// before. A claim may be submitted again because there was no response, and has a case of its own.
fn never_accepted(
    history: &History,
    entries: &[&Entry],
    in_block: Option<Duration>,
) -> Option<Finding> {
    // Another program may have submitted it to another node.
    if history.is_of_others {
        return None;
    }
    let mut known = entries.iter();
    let known =
        known.find(|entry| is_valid(&entry.exchange) && is_new(&entry.exchange) == Some(false))?;
    let (known, until) = (&known.exchange, known.ended);
    let code = submitted_code(known)?;
    let has_code = |entry: &Entry| {
        let body = entry.exchange.request.body.as_deref();
        body.is_some_and(|body| body.contains(&code))
    };
    let is_refused = |exchange: &Exchange| {
        let in_batch = |list| times_in_batch(exchange, list, &code) > 0;
        match exchange.request.path == "/submit-transaction" {
            true => exchange.status < 500 && !is_valid(exchange),
            false => in_batch("failed_transactions") && !in_batch("accepted_transactions"),
        }
    };
    let mut was_refused = false;
    let earlier = history.submissions().filter(|entry| entry.began <= until);
    for entry in earlier.filter(|entry| has_code(entry)) {
        let exchange = &entry.exchange;
        let is_known = is_valid(exchange) && is_new(exchange) == Some(false);
        // A request that was sent twice may have been accepted the first time.
        if exchange.is_repeated || !is_known && !is_refused(exchange) {
            return None;
        }
        was_refused |= exchange.request.wrongly_signed.is_none() && is_refused(exchange);
    }
    let what = match (was_refused, &known.request.step) {
        (true, _) => {
            "a transaction is reported as valid and known, although each earlier response refused it"
        }
        (false, None) if in_block.is_none_or(|read| read > until) => {
            "a transaction is reported as valid and known the first time"
        }
        (false, _) => return None,
    };
    let expected = "new_transaction: true, or a refusal";
    Some(Finding::of_response(known, what, expected).at(AT))
}

/// Returns when batches got a response that accepted the transaction of these submissions, if a block has it.
fn batches_with<'h>(
    history: &'h History,
    entries: &[&Entry],
) -> impl Iterator<Item = Duration> + use<'h> {
    let first = entries.first().map(|entry| Arc::clone(&entry.exchange));
    let code = first.as_deref().and_then(submitted_code);
    let all = history.submissions();
    let batches = all.filter(|entry| entry.exchange.request.path != "/submit-transaction");
    batches.filter_map(move |entry| {
        let code = code.as_deref()?;
        let body = first.as_ref()?.request.body.as_deref()?;
        // Another transaction with this code may be in a batch.
        let has_it = entry.exchange.request.body.as_ref()?.contains(body);
        if !has_it || times_in_batch(&entry.exchange, "accepted_transactions", code) == 0 {
            return None;
        }
        let mut blocks = history.blocks().map(|(_, block)| block);
        let block = blocks.find(|block| block.shows(code));
        block.map(|block| entry.ended.max(block.ended))
    })
}

/// Returns a finding if a transaction is not reported as known that was accepted before, or that a block has.
fn new_again(entry: &Entry, is_accepted: bool) -> Option<Finding> {
    let exchange = &entry.exchange;
    let found = exchange.success_object()?.pointer(AT);
    let (what, actual) = match found {
        Some(Value::Bool(false)) => return None,
        Some(found) => (
            match is_accepted {
                true => "a transaction that was accepted before is reported as new",
                false => "a transaction that a block has is reported as new",
            },
            found.to_string(),
        ),
        None => (
            "the response to a transaction that was accepted before has no new_transaction",
            exchange.summary(),
        ),
    };
    Some(Finding::new(exchange, what, "false", actual).at(AT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::block_request, history::recorded, http::Request};

    fn reply(valid: bool, new: &str) -> String {
        format!(r#"{{"status":"SUCCESS","response":{{"valid":{valid},"new_transaction":{new}}}}}"#)
    }

    /// Judges submissions: the moment, the body and the reply. A list is a batch, and `block` reads a block.
    fn judged(rows: &[(u64, &str, &str)]) -> (u64, Vec<String>) {
        let rows = rows.iter().map(|(at, body, reply)| {
            let request = match *body {
                "block" => block_request(7),
                batch if batch.starts_with('[') => {
                    Request::post("/submit-transaction-batch", batch.to_owned())
                }
                one => Request::post("/submit-transaction", one.to_owned()),
            };
            let status = if reply.is_empty() { 500 } else { 200 };
            (*at, request, status, *reply)
        });
        let result = known(&recorded(rows.collect()));
        let findings = result.findings.into_iter();
        (result.examined, findings.map(|one| one.what).collect())
    }

    /// A transaction that was signed twice.
    const SIGNED: [&str; 2] = [
        r#"{"transaction":{"fee":1},"signatures":["a"]}"#,
        r#"{"signatures":["b"],"transaction":{"fee":1}}"#,
    ];

    #[test]
    fn a_transaction_that_another_program_signs_again_is_not_new() {
        let [new, refused] = [true, false].map(|valid| reply(valid, "true"));
        let submit = |body: &str| Request::post("/submit-transaction", body.to_owned());
        for (is_of_others, second, response, found, found_after_block) in [
            (true, SIGNED[1], &new, 1, 0),
            (false, SIGNED[1], &new, 0, 0),
            // It may be signed wrongly.
            (true, SIGNED[1], &refused, 0, 0),
            (true, SIGNED[0], &refused, 1, 0),
            (false, SIGNED[0], &new, 1, 1),
        ] {
            for (block, found) in [(None, found), (Some(2), found_after_block)] {
                let block = block.map(|at| (at, block_request(7), 200, r#"{"index":7}"#));
                let first = [(0, submit(SIGNED[0]), 200, &*new)];
                let again = [(5, submit(second), 200, &**response)];
                let mut history = recorded(first.into_iter().chain(block).chain(again).collect());
                history.is_of_others = is_of_others;
                let findings = known(&history).findings;
                assert_eq!(findings.len(), found, "{is_of_others} {response}");
            }
        }
    }

    #[test]
    fn a_transaction_is_new_until_it_is_accepted() {
        let [new, known, refused] = [
            reply(true, "true"),
            reply(true, "false"),
            reply(false, "true"),
        ];
        for rows in [
            &[(0, "a", &*new), (5, "a", &known), (5, "b", &new)][..],
            // It was refused first.
            &[(0, "a", &refused), (5, "a", &new), (9, "a", &known)],
            // Two at the same moment.
            &[(0, "a", &new), (0, "a", &known)],
        ] {
            assert_eq!(judged(rows).1, Vec::<String>::new(), "{rows:?}");
        }
    }

    #[test]
    fn a_transaction_is_not_known_before_it_was_accepted() {
        const CODE: &str = "00112233445566778899aabbccddeeff00112233";
        let body = |fee: u8| format!(r#"{{"transaction":{{"trans_code":"{CODE}","fee":{fee}}}}}"#);
        let (body, other) = (body(1), body(2));
        let batch = format!("[{body}]");
        let lists = |accepted: &str, failed: &str| {
            format!(
                r#"{{"response":{{"accepted_transactions":[{accepted}],"failed_transactions":[{failed}]}}}}"#
            )
        };
        let code = format!("\"{CODE}\"");
        let (failed, accepted, both) = (lists("", &code), lists(&code, ""), lists(&code, &code));
        let [new, known, refused] = [
            reply(true, "true"),
            reply(true, "false"),
            reply(false, "true"),
        ];
        for (rows, is_right) in [
            (&[(0, &*body, &*refused), (5, &body, &known)][..], false),
            (&[(0, &body, &known), (5, &body, &known)], false),
            (
                &[(0, &body, &refused), (5, &body, &new), (9, &body, &known)],
                true,
            ),
            // It was accepted in another form.
            (&[(0, &other, &new), (5, &body, &known)], true),
            (&[(0, &other, &refused), (5, &body, &known)], false),
            (&[(0, &body, &reply(false, "false"))], true),
            // A server error shows nothing.
            (
                &[(0, &body, &refused), (2, &body, ""), (5, &body, &known)],
                true,
            ),
            (&[(0, &batch, &failed), (5, &body, &known)], false),
            (&[(0, &batch, &accepted), (5, &body, &known)], true),
            (&[(0, &batch, &both), (5, &body, &known)], true),
            (
                &[(0, &batch, r#"{"response":{}}"#), (5, &body, &known)],
                true,
            ),
        ] {
            let (_, found) = judged(rows);
            assert_eq!(found.is_empty(), is_right, "{rows:?}: {found:?}");
        }
    }

    #[test]
    fn a_code_is_not_that_of_two_transactions() {
        const CODE: &str = "00112233445566778899aabbccddeeff00112233";
        let body = |fee: &str, signer: &str| {
            let data = format!(r#"{{"signers":["{signer}"]}}"#);
            format!(
                r#"{{"transaction":{{"trans_code":"{CODE}","fee":{fee},"specific_data":{data}}}}}"#
            )
        };
        let new = reply(true, "true");
        let [one, in_other_form, other] = [body("1", "0xa"), body("1.0", "0xa"), body("1", "0xb")];
        let known = reply(true, "false");
        for (second, reply, is_right) in [
            (&in_other_form, &new, true),
            (&other, &new, false),
            (&other, &known, true),
        ] {
            let (_, found) = judged(&[(0, &one, &new), (5, second, reply)]);
            assert_eq!(found.is_empty(), is_right, "{second}: {found:?}");
        }
    }

    #[test]
    fn a_transaction_of_a_batch_is_known_once_a_block_has_it() {
        const CODE: &str = "00112233445566778899aabbccddeeff00112233";
        let body = format!(r#"{{"transaction":{{"trans_code":"{CODE}"}}}}"#);
        let (batch, other) = (
            format!("[{body}]"),
            format!("[{{\"a\":1}},{{\"trans_code\":\"{CODE}\"}}]"),
        );
        let accepted = format!(r#"{{"response":{{"accepted_transactions":["{CODE}"]}}}}"#);
        let block = format!(r#"{{"index":7,"text":{{"transactions":[{body}]}}}}"#);
        let new = reply(true, "true");
        for (batch, reply, block, is_right) in [
            (&batch, &*accepted, &*block, false),
            (&batch, &accepted, r#"{"index":7}"#, true),
            (&batch, r#"{"response":{}}"#, &block, false),
            (&other, &accepted, &block, false),
            (&other, &accepted, r#"{"index":7}"#, true),
        ] {
            let rows = [
                (0, &**batch, reply),
                (5, "block", block),
                (9, &*body, &*new),
            ];
            let (_, found) = judged(&rows);
            assert_eq!(
                found.is_empty(),
                is_right,
                "{batch} {reply} {block}: {found:?}"
            );
        }
    }

    #[test]
    fn what_a_block_has_is_not_new() {
        const CODE: &str = "00112233445566778899aabbccddeeff00112233";
        let body = format!(r#"{{"transaction":{{"trans_code":"{CODE}"}}}}"#);
        let block = format!(r#"{{"index":7,"text":{{"transactions":[{body}]}}}}"#);
        let new = "a transaction that a block has is reported as new";
        for (block_at, reply, found) in [
            (0, reply(true, "true"), vec![new.to_owned()]),
            (9, reply(true, "true"), vec![]),
            (0, reply(true, "false"), vec![]),
            // A node may look at something else first.
            (0, reply(false, "true"), vec![]),
        ] {
            let rows = [(block_at, "block", &*block), (5, &*body, &*reply)];
            assert_eq!(judged(&rows).1, found, "{block_at} {reply}");
        }
    }

    #[test]
    fn a_transaction_is_not_new_again() {
        let [new, known, refused] = [
            reply(true, "true"),
            reply(true, "false"),
            reply(false, "true"),
        ];
        let again = "a transaction that was accepted before is reported as new";
        for later in [&new, &refused, &reply(true, "1")] {
            let rows = [(0, "a", &*new), (5, "a", &known), (9, "a", later)];
            assert_eq!(judged(&rows), (2, vec![again.to_owned()]), "{later}");
        }
        let (_, found) = judged(&[(0, "a", &new), (0, "a", &new)]);
        assert!(found[0].contains("more than once"), "{found:?}");
        let without = r#"{"response":{"valid":true}}"#;
        let (_, found) = judged(&[(0, "a", &new), (5, "a", without)]);
        assert!(found[0].contains("has no new_transaction"), "{found:?}");
    }
}
