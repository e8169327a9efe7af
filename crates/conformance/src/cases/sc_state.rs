//! `GET /sc-state`.

use node_client::escape::escaped_up_to as shown;
use serde_json::Value;

use super::Case;
use crate::{
    exchange::Request,
    judge::{all_answer_json, is_missing, never, objects, refused, steady},
    outcome::{Finding, Findings, Obstacle},
    sample::{Context, Sample, UNCLAIMED, contract_state_request},
};

pub(super) const CASES: &[Case] = &[
    Case::must("sc-state/answers", "Response: a JSON object", |c| {
        Box::pin(answers(c))
    }),
    Case::should(
        "sc-state/value",
        "described as an RpcResponse with a `value` field",
        |c| Box::pin(value(c)),
    ),
    Case::must(
        "sc-state/unique-value-echo",
        "unique_value | string | yes | value to match in that column",
        |c| Box::pin(unique_value_echo(c)),
    ),
    Case::must(
        "sc-state/unknown-value",
        "unique_value | string | yes | value to match in that column",
        |c| {
            Box::pin(unknown(
                c,
                "unique_value",
                UNCLAIMED,
                "an asset nobody claimed",
            ))
        },
    ),
    Case::must(
        "sc-state/unknown-table",
        "table_name | string | yes | smart contract table name",
        |c| {
            Box::pin(unknown(
                c,
                "table_name",
                "no_such_table",
                "a table that is not there",
            ))
        },
    ),
    Case::must(
        "sc-state/unknown-contract",
        "contract_address | string | yes | deployed contract address",
        |c| {
            Box::pin(unknown(
                c,
                "contract_address",
                "ctffffffffffffffffffffffffffffffffffffffff",
                "a contract that nobody deployed",
            ))
        },
    ),
    Case::must(
        "sc-state/repeat-read",
        "Returns the state variables stored for a smart contract.",
        |c| Box::pin(steady(c, Sample::ContractState)),
    ),
    Case::must(
        "sc-state/contract-address-malformed",
        "contract_address | string | yes | deployed contract address",
        |c| {
            Box::pin(unknown(
                c,
                "contract_address",
                "ct5a",
                "what is no contract address",
            ))
        },
    ),
    Case::should(
        "sc-state/claim-readable",
        "The contract's stored data is read with `/sc-state`.",
        |c| Box::pin(claim_readable(c)),
    ),
    Case::must(
        "sc-state/unknown-column",
        "unique_column | string | yes | column to query by",
        |c| {
            Box::pin(unknown(
                c,
                "unique_column",
                "no_such_column",
                "a column that is not there",
            ))
        },
    ),
    Case::must(
        "sc-state/table-name-required",
        "table_name | string | yes | smart contract table name",
        |c| Box::pin(left_out(c, "table_name")),
    ),
    Case::must(
        "sc-state/contract-address-required",
        "contract_address | string | yes | deployed contract address",
        |c| Box::pin(left_out(c, "contract_address")),
    ),
    Case::must(
        "sc-state/unique-column-required",
        "unique_column | string | yes | column to query by",
        |c| Box::pin(left_out(c, "unique_column")),
    ),
    Case::must(
        "sc-state/unique-value-required",
        "unique_value | string | yes | value to match in that column",
        |c| Box::pin(left_out(c, "unique_value")),
    ),
];

const NO_CLAIM: &str =
    "no claim was found on the chain; give one's contract and asset with --fixture";

/// A record that is known to be there, or at least a table that may well be empty.
fn known_request(context: &Context) -> Request {
    match context.material.assets.first() {
        Some((contract, asset)) => contract_state_request(contract, asset),
        None => contract_state_request(&context.contract(), UNCLAIMED),
    }
}

async fn answers(context: &Context) -> Findings {
    let answers = context.sample(Sample::ContractState).await?;
    // Whether a contract is deployed is up to the chain; whether the call is there is not.
    let no_state = context.material.assets.is_empty()
        && answers
            .iter()
            .all(|answer| answer.status >= 400 && answer.json().is_ok());
    if no_state && !is_missing(context, "/sc-state").await? {
        return Err(Obstacle::NoMaterial(NO_CLAIM.into()));
    }
    all_answer_json(&answers)
}

async fn value(context: &Context) -> Findings {
    let mut findings = Vec::new();
    for exchange in objects(context, Sample::ContractState).await? {
        let Some(body) = exchange.answered_object() else {
            continue;
        };
        if body.get("value").is_none() {
            let what = if body.get("data").is_some() {
                "the state is in data, and there is no value"
            } else {
                "there is no value"
            };
            findings.push(
                Finding::new(
                    &exchange,
                    what,
                    "an object with a value",
                    exchange.excerpt(160),
                )
                .at("/value"),
            );
        }
    }
    Ok(findings)
}

/// What was stored, in the field that the contract names or the one that nodes were seen to use.
pub(crate) fn stored(body: &Value) -> Option<&Value> {
    let found = ["value", "data"].iter().find_map(|name| body.get(name));
    found.filter(|value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    })
}

/// The first member of a name, wherever it stands.
pub(crate) fn member_named<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Object(members) => members.get(name).or_else(|| {
            members
                .values()
                .find_map(|member| member_named(member, name))
        }),
        Value::Array(items) => items.iter().find_map(|item| member_named(item, name)),
        _ => None,
    }
}

/// Whether a value stands anywhere in another, also inside a text that holds JSON.
fn mentions(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) if text == wanted => true,
        Value::String(text) if text.starts_with(['[', '{']) => {
            serde_json::from_str(text).is_ok_and(|inner: Value| mentions(&inner, wanted))
        }
        Value::String(_) => false,
        Value::Array(items) => items.iter().any(|item| mentions(item, wanted)),
        Value::Object(members) => members.values().any(|member| mentions(member, wanted)),
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => value.to_string().as_str() == wanted,
    }
}

async fn unique_value_echo(context: &Context) -> Findings {
    let mut findings = Vec::new();
    let mut judged = false;
    for exchange in objects(context, Sample::ContractState).await? {
        let asked = exchange
            .request
            .query
            .iter()
            .find(|(name, _)| *name == "unique_value");
        let Some((_, asked)) = asked else { continue };
        let Some(record) = exchange.answered_object().and_then(stored) else {
            continue;
        };
        judged = true;
        if !mentions(record, asked) {
            findings.push(Finding::new(
                &exchange,
                "the record is about another asset than was asked for",
                format!("a record that has {:?}", shown(asked, 60)),
                exchange.excerpt(200),
            ));
        }
    }
    if judged {
        Ok(findings)
    } else {
        Err(Obstacle::NoMaterial(
            "no record was answered, so none could be compared".into(),
        ))
    }
}

/// A claim that is in a block can be read, unless it was refused there or has been removed since.
async fn claim_readable(context: &Context) -> Findings {
    if context.material.assets.is_empty() {
        return Err(Obstacle::NoMaterial(NO_CLAIM.into()));
    }
    let answers = objects(context, Sample::ContractState).await?;
    let readable = |exchange: &std::sync::Arc<_>| -> bool {
        let exchange: &crate::exchange::Exchange = exchange;
        exchange.answered_object().and_then(stored).is_some()
    };
    if answers.iter().any(readable) {
        return Ok(Vec::new());
    }
    let findings = answers.iter().map(|exchange| {
        let what = "a claim that is in a block can't be read";
        Finding::new(exchange, what, "the claim's record", exchange.excerpt(160))
    });
    Ok(findings.collect())
}

async fn unknown(context: &Context, name: &'static str, other: &str, what: &str) -> Findings {
    let request = known_request(context).without(name).with(name, other);
    let holds_nothing = |body: &Value| stored(body).is_none();
    refused(context, request, what, holds_nothing).await
}

async fn left_out(context: &Context, name: &'static str) -> Findings {
    let what = format!("a request without {name}");
    refused(context, known_request(context).without(name), &what, never).await
}
