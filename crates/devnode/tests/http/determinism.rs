//! Two nodes with the same seed.

use nodeproof_devnode::{ChainTime, Config};
use serde_json::json;

use crate::peer::{Peer, Response};

/// Returns a node's responses to a list of requests, with a claim in between.
async fn responses(seed: u64) -> Vec<Response> {
    let peer = Peer::with(
        Config::for_tests()
            .with_seed(seed)
            .with_time(ChainTime::FIXED),
    )
    .await;
    let mut responses = Vec::new();
    for index in 0..14 {
        responses.push(peer.get(&format!("/get-block?block_index={index}")).await);
    }
    let [alice, bob] = ["alice", "bob"].map(|name| peer.keys(name).address());
    for path in [
        "/get-balances?balance_type=ALL_WALLETS_FOR_TOKEN&token_code=DEVN".to_owned(),
        format!("/get-balances?balance_type=ALL_TOKENS_IN_WALLET&wallet_address={alice}"),
        format!("/get-trustscore-wallets?src_wallet_address={alice}&dst_wallet_address={bob}"),
        "/openapi.json".to_owned(),
        "/nosuch".to_owned(),
    ] {
        responses.push(peer.get(&path).await);
    }
    responses.push(peer.record("warehouse-receipt-0001").await);
    let claim = peer.claim_request(&["bob"], "determined");
    responses.push(peer.post("/call-sc", claim.to_string()).await);
    let signed = peer.signed_claim("bob", "determined").await;
    responses.push(peer.submit(signed.clone()).await);
    responses.push(peer.submit(signed).await);
    let transfer = peer.transfer_request("alice", "bob", "GRAIN", &json!(5));
    let transaction = peer.raw(&transfer).await;
    responses.push(peer.submit(peer.signed(&transaction, &["alice"])).await);
    let index = peer.node.make_block();
    responses.push(peer.get(&format!("/get-block?block_index={index}")).await);
    responses.push(peer.record("determined").await);
    responses
}

#[tokio::test]
async fn equal_seeds_give_equal_responses() {
    let (first, second) = tokio::join!(responses(7), responses(7));
    assert_eq!(first, second);
}

#[tokio::test]
async fn another_seed_gives_another_chain() {
    let (first, other) = tokio::join!(responses(7), responses(8));
    assert_ne!(first[1], other[1]);
}
