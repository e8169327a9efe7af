//! The records of the run's own claims. The cases about older records also apply to them.

use std::{collections::BTreeSet, sync::Arc};

use nodeproof_client::VerificationRecord;
use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    case::{Case, Example},
    check::Check::Own,
    claim,
    claim_record::{Stored, all_found},
    sc_state::{self, value},
    state_columns::columns_of_new,
};
use crate::{
    api::{
        FirstDifference, Sample, UNKNOWN_CONTRACT, carried, has_record, known_rows,
        lists_as_failed, requested,
    },
    checks::{Examination, Finding, Findings, check_json_responses, objects},
    context::Context,
    history::{ClaimSteps, History},
    http::{Act, Exchange, Request},
    script::{OTHER_COLUMN, cut_short},
};

/// What these cases share.
const BASE: Case = Case {
    matters: sc_state::BASE.matters,
    example: Example::Named("/sc-state", "verification_row"),
    aspect: Aspect::Consistency,
    ..claim::BASE
};

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "sc-state/new-records",
        requirements: &["STATE-2", "STATE-3", "RECORD-14"],
        checks: "The response with the record of each of the run's claims is one JSON object without duplicate members. Each record in it is about the requested asset, and has the values of one of the run's claims about it, also after a second claim of the same wallet, which a node may refuse. A claim that a block lists as failed leaves no record beside another one. If another wallet has claimed the same asset, its record stays. The first one is found by each column by which others are. A record that is requested by any column has the requested value there.",
        check: Own(|c| Box::pin(new_records(c))),
        ..BASE
    },
    Case {
        id: "sc-state/new-records-as-expected",
        level: Level::Should,
        requirements: &["STATE-3"],
        checks: "The response with the record of each of the run's claims has `value` and the form of the responses with older records.",
        check: Own(|c| Box::pin(as_expected(c))),
        ..BASE
    },
];

async fn new_records(context: &Context) -> Findings {
    let all = all_found(context).await?;
    let responses: Vec<_> = all.iter().map(|one| Arc::clone(one.response)).collect();
    let mut checked = check_json_responses(&responses)?;
    // The cases about the claim report a wrong value.
    let first = all.iter().find(|one| one.is_as_submitted());
    if let Some(claims) = context.submissions.claims().await?.of_same_asset() {
        checked.extend(other_verifier(&claims[1]));
    }
    checked.extend(by_other_columns(&context.history()));
    if all.iter().all(Stored::is_as_submitted) {
        checked.extend(of_one_claim(&context.history()));
    }
    if let Some(first) = first {
        for stored in all.iter().filter(|one| one.is_as_submitted()) {
            checked.extend(request_others(context, stored.response).await);
        }
        checked.extend(columns_of_new(context, first.response).await);
    }
    Ok(checked)
}

/// Checks that a claim about the asset of another wallet's claim leaves the records of that wallet.
fn other_verifier(claim: &ClaimSteps<'_>) -> Examination {
    let read: Vec<_> = claim.all(Act::OtherRecord).collect();
    let [before, after] = read[..] else {
        return Examination::default();
    };
    if !has_record(before) {
        return Examination::default();
    }
    let is_gone = after.is_success() && !has_record(after);
    let finding = is_gone.then(|| {
        let what = "another wallet's record is gone since this wallet has claimed the same asset";
        Finding::new(after, what, before.excerpt(160), after.summary())
    });
    Examination::of(1, finding)
}

/// Checks that each record has the value by which it was requested, in every response of the run.
fn by_other_columns(history: &History) -> Examination {
    let mut checked = Examination::default();
    for entry in history.of_path("/sc-state") {
        let request = &entry.exchange.request;
        let is_usual = request.raw_query.is_none() && !request.finds_nothing;
        let column = requested(&entry.exchange, "unique_column");
        if is_usual
            && column != Some("asset_id")
            && let Some(body) = entry.exchange.success_object()
        {
            sc_state::unique_value_echo(&entry.exchange, body, &mut checked);
        }
    }
    checked
}

/// Checks the records of all assets about which the node accepted only right claims: each has the values of one of them, if
/// possible of one that no block lists as failed.
fn of_one_claim(history: &History) -> Examination {
    let blocks = history.blocks();
    let blocks: Vec<_> = blocks
        .filter_map(|(_, entry)| entry.exchange.success_object())
        .collect();
    let accepted = history.accepted().map(|(entry, transaction)| {
        let is_wrong = entry.exchange.request.wrongly_signed.is_some();
        let code = transaction["trans_code"].as_str();
        let lists_it = |code| blocks.iter().any(|block| lists_as_failed(block, code));
        let has_failed = code.is_some_and(lists_it);
        (transaction["specific_data"].clone(), is_wrong, has_failed)
    });
    let accepted: Vec<_> = accepted.collect();
    let mut checked = Examination::default();
    for entry in history.of_path("/sc-state") {
        let asked = |name| requested(&entry.exchange, name).unwrap_or_default();
        let is_about = |(call, ..): &&(Value, bool, bool)| {
            call["address"] == asked("contract_address")
                && call["params"]["asset_id"] == asked("unique_value")
        };
        let about: Vec<_> = accepted.iter().filter(is_about).collect();
        let is_by_asset =
            entry.exchange.request.raw_query.is_none() && asked("unique_column") == "asset_id";
        if is_by_asset && about.iter().all(|(_, is_wrong, _)| !is_wrong) {
            let made = about.iter().filter(|(_, _, has_failed)| !has_failed);
            let calls: Vec<_> = made.map(|(call, ..)| call).collect();
            if !calls.is_empty() {
                checked.extend(other_records(&entry.exchange, &calls));
            }
        }
    }
    checked
}

/// Checks all records in a response, in each of its members. `calls` made the claims about the asset.
fn other_records(response: &Arc<Exchange>, calls: &[&Value]) -> Examination {
    let mut checked = Examination::default();
    let asset = requested(response, "unique_value").unwrap_or_default();
    let body = response.success_object();
    for (member, value) in body.into_iter().flat_map(carried) {
        for row in known_rows(value) {
            checked.count_item();
            if !row.has("asset_id", asset) {
                let what = "a record is about another asset than requested";
                let expected = format!("records that have {:?} only", shown(asset, 60));
                let actual = shown(&value.to_string(), 200);
                let finding = Finding::new(response, what, expected, actual);
                checked.push(finding.at(format!("/{member}")));
                continue;
            }
            // Another wallet may have made a claim about the same asset.
            let is_by = |call: &&Value| {
                let verifier = call["params"]["verifier_address"].as_str();
                verifier.is_some_and(|verifier| row.has("verifier_address", verifier))
            };
            let difference = |call: &Value| {
                let mut names = VerificationRecord::COLUMNS.iter();
                names.find_map(|name| {
                    let wanted = call["params"].get(name)?;
                    let found = row.column(name).unwrap_or(&Value::Null);
                    Some((name, FirstDifference::of_stored(wanted, found)?))
                })
            };
            // A wallet may have made several claims, of which a node may take one.
            let all: Vec<_> = calls
                .iter()
                .copied()
                .filter(is_by)
                .map(difference)
                .collect();
            let different: Option<Vec<_>> = all.into_iter().collect();
            if let Some((name, first)) = different.into_iter().flatten().next_back() {
                let what = format!("`{name}` in a record is not what was submitted");
                let finding = Finding::new(response, what, first.expected, first.actual);
                checked.push(finding.at(format!("/{member}")));
            }
        }
    }
    checked
}

/// Requests something else than a new record, for the rule *near*.
async fn request_others(context: &Context, record: &Exchange) -> Examination {
    let request = &record.request;
    let asset = requested(record, "unique_value").unwrap_or_default();
    let other = |name, value: &str| request.clone().setting(name, value.to_owned());
    let mut others = vec![
        other("contract_address", UNKNOWN_CONTRACT),
        other("unique_column", OTHER_COLUMN),
    ];
    let number = asset.trim_start_matches('0');
    if number != asset && number.bytes().all(|byte| byte.is_ascii_digit()) {
        others.push(other("unique_value", number));
    }
    others.extend(cut_short(asset).map(|short| other("unique_value", &short)));
    let others = others.into_iter().map(Request::finding_nothing);
    let mut checked = Examination::default();
    checked.received(context.node.send_all(others.collect()).await);
    checked
}

async fn as_expected(context: &Context) -> Findings {
    let all = all_found(context).await?;
    let new: Vec<_> = all.iter().map(|one| Arc::clone(one.response)).collect();
    let mut older = objects(context, Sample::ContractState)
        .await
        .unwrap_or_default();
    let mut checked = Examination::default();
    // The cases about older responses report what those lack, too.
    if have_value(&older).has_no_findings() {
        checked.extend(have_value(&new));
    }
    older.retain(|response| has_record(response));
    let forms: BTreeSet<_> = older.iter().map(|response| form(response)).collect();
    if forms.is_empty() || !checked.has_no_findings() {
        return Ok(checked);
    }
    for stored in &all {
        if !stored.is_as_submitted() {
            continue;
        }
        checked.count_item();
        let actual = form(stored.response);
        if !forms.contains(&actual) {
            let what = "the record of a new claim has another form than older records";
            let expected = forms.iter().cloned().collect::<Vec<_>>().join(", or ");
            checked.push(Finding::new(stored.response, what, expected, actual));
        }
    }
    Ok(checked)
}

/// Checks that each response has the documented member.
fn have_value(responses: &[Arc<Exchange>]) -> Examination {
    let mut checked = Examination::default();
    for response in responses {
        if let Some(body) = response.success_object() {
            value(response, body, &mut checked);
        }
    }
    checked
}

/// Describes the form of the records in a response.
fn form(response: &Exchange) -> String {
    let body = response.success_object();
    let members = body.into_iter().flat_map(carried);
    let forms = members.map(|(name, value)| {
        let form = match value {
            Value::Object(_) => "an object".to_owned(),
            Value::Array(items) => match items.first() {
                Some(Value::Array(_)) => "an array of arrays".to_owned(),
                Some(Value::Object(_)) => "an array of objects".to_owned(),
                _ => format!("an array of {} values", items.len()),
            },
            Value::String(_) => "a text".to_owned(),
            _ => "a single value".to_owned(),
        };
        let list = known_rows(value)
            .first()
            .and_then(|row| row.column("doc_hash_list"));
        let list = match list {
            Some(Value::String(_)) => " with lists as text",
            Some(Value::Array(_)) => " with lists as arrays",
            _ => "",
        };
        format!("`{name}`: {form}{list}")
    });
    forms.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        api::{block_request, contract_state_request},
        history::recorded,
    };

    const CONTRACT: &str = "ct00000000000000000000000000000000000000c1";
    const ANN: &str = "0x00000000000000000000000000000000000000a1";

    /// Whether a record with these remarks is right, if a block has two claims of one wallet: their remarks, and the status
    /// that the block shows for each.
    fn is_right(remarks: &str, claims: [(&str, i64); 2]) -> bool {
        let submission = |place: usize, remarks: &str| {
            json!({"transaction": {
                "trans_code": format!("{place:040x}"),
                "specific_data": {
                    "address": CONTRACT,
                    "function": "add_verification",
                    "signers": [ANN],
                    "params": {"asset_id": "lot", "verifier_address": ANN, "outcome": 1, "remarks": remarks},
                },
            }, "signatures": []})
        };
        let all = [0, 1].map(|place| submission(place, claims[place].0));
        let entries = [0, 1].map(|place| {
            let mut entry = all[place].clone();
            entry["status"] = claims[place].1.into();
            entry
        });
        let accepted =
            r#"{"status":"SUCCESS","response":{"valid":true,"msg":"","new_transaction":true}}"#;
        let block = json!({"index": 7, "text": {"transactions": entries}}).to_string();
        let record = json!({"value": [{"asset_id": "lot", "verifier_address": ANN, "outcome": 1, "remarks": remarks}]});
        let record = record.to_string();
        let [first, second] = all.map(|one| Request::post("/submit-transaction", one.to_string()));
        let history = recorded(vec![
            (0, first, 200, accepted),
            (2, second, 200, accepted),
            (4, block_request(7), 200, &block),
            (6, contract_state_request(CONTRACT, "lot"), 200, &record),
        ]);
        let checked = of_one_claim(&history);
        checked.has_no_findings()
    }

    #[test]
    fn a_claim_that_failed_leaves_no_record() {
        for (remarks, claims, expected) in [
            ("old", [("old", 1), ("new", 1)], true),
            ("new", [("old", 1), ("new", 1)], true),
            ("other", [("old", 1), ("new", 1)], false),
            ("old", [("old", 1), ("new", -1)], true),
            ("new", [("old", 1), ("new", -1)], false),
            // The status may mean something else.
            ("new", [("old", -1), ("new", -1)], true),
        ] {
            assert_eq!(is_right(remarks, claims), expected, "{remarks} {claims:?}");
        }
    }
}
