//! The rule *found*: a record is in the response to each request that it matches.

use std::{
    collections::{BTreeMap, btree_map::Entry as Place},
    time::Duration,
};

use nodeproof_primitives::escape::escaped_up_to as shown;
use serde_json::Value;

use crate::{
    api::{Row, carried, known_rows, listed_codes, lists_as_failed, requested},
    checks::{Examination, Finding},
    history::{Answer, Entry, History},
    http::{Act, Step},
};

/// The columns of a record, apart from the lists, which nodes write in different forms.
pub(crate) const COLUMNS: [&str; 7] = [
    "asset_id",
    "asset_type",
    "verifier_address",
    "outcome",
    "remarks",
    "deletable_after",
    "address",
];

/// A node that finds records by this number of columns looks at each column in the same way.
const MANY: usize = 4;

/// A node does not limit its responses to fewer records than this.
const LEAST_PAGE: usize = 50;

/// Number of blocks after that of a claim, from which on its record must be there.
const LATER_BLOCKS: u64 = 2;

/// A record's contract, asset and verifier.
type Key<'h> = (&'h str, &'h str, &'h str);

/// A record that the node has.
struct Known<'h> {
    /// From when on.
    since: Duration,
    /// Until when, if it may be deleted: the last response that shows it was requested then.
    until: Option<Duration>,
    /// The values that it has in every response.
    values: BTreeMap<&'static str, String>,
    /// What shows it.
    shown_by: &'h Entry,
}

impl Known<'_> {
    /// Whether the node has it while it is requested.
    fn is_there(&self, entry: &Entry) -> bool {
        self.since <= entry.began && self.until.is_none_or(|until| entry.ended <= until)
    }
}

/// Judges the responses to all usual requests for records: each record is there that an earlier response shows, or that one of
/// the run's claims made, if a value of it was requested and it may not be deleted yet.
///
/// A node may find records by `asset_id` only, and return only one of them.
pub(crate) fn found(history: &History) -> Examination {
    let known = known_records(history);
    let mut by_value: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (key, record) in &known {
        for (column, value) in &record.values {
            let all = by_value
                .entry((key.0, *column, value.as_str()))
                .or_default();
            all.push((key, record));
        }
    }
    let most = most_records(history);
    let longest = most.values().copied().max().unwrap_or_default();
    let finds_by =
        |column: &str| most.contains_key(column) || column == "asset_id" || most.len() > MANY;
    let mut checked = Examination::default();
    for entry in usual_requests(history) {
        let Some((contract, column, value)) = question(entry) else {
            continue;
        };
        let matching = by_value.get(&(contract, column, value));
        let mut expected = matching
            .into_iter()
            .flatten()
            .filter(|(_, record)| record.is_there(entry))
            .peekable();
        let rows = rows_of(entry);
        let is_refused = matches!(entry.exchange.status, 200..=299 | 400 | 404 | 422);
        if expected.peek().is_none()
            || rows.is_empty() && (entry.answer != Answer::Nothing || !is_refused)
        {
            continue;
        }
        checked.count_item();
        let is_shown = |key: &Key<'_>| {
            let mut rows = rows.iter();
            rows.any(|row| row.has("asset_id", key.1) && row.has("verifier_address", key.2))
        };
        let Some((key, record)) = expected.find(|(key, _)| !is_shown(key)) else {
            continue;
        };
        let what = match count(entry) {
            0 if finds_by(column) => {
                format!("a record that the node has is not found by its {column}")
            }
            // A node may return one of them, or pages.
            shown
                if shown > 0
                    && most.get(column).is_some_and(|most| *most > 1)
                    && (shown < LEAST_PAGE || shown < longest) =>
            {
                format!("a list of the records with this {column} lacks one that the node has")
            }
            _ => continue,
        };
        let expected = format!(
            "also the record of {} about {:?}, as {} shows",
            shown(key.2, 60),
            shown(key.1, 80),
            record.shown_by.exchange.request.path,
        );
        let actual = entry.exchange.excerpt(160);
        checked.push(Finding::new(&entry.exchange, what, expected, actual));
    }
    checked
}

/// Returns the requests for records in the usual form.
fn usual_requests(history: &History) -> impl Iterator<Item = &Entry> {
    let states = history.of_path("/sc-state");
    states.filter(|entry| {
        let request = &entry.exchange.request;
        request.raw_query.is_none() && !request.finds_nothing
    })
}

/// Returns the contract, the column and the value that are requested.
fn question(entry: &Entry) -> Option<(&str, &str, &str)> {
    let asked = |name| requested(&entry.exchange, name);
    if asked("table_name") != Some("verification") {
        return None;
    }
    Some((
        asked("contract_address")?,
        asked("unique_column")?,
        asked("unique_value")?,
    ))
}

fn rows_of(entry: &Entry) -> Vec<Row<'_>> {
    let body = entry.exchange.success_object().into_iter();
    let members = body.flat_map(carried);
    members.flat_map(|(_, value)| known_rows(value)).collect()
}

/// Returns the number of records in a response. A node may show them in two members.
fn count(entry: &Entry) -> usize {
    let body = entry.exchange.success_object().into_iter();
    let members = body.flat_map(carried);
    members
        .map(|(_, value)| known_rows(value).len())
        .max()
        .unwrap_or_default()
}

/// Returns the largest number of records in a response by column, for the columns by which the node finds any.
fn most_records(history: &History) -> BTreeMap<&str, usize> {
    let mut most = BTreeMap::new();
    for entry in usual_requests(history) {
        if let Some((_, column, _)) = question(entry) {
            let rows = count(entry);
            if rows > 0 {
                let known: &mut usize = most.entry(column).or_default();
                *known = rows.max(*known);
            }
        }
    }
    most
}

/// Returns the text of a value in a request.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

/// Whether a record may not be deleted yet, whatever the unit of its threshold is.
fn is_kept(threshold: Option<&Value>, entry: &Entry) -> bool {
    let now = entry.exchange.received_at.as_millis() as f64;
    threshold
        .and_then(Value::as_f64)
        .is_some_and(|threshold| threshold > now)
}

/// Returns the records that responses show, and those of the run's claims that blocks show.
fn known_records(history: &History) -> BTreeMap<Key<'_>, Known<'_>> {
    let mut known: BTreeMap<Key<'_>, Known<'_>> = BTreeMap::new();
    for entry in usual_requests(history) {
        let Some((contract, ..)) = question(entry) else {
            continue;
        };
        for row in rows_of(entry) {
            let texts = ["asset_id", "verifier_address"].map(|name| row.column(name)?.as_str());
            let [Some(asset), Some(verifier)] = texts else {
                continue;
            };
            let key = (contract, asset, verifier);
            let is_kept = is_kept(row.column("deletable_after"), entry);
            let values = COLUMNS
                .into_iter()
                .filter_map(|name| Some((name, text(row.column(name)?)?)));
            let record = Known {
                since: entry.ended,
                until: (!is_kept).then_some(entry.began),
                values: values.collect(),
                shown_by: entry,
            };
            add(&mut known, key, record);
        }
    }
    for OwnClaim { call, block, since } in own_claims(history) {
        let (contract, params) = (&call["address"], &call["params"]);
        let texts = [contract, &params["asset_id"], &call["signers"][0]].map(Value::as_str);
        let [Some(contract), Some(asset), Some(verifier)] = texts else {
            continue;
        };
        let key = (contract, asset, verifier);
        if !is_kept(params.get("deletable_after"), block) {
            continue;
        }
        let value = |name| match name {
            "address" => Some(contract.to_owned()),
            "verifier_address" => Some(verifier.to_owned()),
            name => text(params.get(name)?),
        };
        let values = COLUMNS
            .into_iter()
            .filter_map(|name| Some((name, value(name)?)));
        let record = Known {
            since,
            until: None,
            values: values.collect(),
            shown_by: block,
        };
        add(&mut known, key, record);
    }
    known
}

/// Adds a record. Of one that is known already, the values stay that it has in both.
fn add<'h>(known: &mut BTreeMap<Key<'h>, Known<'h>>, key: Key<'h>, record: Known<'h>) {
    match known.entry(key) {
        Place::Vacant(place) => {
            place.insert(record);
        }
        Place::Occupied(mut place) => {
            let known = place.get_mut();
            known.until = known.until.and(record.until);
            known
                .values
                .retain(|name, value| record.values.get(name) == Some(value));
        }
    }
}

/// A claim of the run that a block shows.
struct OwnClaim<'h> {
    /// What the signed transaction calls.
    call: &'h Value,
    block: &'h Entry,
    /// From when on two later blocks were there.
    since: Duration,
}

/// Returns the claims of the run that blocks show, unless one lists it as failed.
fn own_claims(history: &History) -> Vec<OwnClaim<'_>> {
    let right = history.accepted().filter(|(entry, _)| is_right(entry));
    let calls: BTreeMap<_, _> = right
        .filter_map(|(_, transaction)| Some((transaction.code()?, transaction.call())))
        .collect();
    let mut claims = BTreeMap::new();
    let mut ends: BTreeMap<u64, Duration> = BTreeMap::new();
    for (index, block) in history.blocks().filter(|_| !calls.is_empty()) {
        let end = ends.entry(index).or_insert(block.ended);
        *end = block.ended.min(*end);
        let body = block.exchange.success_object().into_iter();
        let codes = body.flat_map(|body| listed_codes(body).map(move |code| (body, code)));
        for (_, code) in codes.filter(|(body, code)| !lists_as_failed(body, code)) {
            if let Some(call) = calls.get(code) {
                claims.entry(code).or_insert((index, block, *call));
            }
        }
    }
    let made = claims.into_values().filter_map(|(index, block, call)| {
        let later = ends.range(index.checked_add(LATER_BLOCKS)?..);
        let since = later.map(|(_, ended)| *ended).min()?;
        Some(OwnClaim { call, block, since })
    });
    made.collect()
}

/// Whether a submission is one of the run's claims, as it was signed.
fn is_right(entry: &Entry) -> bool {
    let request = &entry.exchange.request;
    let is_own = matches!(
        request.step,
        Some(Step::Claim(_, Act::Submit | Act::Unusual | Act::Reversed))
    );
    is_own && request.wrongly_signed.is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        api::{block_request, contract_state_request},
        history::{OF_MANY, recorded},
        http::Request,
    };

    const CONTRACT: &str = "ct00000000000000000000000000000000000000c1";

    /// Returns a record that may be deleted after a threshold.
    fn record(asset: &str, verifier: &str, kind: &str, threshold: u64) -> Value {
        json!({"address": CONTRACT, "asset_id": asset, "asset_type": kind, "verifier_address": verifier, "outcome": 1,
            "doc_hash_list": [], "doc_link_list": [], "remarks": "fine", "deletable_after": threshold})
    }

    fn by(column: &str, value: &str) -> Request {
        contract_state_request(CONTRACT, value).setting("unique_column", column.to_owned())
    }

    /// Judges requests by a column and a value, and the records in the responses.
    fn judged(responses: &[(&str, &str, Vec<&Value>)]) -> Vec<String> {
        let bodies: Vec<_> = responses
            .iter()
            .map(|(.., records)| json!({"value": records}).to_string())
            .collect();
        let rows = responses.iter().zip(&bodies).zip(0..);
        let rows = rows.map(|(((column, value, _), body), at)| {
            (2 * at, by(column, value), 200, body.as_str())
        });
        let checked = found(&recorded(rows.collect()));
        checked
            .findings
            .iter()
            .map(|one| one.what.clone())
            .collect()
    }

    #[test]
    fn a_record_that_was_shown_is_in_each_response_that_it_matches() {
        const LATE: u64 = 9_000_000_000_000;
        let ann = record("lot", "ann", "house", LATE);
        let bob = record("lot", "bob", "token", LATE);
        let deletable = record("lot", "ann", "house", 99);
        let lots: Vec<_> = (0..60)
            .map(|number| record(&format!("lot {number}"), "ann", "house", LATE))
            .collect();
        let all: Vec<_> = lots.iter().collect();
        let not_found = |column| format!("a record that the node has is not found by its {column}");
        let lacks = |column| {
            format!("a list of the records with this {column} lacks one that the node has")
        };
        for (what, responses, expected) in [
            (
                "it is gone",
                vec![("asset_id", "lot", vec![&ann]), ("asset_id", "lot", vec![])],
                Some(not_found("asset_id")),
            ),
            (
                "it was not there yet",
                vec![("asset_id", "lot", vec![]), ("asset_id", "lot", vec![&ann])],
                None,
            ),
            (
                "it may be deleted, and was not",
                vec![
                    ("asset_type", "house", vec![&deletable]),
                    ("asset_id", "lot", vec![]),
                    ("asset_type", "house", vec![&deletable]),
                ],
                Some(not_found("asset_id")),
            ),
            (
                "it may be deleted",
                vec![
                    ("asset_id", "lot", vec![&deletable]),
                    ("asset_id", "lot", vec![]),
                ],
                None,
            ),
            (
                "the node finds by assets only",
                vec![
                    ("asset_id", "lot", vec![&ann]),
                    ("asset_type", "house", vec![]),
                ],
                None,
            ),
            (
                "the node finds by this column",
                vec![
                    ("asset_type", "token", vec![&bob]),
                    ("asset_id", "lot", vec![&ann]),
                    ("asset_type", "house", vec![]),
                ],
                Some(not_found("asset_type")),
            ),
            (
                "the node finds by four other columns",
                vec![
                    ("asset_id", "lot", vec![&ann]),
                    ("asset_type", "house", vec![&ann]),
                    ("verifier_address", "ann", vec![&ann]),
                    ("outcome", "1", vec![&ann]),
                    ("deletable_after", "9000000000000", vec![&ann]),
                    ("remarks", "fine", vec![]),
                ],
                Some(not_found("remarks")),
            ),
            (
                "another value",
                vec![("asset_id", "lot", vec![&ann]), ("asset_id", "LOT", vec![])],
                None,
            ),
            (
                "the node shows one of several",
                vec![
                    ("asset_id", "lot", vec![&ann]),
                    ("verifier_address", "bob", vec![&bob]),
                    ("asset_id", "lot", vec![&ann]),
                ],
                None,
            ),
            (
                "one of two is gone",
                vec![
                    ("asset_id", "lot", vec![&ann, &bob]),
                    ("asset_id", "lot", vec![&ann]),
                ],
                Some(lacks("asset_id")),
            ),
            (
                "a short list",
                vec![
                    ("asset_id", "lot", vec![&ann]),
                    ("verifier_address", "ann", all[..3].to_vec()),
                ],
                Some(lacks("verifier_address")),
            ),
            (
                "a page",
                vec![
                    ("asset_id", "lot", vec![&ann]),
                    ("verifier_address", "ann", all.clone()),
                ],
                None,
            ),
        ] {
            let found = judged(&responses);
            assert_eq!(found.first(), expected.as_ref(), "{what}: {found:?}");
        }
    }

    #[test]
    fn a_claim_of_the_run_has_a_record_when_two_later_blocks_are_there() {
        const ACCEPTED: &str =
            r#"{"status":"SUCCESS","response":{"valid":true,"msg":"","new_transaction":true}}"#;
        const LATE: u64 = 9_000_000_000_000;
        let params = record("lot", "ann", "house", LATE);
        let transaction = json!({
            "trans_code": "5a".repeat(20),
            "specific_data": {"address": CONTRACT, "function": "add_verification", "signers": ["ann"], "params": params},
        });
        let submission = json!({"transaction": transaction, "signatures": []}).to_string();
        let block = |index: u64, entries: Value| {
            json!({"index": index, "text": {"transactions": entries, "previous_block_receipts": []}}).to_string()
        };
        let nothing = json!({"value": []}).to_string();
        for (status, last, is_lost) in [(1, 9, true), (1, 8, false), (-1, 9, false)] {
            let made = block(
                7,
                json!([{"transaction": transaction, "signatures": [], "status": status}]),
            );
            let later = block(last, json!([]));
            let request = Request::post("/submit-transaction", submission.clone());
            let history = recorded(vec![
                (
                    0,
                    request.for_step(Step::Claim(OF_MANY, Act::Submit)),
                    200,
                    ACCEPTED,
                ),
                (2, block_request(7), 200, &made),
                (4, block_request(last), 200, &later),
                (6, by("asset_id", "lot"), 200, &nothing),
            ]);
            let checked = found(&history);
            assert_eq!(checked.has_no_findings(), !is_lost, "{status} {last}");
        }
    }
}
