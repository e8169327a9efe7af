//! The balances that the responses of a run show.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    api::{List, Pair, held, is_nonexistent, requested},
    history::{Entry, History},
    http::Exchange,
};

/// One reading of a balance.
pub(super) struct Reading<'h> {
    pub(super) entry: &'h Entry,
    pub(super) amount: i128,
    /// Whether the response has it. A list that leaves it out shows 0.
    pub(super) is_listed: bool,
    /// Whether the list is in a known form.
    pub(super) is_known: bool,
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

/// Returns the responses with lists of balances, each with the kind of the query, and the list if its form is known.
fn lists(history: &History) -> impl Iterator<Item = (&Entry, &str, Option<List<'_>>)> {
    requests(history).filter_map(|entry| {
        let of = |name| requested(&entry.exchange, name);
        match (of("balance_type"), of("wallet_address"), of("token_code")) {
            (Some(kind @ TOKENS), Some(_), None) | (Some(kind @ HOLDERS), None, Some(_)) => {
                entry.exchange.success_object()?;
                Some((entry, kind, List::of(&entry.exchange)))
            }
            _ => None,
        }
    })
}

/// Returns the lists with an entry that does not belong there, and its place.
pub(super) fn strays(history: &History) -> impl Iterator<Item = (&Entry, usize)> {
    lists(history).filter_map(|(entry, _, list)| Some((entry, list?.stray?)))
}

/// Whether a request for a list covers a balance.
fn covers(exchange: &Exchange, (wallet, token): &Pair) -> bool {
    let is = |name, wanted: &str| requested(exchange, name).is_none_or(|value| value == wanted);
    is("wallet_address", wallet) && is("token_code", token)
}

/// Adds the strings and the names of members in a value, and their parts, in lower case.
fn add_names(value: &Value, names: &mut BTreeSet<String>) {
    let mut add = |text: &str| {
        let text = text.to_lowercase();
        let parts = text.split(|one: char| !one.is_alphanumeric() && !matches!(one, '-' | '_'));
        names.extend(parts.map(ToOwned::to_owned));
        names.insert(text);
    };
    match value {
        Value::String(text) => add(text),
        Value::Array(items) => items.iter().for_each(|item| add_names(item, names)),
        Value::Object(members) => {
            members.keys().for_each(|name| add(name));
            members.values().for_each(|value| add_names(value, names));
        }
        _ => {}
    }
}

/// Returns the balances in all responses. A list shows 0 for a balance that it leaves out, if any other response has it. A
/// list in a form that is not known leaves out the wallets and tokens that it does not name.
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
                is_known: true,
            });
        }
    }
    let lists: Vec<_> = lists(history).collect();
    let known = lists.iter().filter_map(|(_, _, list)| list.as_ref());
    let listed = known.flat_map(|list| &list.held);
    let mut pairs: BTreeSet<Pair> = listed.map(|(pair, _)| pair.clone()).collect();
    pairs.extend(all.keys().map(|(pair, _)| pair.clone()));
    for (entry, kind, list) in &lists {
        let mut names = BTreeSet::new();
        if let (None, Some(body)) = (list, entry.exchange.success_object()) {
            add_names(body, &mut names);
        }
        let named = |(wallet, token): &Pair| match *kind {
            TOKENS => names.contains(&token.to_lowercase()),
            _ => names.contains(&wallet.to_lowercase()),
        };
        for pair in pairs.iter().filter(|pair| covers(&entry.exchange, pair)) {
            let amount = match list {
                Some(list) => list.get(pair),
                // What it shows is not known, but not nothing.
                None if named(pair) => continue,
                None => None,
            };
            all.entry((pair.clone(), kind)).or_default().push(Reading {
                entry,
                amount: amount.map_or(0, |amount| amount.get()),
                is_listed: amount.is_some(),
                is_known: list.is_some(),
            });
        }
    }
    all
}
