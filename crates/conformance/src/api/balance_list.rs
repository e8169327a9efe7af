//! The lists of balances that `GET /get-balances` returns.
//!
//! The specification does not show the shape of the lists. A list is read if each entry has the
//! members that nodes were seen to return.

use std::{
    collections::{BTreeMap, btree_map},
    sync::Arc,
};

use nodeproof_primitives::{Integer, RawJson};

use crate::http::Exchange;

/// A wallet and a token.
pub(crate) type Pair = (String, String);

/// Parses the balance in a response, from either of its two members, without rounding. A float
/// cannot hold every balance.
pub(crate) fn carried_exactly<T: serde::de::DeserializeOwned>(body: &[u8]) -> Option<T> {
    let members: BTreeMap<String, RawJson> = serde_json::from_slice(body).ok()?;
    let raw = ["balance", "value"]
        .iter()
        .find_map(|name| members.get(*name))?;
    raw.decode().ok()
}

/// Returns the `balance` of each entry of a list that has one, with its place in the response.
pub(crate) fn listed_amounts(exchange: &Exchange) -> Option<Vec<(String, RawJson)>> {
    let body = exchange.success_object()?;
    let name = ["balance", "value"]
        .into_iter()
        .find(|name| body.get(name).is_some())?;
    let entries: Vec<BTreeMap<String, RawJson>> = carried_exactly(&exchange.body)?;
    let amounts = entries.into_iter().enumerate();
    let amounts = amounts.filter_map(|(place, mut entry)| {
        Some((format!("/{name}/{place}/balance"), entry.remove("balance")?))
    });
    Some(amounts.collect())
}

/// Returns the balance in a response about one token, or `None` if the response has another form.
pub(crate) fn held(exchange: &Exchange) -> Option<Integer> {
    exchange.success_object()?;
    let balance: Option<Integer> = carried_exactly(&exchange.body)?;
    Some(balance.unwrap_or_else(|| Integer::from(0)))
}

/// A list of balances in a known form.
pub(crate) struct List<'e> {
    pub(crate) exchange: &'e Arc<Exchange>,
    pub(crate) held: Vec<(Pair, Integer)>,
    /// The place of each pair in `held`.
    places: BTreeMap<Pair, usize>,
    /// The position of an entry about another wallet or token than the requested one.
    pub(crate) stray: Option<usize>,
}

pub(crate) fn requested<'e>(exchange: &'e Exchange, name: &str) -> Option<&'e str> {
    let mut query = exchange.request.query.iter();
    let (_, value) = query.find(|(given, _)| *given == name)?;
    Some(value)
}

impl<'e> List<'e> {
    pub(crate) fn of(exchange: &'e Arc<Exchange>) -> Option<Self> {
        exchange.success_object()?;
        let entries: Vec<BTreeMap<String, RawJson>> = carried_exactly(&exchange.body)?;
        let (wallet, token) = (
            requested(exchange, "wallet_address"),
            requested(exchange, "token_code"),
        );
        let mut held: Vec<(Pair, Integer)> = Vec::with_capacity(entries.len());
        let mut places = BTreeMap::new();
        let mut stray = None;
        for (place, members) in entries.iter().enumerate() {
            let text = |name| -> Option<String> { members.get(name)?.decode().ok() };
            let of_wallet = text("wallet").or_else(|| text("wallet_address"));
            let of_token = text("token_code");
            let balance: Option<Integer> = members.get("balance")?.decode().ok()?;
            let balance = balance.unwrap_or_else(|| Integer::from(0));
            let other = |said: &Option<String>, requested: Option<&str>| matches!((said, requested), (Some(said), Some(requested)) if said != requested);
            if other(&of_wallet, wallet) || other(&of_token, token) {
                stray = stray.or(Some(place));
            }
            let pair = match (wallet, token) {
                (Some(wallet), None) => (wallet.to_owned(), of_token?),
                (None, Some(token)) => (of_wallet?, token.to_owned()),
                _ => return None,
            };
            // A list may have several entries for the same wallet and token. Their sum is the balance.
            match places.entry(pair) {
                btree_map::Entry::Vacant(place) => {
                    held.push((place.key().clone(), balance));
                    place.insert(held.len() - 1);
                }
                btree_map::Entry::Occupied(place) => {
                    let (_, sum) = held.get_mut(*place.get())?;
                    *sum = sum.checked_add(balance)?;
                }
            }
        }
        Some(Self {
            exchange,
            held,
            places,
            stray,
        })
    }

    /// Returns the balance of a pair, if the list has it.
    pub(crate) fn get(&self, pair: &Pair) -> Option<&Integer> {
        let (_, held) = self.held.get(*self.places.get(pair)?)?;
        Some(held)
    }
}

/// Returns the positive balances in the list of a wallet, or `None` if the list has another form.
pub(crate) fn held_by_wallet(list: &Arc<Exchange>) -> Option<Vec<(Pair, Integer)>> {
    let mut held = List::of(list)?.held;
    held.retain(|(_, balance)| *balance > 0);
    Some(held)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::api::wallet_balances_request;

    #[test]
    fn time_is_linear_in_the_length_of_a_list() {
        let entry = |at: u32| format!(r#"{{"token_code":"T{at}","balance":{at}}}"#);
        let entries: Vec<_> = (0..40_000).map(entry).collect();
        let body = format!(r#"{{"balance":[{}]}}"#, entries.join(","));
        let base = Arc::new("http://localhost:8420".parse().unwrap());
        let request = wallet_balances_request("0x1");
        let exchange = Exchange::new(request, &base, 200, None, body.into(), Duration::ZERO);
        let exchange = Arc::new(exchange);
        let began = Instant::now();
        let list = List::of(&exchange).unwrap();
        assert_eq!(list.held.len(), 40_000);
        assert!(
            list.held
                .iter()
                .all(|(pair, held)| list.get(pair) == Some(held))
        );
        // It would take more than 20 s if each pair were searched for from the start.
        assert!(began.elapsed() < Duration::from_secs(10));
    }
}
