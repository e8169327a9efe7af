//! Balances and the state of contracts, where nodes are at the same block.
//!
//! Both change with a block. So nodes are asked while they are at the same height and stay there;
//! where one moves on meanwhile, all is asked again.

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;

use super::{
    Side,
    content::{self, Content},
    difference::Differences,
    height,
};
use crate::{
    exchange::{Exchange, Request},
    outcome::Obstacle,
    report::CrossCheck,
    sample::{contract_state_request, token_balance_request},
};

/// How often all is asked again.
const MOST_TRIES: u32 = 5;
/// How many balances, and how many records.
const MOST_ASKED: usize = 4;

pub(super) async fn balances(sides: &[Side]) -> CrossCheck {
    let asked = union(sides, |side| &side.known.holdings);
    let questions: Vec<_> = asked
        .iter()
        .map(|(wallet, token)| {
            let place = format!("{token} in {wallet}");
            (place, token_balance_request(wallet, token))
        })
        .collect();
    compare("balances", sides, &questions, content::balance).await
}

pub(super) async fn records(sides: &[Side]) -> CrossCheck {
    let asked = union(sides, |side| &side.known.assets);
    let questions: Vec<_> = asked
        .iter()
        .map(|(contract, asset)| {
            let asset_shown = node_client::escape::escaped_up_to(asset, 80);
            let place = format!("asset {asset_shown} in {contract}");
            (place, contract_state_request(contract, asset))
        })
        .collect();
    compare("contract-state", sides, &questions, content::record).await
}

/// What any of the nodes knows of, the first of each first.
fn union<'s>(
    sides: &'s [Side],
    known: impl Fn(&'s Side) -> &'s Vec<(String, String)>,
) -> Vec<&'s (String, String)> {
    let mut all = Vec::new();
    for row in 0..MOST_ASKED {
        for pair in sides.iter().filter_map(|side| known(side).get(row)) {
            if !all.contains(&pair) && all.len() < MOST_ASKED {
                all.push(pair);
            }
        }
    }
    all
}

async fn compare(
    id: &str,
    sides: &[Side],
    questions: &[(String, Request)],
    read: fn(&Exchange) -> Option<Content>,
) -> CrossCheck {
    let mut differences = Differences::default();
    if questions.is_empty() {
        let reason = "nothing to ask for was found on any of the nodes";
        return differences.told(id, Some(reason.to_owned()));
    }
    let mut why = None;
    for (place, request) in questions {
        match at_rest(sides, request, read).await {
            Ok((contents, left_out)) => {
                differences.add(sides, &contents, || place.clone());
                why = why.or(left_out);
            }
            Err(reason) => why = why.or(Some(reason)),
        }
    }
    differences.told(id, why)
}

/// What nodes at the same height say of one thing, and which are left out as they are behind.
async fn at_rest(
    sides: &[Side],
    request: &Request,
    read: fn(&Exchange) -> Option<Content>,
) -> Result<(Vec<Option<Content>>, Option<String>), String> {
    let mut before = height::of_all(sides).await?;
    for turn in 0..MOST_TRIES {
        let answers = join_all(
            sides
                .iter()
                .map(|side| side.known.node.ask(request.clone())),
        )
        .await;
        let after = height::of_all(sides).await?;
        // The height that most have, and of several such the newest.
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
        let at_rest: Vec<_> = (0..sides.len()).filter(stood).collect();
        // One that was moving may be at rest with the others a moment later.
        let moved = before != after;
        if at_rest.len() >= 2 && !moved {
            let contents = answers.into_iter().enumerate().map(|(place, answer)| {
                let answer: Result<Arc<Exchange>, Obstacle> = answer;
                let answer = answer.ok().filter(|_| at_rest.contains(&place))?;
                read(&answer)
            });
            let left_out: Vec<_> = (0..sides.len())
                .filter(|place| !at_rest.contains(place))
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
        tokio::time::sleep(Duration::from_millis(100) * 2_u32.pow(turn)).await;
    }
    let heights: Vec<_> = sides
        .iter()
        .zip(&before)
        .map(|(side, height)| format!("{} is at block {height}", side.name))
        .collect();
    Err(format!(
        "no two nodes are at rest at the same block: {}",
        heights.join(", ")
    ))
}
