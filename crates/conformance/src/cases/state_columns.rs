//! Records by other columns than `asset_id`.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    api::{Sample, carried, contract_state_request, has_record, known_rows, requested, stored},
    checks::{Examination, Finding, Findings},
    context::Samples,
    http::Exchange,
};

/// The columns of a record that hold a short text, and those that hold a number.
const COLUMNS: [[&str; 2]; 2] = [
    ["asset_type", "verifier_address"],
    ["outcome", "deletable_after"],
];
/// Maximum length of a value, in characters.
const LONGEST: usize = 200;

/// Requests a record by other columns. A node that finds it by a text finds it by a number, too, and the other way
/// round. A contract may know `asset_id` only.
pub(super) async fn columns(context: &Samples) -> Findings {
    let mut checked = Examination::default();
    let records = context.sample(Sample::ContractState).await?;
    let Some((exchange, kinds)) = records.iter().find_map(values) else {
        return Ok(checked);
    };
    let (Some(contract), Some(asset)) = (
        requested(exchange, "contract_address"),
        requested(exchange, "unique_value"),
    ) else {
        return Ok(checked);
    };
    let (mut found_by, mut missing) = (None, None);
    for values in kinds {
        let mut without = Vec::new();
        for (column, value) in &values {
            let request = contract_state_request(contract, asset)
                .setting("unique_column", (*column).to_owned())
                .setting("unique_value", value.clone());
            let Some(response) = checked.received(context.node.send(request).await) else {
                return Ok(checked);
            };
            let body = response.success_object();
            if has_record(&response) {
                found_by = Some(*column);
            } else if body.is_some_and(|body| stored(body).is_none()) {
                without.push((*column, value.clone(), response));
            }
        }
        // One of them alone may have changed since.
        if without.len() == COLUMNS[0].len() {
            missing = without.into_iter().next();
        }
    }
    let Some(found_by) = found_by else {
        return Ok(checked);
    };
    checked.count_item();
    if let Some((column, value, response)) = missing {
        let what = format!("a record is found by its {found_by}, but not by its {column}");
        let expected = format!("a record whose {column} is {value}");
        let actual = response.excerpt(160);
        checked.push(Finding::new(&response, what, expected, actual));
    }
    Ok(checked)
}

/// Requests a new record by the columns by which the node has found other records.
pub(super) async fn columns_of_new(context: &Samples, exchange: &Arc<Exchange>) -> Examination {
    let mut checked = Examination::default();
    let Some((_, kinds)) = values(exchange) else {
        return checked;
    };
    let history = context.history();
    let finds_by = |column: &str| {
        let mut states = history.of_path("/sc-state");
        states.any(|entry| {
            let exchange = &entry.exchange;
            requested(exchange, "unique_column") == Some(column) && has_record(exchange)
        })
    };
    let known = kinds.into_iter().flatten();
    for (column, value) in known.filter(|(column, _)| finds_by(column)) {
        let request = exchange.request.clone();
        let request = request.setting("unique_column", column.to_owned());
        let request = request.setting("unique_value", value.clone());
        let Some(response) = checked.received(context.node.send(request).await) else {
            break;
        };
        checked.count_item();
        if response
            .success_object()
            .is_some_and(|body| stored(body).is_none())
        {
            let what = format!("a new record is not found by its {column}, and older ones are");
            let expected = format!("a record whose {column} is {value}");
            let actual = response.excerpt(160);
            checked.push(Finding::new(&response, what, expected, actual));
        }
    }
    checked
}

/// Columns and their values.
type Values = Vec<(&'static str, String)>;

/// Returns the values of the first record in a response by kind, if its form is known.
fn values(exchange: &Arc<Exchange>) -> Option<(&Arc<Exchange>, [Values; 2])> {
    let body = exchange.success_object()?;
    let rows: Vec<_> = carried(body)
        .flat_map(|(_, value)| known_rows(value))
        .collect();
    let row = rows.first()?;
    let value = |column| {
        let text = match row.column(column)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        let is_usual = !text.trim().is_empty() && text.chars().count() <= LONGEST;
        is_usual.then_some((column, text))
    };
    let kinds = COLUMNS.map(|kind| kind.into_iter().filter_map(value).collect());
    Some((exchange, kinds))
}
