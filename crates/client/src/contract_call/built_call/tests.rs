//! Each test changes one thing, and checks the error.

mod signed;
mod tamperings;

use nodeproof_primitives::{RawJson, signed_message};

use super::{check::MAX_LENGTH, error::BuiltCallMismatch};
use crate::contract_call::{
    CheckedTransaction,
    sample::{FIRST, PARAMS, SECOND, call, check, fee, honest},
};
use crate::{RawTransaction, SignedTransaction};
use tamperings::{TAMPERINGS, Tampering};

/// Returns the honest response with one change. Fails if the change changes nothing.
fn tampered(from: &str, to: &str) -> String {
    let honest = honest();
    assert_eq!(honest.matches(from).count(), 1, "{from}");
    honest.replacen(from, to, 1)
}

#[test]
fn only_the_fee_and_the_currency_of_a_matching_response_change() {
    let checked = check(&honest()).unwrap();
    let wanted = honest()
        .replace(r#""NWRL""#, r#""TKN \"é\"""#)
        .replace(r#""fee":0.0"#, r#""fee":1500000.25"#);
    let inner = wanted
        .strip_prefix(r#"{"transaction":"#)
        .and_then(|rest| rest.strip_suffix(r#","signatures":[]}"#))
        .unwrap();
    assert_eq!(checked.transaction_text(), inner);
    assert_eq!(checked.message(), signed_message(inner).unwrap());
    assert!(checked.message().contains(r#""fee": 1500000.25, "#));
    assert_eq!(
        checked.trans_code().to_string(),
        "04087cb4c58f389c80bef882e3392f1b3b0e9e3c"
    );
    assert_eq!(checked.timestamp().as_millis(), 1_767_225_593_000);
}

#[test]
fn what_means_the_same_is_no_tampering() {
    for (from, to) in [
        // Neither the order of members nor the escaping of a string matters.
        (r#""one":1,"half":0.5"#, r#""half":0.5,"one":1"#),
        ("token é", "token \\u00e9"),
        (r#""asset_id""#, r#""asset\u005fid""#),
        (r#""big":1e2"#, r#""big":100.0"#),
        (r#""type":3,"#, "\"type\" : 3 ,\n"),
        (r#","is_child_txn":false"#, ""),
        (r#","signatures":[]"#, ""),
        (r#""signatures":[]"#, r#""signatures": [ ]"#),
        (
            r#""signatures":[]"#,
            r#""signatures":[{"wallet_address":"0x1","msgsign":""},{"wallet_address":"0x2"}]"#,
        ),
        (r#""fee":0.0"#, r#""fee":-7e3"#),
        ("04087cb4c58f389c", "04087CB4C58F389C"),
        ("1767225593000", "0"),
        // It is neither signed nor submitted.
        (r#""signatures":[]"#, r#""signatures":[],"status":1"#),
    ] {
        let text = tampered(from, to);
        assert!(check(&text).is_ok(), "{text}: {:?}", check(&text));
    }
    let bare = honest();
    let bare = bare
        .strip_prefix(r#"{"transaction":"#)
        .and_then(|rest| rest.strip_suffix(r#","signatures":[]}"#))
        .unwrap();
    assert!(check(bare).is_ok());
}

#[test]
fn every_tampering_is_refused_and_named() {
    for Tampering {
        from,
        to,
        kind,
        member,
    } in TAMPERINGS
    {
        let text = tampered(from, to);
        let error = check(&text).expect_err(&text);
        let found = match &error {
            BuiltCallMismatch::Changed { .. } => "changed",
            BuiltCallMismatch::Extra { .. } => "added",
            BuiltCallMismatch::Missing { .. } => "missing",
            BuiltCallMismatch::Twice { .. } => "twice",
            BuiltCallMismatch::Malformed { .. } => "malformed",
            BuiltCallMismatch::AlreadySigned => "signed",
            _ => "another",
        };
        assert_eq!(
            (found, error.member().unwrap_or_default()),
            (*kind, *member),
            "{from} -> {to}: {error}"
        );
        // The message can't act on a terminal, and no letter in it looks like another one.
        assert!(error.to_string().is_ascii(), "{error}");
    }
}

#[test]
fn signers_in_another_order_are_other_signers() {
    let (requested, other) = (
        format!(r#"["{FIRST}","{SECOND}"]"#),
        format!(r#"["{SECOND}","{FIRST}"]"#),
    );
    let error = check(&tampered(&requested, &other)).unwrap_err();
    assert_eq!(error.member(), Some("transaction.specific_data.signers[0]"));
    let fewer = check(&tampered(&requested, &format!(r#"["{FIRST}"]"#))).unwrap_err();
    assert!(matches!(fewer, BuiltCallMismatch::Missing { .. }));
    let none = check(&tampered(&requested, "null")).unwrap_err();
    assert_eq!(none.member(), Some("transaction.specific_data.signers"));
}

#[test]
fn an_error_says_what_was_asked_and_what_came() {
    let error = check(&tampered("token é", "t\u{43e}ken é")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the node changed `transaction.specific_data.params.asset_id`: expected \"token \
         \\u00e9\", received \"t\\u043eken \\u00e9\""
    );
    let error = check(&tampered(r#""half":0.5"#, r#""half":[0.5]"#)).unwrap_err();
    assert!(error.to_string().ends_with("expected 0.5, received [0.5]"));
}

#[test]
fn long_texts_are_shown_where_they_part_and_no_longer_than_needed() {
    let long = "a".repeat(5000);
    let requested = call()
        .params(&serde_json::json!({ "remarks": format!("{long}b{long}") }))
        .unwrap();
    let built = honest().replace(PARAMS, &format!(r#"{{"remarks":"{long}c{long}"}}"#));
    let built = RawTransaction::from_json(&built).unwrap();
    let error = CheckedTransaction::check(&requested, &built, &fee()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("…aaaaaaaaaaaaaaaaaaaab"), "{text}");
    assert!(text.contains("…aaaaaaaaaaaaaaaaaaaac"), "{text}");
    assert!(text.len() < 400, "{text}");

    let name = "\u{1b}[31m".repeat(3000);
    let extra = tampered(
        r#""type":3"#,
        &format!(r#""type":3,{}:1"#, serde_json::json!(name)),
    );
    let text = check(&extra).unwrap_err().to_string();
    assert!(text.is_ascii() && text.len() < 600 && !text.contains('\u{1b}'));
}

#[test]
fn what_is_no_transaction_is_refused_as_such() {
    for text in [
        "{}",
        "[]",
        "null",
        "7",
        r#"{"transaction":null}"#,
        r#"{"transaction":[]}"#,
    ] {
        let error = check(text).unwrap_err();
        assert!(
            matches!(error, BuiltCallMismatch::NoTransaction(_)),
            "{text}: {error}"
        );
    }
    let several = format!("[{},{}]", honest(), honest());
    assert!(matches!(
        check(&several),
        Err(BuiltCallMismatch::NoTransaction(_))
    ));
}

#[test]
fn what_no_node_reads_and_what_nobody_can_follow_is_not_signed() {
    let digits = tampered("1767225593000", &"9".repeat(5000));
    assert!(matches!(
        check(&digits),
        Err(BuiltCallMismatch::Unsignable(_))
    ));
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let deep = tampered(r#""none":null"#, &format!(r#""none":{deep}"#));
    assert!(matches!(
        check(&deep),
        Err(BuiltCallMismatch::TooDeep { .. })
    ));
    let deeper = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deeper = tampered(r#""none":null"#, &format!(r#""none":{deeper}"#));
    assert!(matches!(
        check(&deeper),
        Err(BuiltCallMismatch::Unsignable(_))
    ));
    let long = tampered(
        r#""descr":"""#,
        &format!(r#""descr":"{}""#, "x".repeat(MAX_LENGTH)),
    );
    assert!(matches!(
        check(&long),
        Err(BuiltCallMismatch::TooLong { .. })
    ));
    // Two different lone surrogates in members' names can't be distinguished.
    let half = tampered(r#""none":null"#, r#""none":null,"\ud800":1"#);
    assert!(matches!(
        check(&half),
        Err(BuiltCallMismatch::Malformed { .. })
    ));
}

#[test]
fn what_was_asked_has_to_have_one_meaning_that_nodes_keep() {
    let ask = |params: &str| {
        let requested = call().params(&params.parse::<RawJson>().unwrap()).unwrap();
        let built = honest().replace(PARAMS, params);
        CheckedTransaction::check(
            &requested,
            &RawTransaction::from_json(&built).unwrap(),
            &fee(),
        )
    };
    assert!(ask(r#"{"n":0.1}"#).is_ok());
    let inexact = ask(r#"{"n":0.10000000000000000001}"#).unwrap_err();
    assert!(
        matches!(inexact, BuiltCallMismatch::Inexact { .. }),
        "{inexact}"
    );
    assert!(matches!(
        ask(r#"{"n":1e400}"#),
        Err(BuiltCallMismatch::Inexact { .. })
    ));
    let twice = ask(r#"{"a":[{"n":1,"n":1}]}"#).unwrap_err();
    assert!(matches!(
        twice,
        BuiltCallMismatch::DuplicateMemberInRequest { .. }
    ));
    assert_eq!(twice.member(), Some("params.a[0].n"));
}
