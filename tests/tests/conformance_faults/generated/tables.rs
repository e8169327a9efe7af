//! One table for each endpoint, with the responses that contain its fields.

use std::collections::BTreeSet;

use integration_tests::{
    proxy::RecordedRequest,
    submissions::{SUBMIT, kind_of_submission},
};
use libtest_mimic::Failed;
use nodeproof_client::VerificationRecord;
use nodeproof_conformance::Tier;
use nodeproof_openapi::{NODE_JSON, Spec, View};
use serde_json::Value;

use super::{
    field::{Field, fields},
    reasons::{self, Reason},
    rewriting::Responses,
};
use crate::{
    balances::{BALANCES, asks_for},
    blocks::BLOCK,
    records::STATE,
};

/// The fields of one endpoint's responses.
pub(crate) struct Table {
    pub(crate) title: &'static str,
    /// The section of the docs that contains it.
    pub(crate) section: &'static str,
    operation: &'static str,
    pub(crate) tier: Tier,
    /// The cases that may fail.
    pub(crate) cases: &'static [&'static str],
    pub(crate) responses: Responses,
    pub(crate) fields: Vec<Field>,
    pub(crate) reasons: &'static [Reason],
}

fn any(_: &RecordedRequest, _: &Value) -> bool {
    true
}

fn as_it_is(_: &mut Value) {}

fn one_balance(request: &RecordedRequest, _: &Value) -> bool {
    asks_for(request, "balance_type=TOKEN_IN_WALLET")
}

fn has_record(_: &RecordedRequest, body: &Value) -> bool {
    body["value"].is_array()
}

/// Converts a record to an object with field names and arrays.
fn named(body: &mut Value) {
    let Value::Array(row) = body["value"].take() else {
        return;
    };
    let names = VerificationRecord::COLUMNS.iter().map(ToString::to_string);
    let values = row.into_iter().map(|value| match value.as_str() {
        Some(text) if text.starts_with('[') => serde_json::from_str(text).unwrap_or(value),
        _ => value,
    });
    body["value"] = Value::Object(names.zip(values).collect());
    if let Some(members) = body.as_object_mut() {
        members.shift_remove("data");
    }
}

fn of_claim(request: &RecordedRequest, body: &Value) -> bool {
    kind_of_submission(request) == "claim"
        && body.pointer("/response/valid") == Some(&Value::Bool(true))
}

fn refused(_: &RecordedRequest, body: &Value) -> bool {
    body.pointer("/response/valid") == Some(&Value::Bool(false))
}

/// Returns all tables.
pub(crate) fn tables() -> Vec<Table> {
    let spec = Spec::from_json(NODE_JSON).expect("the description");
    let response = |operation, balance_type| {
        let at = spec.response_schema(
            View::Documented,
            operation,
            200,
            &[("balance_type", balance_type)],
        );
        at.expect("a response")
    };
    let of = |operation| fields(&spec, &response(operation, "TOKEN_IN_WALLET"), &[]);
    let component =
        |name: &str, path: &[&str]| fields(&spec, &format!("/components/schemas/{name}"), path);
    let all = |path| Responses {
        path,
        are: any,
        prepared: as_it_is,
    };
    vec![
        Table {
            title: "GET /get-block",
            section: "fields-get-block",
            operation: "get_block",
            tier: Tier::Read,
            cases: &["get-block/*", "chain/*"],
            responses: all(BLOCK),
            fields: of("get_block"),
            reasons: reasons::BLOCKS,
        },
        Table {
            title: "GET /get-balances, one balance",
            section: "fields-get-balances",
            operation: "get_balances",
            tier: Tier::Read,
            cases: &["get-balances/*"],
            responses: Responses {
                are: one_balance,
                ..all(BALANCES)
            },
            fields: of("get_balances"),
            reasons: reasons::BALANCES,
        },
        Table {
            title: "GET /sc-state",
            section: "fields-sc-state",
            operation: "sc_state",
            tier: Tier::Read,
            cases: &["sc-state/*"],
            responses: Responses {
                are: has_record,
                prepared: named,
                ..all(STATE)
            },
            fields: [of("sc_state"), component("AddVerification", &["value"])].concat(),
            reasons: reasons::STATE,
        },
        Table {
            title: "GET /get-trustscore-wallets",
            section: "fields-get-trustscore-wallets",
            operation: "get_trustscore_wallets",
            tier: Tier::Read,
            cases: &["get-trustscore-wallets/*"],
            responses: all("/get-trustscore-wallets"),
            fields: of("get_trustscore_wallets"),
            reasons: reasons::TRUST,
        },
        Table {
            title: "POST /call-sc",
            section: "fields-call-sc",
            operation: "call_sc",
            tier: Tier::Read,
            cases: &["call-sc/*"],
            responses: all("/call-sc"),
            fields: component("Transaction", &["transaction"]),
            reasons: reasons::CALLS,
        },
        Table {
            title: "POST /submit-transaction, accepted",
            section: "fields-submit-transaction-accepted",
            operation: "submit_transaction",
            tier: Tier::Write,
            cases: &[
                "submit-transaction/claim-*",
                "submit-transaction/resubmission-*",
            ],
            responses: Responses {
                are: of_claim,
                ..all(SUBMIT)
            },
            fields: of("submit_transaction"),
            reasons: reasons::ACCEPTED,
        },
        Table {
            title: "POST /submit-transaction, refused",
            section: "fields-submit-transaction-refused",
            operation: "submit_transaction",
            tier: Tier::Reject,
            cases: &["submit-transaction/*"],
            responses: Responses {
                are: refused,
                ..all(SUBMIT)
            },
            fields: of("submit_transaction"),
            reasons: reasons::REFUSED,
        },
    ]
}

/// Checks that each operation with a documented JSON response has a table, and that no table is empty.
pub(crate) fn all_are_there() -> Result<(), Failed> {
    let spec = Spec::from_json(NODE_JSON).expect("the description");
    let tables = tables();
    let there: BTreeSet<_> = tables.iter().map(|table| table.operation).collect();
    for operation in spec.operations(View::Documented) {
        if operation.response_schema(200, &[]).is_some() && !there.contains(operation.id) {
            return Err(format!("the responses of {} have no table", operation.id).into());
        }
    }
    match tables.iter().find(|table| table.fields.is_empty()) {
        Some(table) => Err(format!("{} has no fields", table.title).into()),
        None => Ok(()),
    }
}
