//! The rule *known*: a transaction is new once.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    api::{in_block, is_new, is_valid, submitted_code, times_in_batch},
    checks::{Examination, Finding},
    history::{Entry, History},
};

const AT: &str = "/response/new_transaction";

/// Judges all submissions of a run that were sent more than once, or first in a batch: once the node has accepted one,
/// it is not new again, however much later.
pub(crate) fn known(history: &History) -> Examination {
    let mut result = Examination::default();
    let mut same: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in history.of_path("/submit-transaction") {
        let request = &entry.exchange.request;
        if let (Some(body), None) = (request.body.as_deref(), &request.wrongly_signed) {
            same.entry(body).or_default().push(entry);
        }
    }
    for entries in same.values() {
        let accepted = entries.iter().filter(|entry| is_valid(&entry.exchange));
        let alone = accepted.map(|entry| entry.ended);
        let in_batch = batches_with(history, entries);
        let Some(since) = alone.chain(in_batch).min() else {
            continue;
        };
        let later = entries.iter().filter(|entry| entry.began >= since);
        let later: Vec<_> = later
            .filter(|entry| entry.exchange.success_object().is_some())
            .collect();
        later.iter().for_each(|_| result.count_item());
        let mut found = later.iter().find_map(|entry| new_again(entry));
        let mut new = entries
            .iter()
            .filter(|entry| is_new(&entry.exchange) == Some(true) && is_valid(&entry.exchange));
        if let (None, Some(_), Some(second)) = (&found, new.next(), new.next()) {
            let what = "a transaction that is sent several times at the same moment is reported as new more than once";
            let expected = "new_transaction: true for one of them";
            let exchange = &second.exchange;
            found = Some(Finding::new(exchange, what, expected, exchange.summary()).at(AT));
        }
        result.findings.extend(found);
    }
    result
}

/// Returns when batches got a response that accepted the transaction of these submissions, if a block has it.
fn batches_with<'h>(
    history: &'h History,
    entries: &[&Entry],
) -> impl Iterator<Item = std::time::Duration> + use<'h> {
    let first = entries.first();
    let code = first.and_then(|entry| submitted_code(&entry.exchange));
    let all = history.submissions();
    all.filter_map(move |entry| {
        let code = code.as_deref()?;
        if times_in_batch(&entry.exchange, "accepted_transactions", code) == 0 {
            return None;
        }
        let mut blocks = history.blocks().map(|(_, block)| block);
        let block = blocks.find(|block| {
            let body = block.exchange.success_object();
            body.is_some_and(|body| in_block(body, code).is_some())
        });
        block.map(|block| entry.ended.max(block.ended))
    })
}

/// Returns a finding if a known transaction is not reported as known.
fn new_again(entry: &Entry) -> Option<Finding> {
    let exchange = &entry.exchange;
    let found = exchange.success_object()?.pointer(AT);
    let (what, actual) = match found {
        Some(Value::Bool(false)) => return None,
        Some(found) => (
            "a transaction that was accepted before is reported as new",
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
    use crate::{history::recorded, http::Request};

    fn reply(valid: bool, new: &str) -> String {
        format!(r#"{{"status":"SUCCESS","response":{{"valid":{valid},"new_transaction":{new}}}}}"#)
    }

    fn judged(rows: &[(u64, &str, &str)]) -> (u64, Vec<String>) {
        let rows = rows.iter().map(|(at, body, reply)| {
            let request = Request::post("/submit-transaction", (*body).to_owned());
            (*at, request, 200, *reply)
        });
        let result = known(&recorded(rows.collect()));
        let findings = result.findings.into_iter();
        (result.examined, findings.map(|one| one.what).collect())
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
