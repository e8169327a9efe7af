//! Histories of blocks and records, and what the rule finds in them.

use serde_json::json;

use super::*;
use crate::{
    api::{block_request, contract_state_request},
    history::recorded,
    http::InconclusiveReason,
};

const CONTRACT: &str = "ct00000000000000000000000000000000000000c1";
const ANN: &str = "0x00000000000000000000000000000000000000a1";
const BEN: &str = "0x00000000000000000000000000000000000000b2";

/// What a request gets at a moment.
#[derive(Clone)]
enum Got {
    Block(u64, &'static [(&'static str, &'static str)]),
    Absent(u64),
    /// The record: its verifier and its remarks.
    Record(Value, Value),
}
use Got::{Absent, Block, Record};

/// Judges the records of a history. Each block has claims: their verifiers and remarks.
fn judged(rows: &[(u64, Got)], swept: Range<u64>) -> Stored {
    let rows: Vec<_> = rows.iter().map(|(at, got)| match got {
        Block(index, claims) => {
            let claims = claims.iter().map(|(verifier, remarks)| json!({"transaction": {"specific_data": {
                "address": CONTRACT,
                "function": "add_verification",
                "signers": [verifier],
                "params": {"asset_id": "lot", "remarks": remarks, "unknown": 1},
            }}}));
            let claims: Vec<_> = claims.collect();
            let block = json!({"index": index, "text": {"transactions": claims}});
            (*at, block_request(*index), 200, block.to_string())
        }
        Absent(index) => (*at, block_request(*index), 400, "{}".to_owned()),
        Record(verifier, remarks) => {
            let record = json!({
                "asset_id": "lot", "verifier_address": verifier, "outcome": 1, "remarks": remarks,
            });
            let body = json!({"value": [record]});
            (*at, contract_state_request(CONTRACT, "lot"), 200, body.to_string())
        }
    }).collect();
    let rows = rows
        .iter()
        .map(|(at, request, status, body)| (*at, request.clone(), *status, &**body));
    let history = recorded(rows.collect());
    let records = history.of_path("/sc-state");
    let records: Vec<_> = records.map(|entry| Arc::clone(&entry.exchange)).collect();
    stored(&KnownBlocks::of(&history, &swept), &[], &records)
}

fn record(remarks: &str) -> Got {
    Record(json!(ANN), json!(remarks))
}

const CLAIM: &[(&str, &str)] = &[(ANN, "old")];

#[test]
fn a_record_has_the_values_of_a_claim() {
    let read = |claims, got| {
        vec![
            (0, Block(1, &[])),
            (2, Block(2, claims)),
            (4, got),
            (6, Absent(3)),
        ]
    };
    for (rows, wrong) in [
        (read(CLAIM, record("old")), None),
        (
            read(CLAIM, record("new")),
            Some("`remarks` in the record differs from `remarks` in the claim in block 2"),
        ),
        // The same wallet may claim again.
        (read(&[(ANN, "old"), (ANN, "new")], record("old")), None),
        (read(&[(ANN, "old"), (ANN, "new")], record("new")), None),
        (
            read(&[(ANN, "old"), (BEN, "new")], record("new")),
            Some("`remarks` in the record differs"),
        ),
        (
            read(CLAIM, Record(json!(BEN), json!("old"))),
            Some("is not that of a claim on the chain"),
        ),
        (
            read(CLAIM, Record(json!("Ann"), json!("old"))),
            Some("is not that of a claim on the chain"),
        ),
        (
            read(CLAIM, Record(json!(1), json!("old"))),
            Some("the record's verifier_address is not text"),
        ),
    ] {
        let result = judged(&rows, 0..0);
        let what = result
            .checked
            .findings
            .first()
            .map(|finding| &*finding.what);
        match (what, wrong) {
            (None, None) => assert_eq!(result.checked.examined, 1),
            (Some(what), Some(wrong)) => assert!(what.contains(wrong), "{what}"),
            _ => panic!("{what:?}, expected {wrong:?}"),
        }
        assert!(result.open.is_empty());
        assert!(result.is_compared);
        assert!(result.findings().is_ok());
    }
}

/// Whether a wrong record is a finding.
#[test]
fn another_claim_may_be_in_a_block_that_is_not_known() {
    let new = record("new");
    let blocks = [(0, Block(1, CLAIM)), (2, Block(2, &[]))];
    for (more, swept, is_found) in [
        (vec![(4, new.clone()), (6, Absent(3))], 0..0, true),
        // The chain may have grown before the record was read.
        (vec![(4, Absent(3)), (6, new.clone())], 0..0, false),
        (vec![(4, new.clone())], 0..0, false),
        (
            vec![(4, Absent(3)), (6, new.clone()), (8, Absent(3))],
            0..0,
            true,
        ),
        // It has grown afterwards.
        (
            vec![(4, new.clone()), (6, Absent(3)), (8, Block(3, &[]))],
            0..0,
            true,
        ),
        (
            vec![(4, new.clone()), (6, Block(3, &[])), (8, Absent(4))],
            0..0,
            true,
        ),
        (
            vec![(4, new.clone()), (6, Block(4, &[])), (8, Absent(5))],
            0..0,
            false,
        ),
        // A hole is not the end of the chain.
        (
            vec![(3, Block(4, &[])), (4, new.clone()), (6, Absent(3))],
            0..0,
            false,
        ),
        // A sweep has read the blocks between.
        (
            vec![(4, new.clone()), (6, Block(6, &[])), (8, Absent(7))],
            3..6,
            true,
        ),
        (
            vec![(4, new.clone()), (6, Block(6, &[])), (8, Absent(7))],
            3..5,
            false,
        ),
        (vec![(4, new.clone()), (6, Absent(6))], 3..6, true),
        (vec![(4, new.clone()), (6, Absent(5))], 3..6, false),
        // The claim that made it, whenever it was read.
        (vec![(4, new), (6, Block(9, &[(ANN, "new")]))], 0..0, false),
    ] {
        let rows = [&blocks[..], &more].concat();
        let result = judged(&rows, swept);
        assert_eq!(!result.checked.has_no_findings(), is_found);
        let is_open = result.open.first().map(|open| (open.latest, open.differs));
        assert!(is_open.is_none_or(|open| open == (Some(1), true)));
    }
}

#[test]
fn a_swept_block_with_a_claim_counts_although_the_history_has_no_room_for_it() {
    let claim = |remarks| {
        let made = json!({"specific_data": {"address": CONTRACT, "function": "add_verification",
            "signers": [ANN], "params": {"asset_id": "lot", "remarks": remarks}}});
        json!({"index": 3, "text": {"transactions": [{"transaction": made}]}}).to_string()
    };
    let [old, new] = ["old", "new"].map(claim);
    let record = json!({"value": [{"asset_id": "lot", "verifier_address": ANN, "outcome": 1, "remarks": "new"}]});
    let record = record.to_string();
    let history = recorded(vec![
        (0, contract_state_request(CONTRACT, "lot"), 200, &record),
        (2, block_request(6), 400, "{}"),
    ]);
    let read = |body: &str| {
        let read = recorded(vec![(0, block_request(3), 200, body)]);
        let read = read.entries().map(|entry| Arc::clone(&entry.exchange));
        read.map(|block| (3, block)).collect::<Vec<_>>()
    };
    let records = history.of_path("/sc-state");
    let records: Vec<_> = records.map(|entry| Arc::clone(&entry.exchange)).collect();
    let known = KnownBlocks::of(&history, &(1..6));
    let found = |more: &[_]| stored(&known, more, &records);
    assert!(found(&read(&new)).checked.has_no_findings());
    assert!(!found(&read(&old)).checked.has_no_findings());
    assert!(!found(&[]).is_compared);
}

#[test]
fn what_is_not_compared_has_a_reason() {
    let read = |claims, got| judged(&[(0, Block(2, claims)), (2, got), (4, Absent(3))], 0..0);
    let reason = |result: Stored| match result.findings() {
        Err(InconclusiveReason::NoSample(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let new = || record("new");
    assert!(reason(read(&[], new())).contains("no block that was read has the claim"));
    assert!(reason(read(&[(BEN, "new")], new())).contains("made its claim in no block"));
    assert!(reason(read(CLAIM, new())).contains("differs from the claim in block 2"));
    assert!(reason(judged(&[], 0..0)).contains("no response had a record of a known form"));
    // One record is right, and another one is open.
    let rows = [(0, Block(2, CLAIM)), (2, record("old")), (4, record("new"))];
    assert!(reason(judged(&rows, 0..0)).contains("differs from the claim"));
    let other = Record(json!(BEN), json!("new"));
    let rows = [(0, Block(2, CLAIM)), (2, record("old")), (4, other)];
    assert!(judged(&rows, 0..0).findings().is_ok());
}

#[test]
fn blocks_that_are_not_known_are_listed() {
    let history = recorded(vec![(0, block_request(4), 200, r#"{"index":4}"#)]);
    for (swept, last, unknown) in [
        (0..0, 4, vec![1, 2, 3, 5, 6]),
        (2..4, 4, vec![1, 5, 6]),
        (0..3, 4, vec![3, 5, 6]),
        (5..9, 8, vec![1, 2, 3]),
        (9..12, 11, vec![1, 2, 3, 5, 6]),
    ] {
        let known = KnownBlocks::of(&history, &swept);
        assert_eq!(known.last(), Some(last));
        assert_eq!(
            known.unknown(1, 6).collect::<Vec<_>>(),
            unknown,
            "{swept:?}"
        );
    }
}

#[test]
fn blocks_are_read_for_a_record_if_they_are_not_too_many() {
    let history = recorded(vec![
        (0, block_request(100), 200, r#"{"index":100}"#),
        (2, block_request(90), 200, r#"{"index":90}"#),
    ]);
    let open = |latest, differs| Open {
        reason: String::new(),
        latest,
        differs,
    };
    let known = KnownBlocks::of(&history, &(0..0));
    let above: Vec<u64> = (91..100).collect();
    for (open, most, wanted) in [
        (vec![open(Some(90), true)], 98, 98),
        (vec![open(Some(90), true)], 97, above.len()),
        (vec![open(Some(90), true)], 8, 0),
        (vec![open(Some(90), false)], 98, above.len()),
        (vec![open(None, false)], 98, 0),
        (vec![open(None, false), open(Some(90), true)], 98, 98),
    ] {
        let found = known.decisive(&open, most);
        assert_eq!(found.len(), wanted);
        assert!(wanted != above.len() || found.into_iter().eq(above.clone()));
    }
    let swept = KnownBlocks::of(&history, &(30..90));
    assert_eq!(swept.decisive(&[open(None, false)], 0).len(), 29 + 9);
}

#[test]
fn a_list_may_be_stored_as_text_and_a_number_may_not() {
    let same =
        |stored: Value, wanted: Value| FirstDifference::of_stored(&wanted, &stored).is_none();
    assert!(same(json!("[\"a\"]"), json!(["a"])));
    assert!(!same(json!("1"), json!(1)));
    assert!(!same(Value::Null, json!("")));
}

#[test]
fn an_executed_claim_has_a_record_until_it_may_be_deleted() {
    // `received_at` is the time of this computer.
    const FAR: i64 = 1 << 53;
    let claim = |asset: &str, status: i64, threshold: i64| {
        json!({"status": status, "transaction": {"specific_data": {
            "address": CONTRACT, "function": "add_verification", "signers": [ANN],
            "params": {"asset_id": asset, "deletable_after": threshold},
        }}})
    };
    for (status, threshold, later, other, is_lost) in [
        (1, FAR, 3, true, true),
        (1, 1_700_000_000, 3, true, false),
        (-1, FAR, 3, true, false),
        // Records may be those of an earlier block.
        (1, FAR, 2, true, false),
        // The contract may store nothing.
        (1, FAR, 3, false, false),
    ] {
        let claims = [claim("lost", status, threshold), claim("kept", 1, FAR)];
        let block = |index: u64| {
            let listed = if index == 1 { &claims[..] } else { &[] };
            let block = json!({"index": index, "text": {"transactions": listed}});
            (block_request(index), block.to_string())
        };
        let kept = json!({"value": [{"asset_id": "kept", "verifier_address": ANN}]});
        let states = [("kept", kept), ("lost", json!({"value": null}))];
        let states =
            states.map(|(asset, body)| (contract_state_request(CONTRACT, asset), body.to_string()));
        let states = states.into_iter().skip(usize::from(!other));
        let rows: Vec<_> = (1..=later).map(block).chain(states).collect();
        let rows = (1..).zip(&rows);
        let rows = rows.map(|(at, (request, body))| (10 * at, request.clone(), 200, &**body));
        let history = recorded(rows.collect());
        let records = history.of_path("/sc-state");
        let records: Vec<_> = records.map(|entry| Arc::clone(&entry.exchange)).collect();
        let found = stored(&KnownBlocks::of(&history, &(0..0)), &[], &records);
        let found = found.checked.findings;
        let found: Vec<_> = found.iter().map(|one| &*one.what).collect();
        let lost = "the claim that block 1 shows as executed has no record";
        let expected: &[&str] = if is_lost { &[lost] } else { &[] };
        assert_eq!(found, expected, "{status} {threshold} {later} {other}");
    }
}
