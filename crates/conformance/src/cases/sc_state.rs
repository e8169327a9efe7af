//! `GET /sc-state`.

use std::sync::Arc;

use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{Objects, Own, Read, Refused, Same},
    request_kind::{Parameter, RequestKind},
    stored_record::{known_rows, matches_claim, rows},
};
use crate::{
    api::{
        Sample, UNKNOWN_ASSET, UNKNOWN_CONTRACT, carried, contract_state_request, requested, stored,
    },
    checks::{
        Examination, Finding, Findings, NOTHING_EXAMINED, WrongRequest, WrongRequests,
        check_json_responses, is_missing, objects,
    },
    context::Samples,
    http::{Exchange, InconclusiveReason, Request},
};

/// What most of these cases share.
pub(super) const BASE: Case = Case {
    matters: "The stored record is the claim that the community checks. Another record in its place is a false claim.",
    example: Example::Of("/sc-state"),
    sends: &[STATE],
    explained_by: &[NO_STATE],
    ..Case::BASE
};

const TABLE: Parameter = ("table_name", "verification, or a table that does not exist");
const CONTRACT: Parameter = (
    "contract_address",
    "a contract from the chain, or an unknown one",
);
const COLUMN: Parameter = (
    "unique_column",
    "asset_id, or one that does not hold assets",
);
const VALUE: Parameter = ("unique_value", "an asset from the chain, or an unknown one");
/// A request for a stored record.
pub(super) const STATE: RequestKind =
    RequestKind::get("/sc-state", &[TABLE, CONTRACT, COLUMN, VALUE]);
pub(super) const WITHOUT_TABLE: RequestKind =
    RequestKind::get("/sc-state", &[CONTRACT, COLUMN, VALUE]);
pub(super) const WITHOUT_CONTRACT: RequestKind =
    RequestKind::get("/sc-state", &[TABLE, COLUMN, VALUE]);
pub(super) const WITHOUT_COLUMN: RequestKind =
    RequestKind::get("/sc-state", &[TABLE, CONTRACT, VALUE]);
pub(super) const WITHOUT_VALUE: RequestKind =
    RequestKind::get("/sc-state", &[TABLE, CONTRACT, COLUMN]);

/// Without a usable response, there is no record.
pub(super) const NO_STATE: Cause = Cause::new(&["sc-state/responds"], When::Unusable);

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "sc-state/responds",
        requirements: &["STATE-3", "HTTP-2", "NODE-4"],
        checks: "The response is a success with one JSON object.",
        aspect: Aspect::Endpoint,
        check: Read(|c| Box::pin(responds(c))),
        ..BASE
    },
    Case {
        id: "sc-state/value",
        level: Level::Should,
        requirements: &["STATE-3"],
        checks: "The response has the member `value`. Known nodes have `data`.",
        aspect: Aspect::Shape,
        check: Objects(&[Sample::ContractState], value, NOTHING_EXAMINED),
        ..BASE
    },
    Case {
        id: "sc-state/unique-value-echo",
        requirements: &["STATE-2"],
        checks: "Every record in the response has the requested asset in its column `asset_id`, or somewhere if its form is unknown.",
        aspect: Aspect::Consistency,
        check: Objects(&[Sample::ContractState], unique_value_echo, NO_RECORD),
        ..BASE
    },
    Case {
        id: "sc-state/record-matches-claim",
        requirements: &["RECORD-14", "STATE-2"],
        checks: "A record has the values of the claim that a block shows for this asset and verifier. Records of an unknown form are not compared. A sweep compares the records of up to 1,000 assets.",
        aspect: Aspect::Consistency,
        follows_sweep: true,
        check: Own(|c| Box::pin(matches_claim(c))),
        ..BASE
    },
    Case {
        id: "sc-state/unknown-value",
        requirements: &["STATE-2"],
        checks: "The name of an asset with upper-case and lower-case letters swapped, or without its last character, is refused or returns no record.",
        example: Example::REFUSED,
        check: Refused(unknown_value),
        ..BASE
    },
    Case {
        id: "sc-state/unknown-table",
        requirements: &["STATE-2"],
        checks: "The table `no_such_table` is refused, or returns no record.",
        example: Example::REFUSED,
        check: Refused(|s| {
            let what = "a table that does not exist";
            unknown(s, "table_name", "no_such_table", what)
        }),
        ..BASE
    },
    Case {
        id: "sc-state/unknown-contract",
        requirements: &["STATE-2"],
        checks: "A contract that does not have the record is refused, or returns no record.",
        example: Example::REFUSED,
        check: Refused(unknown_contract),
        ..BASE
    },
    Case {
        id: "sc-state/repeat-read",
        requirements: &["CONSISTENT-4", "STATE-2"],
        checks: "All requests of the run for the same record return the same as long as no block is made.",
        aspect: Aspect::Consistency,
        is_last: true,
        check: Same(Sample::ContractState),
        ..BASE
    },
    Case {
        id: "sc-state/contract-address-malformed",
        requirements: &["STATE-2", "FORM-3"],
        checks: "The contract address `ct5a` is refused, or returns no record.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        check: Refused(|s| {
            let what = "a malformed contract address";
            unknown(s, "contract_address", "ct5a", what)
        }),
        ..BASE
    },
    Case {
        id: "sc-state/claim-readable",
        level: Level::Should,
        requirements: &["RECORD-13"],
        checks: "Each claim from a block can be read.",
        aspect: Aspect::Consistency,
        explained_by: &[
            NO_STATE,
            Cause::new(&["sc-state/value"], When::SameResponses),
        ],
        check: Read(|c| Box::pin(claim_readable(c))),
        ..BASE
    },
    Case {
        id: "sc-state/unknown-column",
        requirements: &["STATE-2"],
        checks: "The column `asset_type` does not find the record of an asset by the asset's name.",
        example: Example::REFUSED,
        check: Refused(unknown_column),
        ..BASE
    },
    Case {
        id: "sc-state/table-name-required",
        requirements: &["STATE-1"],
        checks: "A request without `table_name` is refused, or returns nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        sends: &[STATE, WITHOUT_TABLE],
        check: Refused(|s| left_out(s, "table_name")),
        ..BASE
    },
    Case {
        id: "sc-state/contract-address-required",
        requirements: &["STATE-1"],
        checks: "A request without `contract_address` is refused, or returns nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        sends: &[STATE, WITHOUT_CONTRACT],
        check: Refused(|s| left_out(s, "contract_address")),
        ..BASE
    },
    Case {
        id: "sc-state/unique-column-required",
        requirements: &["STATE-1"],
        checks: "A request without `unique_column` is refused, or returns nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        sends: &[STATE, WITHOUT_COLUMN],
        check: Refused(|s| left_out(s, "unique_column")),
        ..BASE
    },
    Case {
        id: "sc-state/unique-value-required",
        requirements: &["STATE-1"],
        checks: "A request without `unique_value` is refused, or returns nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        sends: &[STATE, WITHOUT_VALUE],
        check: Refused(|s| left_out(s, "unique_value")),
        ..BASE
    },
];

const NO_RECORD: &str = "no response had a record, so none could be compared";
const NO_CLAIM: &str =
    "no claim was found on the chain; name a contract and an asset with --fixture";

/// Returns the request for a known record, or else for one in a table that may be empty.
fn known_request(context: &Samples) -> Request {
    match context.discovered.assets.first() {
        Some((contract, asset)) => contract_state_request(contract, asset),
        None => contract_state_request(&context.contract(), UNKNOWN_ASSET),
    }
}

async fn responds(context: &Samples) -> Findings {
    let responses = context.sample(Sample::ContractState).await?;
    // A chain may have no contract, but the endpoint must exist.
    let no_state = context.discovered.assets.is_empty()
        && responses
            .iter()
            .all(|response| response.status >= 400 && response.json().is_ok());
    if no_state && !is_missing(context, "/sc-state").await? {
        return Err(InconclusiveReason::NoSample(NO_CLAIM.into()));
    }
    check_json_responses(&responses)
}

/// Checks that a response has the documented member.
pub(super) fn value(exchange: &Arc<Exchange>, body: &Value, checked: &mut Examination) {
    checked.count_item();
    if body.get("value").is_none() {
        let what = if body.get("data").is_some() {
            "the state is in `data`, and `value` is missing"
        } else {
            "`value` is missing"
        };
        let actual = exchange.excerpt(160);
        checked.push(Finding::new(exchange, what, "an object with a value", actual).at("/value"));
    }
}

/// Whether a value occurs anywhere in another value, including a text that holds JSON.
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

fn unique_value_echo(exchange: &Arc<Exchange>, body: &Value, checked: &mut Examination) {
    let Some(requested) = requested(exchange, "unique_value") else {
        return;
    };
    for (name, record) in carried(body) {
        checked.count_item();
        // In a record of a known form, the value has one place. In another form, it may be anywhere.
        let known = known_rows(record);
        let right = if known.is_empty() {
            mentions(record, requested)
        } else {
            known.iter().all(|row| row.has("asset_id", requested))
        };
        if !right {
            let what = "a record is about another asset than requested";
            let expected = format!("records that have {:?} only", shown(requested, 60));
            let actual = exchange.excerpt(200);
            checked.push(Finding::new(exchange, what, expected, actual).at(format!("/{name}")));
        }
    }
}

/// Checks that a claim in a block can be read. The contract may have refused the claim or removed its record.
async fn claim_readable(context: &Samples) -> Findings {
    if context.discovered.assets.is_empty() {
        return Err(InconclusiveReason::NoSample(NO_CLAIM.into()));
    }
    let responses = objects(context, Sample::ContractState).await?;
    let readable =
        |exchange: &Arc<Exchange>| -> bool { exchange.success_object().and_then(stored).is_some() };
    let missing = responses.iter().filter(|exchange| !readable(exchange));
    let findings = missing.map(|exchange| {
        let what = "the record of a claim can't be read";
        Finding::new(exchange, what, "the claim's record", exchange.excerpt(160))
    });
    Ok(Examination::of(responses.len(), findings))
}

fn unknown(
    context: &Samples,
    name: &'static str,
    other: &str,
    what: &'static str,
) -> WrongRequests {
    let request = known_request(context).without(name).with(name, other);
    WrongRequest::new(request, what).or(holds_nothing).only()
}

pub(super) fn holds_nothing(body: &Value) -> bool {
    stored(body).is_none()
}

/// Returns a test whether every record in a response is known to have this text in a column.
pub(super) fn has_only(column: &'static str, wanted: &str) -> impl Fn(&Value) -> bool + use<> {
    let wanted = wanted.to_owned();
    move |body| {
        let right = |(_, value)| {
            rows(value).is_some_and(|rows| rows.iter().all(|row| row.has(column, &wanted)))
        };
        carried(body).all(right)
    }
}

/// Returns requests with names close to an asset's name: with upper and lower case swapped, and without
/// the last character.
fn unknown_value(context: &Samples) -> WrongRequests {
    let near = match context.discovered.assets.first() {
        Some((_, asset)) => vec![with_swapped_letters(asset), cut_short(asset)],
        None => Vec::new(),
    };
    let mut near: Vec<_> = near.into_iter().flatten().collect();
    if near.is_empty() {
        near.push(UNKNOWN_ASSET.to_owned());
    }
    let wrong = near.into_iter().map(|value| {
        let name = "unique_value";
        let request = known_request(context).without(name).with(name, &value);
        let what = "an unclaimed asset with a name close to another's";
        // There may be an asset with this name.
        WrongRequest::new(request, what).or(has_only("asset_id", &value))
    });
    Ok(wrong.collect())
}

/// Returns a name with upper and lower case swapped in its ASCII letters, or `None` if it has none.
fn with_swapped_letters(name: &str) -> Option<String> {
    let swapped: String = name
        .chars()
        .map(|c| match c {
            'a'..='z' => c.to_ascii_uppercase(),
            _ => c.to_ascii_lowercase(),
        })
        .collect();
    (swapped != name).then_some(swapped)
}

/// Returns a name without its last character, or `None` if nothing is left.
pub(super) fn cut_short(name: &str) -> Option<String> {
    let mut short = name.to_owned();
    short.pop();
    (!short.trim().is_empty()).then_some(short)
}

/// Returns a request for the record in another contract.
fn unknown_contract(context: &Samples) -> WrongRequests {
    let known = context.contract();
    let claims = &context.discovered.assets;
    let other =
        context.discovered.contracts.iter().find(|other| {
            **other != known && !claims.iter().any(|(contract, _)| contract == *other)
        });
    let name = "contract_address";
    let Some(other) = other.cloned() else {
        let what = "a contract that does not exist";
        return unknown(context, name, UNKNOWN_CONTRACT, what);
    };
    let request = known_request(context).without(name).with(name, &other);
    // The other contract may have its own record about this asset.
    let harmless = move |body: &Value| {
        carried(body).all(|(_, value)| {
            rows(value).is_some_and(|rows| {
                let mut addresses = rows.iter().filter_map(|row| row.column("address"));
                addresses.all(|address| *address == other.as_str())
            })
        })
    };
    let what = "a contract that has no such record";
    WrongRequest::new(request, what).or(harmless).only()
}

/// Returns a request for the asset's name in another column.
fn unknown_column(context: &Samples) -> WrongRequests {
    let Some((_, asset)) = context.discovered.assets.first() else {
        let what = "a column that does not exist";
        return unknown(context, "unique_column", "no_such_column", what);
    };
    let request = known_request(context)
        .without("unique_column")
        .with("unique_column", OTHER_COLUMN);
    let what = "a column that holds something else";
    let wrong = WrongRequest::new(request, what);
    wrong.or(has_only(OTHER_COLUMN, asset)).only()
}

/// A column that never has an asset's name.
pub(super) const OTHER_COLUMN: &str = "asset_type";

fn left_out(context: &Samples, name: &'static str) -> WrongRequests {
    let what = format!("a request without {name}");
    let wrong = WrongRequest::new(known_request(context).without(name), what);
    wrong.or(holds_nothing).only()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_close_is_another_one() {
        assert_eq!(with_swapped_letters("Ab-1").as_deref(), Some("aB-1"));
        assert_eq!(with_swapped_letters("12"), None);
        assert_eq!(cut_short("aé").as_deref(), Some("a"));
        assert_eq!(cut_short("a"), None);
    }
}
