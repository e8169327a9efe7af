//! `GET /sc-state`.

use std::sync::Arc;

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use nodeproof_primitives::ContractAddress;
use percent_encoding::percent_decode_str;

use super::{
    query::Query,
    response::{Faults, detail, json_text},
};
use crate::{InjectedFault, Node, chain::TABLE};

/// Returns a row of a contract's table, or null if no row matches.
///
/// It is in `value`, as the specification describes, and in `data`, as observed on a real node.
pub(super) async fn sc_state(State(node): State<Arc<Node>>, query: Query) -> Response {
    let mut faults = Faults::default();
    let table = faults.note(query.text("table_name"));
    let contract = faults.note(query.read::<ContractAddress>("contract_address"));
    let column = faults.note(query.text("unique_column"));
    let value = faults.note(query.text("unique_value"));
    let (Some(table), Some(contract), Some(column), Some(value)) = (table, contract, column, value)
    else {
        return faults.into_response();
    };
    let unknown = |what: &str, name: &str| {
        let short: String = name.chars().take(100).collect();
        detail(StatusCode::BAD_REQUEST, &format!("no such {what}: {short}"))
    };
    if contract != node.contract_address() && contract != node.token_contract_address() {
        return unknown("contract", &contract.to_string());
    }
    if node.has(InjectedFault::TableCondition)
        && table
            .strip_prefix(TABLE)
            .is_some_and(|rest| rest.starts_with([' ', '\'', '"']))
        && let Some(row) = node.chain().verifications().first()
    {
        return record_response(Some(&row));
    }
    // The token contract has balances, but no table.
    if contract != node.contract_address() || table != TABLE {
        return unknown("table", table);
    }
    let again = percent_decode_str(value).decode_utf8();
    let value = match &again {
        Ok(again) if node.has(InjectedFault::DecodedTwice) => again,
        _ => value,
    };
    match node.chain().verifications().find(column, value) {
        Ok(row) => record_response(row.as_deref()),
        Err(_) => unknown("column", column),
    }
}

fn record_response(row: Option<&str>) -> Response {
    let row = row.unwrap_or("null");
    json_text(
        StatusCode::OK,
        format!("{{\"status\":\"SUCCESS\",\"data\":{row},\"value\":{row}}}"),
    )
}
