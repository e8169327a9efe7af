//! The request of each method, and the value that it returns for the response.

use nodeproof_client::{
    BatchOutcome, Client, ContractCall, HolderAddress, Integer, RawJson, SignatureEntry,
    SignedTransaction, SubmitPolicy,
};

use crate::{
    BLOCK, CONTRACT, OTHER, WALLET, client,
    server::{Reply, Server},
};

#[tokio::test]
async fn a_block_is_asked_for_by_its_index() {
    let server = Server::responding(Reply::json(BLOCK)).await;
    let block = client(&server.base).block(1_u64).await.unwrap().unwrap();
    assert_eq!(block.index, 1);
    let request = server.request();
    assert_eq!(request.line, "GET /get-block?block_index=1 HTTP/1.1");
    assert_eq!(request.header("accept"), Some("application/json"));
    assert_eq!(request.header("user-agent"), Some("nodeproof-client/0.1.0"));
    // The generator adds this header. No node needs it.
    assert_eq!(request.header("api-version"), None);
    // Without compression, a small body can't become a large one.
    assert_eq!(request.header("accept-encoding"), None);
    assert_eq!(request.header("cookie"), None);
}

#[tokio::test]
async fn an_index_has_up_to_128_bits() {
    let absent = Reply::status(400, r#"{"detail":"Block not found"}"#);
    let server = Server::responding(absent).await;
    let client = client(&server.base);
    for index in [u64::MAX.into(), (-1).into(), Integer::from(i128::MAX)] {
        assert_eq!(client.block(index).await.unwrap(), None);
    }
    let lines: Vec<_> = server
        .requests()
        .into_iter()
        .map(|request| request.line)
        .collect();
    assert_eq!(
        lines[0],
        "GET /get-block?block_index=18446744073709551615 HTTP/1.1"
    );
    assert_eq!(lines[1], "GET /get-block?block_index=-1 HTTP/1.1");
    assert!(lines[2].contains(&i128::MAX.to_string()));
}

#[tokio::test]
async fn balances_are_asked_for_in_three_ways() {
    let server = Server::start(vec![
        Reply::json(r#"{"balance":9007199254740993}"#),
        Reply::json(r#"{"balance":null}"#),
        Reply::json(r#"{"balance":[{"token_code":"TKN","balance":5}]}"#),
        Reply::json(&format!(
            r#"{{"balance":[{{"wallet":"{CONTRACT}","balance":1}}]}}"#
        )),
    ])
    .await;
    let client = client(&server.base);
    let wallet = WALLET.parse().unwrap();
    let held = client.token_balance("A&B é", wallet).await.unwrap();
    assert_eq!(held.unwrap().to_string(), "9007199254740993");
    assert_eq!(client.token_balance("TKN", wallet).await.unwrap(), None);
    let tokens = client.balances(wallet).await.unwrap();
    assert_eq!(
        (tokens[0].token_code.as_str(), &tokens[0].balance),
        ("TKN", &Some(5.into()))
    );
    let holders = client.holders("TKN").await.unwrap();
    assert_eq!(
        holders[0].wallet,
        HolderAddress::Contract(CONTRACT.parse().unwrap())
    );

    let lines: Vec<_> = server
        .requests()
        .into_iter()
        .map(|request| request.line)
        .collect();
    assert_eq!(
        lines[0],
        format!(
            "GET /get-balances?balance_type=TOKEN_IN_WALLET&token_code=A%26B+%C3%A9&wallet_address={WALLET} HTTP/1.1"
        )
    );
    assert_eq!(
        lines[2],
        format!(
            "GET /get-balances?balance_type=ALL_TOKENS_IN_WALLET&wallet_address={WALLET} HTTP/1.1"
        )
    );
    assert_eq!(
        lines[3],
        "GET /get-balances?balance_type=ALL_WALLETS_FOR_TOKEN&token_code=TKN HTTP/1.1"
    );
}

#[tokio::test]
async fn state_and_verification_ask_for_a_row_of_a_table() {
    let row = format!(
        r#"{{"status":"SUCCESS","data":["{CONTRACT}","a","token","{WALLET}",1,"[]","[]","",9]}}"#
    );
    let none = r#"{"status":"SUCCESS","data":null}"#;
    let server = Server::start(vec![
        Reply::json(&row),
        Reply::json(&row),
        Reply::json(none),
    ])
    .await;
    let client = client(&server.base);
    let contract = CONTRACT.parse().unwrap();
    let record = client
        .contract_state("t", contract, "c", "v")
        .await
        .unwrap();
    assert!(record.unwrap().as_str().starts_with('['));
    let record = client.verification(contract, "a").await.unwrap().unwrap();
    assert_eq!(record.verifier_address.to_string(), WALLET);
    assert_eq!(client.verification(contract, "b").await.unwrap(), None);

    let lines: Vec<_> = server
        .requests()
        .into_iter()
        .map(|request| request.line)
        .collect();
    assert_eq!(
        lines[0],
        format!(
            "GET /sc-state?contract_address={CONTRACT}&table_name=t&unique_column=c&unique_value=v HTTP/1.1"
        )
    );
    assert_eq!(
        lines[1],
        format!(
            "GET /sc-state?contract_address={CONTRACT}&table_name=verification&unique_column=asset_id&unique_value=a HTTP/1.1"
        )
    );
}

#[tokio::test]
async fn trust_goes_from_the_first_wallet_to_the_second() {
    let server = Server::responding(Reply::json(r#"{"status":"SUCCESS","trust_score":-3}"#)).await;
    let from = WALLET.parse().unwrap();
    let score = client(&server.base)
        .trust_score(from, OTHER.parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (score.trust_score, score.status.as_str()),
        ((-3).into(), "SUCCESS")
    );
    let line = server.request().line;
    assert!(
        line.contains(&format!("src_wallet_address={WALLET}")),
        "{line}"
    );
    assert!(
        line.contains(&format!("dst_wallet_address={OTHER}")),
        "{line}"
    );
}

const RAW: &str = "{ \"transaction\":{\"type\":3,\"fee\":0.0,\n\"specific_data\":{\"x\":\"\u{e9}\\u00e9\"}},\"signatures\":[]}";

#[tokio::test]
async fn a_call_is_built_from_exactly_what_was_given() {
    let server = Server::responding(Reply::json(RAW)).await;
    let client = client(&server.base);
    let params: RawJson = "{ \"b\":1E2,\"a\":\"\u{e9}\" }".parse().unwrap();
    let call = ContractCall::new(CONTRACT.parse().unwrap(), "f")
        .params(&params)
        .unwrap();
    let raw = client
        .generated()
        .call_sc(&call)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(raw.text().as_str(), RAW);
    let request = server.request();
    assert_eq!(request.line, "POST /call-sc HTTP/1.1");
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(
        request.body,
        format!(
            "{{\"function_called\":\"f\",\"params\":{params},\"sc_address\":\"{CONTRACT}\",\"signers\":[]}}"
        )
    );
}

#[tokio::test]
async fn what_call_sc_built_is_submitted_byte_for_byte() {
    let accepted =
        r#"{"status":"SUCCESS","response":{"valid":true,"msg":"ok","new_transaction":true}}"#;
    let server = Server::start(vec![Reply::json(RAW), Reply::json(accepted)]).await;
    let client = client(&server.base);
    let call = ContractCall::new(CONTRACT.parse().unwrap(), "f");
    let raw = client
        .generated()
        .call_sc(&call)
        .await
        .unwrap()
        .into_inner();
    let entry = SignatureEntry {
        wallet_address: WALLET.parse().unwrap(),
        msgsign: "aBcd".parse().unwrap(),
        extra: serde_json::Map::new(),
    };
    let signed = raw.with_signatures([entry]).unwrap();
    let submitted = client.submit(&signed, &SubmitPolicy::ONCE).await.unwrap();
    assert_eq!(submitted.response.response.new_transaction, Some(true));

    let request = &server.requests()[1];
    assert_eq!(request.line, "POST /submit-transaction HTTP/1.1");
    assert_eq!(request.header("content-type"), Some("application/json"));
    let transaction = "{\"type\":3,\"fee\":0.0,\n\"specific_data\":{\"x\":\"\u{e9}\\u00e9\"}}";
    assert_eq!(
        request.body,
        format!(
            "{{\"transaction\":{transaction},\"signatures\":[{{\"msgsign\":\"aBcd\",\"wallet_address\":\"{WALLET}\"}}]}}"
        )
    );
}

#[tokio::test]
async fn a_batch_sends_the_texts_as_they_are() {
    let busy = r#"{"status":"FAILURE","response":"NODE_BUSY"}"#;
    let server = Server::responding(Reply::json(busy)).await;
    let one =
        SignedTransaction::from_json("{\"transaction\":{\"a\":1E2},\"signatures\":[]}").unwrap();
    let batch = vec![one.clone(), one];
    let client = client(&server.base);
    let response = client.generated().submit_transaction_batch(&batch).await;
    assert_eq!(
        response.unwrap().response,
        BatchOutcome::Refusal("NODE_BUSY".to_owned())
    );
    let request = server.request();
    assert_eq!(request.line, "POST /submit-transaction-batch HTTP/1.1");
    let text = "{\"transaction\":{\"a\":1E2},\"signatures\":[]}";
    assert_eq!(request.body, format!("[{text},{text}]"));
}

#[tokio::test]
async fn the_listing_is_read_as_text() {
    let page = "<!DOCTYPE html><title>caf\u{e9}</title>";
    let server = Server::responding(Reply::with(200, "content-type: text/html\r\n", page)).await;
    assert_eq!(client(&server.base).docs().await.unwrap(), page);
    assert_eq!(server.request().line, "GET /docs HTTP/1.1");
}

#[tokio::test]
async fn prefix_and_trailing_slash_of_the_base_url_are_kept_in_order() {
    let server = Server::responding(Reply::json(BLOCK)).await;
    for suffix in ["", "/", "/node-a", "/node-a/"] {
        let client = Client::new(format!("{}{suffix}", server.base)).unwrap();
        client.block(1).await.unwrap();
    }
    let lines: Vec<_> = server
        .requests()
        .into_iter()
        .map(|request| request.line)
        .collect();
    assert_eq!(lines[0], "GET /get-block?block_index=1 HTTP/1.1");
    assert_eq!(lines[1], lines[0]);
    assert_eq!(lines[2], "GET /node-a/get-block?block_index=1 HTTP/1.1");
    assert_eq!(lines[3], lines[2]);
}
