//! Compares balances, contract state and trust scores of nodes at the same height.
//!
//! All of these change with each block. So each comparison needs nodes that stay at the same height
//! while they respond. If a node gets a new block meanwhile, all requests are repeated.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use futures_util::future::join_all;
use nodeproof_report::CrossCheck;

use super::{
    content::{
        Content, balance_content, held_content, holders_content, listed_content, record_content,
        trust_content,
    },
    difference::Differences,
    height::heights_of_all,
    side::Side,
};
use crate::{
    api::{
        contract_state_request, token_balance_request, token_holders_request, trust_request,
        wallet_balances_request,
    },
    http::{BackOff, Exchange, InconclusiveReason, Request},
};

/// Maximum number of tries for each comparison.
const MAX_TRIES: u32 = 5;
/// The first pause before all requests are repeated.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Maximum number of balances, of records and of trust scores that are compared.
const MAX_PAIRS: usize = 4;

/// Compares single balances, and the entries of the two lists: by wallet and by token.
pub(crate) async fn balances(sides: &[Side]) -> CrossCheck {
    let requested = union(sides, |side| &side.known.holdings);
    let mut compared = Comparison::default();
    for (wallet, token) in &requested {
        let place = format!("{token} in {wallet}");
        let request = token_balance_request(wallet, token);
        compared.one(sides, place, &request, balance_content).await;
    }
    let wallets: BTreeSet<_> = requested.iter().map(|(wallet, _)| wallet).collect();
    for wallet in wallets {
        let place = |token: &str| format!("{token} in {wallet}, as listed for the wallet");
        let request = wallet_balances_request(wallet);
        compared.list(sides, place, &request, held_content).await;
    }
    let tokens: BTreeSet<_> = requested.iter().map(|(_, token)| token).collect();
    for token in tokens {
        let place = |holder: &str| format!("{token} in {holder}, as listed for the token");
        let request = token_holders_request(token);
        compared.list(sides, place, &request, holders_content).await;
    }
    compared.told("balances")
}

pub(crate) async fn records(sides: &[Side]) -> CrossCheck {
    let mut compared = Comparison::default();
    for (contract, asset) in union(sides, |side| &side.known.assets) {
        let asset_shown = nodeproof_primitives::escape::escaped_up_to(asset, 80);
        let place = format!("asset {asset_shown} in {contract}");
        let request = contract_state_request(contract, asset);
        compared.one(sides, place, &request, record_content).await;
    }
    compared.told("contract-state")
}

pub(crate) async fn trust_scores(sides: &[Side]) -> CrossCheck {
    let mut compared = Comparison::default();
    for (from, to) in union(sides, |side| &side.known.trust) {
        let place = format!("from {from} to {to}");
        let request = trust_request(from, to);
        compared.one(sides, place, &request, trust_content).await;
    }
    compared.told("trust-scores")
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
struct Comparison {
    differences: Differences,
    has_sample: bool,
    why: Option<String>,
}

impl Comparison {
    /// Compares the nodes' responses to one request.
    async fn one(
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
    async fn list(
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

    async fn responses<T>(
        &mut self,
        sides: &[Side],
        request: &Request,
        read: fn(&Arc<Exchange>) -> Option<T>,
    ) -> Option<Vec<Option<T>>> {
        self.has_sample = true;
        let (responses, why) = match at_same_height(sides, request, read).await {
            Ok((responses, left_out)) => (Some(responses), left_out),
            Err(reason) => (None, Some(reason)),
        };
        self.why = self.why.take().or(why);
        responses
    }

    fn told(self, id: &str) -> CrossCheck {
        let nothing = || "no sample was found on any of the nodes".to_owned();
        let why = self.why.or_else(|| (!self.has_sample).then(nothing));
        self.differences.told(id, why)
    }
}

/// Returns the contents from nodes at the same height, and which nodes were left out because they lag.
async fn at_same_height<T>(
    sides: &[Side],
    request: &Request,
    read: fn(&Arc<Exchange>) -> Option<T>,
) -> Result<(Vec<Option<T>>, Option<String>), String> {
    let mut before = heights_of_all(sides).await?;
    let mut back_off = BackOff::unbounded(FIRST_PAUSE);
    for _ in 0..MAX_TRIES {
        let responses = join_all(
            sides
                .iter()
                .map(|side| side.known.node.send(request.clone())),
        )
        .await;
        let after = heights_of_all(sides).await?;
        // The most common height, and the highest of several equally common ones.
        let most = after
            .iter()
            .max_by_key(|height| {
                (
                    after.iter().filter(|other| other == height).count(),
                    **height,
                )
            })
            .copied()
            .unwrap_or_default();
        let stood = |place: &usize| before[*place] == after[*place] && after[*place] == most;
        let at_same_height: Vec<_> = (0..sides.len()).filter(stood).collect();
        // A node that just got a block may be at the common height in the next try.
        let moved = before != after;
        if at_same_height.len() >= 2 && !moved {
            let contents = responses.into_iter().enumerate().map(|(place, response)| {
                let response: Result<Arc<Exchange>, InconclusiveReason> = response;
                let response = response.ok().filter(|_| at_same_height.contains(&place))?;
                read(&response)
            });
            let left_out: Vec<_> = (0..sides.len())
                .filter(|place| !at_same_height.contains(place))
                .map(|place| format!("{} is at block {}", sides[place].name, after[place]))
                .collect();
            let left_out = (!left_out.is_empty())
                .then(|| format!("compared at block {most}, but {}", left_out.join(", ")));
            return Ok((contents.collect(), left_out));
        }
        if !moved {
            break;
        }
        before = after;
        back_off.wait().await;
    }
    let heights: Vec<_> = sides
        .iter()
        .zip(&before)
        .map(|(side, height)| format!("{} is at block {height}", side.name))
        .collect();
    Err(format!(
        "no two nodes stayed at the same block: {}",
        heights.join(", ")
    ))
}
