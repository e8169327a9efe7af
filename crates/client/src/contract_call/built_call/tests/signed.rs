//! Transactions that were signed earlier.

use super::*;

fn signed(entries: &str) -> SignedTransaction {
    let checked = check(&honest()).unwrap();
    let text = checked.transaction_text();
    SignedTransaction::from_json(&format!(
        r#"{{"transaction":{text},"signatures":[{entries}]}}"#
    ))
    .unwrap()
}

fn entry(wallet: &str) -> String {
    format!(
        r#"{{"wallet_address":"{wallet}","msgsign":"{}"}}"#,
        "ab".repeat(64)
    )
}

fn check_again(signed: &SignedTransaction) -> Result<CheckedTransaction, BuiltCallMismatch> {
    CheckedTransaction::check_signed(&call(), signed, &fee())
}

#[test]
fn every_signer_has_to_have_signed_and_nobody_else() {
    let (first, second) = (entry(FIRST), entry(SECOND));
    let both = signed(&format!("{first},{second}"));
    assert_eq!(check_again(&both).unwrap(), check(&honest()).unwrap());
    assert!(check_again(&signed(&format!("{second},{first}"))).is_ok());

    let one = check_again(&signed(&first)).unwrap_err();
    assert!(matches!(one, BuiltCallMismatch::NotSigned { wallet } if wallet.to_string() == SECOND));
    let none = check_again(&signed("")).unwrap_err();
    assert!(matches!(none, BuiltCallMismatch::NotSigned { .. }));
    let twice = check_again(&signed(&format!("{first},{second},{first}"))).unwrap_err();
    assert!(matches!(twice, BuiltCallMismatch::NotASigner { .. }));
    let stranger = entry("0x00000000000000000000000000000000000000a1");
    let stranger = check_again(&signed(&format!("{first},{second},{stranger}"))).unwrap_err();
    assert!(matches!(stranger, BuiltCallMismatch::NotASigner { .. }));
    let short = second.replacen("abab", "", 1);
    let short = check_again(&signed(&format!("{first},{short}"))).unwrap_err();
    assert_eq!(short.member(), Some("signatures[1].msgsign"));
    let more = second.replace('}', r#","status":1}"#);
    let more = check_again(&signed(&format!("{first},{more}"))).unwrap_err();
    assert_eq!(more.member(), Some("signatures[1].status"));
}

#[test]
fn what_was_signed_has_to_be_what_is_asked_at_the_fee_that_is_chosen() {
    let text = signed(&format!("{},{}", entry(FIRST), entry(SECOND)));
    let text = text.text().as_str();
    for (from, to, member) in [
        ("1500000.25", "1500000.26", "transaction.fee"),
        ("1500000.25", "1500000.250", "transaction.fee"),
        (r#"TKN \"é\""#, "NWRL", "transaction.currency"),
        (
            r#""one":1"#,
            r#""one":2"#,
            "transaction.specific_data.params.one",
        ),
    ] {
        assert_eq!(text.matches(from).count(), 1);
        let changed = SignedTransaction::from_json(&text.replace(from, to)).unwrap();
        assert_eq!(check_again(&changed).unwrap_err().member(), Some(member));
    }
    let more = text.replacen('{', r#"{"status":1,"#, 1);
    let more = SignedTransaction::from_json(&more).unwrap();
    assert_eq!(check_again(&more).unwrap_err().member(), Some("status"));
}
