//! The records of the run's own claims. The cases about older records also apply to them.

use std::{collections::BTreeSet, sync::Arc};

use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    case::{Case, Example},
    cause::Cause,
    check::Check::Own,
    claim,
    claim_record::{Stored, all_found},
    sc_state::{self, value},
    state_columns::request_by_columns,
};
use crate::{
    api::{Sample, UNKNOWN_ASSET, UNKNOWN_CONTRACT, carried, has_record, known_rows, requested},
    checks::{Examination, Finding, Findings, check_json_responses, objects},
    context::Context,
    history::History,
    http::{Exchange, Request},
    rules::{first_stays, submitted},
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
        explained_by: &[Cause::of(&[
            "submit-transaction/claim-changes-no-other-record",
        ])],
        requirements: &["STATE-2", "STATE-3", "RECORD-14"],
        checks: "The response with the record of each of the run's claims is one JSON object without duplicate members. Each record in it is about the requested asset, and has the values of one of the run's claims about it, also after a second claim of the same wallet, which a node may refuse. A claim that a block lists as failed leaves no record beside another one. A wallet that only co-signed a claim has no record of it. A record that is requested by any column has the requested value there, and a param that its claim lacks has no value.",
        check: Own(|c| Box::pin(new_records(c))),
        ..BASE
    },
    Case {
        id: "sc-state/new-records-as-expected",
        level: Level::Should,
        requirements: &["STATE-3", "RECORD-16"],
        checks: "The response with the record of each of the run's claims has `value` and the form of the responses with older records. A second claim of a wallet about an asset leaves the record of its first.",
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
    // Those of another program are judged with all records.
    if !context.is_of_others && all.iter().all(Stored::is_as_submitted) {
        checked.extend(submitted(&context.history(), |_, _| true));
    }
    for stored in all.iter().filter(|one| one.is_as_submitted()) {
        checked.extend(request_others(context, stored.response).await);
        checked.extend(request_by_columns(context, stored.response).await);
    }
    if let Some(first) = first {
        checked.extend(request_similar_texts(context, first.response).await);
    }
    checked.extend(by_other_columns(&context.history()));
    Ok(checked)
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
    // A node may take it for a list, or for a quoted text.
    let several = [format!("{asset},{UNKNOWN_ASSET}"), format!("\"{asset}\"")];
    let similar = several.into_iter().chain(cut_short(asset));
    others.extend(similar.map(|similar| other("unique_value", &similar)));
    let others = others.into_iter().map(Request::finding_nothing);
    let mut checked = Examination::default();
    checked.received(context.node.send_all(others.collect()).await);
    checked
}

/// Requests the beginnings of a new record's texts, and these texts in small letters, which no record has, for the rule *near*.
async fn request_similar_texts(context: &Context, record: &Exchange) -> Examination {
    let body = record.success_object().into_iter().flat_map(carried);
    let rows: Vec<_> = body.flat_map(|(_, value)| known_rows(value)).collect();
    let similar = ["asset_type", "remarks"].into_iter().flat_map(|column| {
        let text = rows.first().and_then(|row| row.column(column)?.as_str());
        let request = record
            .request
            .clone()
            .setting("unique_column", column.to_owned());
        let all = text.map(|text| [cut_short(text), Some(text.to_lowercase())]);
        let others = all.into_iter().flatten().flatten();
        let others = others.filter(move |other| Some(&**other) != text);
        others.map(move |other| {
            request
                .clone()
                .setting("unique_value", other)
                .finding_nothing()
        })
    });
    let mut checked = Examination::default();
    checked.received(context.node.send_all(similar.collect()).await);
    checked
}

async fn as_expected(context: &Context) -> Findings {
    let all = all_found(context).await?;
    let new: Vec<_> = all.iter().map(|one| Arc::clone(one.response)).collect();
    let mut older = objects(context, Sample::ContractState)
        .await
        .unwrap_or_default();
    let mut checked = match context.is_of_others {
        true => Examination::default(),
        false => first_stays(&context.history()),
    };
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
