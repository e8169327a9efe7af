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
    http::{Exchange, unknown},
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
            unknown(reason)
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
        (has_others && height >= index.saturating_add(2)).then_some(*index)
    }

    /// Whether all blocks are known that the chain had at a moment: the one after them was not there at that moment or
    /// later.
    fn are_complete_at(&self, moment: Duration) -> bool {
        let mut ends = self.history.ends_since(moment);
        let has_read = |index| self.read.contains(&index);
        ends.any(|(last, read_before)| {
            // Otherwise, the chain has a hole, or the node lags.
            let is_end = read_before.max(self.swept.end.checked_sub(1)) <= Some(last)
                && (self.last() <= Some(last) || last.checked_add(1).is_some_and(has_read));
            is_end && self.unknown(1, last).next().is_none()
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
            result
                .checked
                .push(Finding::of_body(exchange, what, expected));
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
mod tests;
