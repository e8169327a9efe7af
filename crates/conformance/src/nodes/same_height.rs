//! Compares balances, contract state and trust scores of nodes at the same height.
//!
//! All of these change with each block. So each comparison needs responses from the same height. A
//! node that gets a new block while it responds gets the request again at once. If the nodes were at different
//! heights, and the responses differ, all requests are repeated after a pause.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use futures_util::future::try_join_all;
use nodeproof_report::CaseReport;

use super::{
    content::{
        Content, balance_content, held_content, holders_content, listed_content, record_content,
        trust_content,
    },
    difference::Differences,
    height::height_now,
    side::Side,
};
use crate::{
    api::{
        contract_state_request, token_balance_request, token_holders_request, trust_request,
        wallet_balances_request,
    },
    http::{BackOff, Exchange, Request},
};

/// Maximum number of tries for each comparison.
const MAX_TRIES: u32 = 5;
/// Maximum number of responses that a node gives in one try, if it gets a new block during each of them.
const MAX_RESPONSES: u32 = 3;
/// The first pause before all requests are repeated.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Maximum number of balances, of records and of trust scores that are compared.
const MAX_PAIRS: usize = 4;

/// Compares single balances, and the entries of the two lists: by wallet and by token.
pub(crate) async fn balances(sides: &[Side]) -> CaseReport {
    let requested = union(sides, |side| &side.examined.holdings);
    let mut compared = SameHeight::default();
    for (wallet, token) in &requested {
        let place = format!("{token} in {wallet}");
        let request = token_balance_request(wallet, token);
        compared
            .compare_response(sides, place, &request, balance_content)
            .await;
    }
    let wallets: BTreeSet<_> = requested.iter().map(|(wallet, _)| wallet).collect();
    for wallet in wallets {
        let place = |token: &str| format!("{token} in {wallet}, as listed for the wallet");
        let request = wallet_balances_request(wallet);
        compared
            .compare_list(sides, place, &request, held_content)
            .await;
    }
    let tokens: BTreeSet<_> = requested.iter().map(|(_, token)| token).collect();
    for token in tokens {
        let place = |holder: &str| format!("{token} in {holder}, as listed for the token");
        let request = token_holders_request(token);
        compared
            .compare_list(sides, place, &request, holders_content)
            .await;
    }
    compared.into_cross_check("balances")
}

pub(crate) async fn records(sides: &[Side]) -> CaseReport {
    let mut compared = SameHeight::default();
    for (contract, asset) in union(sides, |side| &side.examined.assets) {
        let asset_shown = nodeproof_primitives::escape::escaped_up_to(asset, 80);
        let place = format!("asset {asset_shown} in {contract}");
        let request = contract_state_request(contract, asset);
        compared
            .compare_response(sides, place, &request, record_content)
            .await;
    }
    compared.into_cross_check("contract-state")
}

pub(crate) async fn trust_scores(sides: &[Side]) -> CaseReport {
    let mut compared = SameHeight::default();
    for (from, to) in union(sides, |side| &side.examined.trust) {
        let place = format!("from {from} to {to}");
        let request = trust_request(from, to);
        compared
            .compare_response(sides, place, &request, trust_content)
            .await;
    }
    compared.into_cross_check("trust-scores")
}

/// Combines the samples of all nodes: the first one of each node, then the second ones, and so on.
fn union<'s>(
    sides: &'s [Side],
    known: impl Fn(&'s Side) -> &'s Vec<(String, String)>,
) -> Vec<&'s (String, String)> {
    let mut all = Vec::new();
    for row in 0..MAX_PAIRS {
        for pair in sides.iter().filter_map(|side| known(side).get(row)) {
            if !all.contains(&pair) && all.len() < MAX_PAIRS {
                all.push(pair);
            }
        }
    }
    all
}

/// The differences, and the reason if something could not be compared.
#[derive(Default)]
struct SameHeight {
    differences: Differences,
    has_sample: bool,
    why: Option<String>,
}

impl SameHeight {
    /// Compares the nodes' responses to one request.
    async fn compare_response(
        &mut self,
        sides: &[Side],
        place: String,
        request: &Request,
        read: fn(&Arc<Exchange>) -> Option<Content>,
    ) {
        if let Some(contents) = self.responses(sides, request, read).await {
            self.differences.add(sides, &contents, || place.clone());
        }
    }

    /// Compares lists of balances entry by entry. A missing entry counts as 0.
    async fn compare_list(
        &mut self,
        sides: &[Side],
        place: impl Fn(&str) -> String,
        request: &Request,
        read: fn(&Arc<Exchange>) -> Option<BTreeMap<String, String>>,
    ) {
        let Some(lists) = self.responses(sides, request, read).await else {
            return;
        };
        let names: BTreeSet<_> = lists.iter().flatten().flat_map(BTreeMap::keys).collect();
        for name in names {
            let contents: Vec<_> = lists
                .iter()
                .map(|list| list.as_ref().map(|list| listed_content(list.get(name))))
                .collect();
            self.differences.add(sides, &contents, || place(name));
        }
    }

    async fn responses<T: PartialEq>(
        &mut self,
        sides: &[Side],
        request: &Request,
        read: fn(&Arc<Exchange>) -> Option<T>,
    ) -> Option<Vec<Option<T>>> {
        self.has_sample = true;
        let (responses, why) = match at_same_height(sides, request, read).await {
            Ok((responses, skipped)) => (Some(responses), skipped),
            Err(reason) => (None, Some(reason)),
        };
        self.why = self.why.take().or(why);
        responses
    }

    fn into_cross_check(self, id: &str) -> CaseReport {
        let nothing = || "no sample was found on any of the nodes".to_owned();
        let why = self.why.or_else(|| (!self.has_sample).then(nothing));
        self.differences.into_cross_check(id, why)
    }
}

/// A node's response.
struct Reading<T> {
    content: Option<T>,
    /// The node's height, unless it changed during the response.
    height: Option<u64>,
    /// Whether the node got a new block since its previous reading.
    grew: bool,
}

/// Returns a response during which the node's height did not change, or the last one of a few.
///
/// Most often, a new block came before the request, in the pause between two tries. Then the second
/// response counts.
async fn reading<T>(
    side: &Side,
    request: &Request,
    read: fn(&Arc<Exchange>) -> Option<T>,
) -> Result<Reading<T>, String> {
    let first = side.last_height();
    let mut responses = 1;
    loop {
        let before = side.last_height();
        let response = side.examined.node.send(request.clone()).await;
        let after = height_now(side).await?;
        if before == after || responses == MAX_RESPONSES {
            return Ok(Reading {
                content: response.ok().as_ref().and_then(read),
                height: (before == after).then_some(after),
                grew: first != after,
            });
        }
        responses += 1;
    }
}

/// Returns the contents from nodes at the same height, and which nodes were left out because they lag.
///
/// The nodes need not be at this height at the same moment. If the nodes make blocks faster than they
/// respond, equal contents are returned without a common height.
async fn at_same_height<T: PartialEq>(
    sides: &[Side],
    request: &Request,
    read: fn(&Arc<Exchange>) -> Option<T>,
) -> Result<(Vec<Option<T>>, Option<String>), String> {
    // What each node returned at each height, if its height did not change meanwhile.
    let mut known: Vec<BTreeMap<u64, Option<T>>> = sides.iter().map(|_| BTreeMap::new()).collect();
    let mut back_off = BackOff::unbounded(FIRST_PAUSE);
    let mut stood_still = false;
    for _ in 0..MAX_TRIES {
        let readings = sides.iter().map(|side| reading(side, request, read));
        let readings = try_join_all(readings).await?;
        let grew = readings.iter().any(|reading| reading.grew);
        if grew && all_equal(&readings) {
            return Ok((
                readings
                    .into_iter()
                    .map(|reading| reading.content)
                    .collect(),
                None,
            ));
        }
        for (known, reading) in known.iter_mut().zip(readings) {
            if let Some(height) = reading.height {
                known.insert(height, reading.content);
            }
        }
        let all = most_common(&known).is_some_and(|(_, nodes)| nodes == sides.len());
        // A node that gets each block a moment later is not behind.
        if all || (!grew && stood_still) {
            break;
        }
        stood_still = !grew;
        back_off.wait().await;
    }
    let is_at = |side: &Side| format!("{} is at block {}", side.name, side.last_height());
    let Some((height, 2..)) = most_common(&known) else {
        let heights: Vec<_> = sides.iter().map(is_at).collect();
        return Err(format!(
            "no two nodes stayed at the same block: {}",
            heights.join(", ")
        ));
    };
    let contents: Vec<_> = known
        .iter_mut()
        .map(|known| known.remove(&height))
        .collect();
    let skipped = sides.iter().zip(&contents);
    let skipped: Vec<_> = skipped
        .filter(|(_, content)| content.is_none())
        .map(|(side, _)| is_at(side))
        .collect();
    let skipped = (!skipped.is_empty())
        .then(|| format!("compared at block {height}, but {}", skipped.join(", ")));
    Ok((contents.into_iter().map(Option::flatten).collect(), skipped))
}

/// Whether all nodes returned the same content.
fn all_equal<T: PartialEq>(readings: &[Reading<T>]) -> bool {
    let mut contents = readings.iter().map(|reading| &reading.content);
    let first = contents.next().filter(|first| first.is_some());
    first.is_some_and(|first| contents.all(|content| content == first))
}

/// Returns the height at which most nodes responded, and their number. Of several such heights, it is
/// the highest.
fn most_common<T>(known: &[BTreeMap<u64, T>]) -> Option<(u64, usize)> {
    let heights: BTreeSet<_> = known.iter().flat_map(BTreeMap::keys).copied().collect();
    heights
        .into_iter()
        .map(|height| {
            (
                height,
                known
                    .iter()
                    .filter(|known| known.contains_key(&height))
                    .count(),
            )
        })
        .max_by_key(|(height, nodes)| (*nodes, *height))
}
