//! The rule *echo*: a built transaction is the call that was requested, and nothing else.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use nodeproof_client::{Transaction, contract_call::shown_apart};
use nodeproof_primitives::{
    ContractAddress, WalletAddress, canonical_json, escape::escaped_up_to as shown,
};
use serde_json::Value;

use crate::{
    api::{FirstDifference, builds_nothing, find, member},
    checks::{Examination, Finding},
    history::{Answer, History},
    http::{Exchange, Method},
};

/// The members of a call, and their names in the transaction.
const MEMBERS: [(&str, &str); 4] = [
    ("sc_address", "address"),
    ("function_called", "function"),
    ("signers", "signers"),
    ("params", "params"),
];

/// Judges all calls of a run from which a node built a transaction.
pub(crate) fn echo(history: &History) -> Examination {
    let mut result = Examination::default();
    for entry in history.of_path("/call-sc") {
        let built = entry.exchange.success_object();
        let built = built.filter(|built| entry.answer == Answer::Content && !builds_nothing(built));
        if let Some(built) = built {
            compare(&entry.exchange, built, &mut result);
        }
    }
    texts(history, &mut result);
    result
}

/// Judges refusals: a call that differs from a built one only in free text is built, too.
fn texts(history: &History, result: &mut Examination) {
    let mut built = BTreeSet::new();
    let mut refused: BTreeMap<String, &Arc<Exchange>> = BTreeMap::new();
    for entry in history.of_path("/call-sc") {
        let exchange = &entry.exchange;
        let Some(call) = without_free_text(exchange) else {
            continue;
        };
        if entry.answer == Answer::Content {
            built.insert(call);
        } else if (400..500).contains(&exchange.status) && exchange.status != TOO_MANY {
            refused.entry(call).or_insert(exchange);
        }
    }
    if let Some((_, exchange)) = refused.into_iter().find(|(call, _)| built.contains(call)) {
        let what = "a call is not built because of the text in its remarks or links";
        let expected = "the transaction, as for other texts";
        result.push(Finding::of_response(exchange, what, expected));
    }
}

/// Returns a call without the texts that may be anything, if they are short. A node may have limits.
fn without_free_text(exchange: &Exchange) -> Option<String> {
    let mut call = exchange.sent()?.clone();
    let params = call.get_mut("params")?;
    let remove = |text: &mut Value| {
        let is_short = text.as_str().is_some_and(|text| text.len() <= SHORT);
        *text = Value::Null;
        is_short.then_some(())
    };
    let links = params.get_mut("doc_link_list")?.as_array_mut()?;
    links.iter_mut().try_for_each(remove)?;
    remove(params.get_mut("remarks")?)?;
    Some(call.to_string())
}

/// Maximum length of a text that every node takes, in bytes.
const SHORT: usize = 200;
/// The status "Too Many Requests".
const TOO_MANY: u16 = 429;

fn compare(exchange: &Arc<Exchange>, built: &Value, result: &mut Examination) {
    let text = exchange.request.body.as_deref().unwrap_or_default();
    // The reader of responses. It does not keep all digits.
    let sent = nodeproof_openapi::read_for_validation(text).unwrap_or_default();
    let missing = MEMBERS.iter().find(|(name, _)| sent.get(name).is_none());
    if let Some((name, _)) = missing {
        result.count_item();
        let what = match (exchange.request.method, &sent) {
            (Method::Get, _) => "a GET builds a transaction".to_owned(),
            (_, Value::Object(_)) => format!("a call without {name} builds a transaction"),
            _ => "a body that is not a call builds a transaction".to_owned(),
        };
        result.push(Finding::of_response(exchange, what, "a refusal"));
        return;
    }
    let body = std::str::from_utf8(&exchange.body).unwrap_or_default();
    let exact = canonical_json::read(text).zip(canonical_json::read(body));
    for (name, named) in MEMBERS {
        // The specification does not show the shape, so the member may have another name.
        // `call-sc/submittable` warns.
        let Some((at, value)) = find(built, named).or_else(|| find(built, name)) else {
            continue;
        };
        result.count_item();
        if are_addresses_in_other_letters(&sent[name], value) {
            continue;
        }
        let first = FirstDifference::between(&sent[name], value).or_else(|| {
            let (sent, built) = exact.as_ref()?;
            let (sent, built) = (sent.at(&member(name))?, built.at(&at)?);
            let (sent, built) = (sent.canonical(), built.canonical());
            (sent != built).then(|| {
                let (expected, actual) = shown_apart(&sent, &built);
                let pointer = String::new();
                FirstDifference {
                    pointer,
                    expected,
                    actual,
                }
            })
        });
        if let Some(first) = first {
            let what = format!("the transaction has another value in {name} than the request");
            let at = format!("{at}{}", first.pointer);
            result.push(Finding::new(exchange, what, first.expected, first.actual).at(at));
        }
    }
    if let Some((at, value)) = find(built, "type").filter(|(_, value)| value.as_i64() != Some(3)) {
        let what = "the transaction is not of the type of a contract call";
        let actual = shown(&value.to_string(), 80);
        result.push(Finding::new(exchange, what, "3", actual).at(at));
    }
    if let Some((at, data)) = find(built, "specific_data") {
        // Members around the transaction are not signed.
        let transaction = at
            .rsplit_once('/')
            .map_or("", |(transaction, _)| transaction);
        let signed = built
            .pointer(transaction)
            .filter(|_| !transaction.is_empty());
        let all: Vec<_> = MEMBERS.iter().map(|(_, named)| *named).collect();
        // A call explains these, or they are the same for each call.
        let unexplained = unexplained(signed, transaction, &Transaction::MEMBERS);
        for (at, value) in unexplained
            .into_iter()
            .chain(self::unexplained(Some(data), &at, &all))
        {
            let what = "the transaction has a member that the call does not explain";
            let actual = shown(&value.to_string(), 160);
            result.push(Finding::new(exchange, what, "no such member", actual).at(at));
        }
    }
}

/// Whether a node wrote addresses of another form as they have to be.
fn are_addresses_in_other_letters(sent: &Value, built: &Value) -> bool {
    let is_right = |text: &str| {
        text.parse::<ContractAddress>().is_ok() || text.parse::<WalletAddress>().is_ok()
    };
    match (sent, built) {
        (Value::Array(sent), Value::Array(built)) => {
            let mut pairs = sent.iter().zip(built);
            sent.len() == built.len()
                && pairs.all(|(sent, built)| {
                    sent == built || are_addresses_in_other_letters(sent, built)
                })
        }
        (Value::String(sent), Value::String(built)) => {
            !is_right(sent) && is_right(built) && sent.eq_ignore_ascii_case(built)
        }
        _ => false,
    }
}

/// Returns the members of an object that are not among the known ones, with their places.
fn unexplained<'v>(
    object: Option<&'v Value>,
    at: &str,
    known: &[&str],
) -> Vec<(String, &'v Value)> {
    let members = object.and_then(Value::as_object).into_iter().flatten();
    members
        .filter(|(name, _)| !known.contains(&name.as_str()))
        .map(|(name, value)| (format!("{at}{}", member(name)), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{history::recorded, http::Request};

    const CALL: &str = r#"{"sc_address":"ct1","function_called":"f","signers":["0x2","0x1"],"params":{"a":[1,{}]}}"#;

    fn findings(sent: &str, built: &str) -> Vec<String> {
        let call = Request::post("/call-sc", sent.to_owned());
        let found = echo(&recorded(vec![(1, call, 200, built)]))
            .findings
            .into_iter();
        found.map(|one| one.pointer.unwrap_or_default()).collect()
    }

    #[test]
    fn a_built_transaction_is_the_call_and_nothing_else() {
        let built = r#"{"transaction":{"type":3,"fee":0.0,"specific_data":{"address":"ct1","function":"f",
            "signers":["0x2","0x1"],"params":{"a":[1,{}]}}},"signatures":[]}"#;
        assert_eq!(findings(CALL, built), [""; 0]);
        let data = "/transaction/specific_data";
        for (from, to, at) in [
            ("\"ct1\"", "\"ct2\"", format!("{data}/address")),
            (
                "\"0x2\",\"0x1\"",
                "\"0x1\",\"0x2\"",
                format!("{data}/signers/0"),
            ),
            ("[1,", "[1.0,", format!("{data}/params/a/0")),
            ("{}]", "{\"b\":1}]", format!("{data}/params/a/1/b")),
            ("\"type\":3", "\"type\":5", "/transaction/type".to_owned()),
            (
                "\"fee\"",
                "\"fee_payer\":1,\"fee\"",
                "/transaction/fee_payer".to_owned(),
            ),
            ("\"address\"", "\"x\":1,\"address\"", format!("{data}/x")),
        ] {
            assert_eq!(findings(CALL, &built.replace(from, to)), [at], "{to}");
        }
        let address = |text: &str| {
            let text = text.replace("ct1", &format!("ct{}", "5a".repeat(20)));
            text.replace("0x1", &format!("0x{}", "5a".repeat(20)))
        };
        let capitals = |text: &str| address(text).replace("5a", "5A");
        assert_eq!(findings(&capitals(CALL), &address(built)), [""; 0]);
        assert_eq!(findings(&address(CALL), &capitals(built)).len(), 2);
        // What is around the transaction is not signed.
        assert_eq!(
            findings(CALL, &built.replacen('{', "{\"expires\":1,", 1)),
            [""; 0]
        );
        for wrong in ["", "{", &CALL.replace("signers", "SIGNERS")] {
            assert_eq!(findings(wrong, built).len(), 1, "{wrong}");
            assert_eq!(findings(wrong, r#"{"detail":"no"}"#), [""; 0]);
        }
    }

    #[test]
    fn a_call_is_built_whatever_its_remarks_and_links_are() {
        let call = |asset: &str, remarks: &str, link: &str| {
            let params =
                serde_json::json!({"asset_id": asset, "remarks": remarks, "doc_link_list": [link]});
            let body = serde_json::json!({"sc_address": "ct1", "function_called": "f", "signers": [], "params": params});
            Request::post("/call-sc", body.to_string())
        };
        let long = "x".repeat(SHORT + 1);
        let usual = call("a", "fine", "/1");
        for (other, status, is_right) in [
            (call("a", "<script>", "/1"), 403, false),
            (call("a", "fine", "../"), 400, false),
            (call("a", "<script>", "/1"), 429, true),
            (call("a", "<script>", "/1"), 500, true),
            // Something else is the reason.
            (call("b", "<script>", "/1"), 403, true),
            (call("a", &long, "/1"), 413, true),
            (call("a", "fine", &long), 413, true),
        ] {
            let text = other.body.clone();
            // It echoes nothing, which this test is not about.
            let built = r#"{"trans_code":"1"}"#;
            let rows = vec![(1, usual.clone(), 200, built), (2, other, status, "{}")];
            let found = echo(&recorded(rows));
            assert_eq!(found.has_no_findings(), is_right, "{status} {text:?}");
        }
        // Without a built one, the node may refuse all.
        let rows = vec![
            (1, usual, 403, "{}"),
            (2, call("a", "<script>", "/1"), 403, "{}"),
        ];
        assert!(echo(&recorded(rows)).has_no_findings());
    }

    #[test]
    fn what_is_not_a_call_builds_nothing() {
        let built = r#"{"transaction":{"type":3}}"#;
        let post = |body: &str| Request::post("/call-sc", body.to_owned());
        for (request, status, built, what) in [
            (
                Request::get("/call-sc"),
                200,
                built,
                Some("a GET builds a transaction"),
            ),
            (
                post("{}"),
                200,
                built,
                Some("a call without sc_address builds a transaction"),
            ),
            (
                post("[]"),
                200,
                built,
                Some("a body that is not a call builds a transaction"),
            ),
            (post("{}"), 200, r#"{"balance":7}"#, None),
            (post("{}"), 400, built, None),
        ] {
            let found = echo(&recorded(vec![(1, request, status, built)]));
            let found = found.findings.first().map(|one| one.what.clone());
            assert_eq!(found.as_deref(), what);
        }
    }

    #[test]
    fn numbers_are_compared_to_the_last_digit() {
        let call = |number: &str| {
            CALL.replace('1', "0")
                .replace("[0,", &format!("[{number},"))
        };
        let built = |number: &str| {
            format!(
                "{{\"transaction\":{{\"specific_data\":{{\"params\":{{\"a\":[{number},{{}}]}}}}}}}}"
            )
        };
        let long = "123456789012345678901234567890";
        assert_eq!(findings(&call(long), &built(long)), [""; 0]);
        assert_eq!(
            findings(&call(long), &built("1.2345678901234568e+29")).len(),
            1
        );
        assert_eq!(findings(&call("1e-7"), &built("1e-07")), [""; 0]);
    }
}
