//! The rule *submitted*: a record has the values of an accepted claim.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use nodeproof_client::VerificationRecord;
use nodeproof_primitives::escape::escaped_up_to as shown;
use serde_json::{Value, json};

use super::known::codes_in_blocks;
use crate::{
    api::{FirstDifference, Row, carried, claims_in_block, known_rows, lists_as_failed, requested},
    checks::{Examination, Finding},
    history::{Answer, Entry, History, MIN_NEW_BLOCKS},
    http::Exchange,
};

/// Judges the records of all assets about which the node accepted only right claims: each has the values of one of them, if
/// possible of one that no block lists as failed, and that is in a block. `is_judged` gets the contract and the asset.
pub(crate) fn submitted(history: &History, is_judged: impl Fn(&str, &str) -> bool) -> Examination {
    let blocks = history.blocks();
    let blocks: Vec<_> = blocks
        .filter_map(|(_, entry)| entry.exchange.success_object())
        .collect();
    let in_blocks = codes_in_blocks(history);
    let known = all_known(history);
    // What no block has by then is not made any more.
    let is_past = |entry: &Entry| {
        let ends = history.ends_since(entry.ended).map(|(end, _)| end);
        let then = ends.min().zip(known);
        then.is_some_and(|(end, (last, _))| last >= end.saturating_add(MIN_NEW_BLOCKS))
    };
    let accepted = history.accepted().map(|(entry, transaction)| {
        let is_wrong = entry.exchange.request.wrongly_signed.is_some();
        let code = transaction.code();
        let lists_it = |code| blocks.iter().any(|block| lists_as_failed(block, code));
        let is_left_out = code.is_some_and(|code| !in_blocks.contains_key(code)) && is_past(entry);
        let not_made_until = match code.is_some_and(lists_it) {
            true => Some(Duration::MAX),
            false => known.filter(|_| is_left_out).map(|(_, until)| until),
        };
        (transaction.call(), is_wrong, not_made_until)
    });
    let accepted: Vec<_> = accepted.collect();
    let mut checked = Examination::default();
    for entry in history.of_path("/sc-state") {
        let asked = |name| requested(&entry.exchange, name).unwrap_or_default();
        if entry.exchange.request.raw_query.is_some() {
            continue;
        }
        let contract = asked("contract_address");
        let is_by_asset = asked("unique_column") == "asset_id";
        let assets = match is_by_asset {
            true => BTreeSet::from([asked("unique_value")]),
            false => assets_in(&entry.exchange),
        };
        for asset in assets {
            let is_about = |(call, ..): &&(&Value, bool, Option<Duration>)| {
                call["address"] == contract && call["params"]["asset_id"] == asset
            };
            let about: Vec<_> = accepted.iter().filter(is_about).collect();
            if about.iter().any(|(_, is_wrong, _)| *is_wrong) {
                continue;
            }
            let made = about
                .iter()
                .filter(|(.., until)| until.is_none_or(|until| entry.ended > until));
            let calls: Vec<_> = made.map(|(call, ..)| *call).collect();
            if !calls.is_empty() && is_judged(contract, asset) {
                checked.extend(other_records(&entry.exchange, (asset, is_by_asset), &calls));
            }
        }
    }
    checked
}

/// Returns the last block of those since the first submission, and the latest moment at which all of them are known.
fn all_known(history: &History) -> Option<(u64, Duration)> {
    let before = history.height_before(history.first_submission()?)?;
    history.complete_from(before.checked_add(1)?)
}

/// Returns the assets of the records in a response.
fn assets_in(response: &Exchange) -> BTreeSet<&str> {
    let body = response.success_object().into_iter();
    let values = body.flat_map(carried).map(|(_, value)| value);
    let rows = values.flat_map(known_rows);
    rows.filter_map(|row| row.column("asset_id")?.as_str())
        .collect()
}

/// Checks the records about an asset in a response, in each of its members. If they were requested by it, each record must be
/// about it.
/// `calls` made the claims about the asset.
fn other_records(
    response: &Arc<Exchange>,
    (asset, is_by_asset): (&str, bool),
    calls: &[&Value],
) -> Examination {
    let mut checked = Examination::default();
    let body = response.success_object();
    for (member, value) in body.into_iter().flat_map(carried) {
        for row in known_rows(value) {
            if !row.has("asset_id", asset) && !is_by_asset {
                continue;
            }
            checked.count_item();
            if !row.has("asset_id", asset) {
                let what = "a record is about another asset than requested";
                let expected = format!("records that have {:?} only", shown(asset, 60));
                let actual = shown(&value.to_string(), 200);
                let finding = Finding::new(response, what, expected, actual);
                checked.push(finding.at(format!("/{member}")));
                continue;
            }
            // Another wallet may have made a claim about the same asset.
            let is_by = |call: &&Value| {
                let verifier = call["params"]["verifier_address"].as_str();
                verifier.is_some_and(|verifier| row.has("verifier_address", verifier))
                    || is_first_signer(&row, call)
            };
            let has_signed = |call: &&Value| {
                let mut signers = call["signers"].as_array().into_iter().flatten();
                let is_verifier = |signer: &str| row.has("verifier_address", signer);
                signers.any(|signer| signer.as_str().is_some_and(is_verifier))
            };
            if !calls.iter().any(is_by) && calls.iter().any(has_signed) {
                let what = "a wallet that only co-signed a claim is recorded as its verifier";
                let expected = "a record of the verifier that the claim names";
                let actual = shown(&value.to_string(), 200);
                let finding = Finding::new(response, what, expected, actual);
                checked.push(finding.at(format!("/{member}")));
            }
            // A wallet may have made several claims, of which a node may take one.
            let all: Vec<_> = calls
                .iter()
                .copied()
                .filter(is_by)
                .map(|call| difference(&row, call))
                .collect();
            let different: Option<Vec<_>> = all.into_iter().collect();
            if let Some((name, first)) = different.into_iter().flatten().next_back() {
                let what = format!("`{name}` in a record is not what was submitted");
                let finding = Finding::new(response, what, first.expected, first.actual);
                checked.push(finding.at(format!("/{member}")));
            }
        }
    }
    checked
}

/// Whether a record has the first signer of a claim as its verifier (RECORD-15).
fn is_first_signer(row: &Row<'_>, call: &Value) -> bool {
    let first = call["signers"][0].as_str();
    first.is_some_and(|first| row.has("verifier_address", first))
}

/// Returns the first column in which a record differs from a claim.
fn difference(row: &Row<'_>, call: &Value) -> Option<(&'static str, FirstDifference)> {
    let mut names = VerificationRecord::COLUMNS.iter();
    names.find_map(|name| {
        let wanted = match *name {
            "verifier_address" if is_first_signer(row, call) => return None,
            "address" if row.column(name).is_none() => return None,
            "address" => &call["address"],
            name => &call["params"][name],
        };
        let found = row.column(name).unwrap_or(&Value::Null);
        // A claim without a param has nothing there.
        if wanted.is_null() && is_empty(found) {
            return None;
        }
        Some((*name, FirstDifference::of_stored(wanted, found)?))
    })
}

/// Whether a value in a record may stand for a param that its claim does not have.
fn is_empty(found: &Value) -> bool {
    let empty = [
        json!(null),
        json!(""),
        json!([]),
        json!("[]"),
        json!(0),
        json!("null"),
    ];
    empty.contains(found)
}

/// Judges the records of assets that one wallet has claimed several times: once its first record was read, it stays.
pub(crate) fn first_stays(history: &History) -> Examination {
    let mut by_verifier: BTreeMap<_, Vec<&Value>> = BTreeMap::new();
    for (entry, transaction) in history.accepted() {
        let verifier = transaction.param("verifier_address");
        if entry.exchange.request.wrongly_signed.is_none() && transaction.signers().eq(verifier) {
            let of = [transaction.contract(), transaction.asset(), verifier];
            by_verifier.entry(of).or_default().push(transaction.call());
        }
    }
    let mut checked = Examination::default();
    for ([contract, asset, verifier], calls) in by_verifier {
        let ([first, later @ ..], Some(verifier)) = (&calls[..], verifier) else {
            continue;
        };
        let mut has_first = false;
        for entry in history.of_path("/sc-state").filter(|_| !later.is_empty()) {
            let asks = |name, value| requested(&entry.exchange, name) == value;
            if !asks("contract_address", contract) || !asks("unique_value", asset) {
                continue;
            }
            let body = entry.exchange.success_object().into_iter();
            let rows = body
                .flat_map(carried)
                .flat_map(|(_, value)| known_rows(value));
            let rows: Vec<_> = rows
                .filter(|row| row.has("verifier_address", verifier))
                .collect();
            let shows = |call: &Value| rows.iter().any(|row| difference(row, call).is_none());
            if shows(first) {
                checked.examined += u64::from(has_first);
                has_first = true;
            } else if has_first && later.iter().any(|call| shows(call)) {
                let what =
                    "a second claim of a wallet about an asset replaces the record of its first";
                let expected = format!("the values of the first claim: {}", first["params"]);
                let actual = entry.exchange.excerpt(160);
                checked.push(Finding::new(
                    &entry.exchange,
                    what,
                    shown(&expected, 200),
                    actual,
                ));
                break;
            }
        }
    }
    checked
}

/// Judges as [`submitted`] does the records of the assets that had none before. What another program submits about an asset
/// that has a record may have no effect.
pub(crate) fn first_submitted(history: &History) -> Examination {
    let in_blocks = codes_in_blocks(history);
    let mut calls: BTreeMap<_, Vec<&Value>> = BTreeMap::new();
    for (_, transaction) in history.accepted() {
        let about = calls.entry(transaction.asset()).or_default();
        about.push(&transaction.call()["params"]);
    }
    let blocks = history.blocks();
    let blocks = blocks.filter_map(|(_, entry)| entry.exchange.success_object());
    // Somebody else has made a claim about these assets.
    let of_others = blocks.flat_map(claims_in_block).filter(|claim| {
        let known = calls.get(&Some(claim.asset)).into_iter().flatten();
        !known
            .into_iter()
            .any(|call| call.as_object() == Some(claim.params))
    });
    let of_others: BTreeSet<_> = of_others
        .map(|claim| (claim.contract, claim.asset))
        .collect();
    submitted(history, |contract, asset| {
        if of_others.contains(&(contract, asset)) {
            return false;
        }
        let is_about = |entry: &&Entry| {
            let asks = |name, value| requested(&entry.exchange, name) == Some(value);
            asks("contract_address", contract)
                && asks("unique_column", "asset_id")
                && asks("unique_value", asset)
        };
        let mut records = history.of_path("/sc-state").filter(is_about);
        let mut claims = history
            .accepted()
            .filter(|(_, transaction)| transaction.asset() == Some(asset));
        let (Some(first), Some((claim, transaction))) = (records.next(), claims.next()) else {
            return false;
        };
        let is_absent = first.answer == Answer::Nothing
            && matches!(first.exchange.status, 200..=299 | 400 | 404);
        // A second claim of a wallet may have no effect, and the first one may not be in the recording.
        let code = transaction.code().unwrap_or_default();
        let is_executed = in_blocks.is_empty() || in_blocks.contains_key(code);
        is_absent && first.ended < claim.began && is_executed
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::{block_request, contract_state_request},
        history::recorded,
        http::Request,
    };

    const CONTRACT: &str = "ct00000000000000000000000000000000000000c1";
    const ANN: &str = "0x00000000000000000000000000000000000000a1";

    /// Whether a record with these remarks is right, if a block has two claims of one wallet: their remarks, and the status
    /// that the block shows for each.
    fn is_right(remarks: &str, claims: [(&str, i64); 2]) -> bool {
        let submission = |place: usize, remarks: &str| {
            json!({"transaction": {
                "trans_code": format!("{place:040x}"),
                "specific_data": {
                    "address": CONTRACT,
                    "function": "add_verification",
                    "signers": [ANN],
                    "params": {"asset_id": "lot", "verifier_address": ANN, "outcome": 1, "remarks": remarks},
                },
            }, "signatures": []})
        };
        let all = [0, 1].map(|place| submission(place, claims[place].0));
        let entries = [0, 1].map(|place| {
            let mut entry = all[place].clone();
            entry["status"] = claims[place].1.into();
            entry
        });
        let accepted =
            r#"{"status":"SUCCESS","response":{"valid":true,"msg":"","new_transaction":true}}"#;
        let block = json!({"index": 7, "text": {"transactions": entries}}).to_string();
        let record = json!({"value": [{"asset_id": "lot", "verifier_address": ANN, "outcome": 1, "remarks": remarks}]});
        let record = record.to_string();
        let [first, second] = all.map(|one| Request::post("/submit-transaction", one.to_string()));
        let history = recorded(vec![
            (0, first, 200, accepted),
            (2, second, 200, accepted),
            (4, block_request(7), 200, &block),
            (6, contract_state_request(CONTRACT, "lot"), 200, &record),
        ]);
        let checked = submitted(&history, |_, _| true);
        checked.has_no_findings()
    }

    #[test]
    fn a_claim_that_failed_leaves_no_record() {
        for (remarks, claims, expected) in [
            ("old", [("old", 1), ("new", 1)], true),
            ("new", [("old", 1), ("new", 1)], true),
            ("other", [("old", 1), ("new", 1)], false),
            ("old", [("old", 1), ("new", -1)], true),
            ("new", [("old", 1), ("new", -1)], false),
            // The status may mean something else.
            ("new", [("old", -1), ("new", -1)], true),
        ] {
            assert_eq!(is_right(remarks, claims), expected, "{remarks} {claims:?}");
        }
    }

    #[test]
    fn a_claim_that_no_block_has_leaves_no_record() {
        let claim = |place: u8, outcome: i64| {
            json!({"transaction": {"trans_code": format!("{place:040}"), "specific_data": {
                "address": CONTRACT, "function": "add_verification", "signers": [ANN],
                "params": {"asset_id": "lot", "verifier_address": ANN, "outcome": outcome},
            }}, "signatures": []})
        };
        let accepted = r#"{"response":{"valid":true,"new_transaction":true}}"#.to_owned();
        for (outcome, last, read_at, is_right) in [
            (1, 9, 11, true),
            (2, 9, 11, false),
            (2, 7, 11, false),
            (2, 6, 11, true),
            (2, 9, 14, true),
        ] {
            let submit = |one: Value| Request::post("/submit-transaction", one.to_string());
            let block = |index: u64| {
                let list = if index == 6 {
                    vec![claim(1, 1)]
                } else {
                    vec![]
                };
                json!({"index": index, "text": {"transactions": list}}).to_string()
            };
            let record =
                json!({"value": {"asset_id": "lot", "verifier_address": ANN, "outcome": outcome}});
            let mut rows = vec![
                (0, block_request(5), 200, block(5)),
                (2, submit(claim(1, 1)), 200, accepted.clone()),
                (4, submit(claim(2, 2)), 200, accepted.clone()),
                (5, block_request(6), 404, "{}".to_owned()),
            ];
            rows.extend((6..=last).map(|index| (index, block_request(index), 200, block(index))));
            rows.push((12, block_request(last + 1), 404, "{}".to_owned()));
            rows.push((
                read_at,
                contract_state_request(CONTRACT, "lot"),
                200,
                record.to_string(),
            ));
            let rows = rows
                .iter()
                .map(|(at, request, status, body)| (*at, request.clone(), *status, body.as_str()));
            let checked = submitted(&recorded(rows.collect()), |_, _| true);
            assert_eq!(
                checked.has_no_findings(),
                is_right,
                "{outcome} {last} {read_at}"
            );
        }
    }

    #[test]
    fn the_record_of_a_first_claim_stays() {
        const BOB: &str = "0x00000000000000000000000000000000000000b0";
        let claim = |place: u8, signer: &str, verifier: &str, outcome: u8| {
            let claim = json!({"transaction": {"trans_code": format!("{place:040}"), "specific_data": {
                "address": CONTRACT, "function": "add_verification", "signers": [signer],
                "params": {"asset_id": "lot", "verifier_address": verifier, "outcome": outcome},
            }}, "signatures": []});
            Request::post("/submit-transaction", claim.to_string())
        };
        let second = claim(2, ANN, ANN, 2);
        let of_another = claim(2, BOB, BOB, 2);
        let in_her_name = claim(2, BOB, ANN, 2);
        let accepted = r#"{"response":{"valid":true,"new_transaction":true}}"#;
        let refused = r#"{"response":{"valid":false,"new_transaction":true}}"#;
        let read = || contract_state_request(CONTRACT, "lot");
        let record = |outcome: u8| {
            json!({"value": {"asset_id": "lot", "verifier_address": ANN, "outcome": outcome}})
                .to_string()
        };
        let records = [record(1), record(2), record(3)];
        let [one, two, three] = &records;
        for (request, reply, [before, after], found) in [
            (&second, accepted, [one, two], true),
            (&second, accepted, [one, one], false),
            // It may have been the first one that was executed.
            (&second, accepted, [two, two], false),
            (&second, accepted, [one, three], false),
            (&second, refused, [one, two], false),
            (&of_another, accepted, [one, two], false),
            (&in_her_name, accepted, [one, two], false),
        ] {
            let history = recorded(vec![
                (0, claim(1, ANN, ANN, 1), 200, accepted),
                (2, read(), 200, before),
                (4, request.clone(), 200, reply),
                (6, read(), 200, after),
            ]);
            let is_found = !first_stays(&history).has_no_findings();
            assert_eq!(is_found, found, "{request:?} {reply} {before} {after}");
        }
    }

    #[test]
    fn another_programs_claim_is_not_judged_if_another_one_may_have_been_executed() {
        const BOB: &str = "0x00000000000000000000000000000000000000b0";
        let claim = |place: u8, signers: &[&str], verifier: &str, outcome: u8| {
            json!({"transaction": {"trans_code": format!("{place:040}"), "specific_data": {
                "address": CONTRACT, "function": "add_verification", "signers": signers,
                "params": {"asset_id": "lot", "verifier_address": verifier, "outcome": outcome},
            }}, "signatures": []})
        };
        let accepted = r#"{"response":{"valid":true,"new_transaction":true}}"#;
        let submit = |claim: &Value| Request::post("/submit-transaction", claim.to_string());
        let read = || contract_state_request(CONTRACT, "lot");
        let record = json!({"value": {"asset_id": "lot", "verifier_address": ANN, "outcome": 1}})
            .to_string();
        let [first, second] = [claim(1, &[ANN], ANN, 1), claim(2, &[ANN], ANN, 2)];
        // The stored verifier may be the first signer.
        let shared = claim(3, &[ANN, BOB], BOB, 1);
        for (submitted, in_block, is_found) in [
            (vec![&second], vec![&second], true),
            (vec![&second], vec![&first, &second], false),
            (vec![&shared, &second], vec![&shared, &second], false),
            (vec![&second, &shared], vec![&second, &shared], false),
        ] {
            let block = json!({"index": 7, "text": {"transactions": in_block}}).to_string();
            let mut rows = vec![(0, read(), 200, r#"{"value":null}"#)];
            rows.extend(
                submitted
                    .iter()
                    .map(|claim| (2, submit(claim), 200, accepted)),
            );
            rows.push((4, block_request(7), 200, &block));
            rows.push((6, read(), 200, &record));
            let found = first_submitted(&recorded(rows)).findings;
            assert_eq!(!found.is_empty(), is_found, "{submitted:?} {in_block:?}");
        }
    }

    #[test]
    fn another_programs_claim_is_judged_if_its_asset_had_no_record() {
        let claim = json!({"transaction": {"trans_code": "1".repeat(40), "specific_data": {
            "address": CONTRACT, "function": "add_verification", "signers": [ANN],
            "params": {"asset_id": "lot", "verifier_address": ANN, "outcome": 0},
        }}, "signatures": []});
        let claim = Request::post("/submit-transaction", claim.to_string());
        let read = || contract_state_request(CONTRACT, "lot");
        let record = |outcome: i64| {
            json!({"value": {"asset_id": "lot", "verifier_address": ANN, "outcome": outcome}})
                .to_string()
        };
        let accepted =
            r#"{"status":"SUCCESS","response":{"valid":true,"msg":"","new_transaction":true}}"#;
        let none = r#"{"status":"SUCCESS","value":null}"#.to_owned();
        for (before, after, found) in [
            (Some((200, none.clone())), 1, true),
            (Some((404, r#"{"detail":"none"}"#.to_owned())), 1, true),
            (Some((200, none)), 0, false),
            (Some((429, r#"{"detail":"wait"}"#.to_owned())), 1, false),
            // It may be about an earlier claim.
            (None, 1, false),
            (Some((200, record(1))), 1, false),
        ] {
            let after = record(after);
            let first = before.iter();
            let first = first.map(|(status, body)| (0, read(), *status, &**body));
            let others = [(2, claim.clone(), 200, accepted), (4, read(), 200, &*after)];
            let history = recorded(first.chain(others).collect());
            assert_eq!(
                !first_submitted(&history).has_no_findings(),
                found,
                "{before:?} {after}"
            );
        }
    }

    #[test]
    fn records_are_judged_by_whatever_column_they_are_requested() {
        const BEN: &str = "0x00000000000000000000000000000000000000b1";
        let accepted = r#"{"response":{"valid":true,"new_transaction":true}}"#;
        let params = json!({"asset_id": "lot", "verifier_address": ANN, "remarks": "right"});
        let submission = json!({"transaction": {"trans_code": "1", "specific_data": {
            "address": CONTRACT, "signers": [ANN, BEN], "params": params}}, "signatures": []});
        for (verifier, remarks, column, found) in [
            (ANN, "right", "asset_id", None),
            (ANN, "right", "verifier_address", None),
            (ANN, "wrong", "asset_id", Some("`remarks` in a record")),
            (
                ANN,
                "wrong",
                "verifier_address",
                Some("`remarks` in a record"),
            ),
            (BEN, "right", "verifier_address", Some("only co-signed")),
            // Somebody else has claimed it.
            (CONTRACT, "wrong", "verifier_address", None),
        ] {
            let record =
                json!({"asset_id": "lot", "verifier_address": verifier, "remarks": remarks});
            let value = record[column].as_str().unwrap_or_default();
            let request = contract_state_request(CONTRACT, value);
            let history = recorded(vec![
                (
                    0,
                    Request::post("/submit-transaction", submission.to_string()),
                    200,
                    accepted,
                ),
                (
                    6,
                    request.setting("unique_column", column.to_owned()),
                    200,
                    &json!({"value": [record]}).to_string(),
                ),
            ]);
            let checked = submitted(&history, |_, _| true);
            let what = checked.findings.first().map(|one| one.what.as_str());
            let is_expected = match found {
                Some(found) => what.is_some_and(|what| what.contains(found)),
                None => what.is_none(),
            };
            assert!(is_expected, "{verifier} {remarks} {column}: {what:?}");
        }
    }
}
