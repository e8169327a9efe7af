//! Sends requests about the chain until there is a sample of every kind.

use std::{collections::BTreeSet, sync::Arc};

use futures_util::{StreamExt as _, stream};

use super::{
    discovered::Discovered, fixture::Fixture, mentions::Mentions, search::find_blocks,
    wanted::Wanted,
};
use crate::{
    api::{claims_in_block, held_by_wallet, nobody, wallet_balances_request},
    http::{Exchange, InconclusiveReason, Node},
};

/// Maximum number of wallets whose tokens are requested, and of pairs of wallets that may have a score.
const WALLETS: usize = 32;

/// Sends requests until there is a sample of every kind, or nothing more to find.
pub(crate) async fn discover(
    node: &Node,
    wanted: &Wanted,
) -> Result<Discovered, InconclusiveReason> {
    let (fixture, wallet) = (&wanted.fixture, wanted.wallet);
    let mut discovered = Discovered {
        fixture: fixture.clone(),
        ..Discovered::default()
    };
    let mut found = Mentions::default();
    let fixture = &fixture.clone().with(wanted.earlier.clone());
    found.take(fixture);
    find_blocks(node, fixture, wanted, &mut discovered).await?;
    for (_, exchange) in &discovered.blocks {
        if let Ok(value) = exchange.json() {
            found.walk(value, 0);
        }
    }
    find_holdings(node, fixture, wanted.jobs, &mut found, &mut discovered).await?;
    if let Some(wallet) = wallet {
        ask_own_wallet(node, &wallet.to_string(), &mut discovered).await?;
    }
    // If no list showed a holding, pair wallets of the chain with tokens of the chain.
    if discovered.holdings.is_empty() {
        let pairs = found.wallets.iter().zip(found.tokens.iter().cycle());
        discovered
            .holdings
            .extend(pairs.take(2).map(|(w, t)| (w.clone(), t.clone())));
    }
    discovered.trust = trust_pairs(fixture, &found);
    discovered.wallets = found.wallets;
    discovered.tokens = found.tokens;
    discovered.contracts = found.contracts;
    discovered.assets = found.assets;
    discovered.named_assets = fixture.assets.len();
    if let Some(wallet) = wallet {
        put_own_claims_first(&mut discovered, &wallet.to_string());
    }
    Ok(discovered)
}

/// Finds tokens that wallets hold, by their lists.
async fn find_holdings(
    node: &Node,
    fixture: &Fixture,
    jobs: usize,
    found: &mut Mentions,
    discovered: &mut Discovered,
) -> Result<(), InconclusiveReason> {
    let balances = fixture.balances.iter();
    discovered.holdings = balances
        .map(|held| (held.wallet.to_string(), held.token.clone()))
        .collect();
    discovered.named_holdings = discovered.holdings.len();
    let mut known: BTreeSet<_> = discovered.holdings.iter().cloned().collect();
    // Everything that is named is used.
    let most = WALLETS.max(fixture.wallets.len());
    let wallets: Vec<_> = found.wallets.iter().take(most).cloned().collect();
    let mut lists = stream::iter(wallets)
        .map(async |wallet| {
            let response = node.send(wallet_balances_request(&wallet)).await;
            (wallet, response)
        })
        .buffered(jobs);
    while let Some((wallet, response)) = lists.next().await {
        if let Err(InconclusiveReason::TooLarge(reason)) = &response {
            let what = format!("the list of wallet {wallet}");
            discovered.unread(&what, reason, InconclusiveReason::TooLarge);
        }
        let Some(response) = optional(response)? else {
            continue;
        };
        let mut held = Mentions::default();
        if let Some(value) = response.success_object() {
            held.walk(value, 0);
        }
        discovered.wallet_lists.push(response);
        for token in held.tokens {
            let holding = (wallet.clone(), token.clone());
            if known.insert(holding.clone()) {
                discovered.holdings.push(holding);
            }
            found.token(&token);
        }
    }
    Ok(())
}

/// Returns pairs of wallets with a trust score to request: those that the fixture names, those that one transaction names,
/// and neighbours on the chain.
fn trust_pairs(fixture: &Fixture, found: &Mentions) -> Vec<(String, String)> {
    let named = fixture.trust.iter().map(|trust| {
        let (source, destination) = trust.pair();
        (source.to_string(), destination.to_string())
    });
    let wallets = &found.wallets;
    let together = found.pairs.iter().map(|(one, other)| (one, other));
    let pairs = together.chain(wallets.iter().zip(wallets.iter().skip(1)));
    let pairs = pairs.flat_map(|(one, other)| [(one, other), (other, one)]);
    let mut seen = BTreeSet::new();
    let pairs = pairs.filter(|pair| seen.insert(*pair));
    let pairs = pairs.map(|(from, to)| (from.clone(), to.clone()));
    let mut all: Vec<_> = named.chain(pairs.take(WALLETS)).collect();
    if all.is_empty() {
        // Without two wallets on the chain, a request about made-up ones shows whether the node has the endpoint.
        let source = wallets.first().cloned();
        all.push((source.unwrap_or_else(nobody), nobody()));
    }
    all
}

/// Moves the claims of this wallet, as blocks show them, behind the named ones. So the claims of earlier
/// runs are samples, however many others there are.
fn put_own_claims_first(discovered: &mut Discovered, wallet: &str) {
    let blocks = discovered.blocks.iter();
    let bodies = blocks.filter_map(|(_, exchange)| exchange.success_object());
    let own = bodies
        .flat_map(claims_in_block)
        .filter(|claim| claim.verifiers.contains(wallet));
    let own: BTreeSet<_> = own.map(|claim| (claim.contract, claim.asset)).collect();
    if let Some(found) = discovered.assets.get_mut(discovered.named_assets..) {
        found.sort_by_key(|(contract, asset)| !own.contains(&(contract.as_str(), asset.as_str())));
    }
}

/// Adds the list of the user's wallet, which the chain may not mention yet. A list without
/// balances, or of an unknown wallet, is not a sample.
async fn ask_own_wallet(
    node: &Node,
    wallet: &str,
    discovered: &mut Discovered,
) -> Result<(), InconclusiveReason> {
    let request = wallet_balances_request(wallet);
    let is_known = |list: &Arc<Exchange>| list.request.query == request.query;
    if discovered.wallet_lists.iter().any(is_known) {
        return Ok(());
    }
    let response = optional(node.send(request).await)?;
    let holds =
        |response: &Arc<Exchange>| held_by_wallet(response).is_some_and(|held| !held.is_empty());
    discovered.wallet_lists.extend(response.filter(holds));
    Ok(())
}

/// Ignores the failure of a single request. Only a reached limit ends the run.
fn optional(
    response: Result<Arc<Exchange>, InconclusiveReason>,
) -> Result<Option<Arc<Exchange>>, InconclusiveReason> {
    match response {
        Ok(exchange) => Ok(Some(exchange)),
        Err(InconclusiveReason::Limit(reason)) => Err(InconclusiveReason::Limit(reason)),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::api::block_request;

    #[test]
    fn the_wallets_own_claims_come_before_others_and_after_named_ones() {
        let claim = |asset: &str, signer: &str| {
            json!({"transaction": {"specific_data": {
                "address": "ct", "function": "add_verification", "signers": [signer],
                "params": {"asset_id": asset},
            }}})
        };
        let claims = [
            claim("a", "other"),
            claim("b", "own"),
            claim("c", "other"),
            claim("d", "own"),
        ];
        let block = json!({"index": 1, "text": {"transactions": claims}});
        let base = Arc::new("http://localhost".parse().unwrap());
        let body = block.to_string().into_bytes();
        let response = Exchange::new(block_request(1), &base, 200, None, body, Duration::ZERO);
        let mut discovered = Discovered {
            blocks: vec![(1, Arc::new(response))],
            assets: ["named", "a", "b", "c", "d"]
                .map(|asset| ("ct".to_owned(), asset.to_owned()))
                .to_vec(),
            named_assets: 1,
            ..Discovered::default()
        };
        put_own_claims_first(&mut discovered, "own");
        let assets: Vec<_> = discovered
            .assets
            .iter()
            .map(|(_, asset)| asset.as_str())
            .collect();
        assert_eq!(assets, ["named", "b", "d", "a", "c"]);
    }
}
