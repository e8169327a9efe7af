//! Requests about something similar to what the node has, for the rule *near*.

use nodeproof_openapi::{Operation, View};
use url::form_urlencoded;

use super::repeat::note;
use crate::{
    api::{Sample, UNKNOWN_CONTRACT, UNKNOWN_TABLE, is_address, trust_request},
    context::{Samples, swapped},
    history::Answer,
    http::Request,
};

/// Returns the samples of an endpoint.
fn samples_of(sample: Sample) -> &'static [Sample] {
    const BALANCES: &[Sample] = &[
        Sample::TokenBalance,
        Sample::WalletBalances,
        Sample::TokenHolders,
    ];
    match sample {
        Sample::TokenBalance => BALANCES,
        Sample::ContractState => &[Sample::ContractState],
        Sample::TrustScore => &[Sample::TrustScore],
        _ => &[Sample::Blocks],
    }
}

/// Sends requests to an endpoint that each differ in one parameter from one that got content.
pub(super) async fn request_similar(context: &Samples, sample: Sample) {
    let operations = context.spec.operations(View::Documented);
    let operation = operations.iter().find(|op| op.id == sample.operation_id());
    let parameters = operation.map_or_else(Vec::new, Operation::parameters);
    let mut requests = Vec::new();
    for (place, sample) in samples_of(sample).iter().enumerate() {
        let responses = context.sample(*sample).await.unwrap_or_default();
        let with_content = responses
            .iter()
            .filter(|one| Answer::of(one) == Answer::Content);
        let real: Vec<_> = with_content.map(|one| &one.request).collect();
        if let Some(first) = real.first() {
            requests.extend(similar(&real, place));
            let required = parameters.iter().filter(|one| one.required);
            let missing = required.map(|one| (*first).clone().without(one.name));
            requests.extend(missing.filter(|_| place == 0));
            requests.extend(elsewhere(context, first));
        }
    }
    let known = context.history();
    let is_new = |request: &Request| {
        let of_path = known.of_path(request.path);
        !of_path
            .into_iter()
            .any(|entry| entry.exchange.request == *request)
    };
    requests.retain(is_new);
    let requests = requests.into_iter();
    let requests: Vec<_> = requests.map(|request| request.finding_nothing()).collect();
    note(context, context.node.send_all(requests).await.map(drop));
}

/// Returns requests for something else than what the first request got: for a record, the same in another
/// place, and for a score, what a node returns for any wallets.
fn elsewhere(context: &Samples, first: &Request) -> Vec<Request> {
    let setting = |name, value: &str| first.clone().setting(name, value.to_owned());
    match first.path {
        "/sc-state" => {
            let contracts = &context.discovered.contracts;
            let known = first.query.iter().map(|(_, value)| value);
            let other = contracts
                .iter()
                .find(|other| !known.clone().any(|one| one == *other));
            let mut all = vec![
                setting("table_name", UNKNOWN_TABLE),
                setting("contract_address", UNKNOWN_CONTRACT),
                setting("contract_address", "ct5a"),
                setting("unique_column", OTHER_COLUMN),
                setting("unique_column", "no_such_column"),
            ];
            all.extend(other.map(|other| setting("contract_address", other)));
            all
        }
        "/get-trustscore-wallets" => {
            let [one, other] = ["fe", "ff"].map(|byte| format!("0x{}", byte.repeat(20)));
            vec![trust_request(&one, &other)]
        }
        _ => Vec::new(),
    }
}

/// A column that never has an asset's name.
pub(crate) const OTHER_COLUMN: &str = "asset_type";

/// Returns variations of each parameter. They are spread over the requests, so that values of each kind get some.
fn similar(real: &[&Request], place: usize) -> Vec<Request> {
    let mut all = Vec::new();
    let names = real.first().into_iter().flat_map(|first| &first.query);
    for (at, (name, _)) in names.enumerate() {
        // The first request, from this place on, whose value can be changed in this way.
        let changed = |place: usize, vary: Vary| {
            let all = real
                .iter()
                .cycle()
                .skip(place % real.len())
                .take(real.len());
            all.into_iter().find_map(|request| {
                let (_, value) = request.query.iter().find(|(given, _)| given == name)?;
                Some(((*request).clone(), vary(value)?))
            })
        };
        for (nth, vary) in VARIATIONS.iter().enumerate() {
            // The three types of a balance share these.
            if *name != "balance_type" || nth % 3 == place {
                let varied = changed(nth + at, *vary);
                all.extend(varied.map(|(request, value)| request.setting(name, value)));
            }
        }
        if let Some((request, value)) = changed(at, |value| Some(value.to_owned())) {
            let in_other_letters = match at % 2 {
                0 => name.to_uppercase(),
                _ => with_other_first_letter(name).unwrap_or_default(),
            };
            let mut raw = form_urlencoded::Serializer::new(String::new());
            raw.append_pair(&in_other_letters, &value);
            all.push(request.without(name).with_raw(raw.finish()));
        }
    }
    all
}

type Vary = fn(&str) -> Option<String>;

/// Ways to change a value slightly. The value may be an index, an address, a name or a code.
const VARIATIONS: [Vary; 13] = [
    with_other_letters,
    with_other_first_letter,
    |value| text(format!(" {value}")),
    |value| text(format!("{value} ")),
    |value| cut_short(value).and_then(text),
    |value| Some(format!("{value}x")),
    with_look_alike,
    |value| {
        let first = value.chars().next().filter(char::is_ascii_alphanumeric)?;
        Some(format!("%{:02X}{}", u32::from(first), value.get(1..)?))
    },
    |value| Some(format!("{}%", cut_short(value).unwrap_or_default())),
    |value| Some(format!("_{}", value.get(1..)?)),
    |_| Some(String::new()),
    |value| text(value.to_owned()).map(|name| format!("\"{name}\"")),
    |value| text(value.to_owned()).map(|name| format!("{name},{name}")),
];

/// Returns a text, unless it is an index of another block.
fn text(value: String) -> Option<String> {
    value.trim().parse::<u64>().is_err().then_some(value)
}

/// Returns a name with upper and lower case swapped in its ASCII letters, or `None` if it has none. An
/// address in upper case may be the same address.
fn with_other_letters(value: &str) -> Option<String> {
    let swapped: String = value.chars().map(swapped).collect();
    (swapped != value && !is_address(value)).then_some(swapped)
}

fn with_other_first_letter(value: &str) -> Option<String> {
    let at = value.find(|c: char| c.is_ascii_alphabetic())?;
    let (start, rest) = (value.get(..at)?, value.get(at..)?);
    let mut rest = rest.chars();
    let first = swapped(rest.next()?);
    (!is_address(value)).then(|| format!("{start}{first}{}", rest.as_str()))
}

/// Returns a name without its last character, or `None` if nothing is left.
pub(crate) fn cut_short(name: &str) -> Option<String> {
    let mut short = name.to_owned();
    short.pop();
    (!short.trim().is_empty()).then_some(short)
}

/// Returns a value with one character in place of a similar one.
fn with_look_alike(value: &str) -> Option<String> {
    const ALIKE: [(char, char); 8] = [
        ('0', 'O'),
        ('1', 'l'),
        ('5', 'S'),
        ('8', 'B'),
        ('O', '0'),
        ('l', '1'),
        ('-', '_'),
        ('_', '-'),
    ];
    if is_address(value) {
        let last = value.chars().last()?.to_digit(16)?;
        let other = char::from_digit(last ^ 1, 16)?;
        return Some(format!("{}{other}", cut_short(value)?));
    }
    let (one, other) = ALIKE.iter().find(|(one, _)| value.contains(*one))?;
    Some(value.replacen(*one, &other.to_string(), 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{block_request, token_balance_request};

    fn sent(request: &Request, name: &str) -> Vec<String> {
        let all = similar(&[request], 0).into_iter();
        let value = |request: Request| request.query.into_iter().find(|(given, _)| *given == name);
        let mut sent: Vec<_> = all.filter_map(value).map(|(_, value)| value).collect();
        sent.retain(|value| request.query.iter().all(|(_, real)| real != value));
        sent
    }

    #[test]
    fn each_variation_is_another_value() {
        let token = token_balance_request("0x5a", "Ab-0");
        let expected = [
            "aB-0",
            "ab-0",
            " Ab-0",
            "Ab-0 ",
            "Ab-",
            "Ab-0x",
            "Ab-O",
            "%41b-0",
            "Ab-%",
            "_b-0",
            "",
            "\"Ab-0\"",
            "Ab-0,Ab-0",
        ];
        assert_eq!(sent(&token, "token_code"), expected);
        let wallet = format!("0x{}", "1a".repeat(20));
        let balance = token_balance_request(&wallet, "T");
        let of_wallet = sent(&balance, "wallet_address");
        assert_eq!(of_wallet.len(), 11);
        assert!(of_wallet.contains(&format!("0x{}1b", "1a".repeat(19))));
    }

    #[test]
    fn a_number_in_other_words_is_not_another_block() {
        assert_eq!(
            sent(&block_request(10), "block_index"),
            ["10x", "1O", "%310", "1%", "_0", ""]
        );
    }
}
