//! The four queries: their responses and refusals.

use nodeproof_devnode::Config;
use nodeproof_primitives::Network;
use serde_json::Value;

use crate::peer::Peer;

#[tokio::test]
async fn one_member_of_the_committee_votes_9_and_a_transaction_has_two_signers() {
    let peer = Peer::new().await;
    let mut most_signers = 0;
    let mut before = peer.block(1).await;
    for index in 2..=12 {
        let block = peer.block(index).await;
        let receipts = block["text"]["previous_block_receipts"].as_array().unwrap();
        let votes: Vec<_> = receipts.iter().map(|receipt| &receipt["data"]).collect();
        let voters: Vec<_> = votes.iter().map(|vote| &vote["wallet_address"]).collect();
        let committee: Vec<_> = before["committee"].as_array().unwrap().iter().collect();
        assert_eq!(voters, committee);
        assert_eq!(votes.iter().filter(|vote| vote["vote"] == 9).count(), 1);
        let [earlier, later] = [&before, &block].map(|block| block["timestamp"].as_i64().unwrap());
        let is_between =
            |vote: &&Value| (earlier..later).contains(&vote["timestamp"].as_i64().unwrap());
        assert!(votes.iter().all(is_between), "{votes:?}");
        for entry in block["text"]["transactions"].as_array().unwrap() {
            most_signers = most_signers.max(entry["signatures"].as_array().unwrap().len());
        }
        before = block;
    }
    assert_eq!(most_signers, 2);
}

#[tokio::test]
async fn what_is_no_index_of_a_block_is_not_found() {
    let peer = Peer::new().await;
    let long = "9".repeat(4000);
    for index in [
        "0", "13", "-1", "+1", "01", "1.0", "1e0", "abc", "", "%00", "%ff", " 1", "null", &long,
    ] {
        let response = peer.get(&format!("/get-block?block_index={index}")).await;
        assert_eq!(
            (response.status, response.text.as_str()),
            (400, r#"{"detail":"Block not found"}"#),
            "{index:?}"
        );
    }
}

#[tokio::test]
async fn a_missing_parameter_is_named() {
    let peer = Peer::new().await;
    let response = peer.get("/get-block?index=1").await;
    response.assert_faulted();
    assert_eq!(
        response.text,
        r#"{"detail":[{"loc":["query","block_index"],"msg":"field required","type":"value_error.missing"}]}"#
    );
    let response = peer.get("/sc-state?table_name=verification").await;
    response.assert_faulted();
    assert_eq!(response.json()["detail"].as_array().unwrap().len(), 3);
    peer.get("/get-trustscore-wallets").await.assert_faulted();
    peer.get("/get-balances").await.assert_faulted();
}

#[tokio::test]
async fn names_that_are_not_known_are_left_alone_and_of_two_values_the_last_counts() {
    let peer = Peer::new().await;
    let plain = peer.get("/get-block?block_index=2").await;
    for query in [
        "x=1&block_index=2",
        "block_index=9&block_index=2&",
        "%62lock_index=%32",
    ] {
        assert_eq!(
            peer.get(&format!("/get-block?{query}")).await,
            plain,
            "{query}"
        );
    }
}

#[tokio::test]
async fn balances_need_the_parameters_that_their_type_uses() {
    let peer = Peer::new().await;
    let wallet = peer.keys("alice").address();
    let upper = wallet.to_string().to_uppercase();
    for query in [
        "balance_type=token_in_wallet".to_owned(),
        "balance_type=TOKEN_IN_WALLET".to_owned(),
        "balance_type=TOKEN_IN_WALLET&token_code=DEVN".to_owned(),
        format!("balance_type=TOKEN_IN_WALLET&wallet_address={wallet}"),
        format!("balance_type=TOKEN_IN_WALLET&token_code=DEVN&wallet_address={upper}"),
        format!("balance_type=TOKEN_IN_WALLET&token_code=&wallet_address={wallet}"),
        "balance_type=ALL_TOKENS_IN_WALLET&token_code=DEVN".to_owned(),
        "balance_type=ALL_TOKENS_IN_WALLET&wallet_address=0x12".to_owned(),
        format!("balance_type=ALL_WALLETS_FOR_TOKEN&wallet_address={wallet}"),
    ] {
        peer.get(&format!("/get-balances?{query}"))
            .await
            .assert_faulted();
    }
}

#[tokio::test]
async fn unknown_tables_columns_and_contracts_are_told_and_are_no_fault_of_the_node() {
    let peer = Peer::new().await;
    let contract = peer.node.contract_address();
    let token_contract = peer.node.token_contract_address();
    let nobody = format!("ct{}", "0".repeat(40));
    let ask = |table: &str, contract: &str, column: &str| {
        format!(
            "/sc-state?table_name={table}&contract_address={contract}&unique_column={column}&unique_value=x"
        )
    };
    for (path, detail) in [
        (
            ask("nosuch", &contract.to_string(), "asset_id"),
            "no such table: nosuch".to_owned(),
        ),
        (
            ask("verification", &contract.to_string(), "nosuch"),
            "no such column: nosuch".to_owned(),
        ),
        (
            ask("verification", &nobody, "asset_id"),
            format!("no such contract: {nobody}"),
        ),
        (
            ask("verification", &token_contract.to_string(), "asset_id"),
            "no such table: verification".to_owned(),
        ),
        (
            ask("verification%3Bdrop", &contract.to_string(), "asset_id"),
            "no such table: verification;drop".to_owned(),
        ),
    ] {
        let response = peer.get(&path).await;
        assert_eq!(
            (response.status, response.json()["detail"].as_str().unwrap()),
            (400, detail.as_str())
        );
    }
    let wallet = peer.keys("alice").address().to_string();
    peer.get(&ask("verification", &wallet, "asset_id"))
        .await
        .assert_faulted();
}

#[tokio::test]
async fn trust_is_between_known_wallets_and_has_a_direction() {
    let peer = Peer::new().await;
    let [alice, bob] = ["alice", "bob"].map(|name| peer.keys(name).address());
    let score = async |from: &str, to: &str| {
        let path =
            format!("/get-trustscore-wallets?src_wallet_address={from}&dst_wallet_address={to}");
        peer.get(&path).await
    };
    let (alice, bob) = (alice.to_string(), bob.to_string());
    let there = score(&alice, &bob).await;
    assert_eq!(
        (there.status, there.json()["status"].as_str()),
        (200, Some("SUCCESS"))
    );
    assert!(there.json()["trust_score"].is_u64());
    assert_ne!(there, score(&bob, &alice).await);
    let nobody = format!("0x{}", "0".repeat(40));
    assert_eq!(
        score(&alice, &nobody).await.text,
        r#"{"detail":"Trust score not available"}"#
    );
    score(&alice, "0x1").await.assert_faulted();
    score(&alice.to_uppercase(), &bob).await.assert_faulted();
}

#[tokio::test]
async fn unknown_paths_and_other_methods_are_told_as_real_nodes_tell_them() {
    let peer = Peer::new().await;
    for path in [
        "/",
        "/nosuch",
        "/get-block/",
        "//get-block",
        "/docs/nosuch.js",
        "/docs/%ff",
        "/%ff",
        "/docs/..%2fsecret",
    ] {
        let response = peer.get(path).await;
        assert_eq!(
            (response.status, response.text.as_str()),
            (404, r#"{"detail":"Not Found"}"#),
            "{path}"
        );
    }
    for (method, path, allowed) in [
        ("POST", "/get-block", "GET,HEAD"),
        ("DELETE", "/get-balances", "GET,HEAD"),
        ("GET", "/submit-transaction", "POST"),
        ("PUT", "/call-sc", "POST"),
        ("BREW", "/docs", "GET,HEAD"),
    ] {
        let method = method.parse().unwrap();
        let response = peer
            .http
            .request(method, peer.url(path))
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 405, "{path}");
        assert_eq!(response.headers()["allow"], allowed, "{path}");
        assert_eq!(response.headers()["content-type"], "application/json");
        assert_eq!(
            response.text().await.unwrap(),
            r#"{"detail":"Method Not Allowed"}"#
        );
    }
}

#[tokio::test]
async fn head_responds_like_get_without_a_body() {
    let peer = Peer::new().await;
    let url = peer.url("/get-block?block_index=1");
    let get = peer.http.get(&url).send().await.unwrap();
    let head = peer.http.head(&url).send().await.unwrap();
    assert_eq!(head.status(), 200);
    assert_eq!(
        head.headers()["content-length"],
        get.headers()["content-length"]
    );
    assert_eq!(head.text().await.unwrap(), "");
}

#[tokio::test]
async fn a_node_of_another_network_and_of_no_blocks_is_possible() {
    let config = Config::new(Network::Mainnet).with_port(0).with_blocks(0);
    let peer = Peer::with(config).await;
    assert_eq!(peer.node.network(), Network::Mainnet);
    assert_eq!(peer.get("/get-block?block_index=1").await.status, 400);
    assert_eq!(peer.node.make_block(), 1);
    let first = peer.block(1).await;
    assert_eq!(first["previous_hash"], "0".repeat(64));
    assert_eq!(
        first["text"]["previous_block_receipts"],
        serde_json::json!([])
    );
}
