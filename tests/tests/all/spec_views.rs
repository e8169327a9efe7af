//! The values that the views of the real spec accept and refuse, and the search for a request's schema.
#![expect(
    clippy::expect_used,
    reason = "a test fails by panicking, its functions too"
)]

use std::error::Error;

use nodeproof_openapi::{Spec, View};
use serde_json::{Value, json};

fn spec() -> Spec {
    Spec::from_json(nodeproof_openapi::NODE_JSON).expect("OpenAPI")
}

/// Returns the keywords that a response to a query does not match, each with its place.
fn mismatches(view: View, operation: &str, query: &[(&str, &str)], body: &Value) -> Vec<String> {
    let spec = spec();
    let schema = spec
        .response_schema(view, operation, 200, query)
        .expect("a described response");
    let found = spec
        .validator(view, &schema)
        .expect("a schema that compiles")
        .mismatches_in(body);
    found
        .into_iter()
        .map(|found| format!("{} at {}", found.keyword, found.instance))
        .collect()
}

fn example(name: &str) -> Value {
    let pointer = format!("/components/examples/{name}/value");
    spec()
        .full()
        .pointer(&pointer)
        .cloned()
        .expect("an example of that name")
}

#[test]
fn the_documented_view_has_the_calls_of_the_specification_and_no_other() {
    let spec = spec();
    let calls: Vec<_> = spec
        .operations(View::Documented)
        .iter()
        .map(|operation| format!("{} {}", operation.method, operation.path))
        .collect();
    let expected = [
        "GET /get-block",
        "GET /get-balances",
        "GET /sc-state",
        "GET /get-trustscore-wallets",
        "GET /docs",
        "POST /call-sc",
        "POST /submit-transaction",
    ];
    assert_eq!(calls, expected);
    let observed: Vec<_> = spec
        .operations(View::Full)
        .into_iter()
        .filter(|operation| operation.is_observed())
        .collect();
    assert_eq!(observed.len(), 1);
    assert_eq!(observed[0].id, "submit_transaction_batch");
}

#[test]
fn the_documented_view_carries_no_marks_and_no_failures() {
    let text = spec().documented().to_string();
    for gone in [
        "\"x-observed\":",
        "\"x-documented\":",
        "Observed:",
        "\"422\"",
        "\"default\":{",
        "ErrorResponse",
        "BlockRow",
    ] {
        assert!(!text.contains(gone), "{gone} is in the documented view");
    }
}

#[test]
fn a_documented_block_conforms_in_both_views() {
    for name in ["EmptyBlock", "BlockWithClaim"] {
        for view in [View::Documented, View::Full] {
            assert_eq!(
                mismatches(view, "get_block", &[], &example(name)),
                [""; 0],
                "{name}"
            );
        }
    }
}

#[test]
fn a_row_conforms_only_in_the_full_view() {
    let row = example("BlockRow");
    assert_eq!(mismatches(View::Full, "get_block", &[], &row), [""; 0]);
    let documented = mismatches(View::Documented, "get_block", &[], &row);
    assert!(
        documented.contains(&"required at ".to_owned()),
        "{documented:?}"
    );
    assert!(
        documented.contains(&"type at /committee".to_owned()),
        "{documented:?}"
    );
}

#[test]
fn balance_type_decides_the_schema_of_the_response() {
    let null = json!({"balance": null});
    let list = json!({"balance": []});
    let one = [("balance_type", "TOKEN_IN_WALLET"), ("token_code", "TKN")];
    let all = [("balance_type", "ALL_TOKENS_IN_WALLET")];
    assert_eq!(
        mismatches(View::Documented, "get_balances", &one, &null),
        ["type at /balance"]
    );
    assert_eq!(mismatches(View::Full, "get_balances", &one, &null), [""; 0]);
    assert_eq!(
        mismatches(View::Full, "get_balances", &one, &list),
        ["type at /balance"]
    );
    assert_eq!(
        mismatches(View::Documented, "get_balances", &all, &list),
        [""; 0]
    );
    assert_eq!(
        mismatches(View::Full, "get_balances", &all, &null),
        ["type at /balance"]
    );
}

#[test]
fn a_balance_is_found_under_both_of_its_names_and_must_be_there() {
    let query = [("balance_type", "TOKEN_IN_WALLET")];
    for body in [
        json!({"balance": 1}),
        json!({"value": 1}),
        json!({"value": 1, "more": true}),
    ] {
        assert_eq!(
            mismatches(View::Documented, "get_balances", &query, &body),
            [""; 0]
        );
    }
    for body in [
        json!({}),
        json!({"balance": "1"}),
        json!({"value": 1.5}),
        json!(1),
        json!([]),
    ] {
        assert_ne!(
            mismatches(View::Documented, "get_balances", &query, &body),
            [""; 0],
            "{body}"
        );
    }
}

#[test]
fn a_refusal_may_leave_out_what_the_specification_lists_only_in_the_full_view() {
    let body = json!({"status": "SUCCESS", "response": {"valid": false, "msg": ["no"]}});
    assert_eq!(
        mismatches(View::Full, "submit_transaction", &[], &body),
        [""; 0]
    );
    let mut documented = mismatches(View::Documented, "submit_transaction", &[], &body);
    documented.sort();
    assert_eq!(
        documented,
        ["required at /response", "type at /response/msg"]
    );
}

#[test]
fn what_the_specification_does_not_show_is_open() {
    let spec = spec();
    let cases = [
        ("RawTransaction", json!({"anything": [1]})),
        (
            "RawTransaction",
            json!({"transaction": "text", "signatures": null}),
        ),
        ("ContractState", json!({})),
        (
            "ContractState",
            json!({"value": [null], "data": 7, "status": 7}),
        ),
        (
            "BlockText",
            json!({"transactions": [1, "x", null], "previous_block_receipts": []}),
        ),
        ("TokenHolders", json!({"holders": {}})),
        ("ContractParams", json!({"any": "function"})),
        ("SpecificData", json!({"for": "another type"})),
    ];
    for (schema, body) in cases {
        let validator = spec.validator(View::Documented, schema).expect("a schema");
        assert_eq!(validator.mismatches_in(&body), [], "{schema}: {body}");
    }
}

#[test]
fn forms_are_those_of_the_specification() -> Result<(), Box<dyn Error>> {
    let spec = spec();
    let (a40, a64) = ("a".repeat(40), "A1".repeat(32));
    let good = [
        ("WalletAddress", format!("0x{a40}")),
        ("ContractAddress", format!("ct{a40}")),
        ("Hash256", a64.clone()),
        ("TransactionCode", a40.to_uppercase()),
        ("HexText", "0fF".to_owned()),
    ];
    let bad = [
        ("WalletAddress", format!("0x{}", a40.to_uppercase())),
        ("WalletAddress", format!("0x{a40}\n")),
        ("WalletAddress", format!("ct{a40}")),
        ("ContractAddress", format!("0x{a40}")),
        ("ContractAddress", a40.clone()),
        ("Hash256", format!("0x{a64}")),
        ("Hash256", a40.clone()),
        ("TransactionCode", a64),
        ("HexText", String::new()),
    ];
    for (cases, valid) in [(&good[..], true), (&bad[..], false)] {
        for (schema, text) in cases {
            let validator = spec.validator(View::Documented, schema)?;
            assert_eq!(
                validator.is_valid(&json!(text)),
                valid,
                "{schema}: {text:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn integers_may_be_of_any_size_and_are_no_decimals() -> Result<(), Box<dyn Error>> {
    let spec = spec();
    let validator = spec.validator(View::Documented, "TokenBalance")?;
    for number in [
        "9007199254740993",
        "18446744073709551616",
        "-123456789012345678901234567890",
        "-0",
    ] {
        assert_eq!(
            validator.mismatches(&format!("{{\"balance\":{number}}}"))?,
            [],
            "{number}"
        );
    }
    for number in [
        "1.0",
        "1e3",
        "1.5",
        "1e30",
        "1e400",
        "123456789012345678901234567890.0",
        // More than 128 bits.
        "170141183460469231731687303715884105728",
        "-1234567890123456789012345678901234567890",
    ] {
        assert_ne!(
            validator.mismatches(&format!("{{\"balance\":{number}}}"))?,
            [],
            "{number}"
        );
    }
    Ok(())
}

#[test]
fn a_mismatch_says_where_and_nothing_that_the_node_sent() -> Result<(), Box<dyn Error>> {
    let mut block = example("EmptyBlock");
    block["text"]["previous_block_receipts"][1]["data"]["block_hash"] = json!("\u{1b}[31mrogue");
    let spec = spec();
    let schema = spec
        .response_schema(View::Documented, "get_block", 200, &[])
        .unwrap_or_default();
    let found = spec
        .validator(View::Documented, &schema)?
        .mismatches(&block.to_string())?;
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].instance,
        "/text/previous_block_receipts/1/data/block_hash"
    );
    assert_eq!(found[0].keyword, "pattern");
    assert!(!found[0].message.contains("rogue"), "{}", found[0].message);
    Ok(())
}

#[test]
fn parameters_say_what_a_request_needs() {
    let spec = spec();
    let state = spec
        .operation(View::Documented, "sc_state")
        .expect("the operation");
    let names: Vec<_> = state
        .parameters()
        .iter()
        .map(|parameter| parameter.name)
        .collect();
    assert_eq!(
        names,
        [
            "table_name",
            "contract_address",
            "unique_column",
            "unique_value"
        ]
    );
    assert!(
        state
            .parameters()
            .iter()
            .all(|p| p.required && p.location == "query" && !p.observed)
    );
    let balances = spec
        .operation(View::Documented, "get_balances")
        .expect("the operation");
    let required: Vec<_> = balances
        .parameters()
        .iter()
        .map(|p| (p.name, p.required))
        .collect();
    let expected = [
        ("balance_type", true),
        ("wallet_address", false),
        ("token_code", false),
    ];
    assert_eq!(required, expected);
}

#[test]
fn failures_are_described_in_the_full_view_only() {
    let spec = spec();
    for (operation, status) in [("get_block", 400), ("call_sc", 422), ("docs", 404)] {
        let full = spec.response_schema(View::Full, operation, status, &[]);
        assert!(full.is_some(), "{operation} {status}");
        assert_eq!(
            spec.response_schema(View::Documented, operation, status, &[]),
            None
        );
    }
}
