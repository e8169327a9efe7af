//! What a wallet held when the run read it last.

use std::collections::BTreeMap;

use nodeproof_primitives::WalletAddress;

use crate::{
    api::{List, held, requested},
    history::History,
};

/// Returns the balances of a wallet by token, each as it was read last.
pub(crate) fn held_by(history: &History, wallet: &str) -> BTreeMap<String, i128> {
    let mut all = BTreeMap::new();
    for entry in history.of_path("/get-balances") {
        let exchange = &entry.exchange;
        let is_plain = exchange.request.raw_query.is_none();
        if !is_plain || requested(exchange, "wallet_address") != Some(wallet) {
            continue;
        }
        match requested(exchange, "token_code") {
            Some(token) => {
                let amount = held(exchange).map(|amount| (token.to_owned(), amount.get()));
                all.extend(amount);
            }
            None => {
                let list = List::of(exchange).into_iter().flat_map(|list| list.held);
                all.extend(list.map(|((_, token), amount)| (token, amount.get())));
            }
        }
    }
    all
}

/// Returns another token than this one of which a wallet holds at least an amount.
pub(super) fn other_token(
    history: &History,
    wallet: &str,
    token: &str,
    least: i128,
) -> Option<String> {
    let held = held_by(history, wallet);
    let others = held.into_iter().filter(|(other, _)| other != token);
    let enough = others.filter(|(_, amount)| *amount >= least);
    enough
        .max_by_key(|(_, amount)| *amount)
        .map(|(token, _)| token)
}

/// Returns the lists of a token's holders, in the order in which they were read.
pub(super) fn lists_of_holders<'h>(
    history: &'h History,
    token: &str,
) -> impl Iterator<Item = List<'h>> {
    let entries = history.of_path("/get-balances");
    let of_token = entries.filter(move |entry| {
        let of = |name| requested(&entry.exchange, name);
        of("wallet_address").is_none() && of("token_code") == Some(token)
    });
    of_token.filter_map(|entry| List::of(&entry.exchange))
}

/// Returns the wallets that hold at least an amount of a token, by the list that was read last.
pub(super) fn holders_of(history: &History, token: &str, least: i128) -> Vec<String> {
    let last = lists_of_holders(history, token).last();
    let held = last.into_iter().flat_map(|list| list.held);
    let enough = held.filter(|(_, amount)| amount.get() >= least);
    enough.map(|((holder, _), _)| holder).collect()
}

/// More than this is not exact in a float.
pub(super) const MOST_EXACT: i64 = 1 << 53;

/// Returns another wallet than this one that holds more of a token than is exact in a float.
pub(crate) fn rich_holder(history: &History, token: &str, wallet: &str) -> Option<WalletAddress> {
    let rich = holders_of(history, token, i128::from(MOST_EXACT) + 1);
    let mut others = rich.iter().filter(|holder| *holder != wallet);
    others.find_map(|holder| holder.parse().ok())
}
