//! The rule *scored*: a trust score is that of its latest update in a block.
//!
//! No document shows the form of an update (type 6). So the node itself has to show what one means: at least one score must
//! be that of an update, from the wallet that signs it to the other one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    api::{is_listed_as_failed, listed_signatures, listed_transactions, requested, wallet_members},
    checks::{Examination, Finding},
    history::{Entry, History, MIN_NEW_BLOCKS},
};

/// The type of an update (observed).
const UPDATE: i64 = 6;

/// Maximum number of responses that are judged. A recording may have very many.
const MOST_SCORES: usize = 1_000;

/// The wallet that trusts, and the one that is trusted.
type Pair<'v> = (&'v str, &'v str);

/// An update in a block: its block, and the score. `None` if it has a form that says no score.
type Update = (u64, Option<i64>);

/// Judges all scores that were read two blocks or more after their latest update, if all later blocks are known.
pub(crate) fn scored(history: &History) -> Examination {
    let mut result = Examination::default();
    let updates = updates(history);
    let (mut shows_meaning, mut wrong) = (false, BTreeMap::new());
    let mut mirrored = Mirrored::default();
    let plain = history.of_path("/get-trustscore-wallets").filter(|entry| {
        let request = &entry.exchange.request;
        request.raw_query.is_none() && request.query.len() == 2
    });
    for entry in plain.take(MOST_SCORES) {
        let Some(pair) = pair(entry) else { continue };
        let shown = entry.exchange.success_object();
        let shown = shown.and_then(|body| body.get("trust_score")?.as_i64());
        let Some(update) = updates.get(&pair) else {
            let reverse = updates.get(&(pair.1, pair.0));
            if let Some((_, expected)) = reverse.and_then(|of| settled(history, *of, entry)) {
                mirrored.add(pair, entry, (shown == Some(expected)).then_some(expected));
            }
            continue;
        };
        let Some((index, expected)) = settled(history, *update, entry) else {
            continue;
        };
        if shown == Some(expected) {
            result.count_item();
            // In the other direction, it may have another meaning.
            let other = updates.get(&(pair.1, pair.0));
            shows_meaning |= other.is_none_or(|(_, score)| *score != shown);
        } else if entry.exchange.status < 429 {
            wrong.entry(pair).or_insert((entry, index, expected));
        }
    }
    let wrong = wrong.into_values().filter(|_| shows_meaning);
    let wrong = wrong.map(|(entry, index, expected)| {
        let what = "a trust score is not that of its latest update in a block";
        (entry, what, format!("{expected}, as block {index} has it"))
    });
    let mirrored = mirrored.contradicting(history).map(|entry| {
        let expected = "no score, because only the other direction has an update";
        (
            entry,
            "a trust score that no block has",
            expected.to_owned(),
        )
    });
    for (entry, what, expected) in wrong.chain(mirrored) {
        result.count_item();
        result.push(Finding::of_body(&entry.exchange, what, expected).at("/trust_score"));
    }
    result
}

/// Responses about pairs whose other direction alone has an update.
#[derive(Default)]
struct Mirrored<'h> {
    /// The response and the score of each pair that has the score of its other direction.
    equal: BTreeMap<Pair<'h>, (&'h Entry, i64)>,
    has_another: bool,
}

impl<'h> Mirrored<'h> {
    fn add(&mut self, pair: Pair<'h>, entry: &'h Entry, score: Option<i64>) {
        match score {
            Some(score) => {
                self.equal.entry(pair).or_insert((entry, score));
            }
            None => self.has_another |= entry.exchange.status < 429,
        }
    }

    /// Returns the responses, if all blocks are known and every pair has the score of its other direction. It takes two
    /// scores: one may have been given before the first block.
    fn contradicting(self, history: &History) -> impl Iterator<Item = &'h Entry> {
        let scores = self.equal.values().map(|(_, score)| *score);
        let scores: BTreeSet<i64> = scores.filter(|score| *score != 0).collect();
        let is_wrong = scores.len() > 1 && !self.has_another && history.complete_from(1).is_some();
        let all = self.equal.into_values().filter(move |_| is_wrong);
        all.map(|(entry, _)| entry)
    }
}

/// Returns the wallets that a request is about.
fn pair(entry: &Entry) -> Option<Pair<'_>> {
    let requested = |name| requested(&entry.exchange, name);
    Some((
        requested("src_wallet_address")?,
        requested("dst_wallet_address")?,
    ))
}

/// Returns the block and the score of an update, if it certainly was the latest one of its pair when a response came.
fn settled(history: &History, (index, score): Update, entry: &Entry) -> Option<(u64, i64)> {
    let (_, known_until) = history.complete_from(index.saturating_add(1))?;
    let height = history.height_before(entry.began)?;
    let is_settled = height >= index.saturating_add(MIN_NEW_BLOCKS) && entry.ended <= known_until;
    Some((index, score.filter(|_| is_settled)?))
}

/// Returns the latest update of each pair in the known blocks.
fn updates(history: &History) -> BTreeMap<Pair<'_>, Update> {
    let blocks: BTreeMap<u64, &Entry> = history.blocks().collect();
    let mut latest = BTreeMap::new();
    for (index, block) in blocks {
        let block = block.exchange.success_object().into_iter();
        let all = block.flat_map(listed_transactions);
        let updates = all.filter(|(entry, transaction)| {
            transaction["type"] == UPDATE && !is_listed_as_failed(entry)
        });
        let of_each = updates.flat_map(|(entry, transaction)| update(entry, transaction));
        latest.extend(of_each.map(|(pair, score)| (pair, (index, score))));
    }
    latest
}

/// Returns the pair of an update and its score. If it is not clear who of the two signed it, both directions have an unknown
/// score.
fn update<'v>(entry: &'v Value, transaction: &'v Value) -> Vec<(Pair<'v>, Option<i64>)> {
    let Some(members) = transaction["specific_data"].as_object() else {
        return Vec::new();
    };
    let mut wallets = wallet_members(members).map(|(_, wallet)| wallet);
    let (Some(one), Some(other)) = (wallets.next(), wallets.next()) else {
        return Vec::new();
    };
    let scores = members.iter().filter(|(name, _)| name.ends_with("score"));
    let scores: Vec<_> = scores.map(|(_, value)| value.as_i64()).collect();
    let score = match scores[..] {
        [score] => score,
        _ => None,
    };
    let signers: Vec<_> = listed_signatures(entry, transaction)
        .filter_map(|signature| signature["wallet_address"].as_str())
        .collect();
    match (signers.contains(&one), signers.contains(&other)) {
        (true, false) => vec![((one, other), score)],
        (false, true) => vec![((other, one), score)],
        _ => vec![((one, other), None), ((other, one), None)],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        api::{block_request, trust_request},
        history::recorded,
    };

    /// A wallet.
    fn at(digit: u8) -> String {
        format!("0x{}", digit.to_string().repeat(40))
    }

    /// An update of the first wallet's trust in the second one, signed by a wallet.
    fn updated(one: u8, other: u8, score: i64, signer: u8) -> Value {
        let data = json!({"address1": at(one), "address2": at(other), "tscore_type": 1, "new_score": score});
        json!({"transaction": {"type": 6, "specific_data": data}, "signatures": [{"wallet_address": at(signer)}]})
    }

    /// Returns the number of findings. The updates are in block 2 of 4 or, with `is_new`, in block 3.
    fn found(updates: &[Value], scores: &[(u8, u8, Option<i64>)], is_new: bool) -> usize {
        let mut bodies = Vec::new();
        for index in 1..=4 {
            let is_it = index == if is_new { 3 } else { 2 };
            let transactions = if is_it { updates } else { &[] };
            let body = json!({"index": index, "text": {"transactions": transactions}});
            bodies.push((index, block_request(index), 200, body.to_string()));
        }
        for (one, other, score) in scores {
            let (status, body) = match score {
                Some(score) => (200, json!({"status": "SUCCESS", "trust_score": score})),
                None => (400, json!({"detail": "Trust score not available"})),
            };
            bodies.push((
                10,
                trust_request(&at(*one), &at(*other)),
                status,
                body.to_string(),
            ));
        }
        bodies.push((20, block_request(5), 404, "{}".to_owned()));
        let rows = bodies.iter().map(|(moment, request, status, body)| {
            (*moment, request.clone(), *status, body.as_str())
        });
        scored(&recorded(rows.collect())).findings.len()
    }

    #[test]
    fn each_direction_has_the_score_of_its_own_latest_update() {
        let both = [
            updated(1, 2, 7, 1),
            updated(2, 1, 3, 2),
            updated(3, 4, 0, 3),
        ];
        let right = [(1, 2, Some(7)), (2, 1, Some(3)), (3, 4, Some(0))];
        let one_key = [(1, 2, Some(3)), (2, 1, Some(3)), (3, 4, Some(0))];
        let no_zero = [(1, 2, Some(7)), (2, 1, Some(3)), (3, 4, None)];
        for (scores, expected) in [(right, 0), (one_key, 1), (no_zero, 1)] {
            assert_eq!(found(&both, &scores, false), expected, "{scores:?}");
            assert_eq!(found(&both, &scores, true), 0, "{scores:?}");
        }
        let twice = [
            updated(1, 2, 7, 1),
            updated(1, 2, 8, 1),
            updated(3, 4, 5, 3),
        ];
        for (score, expected) in [(7, 1), (8, 0)] {
            let scores = [(1, 2, Some(score)), (3, 4, Some(5))];
            assert_eq!(found(&twice, &scores, false), expected, "{score}");
        }
    }

    #[test]
    fn the_other_direction_of_an_update_has_no_score() {
        let updates = [
            updated(1, 2, 7, 1),
            updated(3, 4, 5, 3),
            updated(5, 6, 7, 5),
        ];
        let of = |scores: [Option<i64>; 3]| {
            let [one, two, three] = scores;
            [(2, 1, one), (4, 3, two), (6, 5, three)]
        };
        for (scores, expected) in [
            ([Some(7), Some(5), Some(7)], 3),
            ([None, None, None], 0),
            // Each wallet may have given one before the first block.
            ([Some(7), Some(5), None], 0),
            ([Some(7), Some(5), Some(1)], 0),
        ] {
            assert_eq!(found(&updates, &of(scores), false), expected, "{scores:?}");
            assert_eq!(found(&updates, &of(scores), true), 0, "{scores:?}");
        }
        let one_score = [(2, 1, Some(7)), (6, 5, Some(7))];
        assert_eq!(found(&updates, &one_score, false), 0);
    }

    #[test]
    fn an_update_that_is_not_understood_shows_nothing() {
        let all_reversed = [(1, 2, Some(3)), (2, 1, Some(7))];
        let both = [updated(1, 2, 7, 1), updated(2, 1, 3, 2)];
        assert_eq!(found(&both, &all_reversed, false), 0);
        // The wallet that signs is the one that trusts.
        let other_order = [updated(1, 2, 7, 2), updated(3, 4, 5, 4)];
        assert_eq!(
            found(&other_order, &[(2, 1, Some(7)), (4, 3, Some(1))], false),
            1
        );
        // Nobody knows which of these made the score.
        let unsigned = [
            updated(1, 2, 7, 1),
            updated(1, 2, 9, 5),
            updated(3, 4, 5, 3),
        ];
        assert_eq!(
            found(&unsigned, &[(1, 2, Some(7)), (3, 4, Some(5))], false),
            0
        );
        let mut failed = updated(1, 2, 9, 1);
        failed["status"] = json!(-12);
        let failed = [updated(1, 2, 7, 1), failed, updated(3, 4, 5, 3)];
        assert_eq!(
            found(&failed, &[(1, 2, Some(7)), (3, 4, Some(5))], false),
            0
        );
    }
}
