//! The rule *near*: a request about something similar does not get this thing.

use std::collections::BTreeSet;

use nodeproof_openapi::{Parameter, Spec};
use nodeproof_primitives::escape::escaped_up_to as shown;
use serde_json::Value;
use url::form_urlencoded;

use crate::{
    api::{Sample, carried, is_address, is_nonexistent, mentions, rows},
    checks::{Examination, Finding, described, has_same_content},
    history::{Answer, Entry, History},
    http::Method,
};

/// Maximum number of different requests with content that others are compared with.
const MOST: usize = 128;

/// A parameter's name and value.
type Pair = (String, String);

/// Judges all requests of a run to an endpoint. Each one that got content is compared with the later ones that
/// differ from it in one parameter.
pub(crate) fn near(history: &History, spec: &Spec, sample: Sample) -> Examination {
    let parameters = sample.parameters(spec);
    let required: Vec<_> = parameters.iter().filter(|one| one.required).collect();
    let is_required = |name: &str| required.iter().any(|one| one.name == name);
    let readable = |entry: &&Entry| {
        entry.exchange.request.method == Method::Get
            && matches!(entry.answer, Answer::Content | Answer::Nothing)
    };
    let asked = history.of_path(sample.path()).filter(readable);
    let asked: Vec<_> = asked.map(Asked::of).collect();
    let described = described(spec, sample);
    let (mut known, mut found) = (BTreeSet::new(), BTreeSet::new());
    let mut result = Examination::default();
    for (place, thing) in asked.iter().enumerate() {
        let is_known = known.contains(&thing.entry.question);
        if is_known || known.len() == MOST || !thing.is_a_thing(&parameters) {
            continue;
        }
        known.insert(&thing.entry.question);
        for other in asked.iter().skip(place + 1) {
            let Some((name, how)) = difference(thing, other, is_required) else {
                continue;
            };
            result.count_item();
            let for_nothing = matches!(how, How::Missing | How::Named) && is_required(name);
            let gets_it = other.entry.answer == Answer::Content
                && match sample {
                    _ if for_nothing => true,
                    // A text that is not a number names no block.
                    Sample::Blocks => true,
                    Sample::ContractState => !other.gets_only_its_own(name),
                    _ => {
                        has_same_content(&thing.entry.exchange, &other.entry.exchange, &described)
                            && !is_usual(&asked, other, &described)
                            && !is_named_elsewhere(&asked, other.value(name))
                    }
                };
            if gets_it && found.insert((name, how)) {
                let what = how.describe(name);
                let expected = expected(name, other.value(name));
                result.push(Finding::of_response(&other.entry.exchange, what, expected));
            }
        }
    }
    result
}

/// A request, with its parameters in alphabetical order.
struct Asked<'h> {
    entry: &'h Entry,
    parameters: Vec<Pair>,
}

impl<'h> Asked<'h> {
    fn of(entry: &'h Entry) -> Self {
        let mut parameters: Vec<_> = entry.exchange.url().query_pairs().into_owned().collect();
        parameters.sort();
        Self { entry, parameters }
    }

    /// Returns the value of a parameter, or nothing if it is missing.
    fn value(&self, name: &str) -> &str {
        let mut named = self.parameters.iter().filter(|(given, _)| given == name);
        named.next().map_or("", |(_, value)| value)
    }

    /// Whether it names something that exists, and got it.
    fn is_a_thing(&self, documented: &[Parameter<'_>]) -> bool {
        let names = self.parameters.iter().map(|(name, _)| name.as_str());
        let is_once = |name| names.clone().filter(|other| *other == name).count() == 1;
        let mut are_right = names.clone();
        self.entry.answer == Answer::Content
            && are_right.all(|name| documented.iter().any(|one| one.name == name) && is_once(name))
            && !self
                .parameters
                .iter()
                .any(|(_, value)| is_nonexistent(value))
            && (self.entry.exchange.request.path != "/sc-state"
                || self.gets_only_its_own("unique_value"))
    }

    /// Whether the records in the response are those that the request is for. It differs in one parameter from
    /// a request for others. A record of an unknown form has to have the value somewhere.
    fn gets_only_its_own(&self, name: &str) -> bool {
        let (column, value) = (self.value("unique_column"), self.value("unique_value"));
        let is_own = |carried: &Value| match rows(carried) {
            Some(rows) => rows.iter().all(|row| {
                let contract = row.column("address").and_then(Value::as_str);
                row.has(column, value)
                    && contract.is_none_or(|contract| contract == self.value("contract_address"))
            }),
            None => name == "unique_value" && mentions(carried, value),
        };
        let body = self.entry.exchange.success_object().into_iter();
        let mut carried = body.flat_map(carried).peekable();
        carried.peek().is_none() || name != "table_name" && carried.all(|(_, value)| is_own(value))
    }
}

/// How a request differs in one parameter from one that got content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    Missing,
    /// The parameter's name is in other letters.
    Named,
    /// The value is almost the same.
    Like(&'static str),
    /// The value is another one.
    Other,
}

impl How {
    fn describe(self, name: &str) -> String {
        match self {
            Self::Missing => format!("a request without {name} gets content"),
            Self::Named => format!("a request with {name} in other letters gets content"),
            Self::Like(how) => format!("another {name} gets the same: one {how}"),
            Self::Other => format!("another {name} gets something that it does not have"),
        }
    }
}

/// Returns the only parameter in which a request differs from one that got content, if the other may not get
/// it, too.
fn difference<'h>(
    thing: &'h Asked<'_>,
    other: &Asked<'_>,
    is_required: impl Fn(&str) -> bool,
) -> Option<(&'h str, How)> {
    let only = |these: &'h [Pair], those: &[Pair]| {
        let mut different = these.iter().filter(|one| !those.contains(one));
        let first = different.next();
        (different.next().is_none()).then_some(first)
    };
    let (name, value) = only(&thing.parameters, &other.parameters)??;
    let mut more = other
        .parameters
        .iter()
        .filter(|one| !thing.parameters.contains(one));
    let how = match (more.next(), more.next()) {
        (None, None) if is_required(name) => How::Missing,
        (Some((given, new)), None) if given == name => {
            let path = thing.entry.exchange.request.path;
            if path == "/get-block" && is_number(new) {
                return None;
            }
            // A contract, and a column, has its own records.
            let is_place = matches!(name.as_str(), "contract_address" | "unique_column");
            match likeness(value, new) {
                Some(how) => How::Like(how),
                None if is_same_address(value, new) => return None,
                None if path == "/sc-state" && (is_place || is_nonexistent(new)) => How::Other,
                None => return None,
            }
        }
        (Some((given, new)), None) if given.eq_ignore_ascii_case(name) && value == new => {
            How::Named
        }
        _ => return None,
    };
    Some((name, how))
}

/// Whether a reader of numbers may accept a text.
fn is_number(text: &str) -> bool {
    plain_number(text).replace('_', "").parse::<f64>().is_ok()
}

/// Returns a text with ASCII digits in place of full-width ones, and without blanks and control characters around it.
pub(super) fn plain_number(text: &str) -> String {
    let digit = |c: char| match u32::from(c) {
        wide @ 0xff10..=0xff19 => char::from_digit(wide - 0xff10, 10).unwrap_or(c),
        _ => c,
    };
    let text: String = text.chars().map(digit).collect();
    let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    text.to_owned()
}

/// Whether two texts are the same address. Its letters may be in upper and lower case.
fn is_same_address(one: &str, other: &str) -> bool {
    is_address(one) && one.eq_ignore_ascii_case(other)
}

/// Returns how a value is almost the same as another one.
fn likeness(value: &str, given: &str) -> Option<&'static str> {
    if value == given || is_same_address(value, given) {
        return None;
    }
    let in_small_letters = |text| str::chars(text).flat_map(char::to_lowercase);
    let is_decoded = || {
        let decoded = || {
            let encoded = format!("v={given}");
            let mut decoded = form_urlencoded::parse(encoded.as_bytes());
            decoded.next().is_some_and(|(_, text)| text == value)
        };
        given.contains(['%', '+']) && decoded()
    };
    let has_wildcard = || {
        given.match_indices(['%', '*']).any(|(at, wildcard)| {
            let (start, end) = (&given[..at], &given[at + wildcard.len()..]);
            start.len() + end.len() <= value.len()
                && value.starts_with(start)
                && value.ends_with(end)
        })
    };
    let length = |text| str::chars(text).count();
    let differences = || {
        let pairs = value.chars().zip(given.chars());
        pairs.filter(|(one, other)| one != other).count()
    };
    Some(match () {
        () if given.is_empty() => "that is empty",
        () if in_small_letters(value).eq(in_small_letters(given)) => "in other letters",
        () if value.trim() == given.trim() => "with a blank",
        () if given.trim_matches('"') == value => "in quotes",
        () if given.split(',').all(|one| one == value) => "twice, with a comma",
        () if value.trim_start_matches('0') == given => "without zeros before it",
        () if is_decoded() => "that is encoded twice",
        () if has_wildcard() => "with a wildcard",
        () if value.starts_with(given) && length(given) + 1 == length(value) => {
            "without its last character"
        }
        () if given.starts_with(value) && length(given) == length(value) + 1 => {
            "with one character more"
        }
        () if length(given) == length(value) && differences() == 1 => "with another character",
        () => return None,
    })
}

/// Whether a request for something made up gets the same.
fn is_usual(asked: &[Asked<'_>], other: &Asked<'_>, described: &[String]) -> bool {
    asked.iter().any(|one| {
        one.parameters
            .iter()
            .any(|(_, value)| is_nonexistent(value))
            && has_same_content(&one.entry.exchange, &other.entry.exchange, described)
    })
}

/// Whether the node shows a value where it was not requested. So the value exists.
fn is_named_elsewhere(asked: &[Asked<'_>], value: &str) -> bool {
    let text = Value::from(value).to_string();
    asked.iter().any(|one| {
        !one.parameters.iter().any(|(_, given)| given == value)
            && String::from_utf8_lossy(&one.entry.exchange.body).contains(&text)
    })
}

/// Describes the right response to a request with this value, or without one.
fn expected(name: &str, value: &str) -> String {
    match value {
        "" => "a refusal".to_owned(),
        value => format!(
            "a refusal, or nothing, for {name} {}",
            shown(&format!("{value:?}"), 100)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::{block_request, contract_state_request, token_balance_request, trust_request},
        history::recorded,
        http::Request,
    };

    fn findings(sample: Sample, rows: &[(Request, &str)]) -> Vec<String> {
        let spec = Spec::from_json(nodeproof_openapi::NODE_JSON).expect("the description");
        let rows = rows.iter().zip(1..);
        let rows = rows.map(|((request, body), at)| (at * 10, request.clone(), 200, *body));
        let found = near(&recorded(rows.collect()), &spec, sample).findings;
        found.into_iter().map(|one| one.what).collect()
    }

    #[test]
    fn each_likeness_has_a_name() {
        for (value, given, how) in [
            ("Ab", "aB", Some("in other letters")),
            ("Ab", " Ab", Some("with a blank")),
            ("007", "7", Some("without zeros before it")),
            ("Ab", "%41b", Some("that is encoded twice")),
            ("Abc", "A%", Some("with a wildcard")),
            ("Abc", "*", Some("with a wildcard")),
            ("Abc", "Ab", Some("without its last character")),
            ("Abc", "Abcd", Some("with one character more")),
            ("Abc", "\"Abc\"", Some("in quotes")),
            ("Abc", "Abc,Abc", Some("twice, with a comma")),
            ("Abc", "Abc,Abcd", None),
            ("Abc", "Abx", Some("with another character")),
            ("Abc", "Abc", None),
            ("Abc", "", Some("that is empty")),
            // What a wildcard stands for has to be in the value.
            ("Abcd", "Ab%cd", Some("with a wildcard")),
            ("Abcd", "Abc%bcd", None),
            ("Abcd", "Ab%d", Some("with a wildcard")),
            ("Abcd", "*x", None),
            ("Abc", "Xyz", None),
        ] {
            assert_eq!(likeness(value, given), how, "{value} {given}");
        }
        let wallet = format!("0x{}", "ab".repeat(20));
        assert_eq!(likeness(&wallet, &wallet.to_uppercase()), None);
    }

    #[test]
    fn a_similar_name_does_not_get_a_balance() {
        let (balance, five) = (token_balance_request, r#"{"balance":5}"#);
        let same = "another token_code gets the same: one in other letters";
        let judged = |rows: &[(Request, &str)]| findings(Sample::TokenBalance, rows);
        let real = (balance("0x1", "TKN"), five);
        assert_eq!(
            judged(&[real.clone(), (balance("0x1", "tkn"), five)]),
            [same]
        );
        assert_eq!(
            judged(&[real.clone(), (balance("0x1", "tkn"), r#"{"balance":0}"#)]),
            [""; 0]
        );
        assert_eq!(
            judged(&[real.clone(), (balance("0x1", "OTHER"), five)]),
            [""; 0]
        );
        // A token that a list names exists.
        let list = crate::api::wallet_balances_request("0x1");
        let list = (list, r#"{"balance":[{"token_code":"tkn","balance":5}]}"#);
        assert_eq!(
            judged(&[list, real.clone(), (balance("0x1", "tkn"), five)]),
            [""; 0]
        );
        let named = balance("0x1", "TKN")
            .without("token_code")
            .with("Token_Code", "TKN");
        let named_wrongly = "a request with token_code in other letters gets content";
        assert_eq!(judged(&[real.clone(), (named, five)]), [named_wrongly]);
        let missing = balance("0x1", "TKN").without("balance_type");
        assert_eq!(judged(&[real, (missing, r#"{"balance":7}"#)]).len(), 1);
    }

    /// A request is compared with later ones if it names something that exists, and got it.
    #[test]
    fn only_a_right_request_for_something_that_exists_is_compared() {
        const FIVE: &str = r#"{"balance":5}"#;
        let balance = token_balance_request;
        let without_type = || balance("0x1", "TKN").without("balance_type");
        let address = format!("0x{}", "ab".repeat(20));
        let in_capitals = address.to_uppercase().replace("0X", "0x");
        let nobody = format!("0x{}", "fe".repeat(20));
        for (what, first, of_first, second, count) in [
            (
                "an unlike token",
                balance("0x1", "TKN"),
                FIVE,
                balance("0x1", "tkn"),
                1,
            ),
            (
                "another member",
                balance("0x1", "TKN").with("page", "1"),
                FIVE,
                balance("0x1", "tkn").with("page", "1"),
                0,
            ),
            (
                "a name twice",
                balance("0x1", "TKN").with("token_code", "TKN"),
                FIVE,
                balance("0x1", "TKN"),
                0,
            ),
            (
                "nothing",
                balance("0x1", "TKN"),
                r#"{"balance":null}"#,
                balance("0x1", "tkn"),
                0,
            ),
            (
                "nobody",
                balance(&nobody, "TKN"),
                FIVE,
                balance(&nobody, "tkn"),
                0,
            ),
            (
                "the same address",
                balance(&address, "T"),
                FIVE,
                balance(&in_capitals, "T"),
                0,
            ),
            ("no type", balance("0x1", "TKN"), FIVE, without_type(), 1),
            // Only one kind of balance uses it.
            (
                "no wallet",
                balance("0x1", "TKN"),
                FIVE,
                balance("0x1", "TKN").without("wallet_address"),
                0,
            ),
            (
                "an optional name in other letters",
                balance("0x1", "TKN"),
                FIVE,
                balance("0x1", "TKN")
                    .without("wallet_address")
                    .with("Wallet_Address", "0x1"),
                1,
            ),
            (
                "another name and value",
                balance("0x1", "TKN"),
                FIVE,
                balance("0x1", "TKN")
                    .without("balance_type")
                    .with("Balance_Type", "x"),
                0,
            ),
            (
                "another name",
                balance("0x1", "TKN"),
                FIVE,
                balance("0x1", "TKN")
                    .without("balance_type")
                    .with("kind", "TOKEN_IN_WALLET"),
                0,
            ),
        ] {
            let rows = [(first, of_first), (second, FIVE)];
            assert_eq!(findings(Sample::TokenBalance, &rows).len(), count, "{what}");
        }
    }

    #[test]
    fn an_equal_request_is_compared_once() {
        let five = r#"{"balance":5}"#;
        let asked = |at, code: &str| (at, token_balance_request("0x1", code), 200, five);
        let rows = vec![asked(10, "TKN"), asked(20, "TKN"), asked(30, "tkn")];
        let spec = Spec::from_json(nodeproof_openapi::NODE_JSON).expect("the description");
        let result = near(&recorded(rows), &spec, Sample::TokenBalance);
        assert_eq!((result.examined, result.findings.len()), (1, 1));
    }

    #[test]
    fn what_unknown_wallets_get_too_shows_nothing() {
        let one = r#"{"status":"SUCCESS","trust_score":1}"#;
        let real = (trust_request("0x1", "0x2"), one);
        let near = (trust_request("0x1 ", "0x2"), one);
        let nobody = format!("0x{}", "fe".repeat(20));
        let usual = (trust_request(&nobody, &nobody), one);
        assert_eq!(
            findings(Sample::TrustScore, &[real.clone(), near.clone()]).len(),
            1
        );
        assert_eq!(findings(Sample::TrustScore, &[real, near, usual]), [""; 0]);
    }

    #[test]
    fn a_record_is_returned_where_it_is() {
        let row = |contract: &str, asset: &str| {
            format!(r#"{{"value":["{contract}","{asset}","t","0x",1,"[]","[]","r",5]}}"#)
        };
        let state = contract_state_request;
        let judged = |request: Request, body: &str| {
            let real = (state("ct1", "rice-1"), row("ct1", "rice-1"));
            findings(Sample::ContractState, &[(real.0, &real.1), (request, body)]).len()
        };
        assert_eq!(judged(state("ct1", "Rice-1"), &row("ct1", "rice-1")), 1);
        // Another claim may have almost the same name.
        assert_eq!(judged(state("ct1", "rice-2"), &row("ct1", "rice-2")), 0);
        assert_eq!(judged(state("ct2", "rice-1"), &row("ct2", "rice-1")), 0);
        assert_eq!(judged(state("ct2", "rice-1"), &row("ct1", "rice-1")), 1);
        assert_eq!(
            judged(state("ct1", "no-such-asset-5a5a"), r#"{"value":["a"]}"#),
            1
        );
        assert_eq!(judged(state("ct1", "rice-"), r#"{"value":null}"#), 0);
        // A record of another form has the value somewhere.
        let other_form = r#"{"value":{"claim":"rice-2"}}"#;
        assert_eq!(judged(state("ct1", "rice-2"), other_form), 0);
        assert_eq!(judged(state("ct1", "rice-3"), other_form), 1);
        assert_eq!(judged(state("ct2", "rice-1"), other_form), 1);
        // Nobody knows what it has to be compared with.
        let wrong = row("ct1", "another");
        let rows = ["rice-1", "Rice-1"].map(|asset| (state("ct1", asset), &*wrong));
        assert_eq!(findings(Sample::ContractState, &rows), [""; 0]);
        // The letters of an address may be upper or lower case.
        let contract = format!("ct{}", "ab".repeat(20));
        let in_capitals = format!("ct{}", "AB".repeat(20));
        let row_of = row(&contract, "rice-1");
        let rows = [contract, in_capitals].map(|one| (state(&one, "rice-1"), &*row_of));
        assert_eq!(findings(Sample::ContractState, &rows), [""; 0]);
        let in_table = |name: &str| state("ct1", "rice-1").setting("table_name", name.to_owned());
        assert_eq!(judged(in_table("Verification"), &row("ct1", "rice-1")), 1);
        assert_eq!(judged(in_table("votes"), &row("ct1", "rice-1")), 0);
    }

    #[test]
    fn other_forms_of_a_number_are_not_judged() {
        let block = r#"{"index":7,"proof":1}"#;
        for (text, count) in [
            ("07", 0),
            (" 7", 0),
            ("7.0", 0),
            ("+7", 0),
            ("\u{ff17}", 0),
            ("7x", 1),
            ("%37", 1),
        ] {
            let rows = [(block_request(7), block), (block_request(text), block)];
            assert_eq!(findings(Sample::Blocks, &rows).len(), count, "{text}");
            let another = r#"{"index":8,"proof":2}"#;
            let rows = [(block_request(7), block), (block_request(text), another)];
            assert_eq!(findings(Sample::Blocks, &rows).len(), count, "{text}");
        }
    }
}
