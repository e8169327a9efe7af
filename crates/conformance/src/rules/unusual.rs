//! The rule *unusual*: a request with an unusual value gets nothing but what it names.

use std::collections::{BTreeMap, BTreeSet};

use nodeproof_primitives::escape::escaped_up_to as shown;
use serde_json::Value;

use super::near::plain_number;
use crate::{
    api::{carried, inner_json, is_nonexistent, known_rows, mentions, reported_index, requested},
    checks::{Examination, Finding},
    history::History,
    http::{Exchange, Method, Step},
};

/// The number of JSON documents that are read in one response.
const MOST_DOCUMENTS: usize = 8;

/// Judges all probes of a run. The first finding about each parameter stands for all.
pub(crate) fn unusual(history: &History) -> Examination {
    let (mut result, mut found) = (Examination::default(), BTreeSet::new());
    let mut usual_of = BTreeMap::new();
    for entry in history.entries() {
        let exchange = &entry.exchange;
        let Some(Step::Probe(parameter, unusual)) = &exchange.request.step else {
            continue;
        };
        // A node may treat a parameter without a value as missing.
        if exchange.request.method != Method::Get || !has_all_values(exchange) {
            continue;
        }
        result.count_item();
        let path = exchange.request.path;
        let usual = usual_of.entry(path).or_insert_with(|| usual(history, path));
        let shows = unrequested(exchange, usual);
        if let Some(shows) = shows.filter(|_| found.insert(parameter)) {
            let what = format!("{unusual} in {parameter} gets {shows}");
            result.push(Finding::of_body(exchange, what, "only requested data"));
        }
    }
    result
}

/// Whether no parameter is empty, and none has a name like `a[]`, as some frameworks read lists.
fn has_all_values(exchange: &Exchange) -> bool {
    let url = exchange.url();
    let mut pairs = url.query_pairs();
    pairs.all(|(name, value)| !value.is_empty() && !name.ends_with(']'))
}

/// Returns the objects that a node returns for what does not exist.
fn usual(history: &History, path: &str) -> Vec<Value> {
    let of_nothing = history.of_path(path).filter(|entry| {
        let request = &entry.exchange.request;
        !matches!(request.step, Some(Step::Probe(..)))
            && request.query.iter().any(|(_, value)| is_nonexistent(value))
    });
    of_nothing
        .flat_map(|entry| objects_in(&entry.exchange))
        .collect()
}

/// Describes what a response shows that the request does not name.
fn unrequested(exchange: &Exchange, usual: &[Value]) -> Option<String> {
    let is_usual = |amount: fn(&Value) -> Option<String>, shown: &String| {
        usual
            .iter()
            .any(|body| amount(body).as_ref() == Some(shown))
    };
    objects_in(exchange)
        .iter()
        .find_map(|body| match exchange.request.path {
            "/get-block" => other_block(exchange, body),
            "/sc-state" => other_record(exchange, body),
            "/get-balances" => balance(body)
                .filter(|found| !is_usual(balance, found))
                .map(|found| format!("a balance of {found}")),
            _ => score(body)
                .filter(|found| !is_usual(score, found))
                .map(|found| format!("the score {found}")),
        })
}

fn other_block(exchange: &Exchange, body: &Value) -> Option<String> {
    let index = reported_index(body)?;
    let url = exchange.url();
    let mut values = url.query_pairs().map(|(_, value)| value);
    let is_named = values.any(|value| readings(&value).contains(&index));
    (!is_named).then(|| format!("block {index}"))
}

/// Returns the indexes that a lenient reader may read from a text: all of it as a number, or the digits at the start of
/// another text.
fn readings(text: &str) -> Vec<i128> {
    let text = plain_number(text);
    if let Ok(number) = text.parse::<i128>() {
        return vec![number];
    }
    if let Ok(number) = text.parse::<f64>() {
        // A fraction is not an index.
        let is_whole = number.is_finite() && number.fract() == 0.0;
        return is_whole.then_some(number as i128).into_iter().collect();
    }
    let hexadecimal = text.strip_prefix("0x");
    let hexadecimal = hexadecimal.and_then(|digits| i128::from_str_radix(digits, 16).ok());
    let end = text.find(|c: char| !c.is_ascii_digit());
    let start = end.and_then(|end| text.get(..end)?.parse().ok());
    hexadecimal.into_iter().chain(start).collect()
}

fn other_record(exchange: &Exchange, body: &Value) -> Option<String> {
    let wanted = requested(exchange, "unique_value").unwrap_or_default();
    carried(body).find_map(|(_, record)| {
        let rows = known_rows(record);
        let is_requested = match rows.is_empty() {
            true => mentions(record, wanted),
            false => rows.iter().all(|row| row.has("asset_id", wanted)),
        };
        let about = rows.first().and_then(|row| row.column("asset_id"));
        let about = about.and_then(Value::as_str).unwrap_or("something else");
        (!is_requested).then(|| format!("a record about {:?}", shown(about, 40)))
    })
}

/// Returns the first balance in a response that is not 0.
fn balance(body: &Value) -> Option<String> {
    fn first(value: &Value) -> Option<String> {
        match value {
            Value::Number(number) => Some(number.to_string()),
            Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(text.clone())
            }
            Value::Array(items) => items.iter().find_map(first),
            Value::Object(members) => {
                // A code may be a number, too.
                let mut amounts = members.iter().filter(|(name, _)| *name != "token_code");
                amounts.find_map(|(_, value)| first(value))
            }
            _ => None,
        }
        .filter(|number| number.bytes().any(|byte| matches!(byte, b'1'..=b'9')))
    }
    ["balance", "value"]
        .iter()
        .find_map(|name| first(body.get(*name)?))
}

/// Returns the score in a response, unless it is 0.
fn score(body: &Value) -> Option<String> {
    let score = body.get("trust_score").filter(|score| score.is_number())?;
    (score.as_f64() != Some(0.0)).then(|| score.to_string())
}

/// Returns the objects in a response, whatever its status, content type and encoding are, and whatever stands around
/// them: what a node shows, it has shown.
fn objects_in(response: &Exchange) -> Vec<Value> {
    let documents = match response.json() {
        Ok(document) => vec![document.clone()],
        Err(_) => documents_in(&response.body),
    };
    let objects = documents.into_iter().flat_map(|value| match value {
        Value::Array(items) => items,
        value => vec![value],
    });
    let mut objects: Vec<_> = objects.filter(Value::is_object).collect();
    if !response.is_success() {
        // A refusal may repeat the request, and give its reason.
        let is_plain_text = |value: &Value| {
            let inner = |text| inner_json::<Value>(text);
            let holds = |inner: Value| inner.is_array() || inner.is_object();
            value
                .as_str()
                .is_some_and(|text| !inner(text).is_some_and(holds))
        };
        let members = objects.iter_mut().filter_map(Value::as_object_mut);
        members.for_each(|members| members.retain(|_, value| !is_plain_text(value)));
    }
    objects
}

/// Returns the documents that begin at the first bracket of each kind in a body that is not JSON.
fn documents_in(body: &[u8]) -> Vec<Value> {
    let text = match body {
        [0xff, 0xfe, rest @ ..] => utf_16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf_16(rest, u16::from_be_bytes),
        body => String::from_utf8_lossy(body).into_owned(),
    };
    let places = [text.find('['), text.find('{')];
    let read = places.into_iter().flatten().flat_map(|at| {
        let json = text.get(at..).unwrap_or_default();
        let values = serde_json::Deserializer::from_str(json).into_iter::<Value>();
        values.map_while(Result::ok).take(MOST_DOCUMENTS)
    });
    read.collect()
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units)
        .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::{
            block_request, contract_state_request, nobody, token_balance_request, trust_request,
        },
        history::recorded,
        http::Request,
    };

    /// Judges a probe after a request for what does not exist.
    fn found(nothing: (Request, &str), probe: Request, status: u16, body: &str) -> Vec<String> {
        let probe = probe.for_step(Step::Probe("name".to_owned(), "a quote".to_owned()));
        let history = recorded(vec![
            (10, nothing.0, 200, nothing.1),
            (20, probe, status, body),
        ]);
        let findings = unusual(&history).findings.into_iter();
        findings.map(|one| one.what).collect()
    }

    #[test]
    fn a_text_gets_a_block_that_a_lenient_reader_finds_in_it() {
        for (text, index, is_right) in [
            ("7", 7, true),
            ("0007", 7, true),
            ("+7", 7, true),
            ("-7", 7, false),
            ("-0", 0, true),
            ("7.0", 7, true),
            ("7.9", 7, false),
            ("7.9", 8, false),
            ("7e0", 7, true),
            ("1e1", 10, true),
            ("1e1", 1, false),
            ("1e400", 1, false),
            ("0xa", 10, true),
            ("0xa", 11, false),
            ("18446744073709551623", 7, false),
            ("4294967303", 7, false),
            (" 7 ", 7, true),
            ("\u{ff17}", 7, true),
            ("7' --", 7, true),
            ("7\0", 7, true),
            ("99999999999 OR 1=1", 7, false),
            ("1 OR 1=1", 1, true),
            ("' OR ''='", 1, false),
            ("%", 7, false),
            // A node may read it as a missing one.
            ("", 7, true),
        ] {
            let body = format!(r#"{{"index":{index},"previous_hash":"a"}}"#);
            let nothing = (block_request(99), "{}");
            let found = found(nothing, block_request(text), 200, &body);
            assert_eq!(found.is_empty(), is_right, "{text:?} {index} {found:?}");
        }
    }

    #[test]
    fn only_the_requested_record_is_shown_whatever_stands_around_it() {
        let row = r#"{"value":["ct1","rice-1","t","0x",1,"[]","[]","r",5]}"#;
        for (value, status, body, is_right) in [
            ("rice-1", 200, row.to_owned(), true),
            ("rice-1' --", 200, row.to_owned(), false),
            ("x", 200, r#"{"value":null}"#.to_owned(), true),
            ("x", 400, r#"{"detail":"no x"}"#.to_owned(), true),
            ("x", 400, row.to_owned(), false),
            ("x", 500, format!("<pre>[1] {row}</pre>"), false),
            ("x", 200, format!("\u{feff}{row}"), false),
            ("x", 200, format!("[{row}]"), false),
            ("x", 200, r#"{"value":{"claim":"x"}}"#.to_owned(), true),
            ("x", 200, r#"{"value":{"claim":"rice"}}"#.to_owned(), false),
        ] {
            let state = |value: &str| contract_state_request("ct1", value);
            let nothing = (state("no-such-asset-5a5a"), r#"{"value":null}"#);
            let found = found(nothing, state(value), status, &body);
            assert_eq!(found.is_empty(), is_right, "{value} {body} {found:?}");
        }
    }

    #[test]
    fn an_unusual_value_gets_no_other_balance_or_score_than_an_unknown_one() {
        let balance = |wallet: &str| token_balance_request(wallet, "TKN");
        let score = |wallet: &str| trust_request(wallet, "0x1");
        let (five, six) = (r#"{"balance":5}"#, r#"{"balance":[{"balance":"6"}]}"#);
        let (high, low) = (r#"{"trust_score":9}"#, r#"{"trust_score":0}"#);
        let of_nobody = |request: fn(&str) -> Request| request(&nobody());
        let balances: fn(&str) -> Request = balance;
        let scores: fn(&str) -> Request = score;
        for (request, usual, body, is_right) in [
            (balances, r#"{"balance":0}"#, five, false),
            (balances, r#"{"balance":0}"#, six, false),
            (balances, r#"{"balance":0}"#, r#"{"balance":0}"#, true),
            (balances, five, five, true),
            (balances, five, six, false),
            (balances, "{}", r#"{"balance":[{"token_code":"77"}]}"#, true),
            (scores, low, high, false),
            (scores, low, low, true),
            (scores, high, high, true),
        ] {
            let found = found((of_nobody(request), usual), request("*"), 200, body);
            assert_eq!(found.is_empty(), is_right, "{usual} {body} {found:?}");
        }
    }
}
