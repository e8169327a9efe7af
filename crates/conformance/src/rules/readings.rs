//! The balances that the responses of a run show.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    api::{List, Pair, held, is_nonexistent, requested},
    history::{Entry, History},
};

/// One reading of a balance.
pub(super) struct Reading<'h> {
    pub(super) entry: &'h Entry,
    pub(super) amount: i128,
    /// Whether the response has it. A list that leaves it out shows 0.
    pub(super) is_listed: bool,
}

/// A balance, and the kind of query that showed it.
pub(super) type Key<'h> = (Pair, &'h str);
/// The balances that each kind of query showed, in the order in which they were read.
pub(super) type Readings<'h> = BTreeMap<Key<'h>, Vec<Reading<'h>>>;

pub(super) const SINGLE: &str = "TOKEN_IN_WALLET";
pub(super) const TOKENS: &str = "ALL_TOKENS_IN_WALLET";
pub(super) const HOLDERS: &str = "ALL_WALLETS_FOR_TOKEN";

/// Returns the requests for balances, apart from those that must find nothing.
fn requests(history: &History) -> impl Iterator<Item = &Entry> {
    history.of_path("/get-balances").filter(|entry| {
        let request = &entry.exchange.request;
        request.raw_query.is_none()
            && !request.finds_nothing
            && !request.query.iter().any(|(_, value)| is_nonexistent(value))
    })
}

/// Returns the lists of balances in a known form, with the kind of the query.
fn lists(history: &History) -> impl Iterator<Item = (&Entry, &str, List<'_>)> {
    requests(history).filter_map(|entry| {
        let of = |name| requested(&entry.exchange, name);
        match (of("balance_type"), of("wallet_address"), of("token_code")) {
            (Some(kind @ TOKENS), Some(_), None) | (Some(kind @ HOLDERS), None, Some(_)) => {
                List::of(&entry.exchange).map(|list| (entry, kind, list))
            }
            _ => None,
        }
    })
}

/// Returns the lists with an entry that does not belong there, and its place.
pub(super) fn strays(history: &History) -> impl Iterator<Item = (&Entry, usize)> {
    lists(history).filter_map(|(entry, _, list)| Some((entry, list.stray?)))
}

/// Returns the balances in all responses. A list shows 0 for a balance that it leaves out, if any other response has it.
pub(super) fn readings(history: &History) -> Readings<'_> {
    let mut all = Readings::new();
    for entry in requests(history) {
        let of = |name| requested(&entry.exchange, name);
        if let (Some(SINGLE), Some(wallet), Some(token)) =
            (of("balance_type"), of("wallet_address"), of("token_code"))
            && let Some(amount) = held(&entry.exchange)
        {
            let key = ((wallet.to_owned(), token.to_owned()), SINGLE);
            all.entry(key).or_default().push(Reading {
                entry,
                amount: amount.get(),
                is_listed: true,
            });
        }
    }
    let lists: Vec<_> = lists(history).collect();
    let listed = lists.iter().flat_map(|(_, _, list)| &list.held);
    let mut pairs: BTreeSet<Pair> = listed.map(|(pair, _)| pair.clone()).collect();
    pairs.extend(all.keys().map(|(pair, _)| pair.clone()));
    for pair in pairs {
        for (entry, kind, list) in lists.iter().filter(|(_, _, list)| list.is_for(&pair)) {
            let amount = list.get(&pair);
            all.entry((pair.clone(), kind)).or_default().push(Reading {
                entry,
                amount: amount.map_or(0, |amount| amount.get()),
                is_listed: amount.is_some(),
            });
        }
    }
    all
}
