//! How two calls differ.

use std::collections::BTreeMap;

use nodeproof_client::{ContractCall, contract_call::shown_apart};
use nodeproof_primitives::{Amount, RawJson};
use serde_json::Value;

/// A part of two calls that is not the same: its name, and both texts.
pub(super) struct Difference {
    pub(super) name: String,
    texts: [String; 2],
}

impl Difference {
    /// Compares two texts.
    pub(super) fn between(name: &str, one: String, other: String) -> Option<Self> {
        let name = name.to_owned();
        let texts = [one, other];
        (texts[0] != texts[1]).then_some(Self { name, texts })
    }

    /// Returns both texts, each long enough to tell them apart.
    pub(super) fn shown(&self) -> (String, String) {
        let [one, other] = &self.texts;
        shown_apart(one, other)
    }
}

/// Compares the contract, the function and the signers of two calls, which have these names.
pub(super) fn in_texts<'c>(
    one: &'c ContractCall,
    other: &'c ContractCall,
    names: [&'c str; 3],
) -> impl Iterator<Item = Difference> + 'c {
    let texts = |call: &ContractCall| {
        let (contract, function) = (call.sc_address.to_string(), call.function_called.clone());
        let signers: Vec<_> = call.signers.iter().map(ToString::to_string).collect();
        [contract, function, signers.join(", ")]
    };
    let pairs = texts(one).into_iter().zip(texts(other));
    let each = names.into_iter().zip(pairs);
    each.filter_map(|(name, (one, other))| Difference::between(name, one, other))
}

/// Compares the time of two transactions, and what they pay. A part that one of them does not have is not compared.
pub(super) fn in_fees_and_time(one: &str, other: &str) -> Option<Difference> {
    let members = |transaction: &str| -> BTreeMap<String, RawJson> {
        serde_json::from_str(transaction).unwrap_or_default()
    };
    let (one, other) = (members(one), members(other));
    ["fee", "currency", "timestamp"]
        .into_iter()
        .find_map(|name| {
            let (one, other) = (one.get(name)?, other.get(name)?);
            (!is_same_value(one, other)).then(|| Difference {
                name: name.to_owned(),
                texts: [one.to_string(), other.to_string()],
            })
        })
}

/// Compares the parameters of two calls: those of the first one, and then what the other one adds.
pub(super) fn in_params(
    one: &ContractCall,
    other: &ContractCall,
    is_same: impl Fn(&RawJson, &RawJson) -> bool,
) -> Vec<Difference> {
    let (before, now) = (params(one), params(other));
    let written =
        |value: Option<&RawJson>| value.map_or_else(|| "not there".to_owned(), ToString::to_string);
    let added = now.keys().filter(|name| !before.contains_key(*name));
    let names = before.keys().chain(added);
    let different = names.filter_map(|name| {
        let (one, other) = (before.get(name), now.get(name));
        let is_same = one
            .zip(other)
            .is_some_and(|(one, other)| is_same(one, other));
        let texts = [written(one), written(other)];
        (!is_same).then(|| Difference {
            name: name.clone(),
            texts,
        })
    });
    different.collect()
}

/// Returns the parameters, each as its text.
pub(super) fn params(call: &ContractCall) -> BTreeMap<String, RawJson> {
    // The checks of a call reject parameters that are not an object.
    call.params.decode().unwrap_or_default()
}

/// Whether two JSON values mean the same, in whatever way they are written.
pub(super) fn is_same_value(one: &RawJson, other: &RawJson) -> bool {
    let number = |value: &RawJson| value.as_str().parse::<Amount>().ok();
    let value = |json: &RawJson| json.decode::<Value>().ok();
    one == other
        || value(one).is_some_and(|one| Some(one) == value(other))
        || number(one).is_some_and(|one| Some(one) == number(other))
}
