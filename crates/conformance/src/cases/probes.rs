//! Checks with probes: a node must not misread an unusual value.

use std::sync::Arc;

use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::Level;
use serde_json::Value;

use super::{
    call_sc,
    case::Case,
    cause::Cause,
    chain,
    check::Check::Own,
    get_balances,
    get_block::{self, ANY_INDEX, NO_BLOCKS, NO_RECEIPTS, OTHER_FORM},
    get_trustscore_wallets,
    inconclusive::unknown,
    request_kind::RequestKind,
    sc_state,
};
use crate::{
    api::{
        PROBED_PATHS, Probe, Sample, Tier, carried, has_record, inner_json, known_rows,
        reported_index,
    },
    checks::{Examination, Finding, Findings, controls, described, has_same_content, objects},
    context::{Context, Probed},
    http::{Exchange, InconclusiveReason},
};

const UNUSUAL: &str = "a plain or an unusual value";
const BLOCK: RequestKind = RequestKind::get("/get-block", &[("block_index", UNUSUAL)]);
const BALANCE: RequestKind = RequestKind::get(
    "/get-balances",
    &[
        ("balance_type", UNUSUAL),
        ("token_code", UNUSUAL),
        ("wallet_address", UNUSUAL),
    ],
);
const HELD: RequestKind = RequestKind::get(
    "/get-balances",
    &[
        ("balance_type", "ALL_TOKENS_IN_WALLET"),
        ("wallet_address", UNUSUAL),
    ],
);
const HOLDERS: RequestKind = RequestKind::get(
    "/get-balances",
    &[
        ("balance_type", "ALL_WALLETS_FOR_TOKEN"),
        ("token_code", UNUSUAL),
    ],
);
const STATE: RequestKind = RequestKind::get(
    "/sc-state",
    &[
        ("table_name", UNUSUAL),
        ("contract_address", UNUSUAL),
        ("unique_column", UNUSUAL),
        ("unique_value", UNUSUAL),
    ],
);
const SCORE: RequestKind = RequestKind::get(
    "/get-trustscore-wallets",
    &[
        ("src_wallet_address", UNUSUAL),
        ("dst_wallet_address", UNUSUAL),
    ],
);
const CALL: RequestKind = RequestKind::post("/call-sc", "a call with one unusual value");

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "get-block/probes-only-requested",
        requirements: &["BLOCK-1"],
        tier: Tier::Probe,
        checks: "A malformed index, such as one with a quote, a condition or a wildcard, never returns a block that a lenient parser would not return.",
        sends: &[BLOCK],
        explained_by: &[ANY_INDEX, NO_BLOCKS, OTHER_FORM],
        check: Own(|c| Box::pin(check_only_requested(c, "/get-block", other_block))),
        ..get_block::BASE
    },
    Case {
        id: "get-balances/probes-only-requested",
        requirements: &["BALANCE-2", "BALANCE-3", "BALANCE-4"],
        tier: Tier::Probe,
        checks: "A wallet, token or balance type with a quote, condition or wildcard never returns more than an unknown value does.",
        sends: &[BALANCE, HELD, HOLDERS],
        check: Own(|c| Box::pin(check_only_requested(c, "/get-balances", other_balance))),
        ..get_balances::BASE
    },
    Case {
        id: "sc-state/probes-only-requested",
        requirements: &["STATE-2"],
        tier: Tier::Probe,
        checks: "A table, contract, column or value with a quote, condition or wildcard never returns a record without exactly the requested value.",
        sends: &[STATE],
        check: Own(|c| Box::pin(check_only_requested(c, "/sc-state", other_record))),
        ..sc_state::BASE
    },
    Case {
        id: "get-trustscore-wallets/probes-only-requested",
        requirements: &["TRUST-1"],
        tier: Tier::Probe,
        checks: "An address with a quote, condition or wildcard never returns a score, unless an unknown address does.",
        sends: &[SCORE],
        check: Own(|c| {
            Box::pin(check_only_requested(
                c,
                "/get-trustscore-wallets",
                other_score,
            ))
        }),
        ..get_trustscore_wallets::BASE
    },
    Case {
        id: "get-block/probes-no-crash",
        level: Level::Should,
        requirements: &["BLOCK-1"],
        tier: Tier::Probe,
        checks: "No unusual value causes a 5xx or a closed connection. The node refuses invalid values with a 4xx.",
        sends: &[BLOCK],
        check: Own(|c| Box::pin(no_crash(c, "/get-block"))),
        ..get_block::BASE
    },
    Case {
        id: "get-balances/probes-no-crash",
        level: Level::Should,
        requirements: &["BALANCE-1"],
        tier: Tier::Probe,
        checks: "No unusual value causes a 5xx or a closed connection. The node refuses invalid values with a 4xx.",
        sends: &[BALANCE, HELD, HOLDERS],
        check: Own(|c| Box::pin(no_crash(c, "/get-balances"))),
        ..get_balances::BASE
    },
    Case {
        id: "sc-state/probes-no-crash",
        level: Level::Should,
        requirements: &["STATE-1"],
        tier: Tier::Probe,
        checks: "No unusual value causes a 5xx or a closed connection. The node refuses invalid values with a 4xx.",
        sends: &[STATE],
        check: Own(|c| Box::pin(no_crash(c, "/sc-state"))),
        ..sc_state::BASE
    },
    Case {
        id: "get-trustscore-wallets/probes-no-crash",
        level: Level::Should,
        requirements: &["TRUST-1"],
        tier: Tier::Probe,
        checks: "No unusual value causes a 5xx or a closed connection. The node refuses invalid values with a 4xx.",
        sends: &[SCORE],
        check: Own(|c| Box::pin(no_crash(c, "/get-trustscore-wallets"))),
        ..get_trustscore_wallets::BASE
    },
    Case {
        id: "call-sc/probes-no-crash",
        level: Level::Should,
        requirements: &["CALL-1"],
        tier: Tier::Probe,
        checks: "No unusual value causes a 5xx or a closed connection. The node refuses invalid values with a 4xx.",
        sends: &[call_sc::BUILD, CALL],
        check: Own(|c| Box::pin(no_crash(c, "/call-sc"))),
        ..call_sc::BASE
    },
    Case {
        id: "chain/unchanged-by-probes",
        requirements: &["CONSISTENT-1", "BLOCK-1"],
        tier: Tier::Probe,
        checks: "After all probes, blocks, a record and a score are unchanged.",
        sends: &[BLOCK, BALANCE, HELD, HOLDERS, STATE, SCORE, CALL],
        explained_by: &[
            Cause::of(&["chain/repeat-read"]),
            NO_BLOCKS,
            OTHER_FORM,
            NO_RECEIPTS,
        ],
        check: Own(|c| Box::pin(unchanged(c))),
        ..chain::BASE
    },
];

/// Describes data in a response that the probe did not request, if there is any. The control is the
/// response to a plain request about something that does not exist.
type FindUnrequested = fn(&Probe, body: &Value, of_control: &[Value]) -> Option<String>;

/// The number of JSON documents that are read in one response.
const MOST_DOCUMENTS: usize = 8;

/// Returns a readable name of the probe.
fn named(probe: &Probe) -> String {
    format!("{} in {}", probe.description, probe.parameter)
}

/// Findings about probes, grouped by parameter. Only the first of each is listed.
#[derive(Default)]
struct ByParameter(Vec<(&'static str, usize, Finding)>);

impl ByParameter {
    fn add(&mut self, probe: &Probe, finding: Finding) {
        match self
            .0
            .iter_mut()
            .find(|(name, ..)| *name == probe.parameter)
        {
            Some((_, count, _)) => *count += 1,
            None => self.0.push((probe.parameter, 1, finding)),
        }
    }

    fn into_findings(self) -> impl Iterator<Item = Finding> {
        self.0.into_iter().map(|(_, count, mut finding)| {
            match count {
                1 => {}
                2 => finding.what.push_str("; so does another unusual value"),
                more => {
                    let more = format!("; so do {} other unusual values", more - 1);
                    finding.what.push_str(&more);
                }
            }
            finding
        })
    }
}

/// Returns the responses to probes, if the endpoint responds to valid requests.
async fn probed(context: &Context, path: &'static str) -> Result<Arc<Probed>, InconclusiveReason> {
    if let Err(inconclusive) = controls(context, path.trim_start_matches('/')).await {
        // The run's own claim may have the only record.
        let records = context.sample(Sample::ContractState).await;
        if path != "/sc-state" || !records.iter().flatten().any(|state| has_record(state)) {
            return Err(inconclusive);
        }
    }
    context.probing.of(path).await
}

async fn check_only_requested(
    context: &Context,
    path: &'static str,
    find_unrequested: FindUnrequested,
) -> Findings {
    let probed = probed(context, path).await?;
    let (mut examined, mut found) = (0, ByParameter::default());
    for (probe, response) in &probed.responses {
        let Ok(response) = response else { continue };
        if !probe.has_value {
            continue;
        }
        examined += 1;
        let of_control = probed.control_of(probe).map(|control| objects_in(control));
        let of_control = of_control.unwrap_or_default();
        let mut objects = objects_in(response).into_iter();
        if let Some(shows) = objects.find_map(|body| find_unrequested(probe, &body, &of_control)) {
            let what = format!("{} gets {shows}", named(probe));
            let expected = "only requested data";
            let finding = Finding::new(response, what, expected, response.excerpt(160));
            found.add(probe, finding);
        }
    }
    let checked = Examination::of(examined, found.into_findings());
    match &probed.stopped {
        Some(reason) if checked.has_no_findings() => unknown(reason.clone()),
        _ => Ok(checked),
    }
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

fn other_block(probe: &Probe, body: &Value, _: &[Value]) -> Option<String> {
    let index = reported_index(body)?;
    let lenient = probe.block.map(i128::from);
    (lenient != Some(index)).then(|| format!("block {index}"))
}

fn other_record(probe: &Probe, body: &Value, _: &[Value]) -> Option<String> {
    let requested = (probe.parameter == "unique_value").then_some(probe.value.as_str());
    carried(body).find_map(|(_, record)| {
        let rows = known_rows(record);
        let is_requested = requested.is_some_and(|requested| {
            if rows.is_empty() {
                record
                    .to_string()
                    .contains(&Value::from(requested).to_string())
            } else {
                rows.iter().all(|row| row.has("asset_id", requested))
            }
        });
        let about = rows.first().and_then(|row| row.column("asset_id"));
        let about = about.and_then(Value::as_str).unwrap_or("something else");
        (!is_requested).then(|| format!("a record about {:?}", shown(about, 40)))
    })
}

fn other_balance(_: &Probe, body: &Value, of_control: &[Value]) -> Option<String> {
    // If the control has a balance, too, a balance proves nothing.
    if of_control.iter().any(|body| balance(body).is_some()) {
        return None;
    }
    let balance = balance(body)?;
    Some(format!("a balance of {balance}"))
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

fn other_score(_: &Probe, body: &Value, of_control: &[Value]) -> Option<String> {
    let score = |body: &Value| {
        let score = body.get("trust_score").filter(|score| score.is_number());
        score.cloned()
    };
    let found = score(body).filter(|score| score.as_f64() != Some(0.0))?;
    let of_nobody = of_control.iter().find_map(score);
    (of_nobody != Some(found.clone())).then(|| format!("the score {found}"))
}

async fn no_crash(context: &Context, path: &'static str) -> Findings {
    let probed = probed(context, path).await?;
    let (mut examined, mut found) = (0, ByParameter::default());
    for (probe, response) in &probed.responses {
        let expected = "a response, or a refusal with a 4xx";
        let finding = match response {
            Ok(response) if response.status >= 500 => {
                let what = format!("{} gets status {}", named(probe), response.status);
                Some(Finding::new(response, what, expected, response.summary()))
            }
            Ok(_) => None,
            Err(InconclusiveReason::Transport(reason)) => {
                let what = format!("{} gets no response", named(probe));
                Some(Finding::without_response(what, expected, reason))
            }
            Err(_) => continue,
        };
        examined += 1;
        if let Some(finding) = finding {
            found.add(probe, finding);
        }
    }
    Ok(Examination::of(examined, found.into_findings()))
}

/// Checks that the node's responses after all probes are the same as before.
async fn unchanged(context: &Context) -> Findings {
    let mut probed = Err(InconclusiveReason::from("nothing was probed"));
    for path in PROBED_PATHS {
        // Other cases report faults in these responses.
        probed = probed.or(context.probing.of(path).await.map(drop));
    }
    probed?;
    let mut checked = Examination::default();
    for sample in [Sample::Blocks, Sample::ContractState, Sample::TrustScore] {
        let Ok(responses) = objects(context, sample).await else {
            continue;
        };
        let described = described(&context.spec, sample);
        for before in responses.iter().take(3) {
            let after = context.node.send(before.request.clone()).await;
            let Some(after) = checked.received(after) else {
                break;
            };
            checked.count_item();
            if !has_same_content(before, &after, &described) {
                let what = "after the probes, the node responds differently";
                let expected = before.excerpt(160);
                checked.push(Finding::new(&after, what, expected, after.excerpt(160)));
            }
        }
    }
    Ok(checked)
}
