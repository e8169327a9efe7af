//! The rule *stored*: a record has the values of a claim that a block shows.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
    time::Duration,
};

use nodeproof_client::VerificationRecord;
use nodeproof_primitives::{WalletAddress, escape::escaped_up_to as shown};
use serde_json::Value;

use crate::{
    api::{
        ClaimInBlock, FirstDifference, Row, carried, claims_in_block, has_record, requested, rows,
    },
    checks::{Examination, Finding, Findings},
    history::History,
    http::{Exchange, InconclusiveReason},
};

/// The result of comparing records with claims.
#[derive(Default)]
pub(crate) struct Stored {
    checked: Examination,
    /// Whether a record was compared.
    pub(crate) is_compared: bool,
    /// The records that could not be compared.
    pub(crate) open: Vec<Open>,
}

/// Maximum number of blocks to read in search of the claim of a record.
const MAX_BLOCKS: u64 = 64;

/// A record that is not that of a claim in the known blocks, but may be that of another one.
pub(crate) struct Open {
    reason: String,
    /// The latest known block with a claim about the asset.
    latest: Option<u64>,
    /// Whether its verifier has made another claim: a newer one may have replaced it, or an older one may have kept it
    /// from being stored.
    differs: bool,
}

impl Stored {
    pub(crate) fn add(&mut self, other: Self) {
        self.checked.extend(other.checked);
        self.is_compared |= other.is_compared;
        self.open.extend(other.open);
    }

    pub(crate) fn findings(self) -> Findings {
        let none = "no response had a record of a known form, so none could be compared";
        let differs = self.open.iter().find(|open| open.differs);
        let reason = match differs.or_else(|| self.open.first()) {
            Some(open) if open.differs || !self.is_compared => &open.reason,
            None if !self.is_compared => none,
            _ => return Ok(self.checked),
        };
        if self.checked.has_no_findings() {
            Err(InconclusiveReason::NoSample(reason.to_owned()))
        } else {
            Ok(self.checked)
        }
    }
}

/// The blocks whose claims are known.
pub(crate) struct KnownBlocks<'h> {
    history: &'h History,
    /// The indexes of the blocks in the history.
    read: BTreeSet<u64>,
    /// Blocks that a sweep read. Those with claims about an asset are given when its record is compared.
    pub(crate) swept: &'h Range<u64>,
    /// The claims about each asset of a contract, with the indexes of their blocks.
    claims: BTreeMap<(&'h str, &'h str), Vec<(u64, ClaimInBlock<'h>)>>,
}

impl<'h> KnownBlocks<'h> {
    pub(crate) fn of(history: &'h History, swept: &'h Range<u64>) -> Self {
        let blocks = history.blocks();
        let blocks: BTreeMap<u64, _> = blocks
            .map(|(index, block)| (index, &block.exchange))
            .collect();
        let mut claims: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (index, block) in &blocks {
            for (index, claim) in claims_of(*index, block) {
                let about = claims.entry((claim.contract, claim.asset)).or_default();
                about.push((index, claim));
            }
        }
        let read = blocks.into_keys().collect();
        Self {
            history,
            read,
            swept,
            claims,
        }
    }

    /// Returns the index of the last one.
    pub(crate) fn last(&self) -> Option<u64> {
        let swept = self.swept.end.checked_sub(1);
        swept.max(self.read.last().copied())
    }

    /// Returns the unknown blocks that can decide about these records: all of them, or those above the latest claim. `most`
    /// is their maximum number for a record that differs from a claim.
    pub(crate) fn decisive(&self, open: &[Open], most: u64) -> BTreeSet<u64> {
        let last = self.last().unwrap_or_default();
        let mut wanted = BTreeSet::new();
        for record in open {
            let most = if record.differs { most } else { MAX_BLOCKS };
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            let unknown = |first| {
                let unknown = self.unknown(first, last);
                let unknown: Vec<_> = unknown.take(most.saturating_add(1)).collect();
                (unknown.len() <= most).then_some(unknown)
            };
            let above = || unknown(record.latest?.saturating_add(1));
            wanted.extend(unknown(1).or_else(above).unwrap_or_default());
        }
        wanted
    }

    /// Returns the unknown indexes from `first` to `last`, in ascending order.
    fn unknown(&self, first: u64, last: u64) -> impl Iterator<Item = u64> {
        let end = last.saturating_add(1);
        let before = first..self.swept.start.clamp(first, end.max(first));
        let after = self.swept.end.max(first)..end;
        let indexes = before.chain(after);
        indexes.filter(|index| !self.read.contains(index))
    }

    /// Returns the block of a claim that is lost: its record may not be deleted yet, whatever the unit of its threshold is, the
    /// contract has other records, and two later blocks were there before the response.
    fn lost(
        &self,
        response: &Arc<Exchange>,
        contract: &str,
        claims: &[(u64, ClaimInBlock<'_>)],
    ) -> Option<u64> {
        if has_record(response) {
            return None;
        }
        let now = response.received_at.as_millis() as f64;
        let is_kept = |claim: &ClaimInBlock<'_>| {
            let threshold = claim.params.get("deletable_after").and_then(Value::as_f64);
            claim.is_executed && threshold.is_some_and(|threshold| threshold > now)
        };
        let mut kept = claims.iter().filter(|(_, claim)| is_kept(claim));
        let (index, _) = kept.next()?;
        let height = self.history.height_before(self.history.ended(response)?)?;
        let mut states = self
            .history
            .of_path("/sc-state")
            .map(|entry| &entry.exchange);
        let has_others = states.any(|other| {
            has_record(other) && requested(other, "contract_address") == Some(contract)
        });
        (has_others && height >= index + 2).then_some(*index)
    }

    /// Whether all blocks are known that the chain had at a moment: the one after them was not there at that moment or
    /// later.
    fn are_complete_at(&self, moment: Duration) -> bool {
        let mut ends = self.history.ends_since(moment);
        ends.any(|(last, read_before)| {
            read_before.max(self.swept.end.checked_sub(1)) == Some(last)
                && self.unknown(1, last).next().is_none()
        })
    }
}

/// Returns the claims in a block, each with its index.
fn claims_of(index: u64, block: &Exchange) -> impl Iterator<Item = (u64, ClaimInBlock<'_>)> {
    let body = block.success_object().into_iter();
    body.flat_map(claims_in_block)
        .map(move |claim| (index, claim))
}

/// Judges these responses: each record is that of a claim in a known block, or in one of `more`.
///
/// A record that is that of no known claim is wrong only if all blocks are known that the chain had when it was read.
pub(crate) fn stored(
    known: &KnownBlocks<'_>,
    more: &[(u64, Arc<Exchange>)],
    responses: &[Arc<Exchange>],
) -> Stored {
    let mut result = Stored::default();
    for exchange in responses {
        let about = ["contract_address", "unique_value"].map(|name| requested(exchange, name));
        let [Some(contract), Some(asset)] = about else {
            continue;
        };
        let more = more.iter().filter(|(index, _)| !known.read.contains(index));
        let more = more.flat_map(|(index, block)| claims_of(*index, block));
        let more = more.filter(|(_, claim)| claim.contract == contract && claim.asset == asset);
        let found = known.claims.get(&(contract, asset)).into_iter().flatten();
        let mut claims: Vec<_> = found.cloned().chain(more).collect();
        claims.sort_by_key(|(index, _)| *index);
        let is_complete = || {
            let read_at = known.history.ended(exchange);
            read_at.is_some_and(|moment| known.are_complete_at(moment))
        };
        if let Some(index) = known.lost(exchange, contract, &claims) {
            let what = format!("the claim that block {index} shows as executed has no record");
            let expected = "its record, as its `deletable_after` is not past";
            let actual = exchange.excerpt(160);
            let finding = Finding::new(exchange, what, expected, actual);
            result.checked.push(finding);
        }
        let body = exchange.success_object();
        for (member, value) in body.into_iter().flat_map(carried) {
            let about = |row: &Row<'_>| row.has("asset_id", asset);
            for row in rows(value).unwrap_or_default().into_iter().filter(about) {
                match judge(&claims, &is_complete, asset, row) {
                    Verdict::Right => result.checked.count_item(),
                    Verdict::Open(open) => {
                        result.open.push(open);
                        continue;
                    }
                    Verdict::Wrong(what, expected, actual) => {
                        let finding = Finding::new(exchange, what, expected, actual);
                        result.checked.push(finding.at(format!("/{member}")));
                    }
                }
                result.is_compared = true;
            }
        }
    }
    result
}

/// The result of comparing one record with the claims about its asset.
enum Verdict {
    Right,
    Open(Open),
    /// What is wrong, the expected value and the actual one.
    Wrong(String, String, String),
}

/// Compares a record with the claims about its asset. `is_complete` tells whether these are all that it may be from.
fn judge(
    claims: &[(u64, ClaimInBlock<'_>)],
    is_complete: &dyn Fn() -> bool,
    asset: &str,
    row: Row<'_>,
) -> Verdict {
    let open = |reason: String, differs| {
        Verdict::Open(Open {
            reason,
            latest: claims.last().map(|(block, _)| *block),
            differs,
        })
    };
    if claims.is_empty() {
        return open("no block that was read has the claim".to_owned(), false);
    }
    let verifiers = || {
        let all = claims.iter().flat_map(|(_, claim)| &claim.verifiers);
        let all: BTreeSet<&str> = all.copied().collect();
        all.into_iter().collect::<Vec<_>>().join(" or ")
    };
    let found = row.column("verifier_address");
    let Some(verifier) = found.and_then(Value::as_str) else {
        let what = "the record's verifier_address is not text".to_owned();
        let found = found.map(|found| shown(&found.to_string(), 80));
        let found = found.unwrap_or_else(|| "no such member".to_owned());
        return Verdict::Wrong(what, verifiers(), found);
    };
    let is_theirs = |(_, claim): &&(u64, ClaimInBlock<'_>)| claim.verifiers.contains(verifier);
    let theirs: Vec<_> = claims.iter().filter(is_theirs).collect();
    let Some((block, last)) = theirs.last() else {
        // Another wallet may have made its own claim in a block that was not read.
        if !is_complete() && verifier.parse::<WalletAddress>().is_ok() {
            let reason = "the record's verifier made its claim in no block that was read";
            return open(reason.to_owned(), false);
        }
        let what = "the record's verifier_address is not that of a claim on the chain".to_owned();
        return Verdict::Wrong(what, verifiers(), shown(verifier, 80));
    };
    // If the same wallet makes a second claim, a node may refuse it or replace the first.
    let is_same = |(_, claim): &&(u64, ClaimInBlock<'_>)| difference(row, claim).is_none();
    let Some((name, wanted, found)) = difference(row, last).filter(|_| !theirs.iter().any(is_same))
    else {
        return Verdict::Right;
    };
    if !is_complete() {
        let reason = format!(
            "the record about asset {} differs from the claim in block {block}, but may be that of another claim of its \
             verifier: not every block was read. A run reads them if --max-requests is twice the height of the chain",
            shown(asset, 80)
        );
        return open(reason, true);
    }
    let what =
        format!("`{name}` in the record differs from `{name}` in the claim in block {block}");
    Verdict::Wrong(what, wanted, found)
}

/// Returns the first difference between a record and a claim: the column, the claim's value and the
/// record's value.
fn difference<'r>(row: Row<'_>, claim: &ClaimInBlock<'r>) -> Option<(&'r str, String, String)> {
    // The verifier was already compared. It may be the signer instead of the wallet in the params.
    let mut stored = claim.params.iter().filter(|(name, _)| {
        VerificationRecord::COLUMNS.contains(&name.as_str())
            && !matches!(name.as_str(), "verifier_address" | "address")
    });
    stored.find_map(|(name, wanted)| {
        let Some(found) = row.column(name) else {
            let wanted = shown(&wanted.to_string(), 200);
            return Some((name.as_str(), wanted, "no such member".to_owned()));
        };
        let first = FirstDifference::of_stored(wanted, found)?;
        Some((name.as_str(), first.expected, first.actual))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        api::{block_request, contract_state_request},
        history::recorded,
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
            let states = states
                .map(|(asset, body)| (contract_state_request(CONTRACT, asset), body.to_string()));
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
}
