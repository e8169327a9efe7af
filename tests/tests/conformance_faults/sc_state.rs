//! `GET /sc-state`: a record of a contract.

use axum::{body::Bytes, http::StatusCode};
use integration_tests::{
    faults::{
        SeededFault, change_json, change_response, changing_value, remove, respond_successfully_if,
        set, stateful,
    },
    proxy::{Fault, RecordedRequest, Response},
    seeded_faults,
};
use serde_json::{Value, json};

use crate::{
    facts::Facts,
    records::{STATE, rows_of},
};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn faults(facts: &Facts) -> Vec<SeededFault> {
    seeded_faults! {
        "an undocumented list in the response changes with every request", changing_value(STATE, "entries", |n| json!([n]))
            => ["sc-state/repeat-read"];
        "returns a record for a malformed contract address", respond_successfully_if(STATE,
            |request, _| asks_for(request, "ct5a&") || request.query.ends_with("ct5a"),
            json!({"value": ["a"]}))
            => ["sc-state/near"];
        "returns a record for an unknown contract", respond_successfully_if(STATE, {
            let known = facts.verification_query();
            move |request, _| is_another_contract(request, &known)
        }, json!({"value": ["a"]})) => ["sc-state/near"];
        "returns the records of one contract for every contract", records_of_one_contract(facts)
            => ["sc-state/near"];
        "every record is null", change_json(STATE, |_, response| {
            response["value"] = Value::Null;
            response["data"] = Value::Null;
        }) => ["sc-state/claim-readable"];
        "the record of one claim is null", change_json(STATE, {
            let asset = facts.asset.clone();
            move |_, response| {
                let is_of = |name: &str| response[name][1] == asset.as_str();
                if is_of("value") || is_of("data") {
                    response["value"] = Value::Null;
                    response["data"] = Value::Null;
                }
            }
        }) => ["sc-state/claim-readable"];
        "reads only the order of parameters in the specification", change_response(STATE, |request, response| {
            match request.query.starts_with("table_name=") || !request.query.contains("table_name=") {
                true => response,
                false => response.with_status(axum::http::StatusCode::BAD_REQUEST).with_body("{}"),
            }
        }) => ["http/equal-queries", "sc-state/columns"];
        "does not decode percent-encoded letters", change_response(STATE, |request, response| {
            match request.query.contains("unique_value=%62%69") || request.query.contains("table_name=%76") {
                true => response.with_status(axum::http::StatusCode::BAD_REQUEST).with_body("{}"),
                false => response,
            }
        }) => ["http/equal-queries"];
        "the response is a bare array", change_json(STATE, |_, response| *response = response["value"].take())
            => ["sc-state/responds"];
        "the response has no value member", change_json(STATE, |_, response| remove(response, "", "value"))
            => ["sc-state/value"];
        "the response contains only a status", change_json(STATE, |_, response| *response = json!({"status": "SUCCESS"}))
            => ["sc-state/claim-readable", "sc-state/value"];
        "returns the record of another asset", change_json(STATE, |_, response| {
            for name in ["value", "data"] {
                set(response, &format!("/{name}/1"), json!("another-asset"));
            }
        }) => ["sc-state/unique-value-echo"];
        "returns a record for an unknown asset", respond_successfully_if(STATE,
            asking_for(format!("unique_value={}", facts.asset_word().to_uppercase())),
            json!({"value": ["a"]})) => ["sc-state/near"];
        "returns any record for an empty value", respond_successfully_if(STATE,
            |request, _| request.query.contains("unique_value=&") || request.query.ends_with("unique_value="),
            json!({"value": facts.record()})) => ["sc-state/near"];
        "ignores unique_column and searches all columns", respond_successfully_if(STATE,
            asking_for("unique_column=asset_type".to_owned()), json!({"value": facts.record()}))
            => ["sc-state/near"];
        "returns another asset's record next to the requested one", change_json(STATE, |_, response| {
            rows_of(response, |row| {
                let mut other = row.clone();
                set(&mut other, "/1", json!("another-asset"));
                json!([row, other])
            });
        }) => ["sc-state/unique-value-echo"];
        "returns another asset's record with the requested asset in its remarks", change_json(STATE, |_, response| {
            rows_of(response, |mut row| {
                let asset = row[1].take();
                set(&mut row, "/1", json!("another-asset"));
                set(&mut row, "/7", asset);
                row
            });
        }) => ["sc-state/unique-value-echo"];
        "returns the whole table with the record", change_json(STATE, |_, response| {
            rows_of(response, |row| json!(["the table", vec!["x"; 9], row]));
        }) => ["sc-state/unique-value-echo"];
        "value and data have different records", change_json(STATE, |_, response| {
            set(response, "/data/1", json!("another-asset"));
        }) => ["sc-state/unique-value-echo"];
        "a record's remarks differ from its claim", change_json(STATE, |_, response| {
            rows_of(response, |mut row| { set(&mut row, "/7", json!("Weighed")); row });
        }) => ["sc-state/columns", "sc-state/record-matches-claim"];
        "a record's outcome differs from its claim", change_json(STATE, |_, response| {
            rows_of(response, |mut row| { set(&mut row, "/4", json!(2)); row });
        }) => ["sc-state/columns", "sc-state/record-matches-claim"];
        "a record's outcome is a string", change_json(STATE, |_, response| {
            rows_of(response, |mut row| { set(&mut row, "/4", json!("1")); row });
        }) => ["sc-state/record-matches-claim"];
        "a record's asset_type is null", change_json(STATE, |_, response| {
            rows_of(response, |mut row| { set(&mut row, "/2", Value::Null); row });
        }) => ["sc-state/record-matches-claim"];
        "a record's link list is empty", change_json(STATE, |_, response| {
            rows_of(response, |mut row| { set(&mut row, "/6", json!("[]")); row });
        }) => ["sc-state/record-matches-claim"];
        "a record's document hash differs from its claim", change_json(STATE, |_, response| {
            rows_of(response, |mut row| { set(&mut row, "/5", json!(["ab".repeat(32)])); row });
        }) => ["sc-state/record-matches-claim"];
        "a record's deletable_after is lower than in its claim", change_json(STATE, |_, response| {
            rows_of(response, |mut row| { set(&mut row, "/8", json!(1)); row });
        }) => ["sc-state/columns", "sc-state/record-matches-claim"];
        "a record names another verifier", change_json(STATE, |_, response| {
            let other = format!("0x{}", "ab".repeat(20));
            rows_of(response, |mut row| { set(&mut row, "/3", json!(other)); row });
        }) => ["sc-state/columns", "sc-state/record-matches-claim"];
        "the outcome of a record in object form differs from its claim", change_json(STATE, |_, response| {
            rows_of(response, |row| { json!({"asset_id": row[1], "asset_type": row[2],
                "verifier_address": row[3], "outcome": 7, "doc_hash_list": row[5],
                "doc_link_list": row[6], "remarks": row[7], "deletable_after": row[8]}) });
        }) => ["sc-state/columns", "sc-state/record-matches-claim"];
        "a record contains only its asset ID", change_json(STATE, |_, response| {
            rows_of(response, |row| json!({"asset_id": row[1]}));
        }) => ["sc-state/record-matches-claim"];
        "returns a record for an unknown table", respond_successfully_if(STATE,
            |request, _| asks_for(request, "no_such_table"), json!({"value": ["a"]}))
            => ["sc-state/near"];
        "returns a record for an unknown column", respond_successfully_if(STATE,
            |request, _| asks_for(request, "unique_column=") && !asks_for(request, "asset_id"),
            json!({"value": ["a"]}))
            => ["http/equal-queries", "sc-state/near"];
        "compares a column of numbers with a text", respond_successfully_if(STATE,
            |request, _| asks_for(request, "unique_column=outcome") || asks_for(request, "unique_column=deletable_after"),
            json!({"status": "SUCCESS", "value": null}))
            => ["sc-state/columns"];
        "returns a record for a request without table_name", respond_successfully_if(STATE,
            |request, _| !asks_for(request, "table_name") , json!({"value": ["a"]}))
            => ["sc-state/near"];
        "returns a record for a request without contract_address", respond_successfully_if(STATE,
            |request, _| !asks_for(request, "contract_address"), json!({"value": ["a"]}))
            => ["sc-state/near"];
        "returns a record for a request without unique_column", respond_successfully_if(STATE,
            |request, _| !asks_for(request, "unique_column"), json!({"value": ["a"]}))
            => ["sc-state/near"];
        "returns a record for a request without unique_value", respond_successfully_if(STATE,
            |request, _| !asks_for(request, "unique_value"), json!({"value": ["a"]}))
            => ["sc-state/near"];
    }
}

/// Returns whether the request contains this text.
fn asking_for(text: String) -> impl Fn(&RecordedRequest, &Response) -> bool {
    move |request, _| request.query.contains(&text)
}

fn asks_for(request: &RecordedRequest, text: &str) -> bool {
    request.query.contains(text)
}

/// Returns whether the request names a well-formed contract other than the known one.
fn is_another_contract(request: &RecordedRequest, known: &str) -> bool {
    !asks_for(request, known)
        && asks_for(request, "contract_address=ct")
        && !asks_for(request, "ct5a")
}

/// Also returns the record of the known contract for every other contract, after the first request for it.
fn records_of_one_contract(facts: &Facts) -> Fault {
    let contract = facts.verification_query();
    let asset = format!("unique_column=asset_id&unique_value={}", facts.asset);
    stateful(
        None,
        move |record: &mut Option<Bytes>, request, response| {
            if request.path != STATE || !asks_for(request, "table_name=verification&") {
                return response;
            }
            if asks_for(request, &contract) && asks_for(request, &asset) {
                record.get_or_insert_with(|| response.body.clone());
            }
            match record {
                Some(body) if is_another_contract(request, &contract) => {
                    response.with_status(StatusCode::OK).with_body(body.clone())
                }
                _ => response,
            }
        },
    )
}
