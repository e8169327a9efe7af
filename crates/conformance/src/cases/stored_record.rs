//! Compares the contract's stored records about an asset with claims in blocks, column by column.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use futures_util::{StreamExt as _, stream};
use nodeproof_client::VerificationRecord;
use nodeproof_primitives::{WalletAddress, escape::escaped_up_to as shown};
use serde_json::Value;

use crate::{
    api::{
        ClaimInBlock, FirstDifference, Row, Sample, block_request, carried, claims_in_block,
        contract_state_request, is_block, rows,
    },
    checks::{Examination, Finding, Findings, objects},
    context::{Context, SweptAsset},
    http::{Exchange, InconclusiveReason, Node},
};

/// A claim, with the index of its block.
struct ListedClaim<'v> {
    block: u64,
    made: ClaimInBlock<'v>,
}

/// Returns the claims about an asset in the blocks that were read.
fn claims<'c>(blocks: &'c Blocks, contract: &str, asset: &str) -> Vec<ListedClaim<'c>> {
    let in_block = |(block, exchange): (&u64, &'c Arc<Exchange>)| {
        let block = *block;
        let body = exchange.success_object().into_iter();
        body.flat_map(claims_in_block)
            .map(move |made| ListedClaim { block, made })
    };
    let about =
        |claim: &ListedClaim<'_>| claim.made.contract == contract && claim.made.asset == asset;
    blocks
        .read
        .iter()
        .flat_map(in_block)
        .filter(about)
        .collect()
}

/// The blocks whose claims about an asset are known.
#[derive(Clone, Default)]
struct Blocks {
    /// Blocks that were read, in ascending order.
    read: BTreeMap<u64, Arc<Exchange>>,
    /// Blocks that a sweep read. If one of them has a claim about the asset, it is also in `read`.
    swept: Range<u64>,
}

impl Blocks {
    fn knows(&self, index: u64) -> bool {
        self.swept.contains(&index) || self.read.contains_key(&index)
    }

    /// Returns the index from which all blocks up to the latest are known.
    fn known_from(&self, tip: u64) -> Option<u64> {
        let mut from = self.knows(tip).then_some(tip)?;
        loop {
            from = match from.checked_sub(1) {
                Some(below) if self.swept.contains(&below) => self.swept.start,
                Some(below) if self.read.contains_key(&below) => below,
                _ => return Some(from),
            };
        }
    }

    /// Returns the unknown indexes from `from` to `tip`, if they are at most `limit`.
    fn unknown(&self, from: u64, tip: u64, limit: u64) -> Option<Vec<u64>> {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let before = from..self.swept.start.clamp(from, tip + 1);
        let after = self.swept.end.max(from)..tip.saturating_add(1);
        let indexes = before.chain(after).filter(|index| !self.knows(*index));
        let unknown: Vec<_> = indexes.take(most.saturating_add(1)).collect();
        (unknown.len() <= most).then_some(unknown)
    }
}

/// Maximum number of blocks to read in search of the claim that made a record.
const MAX_BLOCKS: u64 = 64;
/// Number of blocks, or records, to request at a time.
pub(super) const AT_A_TIME: usize = 4;

/// Reads the blocks that were not read yet: all of them if they are at most `limit`, or else those
/// since the latest claim. If one can't be read, the origin of the record stays unknown.
async fn read_rest(
    context: &Context,
    blocks: &mut Blocks,
    tip: u64,
    latest: Option<u64>,
    limit: u64,
) {
    let unread = |from: u64| blocks.unknown(from, tip, limit);
    let unread = unread(1).or_else(|| unread(latest?.saturating_add(1)));
    let mut responses = stream::iter(unread.unwrap_or_default())
        .map(|index| async move { (index, context.node.send(block_request(index)).await) })
        .buffered(AT_A_TIME);
    while let Some((index, response)) = responses.next().await {
        let Ok(block) = response else {
            return;
        };
        if block.success_object().is_some() {
            blocks.read.insert(index, block);
        }
    }
}

/// Returns the first difference between a record and a claim: the column, the claim's value and the
/// record's value.
fn difference<'r>(row: Row<'r>, claim: &ListedClaim<'r>) -> Option<(&'r str, String, String)> {
    let params = claim.made.params.iter();
    // The verifier was already compared. It may be the signer instead of the wallet in the params.
    let mut stored = params.filter(|(name, _)| {
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

/// The result of checking one record.
enum Verdict {
    Right,
    Unknown(&'static str),
    /// It differs from the claim, but one in a block that was not read may have made it: a newer one may have replaced the
    /// claim, or an older one may have kept it from being stored.
    Undecided(u64),
    Wrong(String, String, String),
}

fn judge(blocks: &Blocks, tip: u64, contract: &str, asset: &str, row: Row<'_>) -> Verdict {
    let claims = claims(blocks, contract, asset);
    let Some(from) = blocks.known_from(tip) else {
        return Verdict::Unknown("the latest block was not found, so a newer claim may be unseen");
    };
    let Some(latest) = claims.last() else {
        return Verdict::Unknown("no block that was read has the claim");
    };
    let Some(verifier) = row.column("verifier_address").and_then(Value::as_str) else {
        let found = row.column("verifier_address");
        return Verdict::Wrong(
            "the record's verifier_address is not text".to_owned(),
            latest
                .made
                .verifiers
                .iter()
                .copied()
                .collect::<Vec<_>>()
                .join(" or "),
            found.map_or_else(
                || "no such member".to_owned(),
                |v| shown(&v.to_string(), 80),
            ),
        );
    };
    let theirs: Vec<_> = claims
        .iter()
        .filter(|claim| claim.made.verifiers.contains(verifier))
        .collect();
    let Some(last) = theirs.last() else {
        // Another wallet may have made its own claim in a block that was not read.
        if from > 1 && verifier.parse::<WalletAddress>().is_ok() {
            return Verdict::Unknown(
                "the record's verifier made its claim in no block that was read",
            );
        }
        let makers: BTreeSet<_> = claims
            .iter()
            .flat_map(|claim| &claim.made.verifiers)
            .collect();
        return Verdict::Wrong(
            "the record's verifier_address is not that of a claim on the chain".to_owned(),
            makers.into_iter().copied().collect::<Vec<_>>().join(" or "),
            shown(verifier, 80),
        );
    };
    // If the same wallet makes a second claim, a node may refuse it or replace the first.
    if theirs.iter().any(|claim| difference(row, claim).is_none()) {
        return Verdict::Right;
    }
    if from > 1 {
        return Verdict::Undecided(last.block);
    }
    match difference(row, last) {
        None => Verdict::Right,
        Some((name, wanted, found)) => Verdict::Wrong(
            format!(
                "`{name}` in the record differs from `{name}` in the claim in block {}",
                last.block
            ),
            wanted,
            found,
        ),
    }
}

/// Checks that a record matches the claim in a block: those of the samples, and those of all claims
/// in the blocks of a sweep.
pub(crate) async fn matches_claim(context: &Context) -> Findings {
    let Some(tip) = context.discovered.tip else {
        let reason = "the latest block was not found, so a newer claim may be unseen";
        return Err(InconclusiveReason::NoSample(reason.to_owned()));
    };
    let mut blocks = Blocks {
        read: context.discovered.blocks.iter().cloned().collect(),
        ..Blocks::default()
    };
    let samples = objects(context, Sample::ContractState).await?;
    let of_samples = check_records(context, &samples, &mut blocks, tip).await;
    let Some(sweep) = context.sweep.get() else {
        return of_samples?.findings();
    };
    let mut all = of_samples.unwrap_or_default();
    let assets = sweep.assets();
    let mut responses = stream::iter(assets)
        .map(|asset| record_and_claims(&context.node, asset))
        .buffered(AT_A_TIME);
    while let Some(response) = responses.next().await {
        let (record, made) = match response {
            Ok(both) => both,
            Err(inconclusive) if all.checked.has_no_findings() => return Err(inconclusive),
            Err(_) => break,
        };
        let mut blocks = Blocks {
            read: blocks.read.clone(),
            swept: sweep.blocks.clone(),
        };
        blocks.read.extend(made);
        let compared = check_records(context, &[record], &mut blocks, tip).await?;
        if compared.judged {
            sweep.count_compared();
        }
        all.add(compared);
    }
    all.findings()
}

/// Requests the record about an asset, and the blocks with its claims.
async fn record_and_claims(
    node: &Node,
    asset: SweptAsset,
) -> Result<(Arc<Exchange>, Vec<(u64, Arc<Exchange>)>), InconclusiveReason> {
    let request = contract_state_request(&asset.contract, &asset.asset);
    let record = node.send(request).await?;
    let mut blocks = Vec::new();
    for index in asset.blocks {
        blocks.push((index, node.send(block_request(index)).await?));
    }
    Ok((record, blocks))
}

/// The result of comparing records with claims.
#[derive(Default)]
struct RecordCheck {
    checked: Examination,
    /// Whether a record was compared.
    judged: bool,
    /// Why a record that differs from a claim is not a finding.
    undecided: Option<String>,
    /// Why a record was not compared.
    reason: Option<&'static str>,
}

impl RecordCheck {
    fn add(&mut self, other: Self) {
        self.checked.extend(other.checked);
        self.judged |= other.judged;
        self.undecided = self.undecided.take().or(other.undecided);
        self.reason = self.reason.or(other.reason);
    }

    fn findings(self) -> Findings {
        let none = "no response had a record of a known form, so none could be compared";
        match self.undecided {
            Some(reason) if self.checked.has_no_findings() => {
                Err(InconclusiveReason::NoSample(reason))
            }
            _ if self.judged => Ok(self.checked),
            _ => Err(InconclusiveReason::NoSample(
                self.reason.unwrap_or(none).to_owned(),
            )),
        }
    }
}

/// Compares the records in these responses with the claims in `blocks`.
async fn check_records(
    context: &Context,
    responses: &[Arc<Exchange>],
    blocks: &mut Blocks,
    tip: u64,
) -> Result<RecordCheck, InconclusiveReason> {
    let compared = compare_records(context, responses, blocks, tip).await;
    if compared.checked.has_no_findings() {
        return Ok(compared);
    }
    // The record may be that of a claim in a block above the run's height.
    let height = read_new(context, blocks, tip).await?;
    Ok(compare_records(context, responses, blocks, height).await)
}

/// Reads the blocks above `tip`, and returns the height.
async fn read_new(
    context: &Context,
    blocks: &mut Blocks,
    tip: u64,
) -> Result<u64, InconclusiveReason> {
    for index in tip + 1..=tip + MAX_BLOCKS {
        let block = context.node.send(block_request(index)).await?;
        if !block.success_object().is_some_and(is_block) {
            return Ok(index - 1);
        }
        blocks.read.insert(index, block);
    }
    Err(InconclusiveReason::NoSample(format!(
        "a record differs from its claim, and the node made {MAX_BLOCKS} blocks or more during the run, so a \
         newer claim may be in one of them"
    )))
}

/// Compares every record with the claims in `blocks`, of which `tip` is the latest.
async fn compare_records(
    context: &Context,
    responses: &[Arc<Exchange>],
    blocks: &mut Blocks,
    tip: u64,
) -> RecordCheck {
    let mut compared = RecordCheck::default();
    for exchange in responses {
        let requested = |name: &str| {
            let mut query = exchange.request.query.iter();
            query
                .find(|(given, _)| *given == name)
                .map(|(_, value)| value.as_str())
        };
        let (Some(contract), Some(asset)) =
            (requested("contract_address"), requested("unique_value"))
        else {
            continue;
        };
        let Some(body) = exchange.success_object() else {
            continue;
        };
        for (member, value) in carried(body) {
            let about = |row: &Row<'_>| row.has("asset_id", asset);
            for row in rows(value).unwrap_or_default().into_iter().filter(about) {
                let mut verdict = judge(blocks, tip, contract, asset, row);
                let limit = match verdict {
                    Verdict::Unknown(_) => MAX_BLOCKS,
                    // This is likely to be a fault, so most of the requests that are left are worth it.
                    Verdict::Undecided(_) => context.node.requests_left() / 5 * 4,
                    Verdict::Right | Verdict::Wrong(..) => 0,
                };
                if limit > 0 {
                    let latest = claims(blocks, contract, asset)
                        .last()
                        .map(|claim| claim.block);
                    read_rest(context, blocks, tip, latest, limit).await;
                    verdict = judge(blocks, tip, contract, asset, row);
                }
                match verdict {
                    Verdict::Right => {
                        compared.judged = true;
                        compared.checked.count_item();
                    }
                    Verdict::Unknown(reason) => compared.reason = Some(reason),
                    Verdict::Undecided(block) => {
                        compared.undecided.get_or_insert_with(|| {
                            format!(
                                "the record about asset {} differs from the claim in block {block}, but \
                                 may be that of another claim of its verifier: the run read too few of \
                                 the other blocks to decide. Set --max-requests to twice the height of the chain",
                                shown(asset, 80)
                            )
                        });
                    }
                    Verdict::Wrong(what, expected, actual) => {
                        compared.judged = true;
                        let finding = Finding::new(exchange, what, expected, actual);
                        compared.checked.push(finding.at(format!("/{member}")));
                    }
                }
            }
        }
    }
    compared
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_may_be_stored_as_text_and_a_number_may_not() {
        let same =
            |stored: Value, wanted: Value| FirstDifference::of_stored(&wanted, &stored).is_none();
        assert!(same(json!("[\"a\"]"), json!(["a"])));
        assert!(!same(json!("1"), json!(1)));
        assert!(!same(Value::Null, json!("")));
    }
}
