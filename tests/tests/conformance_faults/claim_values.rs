//! The write tier: values of a run's claims that a careless store changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroU8,
};

use axum::{
    body::Bytes,
    http::{StatusCode, header},
};
use integration_tests::{
    faults::{SeededFault, change_json, change_response, set, stateful},
    proxy::Fault,
    seeded_faults,
    submissions::{charging, in_blocks, is_for_a_claim, options},
};
use nodeproof_conformance::{Tier, report::NodeReport};
use serde_json::{Value, json};

use crate::{
    claim::{cut, in_list, in_text, row, run_with},
    records::STATE,
};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn faults() -> Vec<SeededFault> {
    seeded_faults! {
        "stores an asset ID of digits as a number", row(|row| {
            if let Some(number) = row[1].as_str().and_then(|text| text.parse::<u64>().ok()) {
                row[1] = json!(number);
            }
        }) => ["submit-transaction/claim-as-submitted"];
        "drops zeros before an asset ID of digits", row(|row| in_text(&mut row[1], |text| {
            text.trim_start_matches('0').to_owned()
        })) => ["submit-transaction/claim-as-submitted"];
        "stores 255 characters of an asset ID", row(|row| cut(&mut row[1], 255))
            => ["submit-transaction/claim-as-submitted"];
        "stores an asset ID that looks like JSON as JSON", row(|row| as_json(&mut row[1]))
            => ["submit-transaction/claim-as-submitted"];
        "takes asset IDs that differ in upper and lower case for one", one_for(str::to_ascii_lowercase)
            => ["submit-transaction/claim-as-submitted"];
        "takes composed and decomposed letters of asset IDs for one", one_for(|id| id.replace("e%CC%81", "%C3%A9"))
            => ["submit-transaction/claim-as-submitted"];
        "takes asset IDs that look like equal numbers for one", stateful(None, |stored: &mut Option<(String, Bytes)>, request, response| {
            let value = request.query.split_once("unique_value=").map_or("", |(_, value)| value);
            let number = value.split('&').next().unwrap_or_default().trim_start_matches('0').to_owned();
            match stored {
                Some((known, body)) if *known == number => response.with_status(StatusCode::OK).with_body(body.clone()),
                _ => {
                    let is_record = String::from_utf8_lossy(&response.body).contains("\"value\":[");
                    let is_by_asset = request.query.contains("unique_column=asset_id");
                    if value.starts_with("00") && is_record && is_by_asset {
                        *stored = Some((number, response.body.clone()));
                    }
                    response
                }
            }
        }) => ["sc-state/near"];
        "a batch with a wrong transaction is reported as failed, although the right ones are executed", change_json("/submit-transaction-batch", |_, response| {
            let failed = &response["response"]["failed_transactions"];
            if failed.as_array().is_some_and(|failed| !failed.is_empty()) {
                let accepted = response["response"]["accepted_transactions"].take();
                let failed = response["response"]["failed_transactions"].as_array_mut();
                failed.expect("a list").extend(accepted.as_array().cloned().unwrap_or_default());
                response["response"]["accepted_transactions"] = json!([]);
            }
        }) => ["submit-transaction/claim-new", "submit-transaction/resubmission-not-new"];
        "a submission whose content type has a charset is refused", change_response("/submit-transaction", |request, response| {
            match request.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind != "application/json") {
                true => response.with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE).with_body("{}"),
                false => response,
            }
        }) => ["submit-transaction/claim-accepted"];
        "finds new records by their asset only", change_json(STATE, |request, response| {
            let is_new = response.to_string().contains("conformance-");
            if is_new && !request.query.contains("unique_column=asset_id") {
                *response = json!({"status": "SUCCESS", "value": null, "data": null});
            }
        }) => ["sc-state/columns"];
        "remembers that no record has a value in another column", stateful(BTreeSet::new(), |missing, request, response| {
            if request.path != STATE || request.query.contains("unique_column=asset_id") { return response }
            if missing.contains(&request.query) {
                return response.with_body(r#"{"status":"SUCCESS","value":null,"data":null}"#);
            }
            if String::from_utf8_lossy(&response.body).contains("\"value\":null") {
                missing.insert(request.query.clone());
            }
            response
        }) => ["sc-state/columns"];
        "finds other records than those that have the value", change_json(STATE, |request, response| {
            if request.query.contains("unique_column=asset_type") && response["value"].is_array() {
                response["value"][2] = json!("another type");
                response["data"][2] = json!("another type");
            }
        }) => ["sc-state/new-records"];
        "puts asset IDs with an apostrophe into SQL", change_response(STATE, |request, response| {
            match request.query.contains("%27") || request.query.contains('\'') {
                true => response.with_status(StatusCode::INTERNAL_SERVER_ERROR).with_body("{}"),
                false => response,
            }
        }) => ["submit-transaction/claim-readable"];
        "ignores blanks at the end of asset IDs", one_for(|id| {
            id.trim_end_matches("%20").trim_end_matches('+').to_owned()
        }) => ["submit-transaction/claim-as-submitted"];
        "ignores the end of long asset IDs", one_for(|id| id.chars().take(300).collect())
            => ["submit-transaction/claim-as-submitted"];
        "stores 255 characters of an asset_type", row(|row| cut(&mut row[2], 255))
            => ["submit-transaction/claim-as-submitted"];
        "stores an asset_type that looks like null as null", row(|row| if row[2] == json!("null") { row[2] = Value::Null })
            => ["submit-transaction/claim-as-submitted"];
        "stores an asset_type that looks like a date as a time", row(|row| in_text(&mut row[2], |text| {
            if text == "2024-01-02" { format!("{text}T00:00:00Z") } else { text.to_owned() }
        })) => ["submit-transaction/claim-as-submitted"];
        "replaces several blanks of an asset_type with one", row(|row| in_text(&mut row[2], |text| {
            text.replace("two  blanks", "two blanks")
        })) => ["submit-transaction/claim-as-submitted"];
        "decodes escapes in an asset_type", row(|row| in_text(&mut row[2], |text| text.replace("\\n", "\n")))
            => ["submit-transaction/claim-as-submitted"];
        "removes invisible characters of an asset_type", row(|row| in_text(&mut row[2], |text| text.replace('\u{feff}', "")))
            => ["submit-transaction/claim-as-submitted"];
        "stores 2000 characters of remarks", row(|row| cut(&mut row[7], 2_000))
            => ["submit-transaction/claim-as-submitted"];
        "stores remarks of blanks as null", row(|row| {
            if row[7].as_str().is_some_and(|text| !text.is_empty() && text.trim().is_empty()) {
                row[7] = Value::Null;
            }
        }) => ["submit-transaction/claim-as-submitted"];
        "stores remarks that look like JSON as JSON", row(|row| as_json(&mut row[7]))
            => ["submit-transaction/claim-as-submitted"];
        "stores remarks of minus zero as zero", row(|row| if row[7] == json!("-0") { row[7] = json!("0") })
            => ["submit-transaction/claim-as-submitted"];
        "stores an outcome in 32 bits", row(|row| {
            row[4] = json!(row[4].as_i64().unwrap_or_default() << 32 >> 32);
        }) => ["submit-transaction/claim-as-submitted"];
        "rounds the outcome to a float", row(|row| row[4] = json!(row[4].as_f64().unwrap_or_default() as i64))
            => ["submit-transaction/claim-as-submitted"];
        "stores every positive outcome as 1", row(|row| {
            if row[4].as_i64() == Some(2) { row[4] = json!(1) }
        }) => ["submit-transaction/claim-as-submitted"];
        "stores deletable_after up to 2^62", row(|row| {
            row[8] = json!(row[8].as_i64().unwrap_or_default().min(1 << 62));
        }) => ["submit-transaction/claim-as-submitted"];
        "takes a deletable_after of ten digits for seconds, and stores milliseconds", row(|row| {
            if let Some(seconds @ 1_000_000_000..=9_999_999_999) = row[8].as_i64() {
                row[8] = json!(seconds * 1000);
            }
        }) => ["submit-transaction/claim-as-submitted"];
        "drops empty links", row(|row| in_list(&mut row[6], |list| list.retain(|item| !item.is_empty())))
            => ["submit-transaction/claim-as-submitted"];
        "trims links", row(|row| in_list(&mut row[6], |list| for item in list {
            *item = item.trim().to_owned();
        })) => ["submit-transaction/claim-as-submitted"];
        "stores at most 100 links", row(|row| in_list(&mut row[6], |list| list.truncate(100)))
            => ["submit-transaction/claim-as-submitted"];
        "stores links that look like numbers as numbers", row(|row| in_values(&mut row[6], |item| {
            if let Some(number) = item.as_str().and_then(|text| text.parse::<f64>().ok()) {
                *item = json!(number);
            }
        })) => ["submit-transaction/claim-as-submitted"];
        "stores links that look like lists as lists", row(|row| in_values(&mut row[6], as_json))
            => ["submit-transaction/claim-as-submitted"];
        "doubles quotes in links", row(|row| in_list(&mut row[6], |list| for item in list {
            *item = item.replace('\'', "''");
        })) => ["submit-transaction/claim-as-submitted"];
        "separates links at line breaks", row(|row| in_list(&mut row[6], |list| {
            *list = list.iter().flat_map(|item| item.split('\n').map(ToOwned::to_owned)).collect();
        })) => ["submit-transaction/claim-as-submitted"];
        "takes hashes that look like equal numbers for one", row(|row| in_list(&mut row[5], |list| {
            let mut seen = BTreeSet::new();
            list.retain(|item| match item.parse::<f64>() {
                Ok(number) => seen.insert(number.to_bits()),
                Err(_) => true,
            });
        })) => ["submit-transaction/claim-as-submitted"];
        "a block rounds the deletable_after of a later claim to a float", in_blocks(|list| for entry in list {
            let place = "/transaction/specific_data/params/deletable_after";
            let value = entry.pointer(place).and_then(Value::as_f64);
            if let Some(value) = value {
                set(entry, place, json!(value as i64));
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "a block leaves out empty remarks", in_blocks(|list| for entry in list {
            let place = "/transaction/specific_data/params/remarks";
            if entry.pointer(place) == Some(&json!("")) {
                set(entry, place, Value::Null);
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "a block leaves out a claim with the outcome 0", in_blocks(|list| {
            list.retain(|entry| entry.pointer("/transaction/specific_data/params/outcome") != Some(&json!(0)));
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "charges the fee of a later claim twice", charging(|submitted, _| {
            i64::from(submitted > 4) * 1_000_000
        }) => ["submit-transaction/fee-paid"];
    }
}

/// Runs the write tier with all claims against a node with this fault.
pub(crate) async fn run(fault: Fault) -> NodeReport {
    run_with(fault, |node| {
        let mut options = options(node, Tier::Write);
        options.submitting.claims = NonZeroU8::MAX;
        options
    })
    .await
}

/// Replaces a text that looks like a list or an object with its value.
fn as_json(value: &mut Value) {
    let text = value.as_str().map(str::trim_start).unwrap_or_default();
    if text.starts_with(['[', '{'])
        && let Ok(inner) = serde_json::from_str(text)
    {
        *value = inner;
    }
}

/// Changes each entry of a list that is stored as its JSON text.
fn in_values(value: &mut Value, change: fn(&mut Value)) {
    if let Some(Ok(Value::Array(mut list))) = value.as_str().map(serde_json::from_str) {
        list.iter_mut().for_each(change);
        *value = json!(Value::from(list).to_string());
    }
}

/// Returns the first record for all claims with the same key. The key is made from the query.
fn one_for(key: fn(&str) -> String) -> Fault {
    stateful(BTreeMap::new(), move |first, request, response| {
        if !is_for_a_claim(request) {
            return response;
        }
        let key = key(&request.query);
        if let Some(body) = first.get(&key) {
            return response.with_body(Bytes::clone(body));
        }
        if !String::from_utf8_lossy(&response.body).contains("null") {
            first.insert(key, response.body.clone());
        }
        response
    })
}
