//! Nodes that return something for a request about something similar.

use axum::{body::Bytes, http::StatusCode};
use integration_tests::{
    faults::{SeededFault, stateful},
    proxy::{Fault, RecordedRequest},
    seeded_faults,
};
use reqwest::Url;

use crate::{balances::BALANCES, blocks::BLOCK, records::STATE};

const TRUST: &str = "/get-trustscore-wallets";

pub(crate) fn faults() -> Vec<SeededFault> {
    seeded_faults! {
        "an asset is found in upper and lower case", lenient(STATE, "unique_value", letters) => ["sc-state/near"];
        "blanks around an asset are ignored", lenient(STATE, "unique_value", blanks) => ["sc-state/near"];
        "an asset is found by its start", lenient(STATE, "unique_value", |real, given| real.starts_with(given))
            => ["sc-state/near"];
        "an asset is found by a longer text", lenient(STATE, "unique_value", |real, given| given.starts_with(real))
            => ["sc-state/near"];
        "an asset is decoded twice", lenient(STATE, "unique_value", encoded) => ["sc-state/near"];
        "an asset may have wildcards", lenient(STATE, "unique_value", wildcards) => ["sc-state/near"];
        "an asset with a look-alike is the same", lenient(STATE, "unique_value", look_alike) => ["sc-state/near"];
        "a table is found in upper and lower case", lenient(STATE, "table_name", letters) => ["sc-state/near"];
        "a table may have wildcards", lenient(STATE, "table_name", wildcards) => ["sc-state/near"];
        "a column is found in upper and lower case", lenient(STATE, "unique_column", letters) => ["sc-state/near"];
        "blanks around a column are ignored", lenient(STATE, "unique_column", blanks) => ["sc-state/near"];
        "a contract is found without its last digit", lenient(STATE, "contract_address", last_digit)
            => ["sc-state/near"];
        "names of parameters may be in upper case at /sc-state", names(STATE) => ["sc-state/near"];
        "a token is found in upper and lower case", lenient(BALANCES, "token_code", letters)
            => ["get-balances/near"];
        "blanks around a token are ignored", lenient(BALANCES, "token_code", blanks) => ["get-balances/near"];
        "a token is found by its start", lenient(BALANCES, "token_code", |real, given| real.starts_with(given))
            => ["get-balances/near"];
        "a token may have wildcards", lenient(BALANCES, "token_code", wildcards) => ["get-balances/near"];
        "a token is decoded twice", lenient(BALANCES, "token_code", encoded) => ["get-balances/near"];
        "a wallet is found without its last digit", lenient(BALANCES, "wallet_address", last_digit)
            => ["get-balances/near"];
        "a wallet is decoded twice", lenient(BALANCES, "wallet_address", encoded) => ["get-balances/near"];
        "a balance type is found in upper and lower case", lenient(BALANCES, "balance_type", letters)
            => ["get-balances/near"];
        "blanks around a balance type are ignored", lenient(BALANCES, "balance_type", blanks)
            => ["get-balances/near"];
        "names of parameters may be in upper case at /get-balances", names(BALANCES) => ["get-balances/near"];
        "a source is found without its last digit", lenient(TRUST, "src_wallet_address", last_digit)
            => ["get-trustscore-wallets/near"];
        "a source may have wildcards", lenient(TRUST, "src_wallet_address", wildcards)
            => ["get-trustscore-wallets/near"];
        "blanks around a destination are ignored", lenient(TRUST, "dst_wallet_address", blanks)
            => ["get-trustscore-wallets/near"];
        "a destination is decoded twice", lenient(TRUST, "dst_wallet_address", encoded)
            => ["get-trustscore-wallets/near"];
        "names of parameters may be in upper case at /get-trustscore-wallets", names(TRUST)
            => ["get-trustscore-wallets/near"];
        "an index may be followed by letters", lenient(BLOCK, "block_index", |real, given| {
            given.strip_prefix(real).is_some_and(|rest| rest.starts_with(char::is_alphabetic))
        }) => ["get-block/near"];
        "an index is decoded twice", lenient(BLOCK, "block_index", encoded) => ["get-block/near"];
        "an index may have a look-alike", lenient(BLOCK, "block_index", look_alike) => ["get-block/near"];
        "names of parameters may be in upper case at /get-block", names(BLOCK) => ["get-block/near"];
    }
}

type Pairs = Vec<(String, String)>;

fn pairs(request: &RecordedRequest) -> Pairs {
    let url = Url::parse(&format!("http://localhost/?{}", request.query)).expect("a URL");
    let mut pairs: Pairs = url.query_pairs().into_owned().collect();
    pairs.sort();
    pairs
}

/// Repeats a response for later requests that are like its own one.
fn remembering(
    path: &'static str,
    alike: impl Fn(&Pairs, &Pairs) -> bool + Send + Sync + 'static,
) -> Fault {
    let known: Vec<(Pairs, Bytes)> = Vec::new();
    stateful(known, move |known, request, response| {
        if request.path != path {
            return response;
        }
        let asked = pairs(request);
        let like = |(real, _): &&(Pairs, Bytes)| *real != asked && alike(real, &asked);
        if let Some((_, body)) = known.iter().find(like) {
            return response.with_status(StatusCode::OK).with_body(body.clone());
        }
        let body = String::from_utf8_lossy(&response.body);
        let is_content = !body.contains("null") && !body.ends_with(":0}") && !body.contains(":[]");
        if response.status == StatusCode::OK && (is_content || path == BLOCK) {
            known.push((asked, response.body.clone()));
        }
        response
    })
}

/// Takes a value of a parameter for the one that it resembles.
fn lenient(path: &'static str, name: &'static str, alike: fn(&str, &str) -> bool) -> Fault {
    remembering(path, move |real, asked| {
        real.len() == asked.len()
            && real.iter().zip(asked).all(|(one, other)| {
                one == other || one.0 == name && other.0 == name && alike(&one.1, &other.1)
            })
    })
}

/// Reads the names of parameters in upper and lower case.
fn names(path: &'static str) -> Fault {
    remembering(path, |real, asked| {
        let mut lower: Pairs = asked
            .iter()
            .map(|(name, value)| (name.to_lowercase(), value.clone()))
            .collect();
        lower.sort();
        *real == lower
    })
}

fn letters(real: &str, given: &str) -> bool {
    real.eq_ignore_ascii_case(given)
}

fn blanks(real: &str, given: &str) -> bool {
    given.trim() == real
}

fn last_digit(real: &str, given: &str) -> bool {
    real.len() == given.len() && real[..real.len() - 1] == given[..given.len() - 1]
}

fn encoded(real: &str, given: &str) -> bool {
    let url = Url::parse(&format!("http://localhost/?v={given}")).expect("a URL");
    url.query_pairs()
        .next()
        .is_some_and(|(_, value)| value == real)
}

fn wildcards(real: &str, given: &str) -> bool {
    given
        .strip_suffix('%')
        .is_some_and(|start| real.starts_with(start))
        || given
            .strip_prefix('_')
            .is_some_and(|end| real.ends_with(end) && end.len() + 1 == real.len())
}

fn look_alike(real: &str, given: &str) -> bool {
    let plain = |text: &str| {
        text.replace(['O', 'o'], "0")
            .replace(['l', 'I'], "1")
            .replace('S', "5")
            .replace('B', "8")
            .replace('_', "-")
    };
    plain(real) == plain(given)
}
