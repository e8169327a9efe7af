//! Submissions that must be refused.

use serde_json::{Value, json};

use crate::peer::Peer;

/// Changes a claim, signs it as alice and submits it.
async fn after(peer: &Peer, change: impl FnOnce(String) -> String) -> (bool, String, bool) {
    let transaction = change(peer.raw(&peer.claim_request(&["alice"], "refused")).await);
    peer.verdict(&transaction, &["alice"]).await
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
async fn integers_with_a_fraction_or_beyond_any_time() {
    let peer = Peer::new().await;
    for (name, number) in [
        ("type", "3.0"),
        ("valid", "1.0"),
        ("timestamp", "1795843716161.0"),
        ("timestamp", "-5"),
        ("timestamp", "99999999999999999999"),
        ("timestamp", "9223372036854775808"),
        ("timestamp", "1795843716"),
        ("timestamp", "0"),
        ("outcome", "1.0"),
        ("deletable_after", "1.5e3"),
    ] {
        let (valid, message, _) = after(&peer, |text| {
            let (before, from) = text.split_once(&format!("\"{name}\":")).unwrap();
            let end = from.find([',', '}']).unwrap();
            format!("{before}\"{name}\":{number}{}", &from[end..])
        })
        .await;
        assert!(
            !valid && message.starts_with("Invalid "),
            "{name}: {message}"
        );
        assert!(!message.contains("signatures"), "{name}: {message}");
        if ["outcome", "deletable_after"].contains(&name) {
            let expected = "is not an integer of digits only";
            assert!(message.contains(expected), "{message}");
        }
    }
    assert_eq!(peer.node.pending(), 0);
}

#[tokio::test]
async fn submissions_longer_than_4096_characters_as_a_node_writes_them() {
    let peer = Peer::new().await;
    // Blanks between members do not count, and a character that is not ASCII counts as its escape.
    let spread = after(&peer, |text| {
        text.replacen('{', &format!("{{{}", " ".repeat(4096)), 1)
    });
    assert!(spread.await.0);
    let verdict = after(&peer, |text| text.replace("refused", &"é".repeat(700))).await;
    assert_eq!(verdict, (false, "Transaction size exceeded".into(), true));
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
