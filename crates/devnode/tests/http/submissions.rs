//! Transactions, from building them to reading their effects.

use std::num::NonZeroU32;

use nodeproof_devnode::Config;
use nodeproof_primitives::signed_message;
use serde_json::{Value, json};

use crate::peer::Peer;

#[tokio::test]
async fn fees_go_to_the_maker_of_the_block_and_no_total_changes() {
    let peer = Peer::new().await;
    let total = async || {
        let path = "/get-balances?balance_type=ALL_WALLETS_FOR_TOKEN&token_code=DEVN";
        let holders = peer.get(path).await.json()["balance"]
            .as_array()
            .unwrap()
            .clone();
        holders
            .iter()
            .map(|holder| u128::from(holder["balance"].as_u64().unwrap()))
            .sum::<u128>()
    };
    let before = total().await;
    let request = peer.transfer_request("alice", "bob", "DEVN", &json!(123));
    let transaction = peer.raw(&request).await;
    let bob = peer.balance(peer.keys("bob").address(), "DEVN").await;
    assert!(peer.verdict(&transaction, &["alice"]).await.0);
    let maker = (peer.node.height() + 1) % 3;
    let maker = peer.node.wallets()[usize::try_from(maker).unwrap()].address();
    let maker_had = peer.balance(maker, "DEVN").await;
    let index = peer.node.make_block();
    assert_eq!(peer.block(index).await["creator_wallet"], maker.to_string());
    assert_eq!(peer.balance(maker, "DEVN").await, maker_had + 1_000_000);
    assert_eq!(
        peer.balance(peer.keys("bob").address(), "DEVN").await,
        bob + 123
    );
    assert_eq!(total().await, before);
}

#[tokio::test]
async fn a_transfer_is_exact_beyond_2_to_the_53() {
    let peer = Peer::new().await;
    let [alice, carol] = ["alice", "carol"].map(|name| peer.keys(name).address());
    let (from, to) = (
        peer.balance(alice, "VAULT").await,
        peer.balance(carol, "VAULT").await,
    );
    let amount = (1_u64 << 53) - 1;
    let request = peer.transfer_request("alice", "carol", "VAULT", &json!(amount));
    let transaction = peer.raw(&request).await;
    assert!(peer.verdict(&transaction, &["alice"]).await.0);
    peer.node.make_block();
    assert_eq!(
        peer.balance(alice, "VAULT").await,
        from - u128::from(amount)
    );
    assert_eq!(peer.balance(carol, "VAULT").await, to + u128::from(amount));
}

#[tokio::test]
async fn all_signers_of_a_transaction_have_to_sign_it() {
    let peer = Peer::new().await;
    let transaction = peer
        .raw(&peer.claim_request(&["alice", "bob"], "both"))
        .await;
    let half = peer.verdict(&transaction, &["alice"]).await;
    assert_eq!(
        half,
        (false, "Transaction has invalid signatures".into(), true)
    );
    assert!(peer.verdict(&transaction, &["bob", "alice"]).await.0);
    peer.node.make_block();
    // The stored verifier is the first signer.
    let row = peer.record("both").await.json()["data"].clone();
    assert_eq!(row[3], peer.keys("alice").address().to_string());
}

#[tokio::test]
async fn what_is_signed_is_the_text_that_was_submitted() {
    let peer = Peer::new().await;
    let dense = peer.raw(&peer.claim_request(&["alice"], "spelling")).await;
    let spelt = dense
        .replace("\"fee\":1000000", "\"fee\" : 1.0E6")
        .replace("é", "\\u00e9");
    assert!(peer.verdict(&spelt, &["alice"]).await.0);
    let block = peer.node.make_block();
    let text = peer
        .get(&format!("/get-block?block_index={block}"))
        .await
        .text;
    // The block has the numbers as in the signed message, so the signature can be verified.
    assert!(text.contains("\"fee\":1000000.0,"));
    assert!(signed_message(&text).is_ok());
}

#[tokio::test]
async fn a_second_claim_of_a_verifier_about_an_asset_is_left_out_of_the_block() {
    let peer = Peer::new().await;
    let first = peer.signed_claim("alice", "twice").await;
    assert!(peer.submit(first).await.verdict().0);
    let second = peer.signed_claim("alice", "twice").await;
    assert!(peer.submit(second).await.verdict().0);
    let alice = peer.keys("alice").address();
    let before = peer.balance(alice, "DEVN").await;
    let index = peer.node.make_block();
    assert_eq!(
        peer.block(index).await["text"]["transactions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(peer.balance(alice, "DEVN").await, before - 1_000_000);
    let other = peer.signed_claim("bob", "twice").await;
    assert!(peer.submit(other).await.verdict().0);
    let index = peer.node.make_block();
    assert_eq!(
        peer.block(index).await["text"]["transactions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn waiting_transactions_reserve_what_they_take() {
    let peer = Peer::new().await;
    let held = peer.balance(peer.keys("alice").address(), "GRAIN").await;
    let amount = json!(u64::try_from(held).unwrap());
    let all = peer.transfer_request("alice", "bob", "GRAIN", &amount);
    let transaction = peer.raw(&all).await;
    assert!(peer.verdict(&transaction, &["alice"]).await.0);
    let again = peer.raw(&all).await;
    let verdict = peer.verdict(&again, &["alice"]).await;
    assert_eq!(
        verdict,
        (false, "Balance of GRAIN is not enough".into(), true)
    );
}

#[tokio::test]
async fn of_many_submissions_of_one_transaction_exactly_one_is_new() {
    let peer = std::sync::Arc::new(Peer::new().await);
    let signed = peer.signed_claim("alice", "race").await;
    let racers: Vec<_> = (0..64)
        .map(|_| {
            let (peer, signed) = (std::sync::Arc::clone(&peer), signed.clone());
            tokio::spawn(async move { peer.submit(signed).await.verdict() })
        })
        .collect();
    let mut new = 0;
    for racer in racers {
        let (valid, _, is_new) = racer.await.unwrap();
        assert!(valid);
        new += usize::from(is_new);
    }
    assert_eq!(new, 1);
    assert_eq!(peer.node.pending(), 1);
}

#[tokio::test]
async fn a_batch_tells_which_transactions_were_taken() {
    let peer = Peer::new().await;
    let good = peer.signed_claim("alice", "batch-1").await;
    let bad = peer
        .signed_claim("bob", "batch-2")
        .await
        .replace("batch-2", "batch-3");
    let code = |signed: &str| {
        let signed: Value = serde_json::from_str(signed).unwrap();
        signed["transaction"]["trans_code"].clone()
    };
    let response = peer
        .post(
            "/submit-transaction-batch",
            format!("[{good},{bad},{good}]"),
        )
        .await;
    assert_eq!(
        response.json(),
        json!({"status": "SUCCESS", "response": {
            "accepted_transactions": [code(&good), code(&good)],
            "failed_transactions": [{
                "transaction_code": code(&bad),
                "msg": "Transaction has invalid signatures",
            }],
        }})
    );
    assert_eq!(peer.node.pending(), 1);
    peer.post("/submit-transaction-batch", format!("[{good},{{}}]"))
        .await
        .assert_faulted();
    for (count, status) in [(50, 200), (51, 400)] {
        let batch = format!("[{}]", vec![&*good; count].join(","));
        let response = peer.post("/submit-transaction-batch", batch).await;
        assert_eq!(response.status, status, "{count}");
    }
}

#[tokio::test]
async fn a_node_can_bound_submissions_as_real_ones_do() {
    let config = Config::for_tests().with_rate_limit(NonZeroU32::MIN);
    let peer = Peer::with(config).await;
    peer.submit("{}").await.assert_faulted();
    let response = peer.submit("{}").await;
    assert_eq!(
        (response.status, response.text.as_str()),
        (429, r#"{"error":"Rate limit exceeded: 1 per 1 second"}"#)
    );
    assert_eq!(peer.get("/get-block?block_index=1").await.status, 200);
}
