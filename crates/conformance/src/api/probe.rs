//! Probes: requests that a careless node misreads, and that change nothing.
//!
//! No probe has a statement separator or a word that writes. A node that executes one can only read.

use serde_json::{Value, json};

use super::{
    nonexistent::{UNKNOWN_ASSET, nobody},
    requests::{
        block_request, contract_state_request, token_balance_request, token_holders_request,
        trust_request, wallet_balances_request,
    },
};
use crate::http::Request;

/// The length of a long member, in bytes.
const LONG: usize = 64 * 1024;

/// The length of a long parameter, in bytes. The HTTP library sends URLs of at most 65,534 bytes.
const LONG_PARAMETER: usize = 63 * 1024;

/// An index that does not exist on any chain.
const NO_INDEX: u64 = 99_999_999_999;

/// A token that does not exist on any chain.
const NO_TOKEN: &str = "NO-SUCH-TOKEN-5A5A";

/// The texts of probes, with `{}` in place of a plain value.
const TEXTS: &[(&str, &str)] = &[
    ("a quote", "{}'"),
    ("a double quote", "{}\""),
    ("a back quote", "{}`"),
    ("a backslash", "{}\\"),
    ("a comment", "{}--"),
    ("a quote and a comment", "{}' --"),
    ("an opened comment", "{}'/*"),
    ("a hash sign", "{}' #"),
    ("a condition that is always true", "{} OR 1=1"),
    ("a condition and a comment", "{} OR 1=1 --"),
    ("a quote and a condition", "{}' OR '1'='1"),
    ("a quote, a condition and a comment", "{}' OR 1=1 --"),
    ("a double quote and a condition", "{}\" OR \"1\"=\"1"),
    ("a parenthesis and a condition", "{}') OR ('1'='1"),
    ("only a condition", "' OR ''='"),
    ("a condition on one", "1 OR 1=1"),
    ("a number", "1"),
    ("a condition as JSON", "{\"$ne\": null}"),
    ("a percent sign", "%"),
    ("a wildcard at the end", "{}%"),
    ("a wildcard for one character", "_%"),
    ("an asterisk", "*"),
    ("a regular expression", ".*"),
    ("a NUL at the end", "{}\0"),
    ("a NUL", "\0"),
    ("an encoded quote", "{}%27 OR %271%27=%271"),
    ("a format", "%s%n%x"),
    ("a path upwards", "../{}"),
    ("a path of the system", "../../../../etc/passwd"),
    ("a path down and up", "{}/../{}"),
    ("upper case", "{upper}"),
    ("blanks around it", " {} "),
    ("a tab before it", "\t{}"),
    ("a line end after it", "{}\r\n"),
    ("look-alike digits", "{wide}"),
    ("nothing", ""),
];

/// Numbers, with `{}` in place of a block's index.
const NUMBERS: &[(&str, &str)] = &[
    ("leading zeros", "000{}"),
    ("a plus sign", "+{}"),
    ("a minus sign", "-{}"),
    ("a decimal point", "{}.0"),
    ("a fraction", "{}.9"),
    ("an exponent", "{}e0"),
    ("a large exponent", "1e400"),
    ("hexadecimal digits", "0x{hex}"),
    ("the index and 2^64", "{2^64}"),
    ("the index and 2^32", "{2^32}"),
    ("blanks around it", " {} "),
    ("look-alike digits", "{wide}"),
    ("a quote and a comment", "{}' --"),
    ("a NUL", "{}\0"),
];

/// A request that a careless node misreads.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// The parameter, or the member of a body, that is probed.
    pub(crate) parameter: &'static str,
    /// A description of what is unusual about its value.
    pub(crate) description: &'static str,
    /// The unusual value.
    pub(crate) value: String,
    pub(crate) request: Request,
}

/// Data of a node that probes use.
#[derive(Clone, Debug)]
pub(crate) struct ProbeData {
    pub(crate) block: u64,
    pub(crate) wallet: String,
    pub(crate) token: String,
    pub(crate) contract: String,
    pub(crate) asset: Option<String>,
    pub(crate) call: Value,
}

/// The endpoints with probes.
pub(crate) const PROBED_PATHS: [&str; 5] = [
    "/get-block",
    "/get-balances",
    "/sc-state",
    "/get-trustscore-wallets",
    "/call-sc",
];

/// Returns every probe for display: path, parameter, description and value. Placeholders replace what is
/// found on a chain.
pub(crate) fn probe_values() -> Vec<(&'static str, &'static str, &'static str, String)> {
    let named = |what: &str| format!("<{what}>");
    let known = ProbeData {
        block: 7,
        wallet: named("wallet"),
        token: named("token"),
        contract: named("contract"),
        asset: Some(named("asset")),
        call: json!({
            "sc_address": named("contract"),
            "function_called": "add_verification",
            "signers": [named("wallet")],
            "params": {"asset_id": named("asset")},
        }),
    };
    let mut all = Vec::new();
    for path in PROBED_PATHS {
        let probes = probes(path, &known).into_iter();
        all.extend(probes.map(|probe| (path, probe.parameter, probe.description, probe.value)));
    }
    all
}

/// Returns the plain requests whose responses are compared with those to probes. They are about
/// something that does not exist.
pub(crate) fn controls(path: &str, known: &ProbeData) -> Vec<Request> {
    match path {
        "/get-block" => vec![block_request(NO_INDEX)],
        "/get-balances" => balance_targets(known)
            .into_iter()
            .map(|(request, ..)| request)
            .collect(),
        "/sc-state" => vec![contract_state_request(&known.contract, UNKNOWN_ASSET)],
        "/get-trustscore-wallets" => vec![
            trust_request(&nobody(), &known.wallet),
            trust_request(&known.wallet, &nobody()),
        ],
        _ => vec![Request::post("/call-sc", known.call.to_string())],
    }
}

/// Returns every probe of an endpoint.
pub(crate) fn probes(path: &str, known: &ProbeData) -> Vec<Probe> {
    match path {
        "/get-block" => of_blocks(known.block),
        "/get-balances" => balance_targets(known)
            .into_iter()
            .flat_map(|(request, parameter)| of_parameter(&request, parameter))
            .collect(),
        "/sc-state" => {
            let request = contract_state_request(&known.contract, UNKNOWN_ASSET);
            let known_asset = known.asset.iter().flat_map(|asset| {
                let request = contract_state_request(&known.contract, asset);
                inexact(&request, asset)
            });
            [
                "table_name",
                "contract_address",
                "unique_column",
                "unique_value",
            ]
            .into_iter()
            .flat_map(|parameter| of_parameter(&request, parameter))
            .chain(known_asset)
            .collect()
        }
        "/get-trustscore-wallets" => {
            let (known, nobody) = (&known.wallet, &nobody());
            let mut all = of_parameter(&trust_request(nobody, known), "src_wallet_address");
            let other = trust_request(known, nobody);
            all.extend(of_parameter(&other, "dst_wallet_address"));
            all
        }
        _ => of_calls(known),
    }
}

/// Returns requests for balances that do not exist, each with the probed parameter.
fn balance_targets(known: &ProbeData) -> [(Request, &'static str); 5] {
    let nobody = nobody();
    let of_token = token_balance_request(&nobody, &known.token);
    [
        (of_token.clone(), "balance_type"),
        (of_token, "wallet_address"),
        (token_balance_request(&known.wallet, NO_TOKEN), "token_code"),
        (wallet_balances_request(&nobody), "wallet_address"),
        (token_holders_request(NO_TOKEN), "token_code"),
    ]
}

/// Returns probes with every text in place of a parameter's value, and with the parameter in unusual forms.
fn of_parameter(request: &Request, parameter: &'static str) -> Vec<Probe> {
    let given = request.query.iter().find(|(name, _)| *name == parameter);
    let base = given.map_or("", |(_, value)| value);
    let probe = |description, value, request| Probe {
        parameter,
        description,
        value,
        request,
    };
    let texts = TEXTS
        .iter()
        .map(|(description, text)| (*description, filled(text, base)));
    let long = ("63 KiB of text", "a".repeat(LONG_PARAMETER));
    let mut all: Vec<_> = texts
        .chain([long])
        .map(|(description, text)| {
            let request = request.clone().setting(parameter, text.clone());
            probe(description, text, request)
        })
        .collect();
    let without = || request.clone().without(parameter);
    for (description, raw) in [
        (
            "a byte sequence that is not UTF-8",
            format!("{parameter}=%ff%fe"),
        ),
        (
            "an overlong quote",
            format!("{parameter}=%c0%a7%20OR%201=1"),
        ),
        ("an array", format!("{parameter}[]={base}")),
        ("an object", format!("{parameter}[$ne]={base}")),
        (
            "a second value",
            format!("{parameter}={base}&{parameter}=1"),
        ),
    ] {
        all.push(probe(description, raw.clone(), without().with_raw(raw)));
    }
    all
}

/// Returns probes with values that are nearly an asset's identifier. The rule *near* has harmless ones.
fn inexact(request: &Request, asset: &str) -> Vec<Probe> {
    [
        ("a NUL after it", format!("{asset}\0")),
        ("look-alike digits", filled("{wide}", asset)),
        ("a quote and a comment", format!("{asset}' --")),
    ]
    .into_iter()
    .filter(|(_, text)| text != asset)
    .map(|(description, text)| Probe {
        parameter: "unique_value",
        description,
        value: text.clone(),
        request: request.clone().setting("unique_value", text),
    })
    .collect()
}

fn of_blocks(block: u64) -> Vec<Probe> {
    let request = block_request(NO_INDEX);
    let mut all = of_parameter(&request, "block_index");
    all.extend(NUMBERS.iter().map(|(description, text)| {
        let text = filled(text, &block.to_string());
        Probe {
            parameter: "block_index",
            description,
            value: text.clone(),
            request: block_request(text.clone()),
        }
    }));
    all
}

/// Returns contract calls with a probe in each text member, or with a member of another type.
fn of_calls(known: &ProbeData) -> Vec<Probe> {
    let targets = [
        ("sc_address", "/sc_address"),
        ("function_called", "/function_called"),
        ("signers", "/signers/0"),
        ("params", "/params/asset_id"),
    ];
    let mut all = Vec::new();
    for (parameter, pointer) in targets {
        let base = known.call.pointer(pointer).and_then(Value::as_str);
        let base = base.unwrap_or_default().to_owned();
        let mut add = |description, value: Value| {
            let mut call = known.call.clone();
            let text = value.as_str().map_or(value.to_string(), str::to_owned);
            if let Some(place) = call.pointer_mut(pointer) {
                *place = value;
            }
            all.push(Probe {
                parameter,
                description,
                value: text,
                request: Request::post("/call-sc", call.to_string()),
            });
        };
        for (description, text) in TEXTS {
            add(*description, Value::from(filled(text, &base)));
        }
        add("64 KiB of text", Value::from("a".repeat(LONG)));
        add("an array", json!([base]));
        add("an object", json!({ "$ne": base }));
    }
    all
}

/// Returns the text of a probe, with a plain value filled in.
fn filled(text: &str, base: &str) -> String {
    let number = base.parse::<u64>().ok();
    let sum = |more: u128| number.map_or(String::new(), |n| (u128::from(n) + more).to_string());
    text.replace("{}", base)
        .replace("{upper}", &base.to_uppercase())
        .replace("{wide}", &base.chars().map(wide).collect::<String>())
        .replace("{hex}", &number.map_or(String::new(), |n| format!("{n:x}")))
        .replace("{2^64}", &sum(1 << 64))
        .replace("{2^32}", &sum(1 << 32))
}

/// Returns the full-width form of a digit, or the character itself if it is not a digit.
fn wide(character: char) -> char {
    let digit = character.to_digit(10);
    digit
        .and_then(|digit| char::from_u32(0xff10 + digit))
        .unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> ProbeData {
        ProbeData {
            block: 7,
            wallet: format!("0x{}", "1a".repeat(20)),
            token: "TKN".to_owned(),
            contract: format!("ct{}", "2b".repeat(20)),
            asset: Some("Größe 1".to_owned()),
            call: json!({"sc_address": "ct", "function_called": "f", "signers": ["0x"], "params": {"asset_id": "a"}}),
        }
    }

    #[test]
    fn no_probe_could_write_if_it_were_executed() {
        let words = [
            "drop", "delete", "insert", "update", "alter", "create", "truncate", "replace", "exec",
            "merge", "grant", "into", "attach", "pragma", "vacuum", "copy", "call ",
        ];
        let mut seen = 0;
        for path in [
            "/get-block",
            "/get-balances",
            "/sc-state",
            "/get-trustscore-wallets",
            "/call-sc",
        ] {
            for probe in probes(path, &known()) {
                let mut texts: Vec<_> = probe
                    .request
                    .query
                    .iter()
                    .map(|(_, text)| text.clone())
                    .collect();
                texts.extend(probe.request.raw_query.clone());
                texts.extend(probe.request.body.clone());
                for text in texts {
                    let text = text.to_lowercase();
                    assert!(
                        !text.contains([';', '|', '&']) || text.contains("=1"),
                        "{text}"
                    );
                    assert!(!text.contains(';'), "{text}");
                    assert!(!words.iter().any(|word| text.contains(word)), "{text}");
                }
                assert_eq!(probe.request.path, path);
                seen += 1;
            }
        }
        assert!(seen > 500, "{seen}");
    }

    #[test]
    fn a_number_is_filled_in_in_each_form() {
        for (text, filled_in) in [
            ("000{}", "0007"),
            ("0x{hex}", "0x7"),
            ("{2^64}", "18446744073709551623"),
            ("{2^32}", "4294967303"),
            ("{wide}", "\u{ff17}"),
        ] {
            assert_eq!(filled(text, "7"), filled_in);
        }
    }
}
