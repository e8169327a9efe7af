//! Submissions that must be refused.

use nodeproof_wallet::sign_transaction;
use serde_json::{Value, json};

use crate::peer::{Peer, with_signatures};

const SIGNATURES: &str = "Transaction has invalid signatures";

/// Changes a claim, signs it as alice and submits it.
async fn after(peer: &Peer, change: impl FnOnce(String) -> String) -> (bool, String, bool) {
    let transaction = change(peer.raw(&peer.claim_request(&["alice"], "refused")).await);
    peer.verdict(&transaction, &["alice"]).await
}

#[tokio::test]
async fn signatures_that_are_missing_wrong_malformed_or_too_many() {
    let peer = Peer::new().await;
    let transaction = peer.raw(&peer.claim_request(&["alice"], "refused")).await;
    let right = sign_transaction(peer.keys("alice"), &transaction).unwrap();
    let others = sign_transaction(peer.keys("bob"), &transaction).unwrap();
    let mut forged = others;
    forged.wallet_address = right.wallet_address;
    let right_text = with_signatures(&transaction, &[right]);
    let hex = right.msgsign.to_string();
    for signed in [
        with_signatures(&transaction, &[]),
        with_signatures(&transaction, &[right, others]),
        with_signatures(&transaction, &[right, forged]),
        right_text.replace(&hex, &hex[..126]),
        right_text.replace(&hex, &"f".repeat(128)),
        right_text.replace(
            &format!("\"wallet_address\":\"{}\"", right.wallet_address),
            "\"wallet_address\":\"\"",
        ),
        right_text.replace("\"fee\":1000000", "\"fee\":1000000.0"),
    ] {
        let verdict = peer.submit(signed.clone()).await.verdict();
        assert_eq!(verdict, (false, SIGNATURES.into(), true), "{signed}");
    }
    assert_eq!(peer.node.pending(), 0);
    assert!(peer.submit(right_text).await.verdict().0);
    // A known transaction without its signature is not valid either.
    let unsigned = peer
        .submit(with_signatures(&transaction, &[]))
        .await
        .verdict();
    assert_eq!(unsigned, (false, SIGNATURES.into(), false));
}

#[tokio::test]
async fn fees_that_are_too_low_not_whole_or_not_payable() {
    let peer = Peer::new().await;
    let with = |fee: &str| {
        let fee = format!("\"fee\":{fee}");
        after(&peer, move |text| text.replace("\"fee\":1000000", &fee))
    };
    let too_low = (
        false,
        "Not enough fee. Min of 1 DEVN is required".to_owned(),
        true,
    );
    for fee in ["0", "0.0", "999999", "999999.99", "-1000000", "1e-400"] {
        assert_eq!(with(fee).await, too_low, "{fee}");
    }
    let failed = (false, "Fee validation failed".to_owned(), true);
    for fee in [
        "1000000.5",
        "1e30",
        "99999999999999999999999999999999999999999999",
    ] {
        assert_eq!(with(fee).await, failed, "{fee}");
    }
    assert_eq!(
        after(&peer, |text| text.replace("DEVN", "GRAIN")).await,
        failed
    );
    let infinite = with("1e400").await;
    assert!(
        !infinite.0 && infinite.1.starts_with("Invalid transaction structure"),
        "{infinite:?}"
    );
    assert_eq!(peer.node.pending(), 0);
}

#[tokio::test]
async fn contracts_functions_params_and_types_that_are_not_there() {
    let peer = Peer::new().await;
    let contract = peer.node.contract_address().to_string();
    let nobody = format!("ct{}", "0".repeat(40));
    for (from, to) in [
        (contract.as_str(), nobody.as_str()),
        ("\"add_verification\"", "\"transfer\""),
        ("\"add_verification\"", "\"\""),
        ("\"type\":3", "\"type\":4"),
        ("\"type\":3", "\"type\":-30000000000000000000000"),
        ("\"outcome\":1", "\"outcome\":\"1\""),
        ("\"outcome\":1", "\"outcome\":1.5"),
        ("\"remarks\"", "\"remark\""),
        ("\"doc_link_list\":[", "\"doc_link_list\":[1,"),
    ] {
        let verdict = after(&peer, |text| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
        .await;
        assert!(!verdict.0, "{from} to {to}");
    }
    assert_eq!(peer.node.pending(), 0);
}

#[tokio::test]
async fn transfers_of_parts_of_nothing_of_too_much_and_of_what_is_not_there() {
    let peer = Peer::new().await;
    for (token, amount) in [
        ("GRAIN", json!(12.5)),
        ("GRAIN", json!(-1)),
        ("GRAIN", json!("1")),
        ("GRAIN", json!(u64::MAX)),
        ("NOSUCH", json!(1)),
    ] {
        let request = peer.transfer_request("alice", "bob", token, &amount);
        let transaction = peer.raw(&request).await;
        let verdict = peer.verdict(&transaction, &["alice"]).await;
        assert!(!verdict.0, "{token} {amount}");
    }
}

#[tokio::test]
async fn a_code_that_another_transaction_has() {
    let peer = Peer::new().await;
    let first = peer.raw(&peer.claim_request(&["alice"], "first")).await;
    assert!(peer.verdict(&first, &["alice"]).await.0);
    let second = first.replace("first", "second");
    for _ in 0..2 {
        let verdict = peer.verdict(&second, &["alice"]).await;
        let message = "Transaction code is already used by another transaction";
        assert_eq!(verdict, (false, message.into(), true));
        peer.node.make_block();
    }
    assert_eq!(peer.record("second").await.json()["data"], Value::Null);
}

#[tokio::test]
async fn codes_that_are_no_codes() {
    let peer = Peer::new().await;
    for code in ["", "xyz", &"a".repeat(39), &"a".repeat(41)] {
        let verdict = after(&peer, |text| {
            let start = text.find("\"trans_code\":\"").unwrap() + 14;
            format!("{}{code}{}", &text[..start], &text[start + 40..])
        })
        .await;
        assert!(
            !verdict.0 && verdict.1.starts_with("Invalid transaction code"),
            "{code:?}"
        );
    }
}

#[tokio::test]
async fn submissions_longer_than_4096_bytes() {
    let peer = Peer::new().await;
    let verdict = after(&peer, |text| text.replace("refused", &"x".repeat(4096))).await;
    assert_eq!(verdict, (false, "Transaction size exceeded".into(), true));
}

#[tokio::test]
async fn fields_that_are_missing_or_of_another_kind_are_named() {
    let peer = Peer::new().await;
    let right: Value = serde_json::from_str(&peer.signed_claim("alice", "kinds").await).unwrap();
    for name in ["transaction", "signatures"] {
        let mut wrong = right.clone();
        wrong[name] = json!("text");
        peer.submit(wrong.to_string()).await.assert_faulted();
        wrong.as_object_mut().unwrap().remove(name);
        peer.submit(wrong.to_string()).await.assert_faulted();
    }
    let fields: Vec<String> = right["transaction"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    for name in fields.iter().filter(|name| *name != "is_child_txn") {
        let mut wrong = right.clone();
        wrong["transaction"][name] = json!([null]);
        let response = peer.submit(wrong.to_string()).await;
        response.assert_faulted();
        assert_eq!(
            response.json()["detail"][0]["loc"],
            json!(["body", "transaction", name])
        );
        wrong["transaction"].as_object_mut().unwrap().remove(name);
        peer.submit(wrong.to_string()).await.assert_faulted();
    }
    for entry in [
        json!(1),
        json!({}),
        json!({"wallet_address": 1, "msgsign": 2}),
    ] {
        let mut wrong = right.clone();
        wrong["signatures"] = json!([entry]);
        peer.submit(wrong.to_string()).await.assert_faulted();
    }
    assert_eq!(peer.node.pending(), 0);
}
