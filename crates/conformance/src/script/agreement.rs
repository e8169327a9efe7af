//! Requests for balances that other queries show, too, for the rule *agree*.

use std::{cmp::Reverse, collections::BTreeSet};

use nodeproof_primitives::Integer;

use super::repeat::note;
use crate::{
    api::{List, Pair, Sample, requested, token_balance_request, wallet_balances_request},
    context::Samples,
    history::History,
    http::{InconclusiveReason, Request},
};

/// Number of the largest balances of a list to request alone, and of the smallest ones.
const EACH: usize = 16;
/// Maximum number of wallets to request that are missing from a list of holders.
const UNLISTED: usize = 2;
/// Maximum number of times that balances which differ are read again.
const TRIES: usize = 4;
/// Maximum number of balances that are read again at a time.
const AT_A_TIME: usize = 8;

/// Requests balances that a list of holders shows, each alone.
pub(super) async fn request_balances(context: &Samples) {
    // Without responses, other cases are inconclusive.
    for sample in [Sample::TokenBalance, Sample::WalletBalances] {
        let _ = context.sample(sample).await;
    }
    let holders = context.sample(Sample::TokenHolders).await;
    let holders = holders.unwrap_or_default();
    let lists: Vec<_> = holders.iter().filter_map(List::of).collect();
    let single = lists.iter().flat_map(|list| &list.held);
    let single = single.filter(|((holder, _), _)| holder.starts_with("0x"));
    let mut pairs = extremes(single.cloned().collect());
    let token = |list: &List<'_>| requested(list.exchange, "token_code").map(ToOwned::to_owned);
    let unlisted = lists.first().and_then(|list| Some((list, token(list)?)));
    let unlisted = unlisted.map(|(list, token)| unlisted_in(context, list, &token));
    pairs.extend(unlisted.into_iter().flatten());
    // A contract may hold tokens.
    let contract = wallet_balances_request(&context.contract());
    let done = async {
        let history = context.history();
        let requests = pairs
            .iter()
            .map(|(wallet, token)| token_balance_request(wallet, token));
        let known: BTreeSet<_> = history
            .of_path("/get-balances")
            .map(|entry| &entry.exchange.request.query)
            .collect();
        let requests = requests.filter(|request| !known.contains(&request.query));
        let requests = requests.chain([contract]);
        context.node.send_all(requests.collect()).await.map(drop)
    };
    note(context, done.await);
}

/// Returns the pairs with the largest and the smallest balances. They differ, and have digits that a float would lose.
fn extremes(mut held: Vec<(Pair, Integer)>) -> Vec<Pair> {
    held.sort_by_key(|(_, amount)| Reverse(*amount));
    if held.len() > 2 * EACH {
        held.drain(EACH..held.len() - EACH);
    }
    held.into_iter().map(|(pair, _)| pair).collect()
}

/// Returns wallets of the chain that a list of holders does not have.
fn unlisted_in(context: &Samples, list: &List<'_>, token: &str) -> Vec<Pair> {
    let wallets = context.discovered.wallets.iter();
    let pairs = wallets.map(|wallet| (wallet.clone(), token.to_owned()));
    let unlisted = pairs.filter(|pair| list.get(pair).is_none());
    unlisted.take(UNLISTED).collect()
}

/// Reads balances again that differ, until the responses show which one is wrong or that they agree. `undecided`
/// returns the requests for each of them.
pub(crate) async fn confirm_balances(
    context: &Samples,
    undecided: fn(&History) -> Vec<Vec<Request>>,
) -> Result<(), InconclusiveReason> {
    for _ in 0..TRIES {
        let undecided = undecided(&context.history());
        if undecided.is_empty() {
            break;
        }
        for request in undecided.into_iter().take(AT_A_TIME).flatten() {
            context.node.send(request).await?;
        }
    }
    Ok(())
}
