//! Every form of a response that was observed on real nodes, and every example of the description,
//! decodes to the expected value.
//!
//! The bodies were written for this test, after the forms that nodes of 2022 and 2024 were seen to
//! return. The values are made up.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on says so by failing"
)]

#[path = "scripted/server.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod server;

use std::fmt::Debug;

use nodeproof_client::{
    AddVerification, BatchResponse, Block, Client, ContractCall, ContractState, HolderAddress,
    RawTransaction, SignedTransaction, SubmitPolicy, SubmitResponse, TokenBalance, Transfer,
    TrustScore, from_json,
    generated::types::{ErrorResponse, TokenBalances, TokenHolders},
    nodeproof_primitives::{ContractAddress, WalletAddress},
    transport::RetryPolicy,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use server::{Reply, Server};

const WALLET: &str = "0x5b1f6a1c0f7a40b2a91f64a6f1d2c0e37b8a9d44";
const OTHER: &str = "0x91ce0d5a7e2f4b63c8170a9b5d4e3f2a1c0b9d87";
const CONTRACT: &str = "ct7d2e9a40b1c3f5867a9d0e1f2b3c4d5e6f708192";
const HASH: &str = "4d5e2f7a91b06c83d2e4f5a60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a";
const CODE: &str = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334";

/// Returns a client for a server that sends one response.
async fn node(status: u16, body: &Value) -> (Server, Client) {
    let server = Server::responding(Reply::status(status, &body.to_string())).await;
    let client = Client::new(server.base.as_str())
        .unwrap()
        .with_retry(RetryPolicy::never());
    (server, client)
}

fn wallet() -> WalletAddress {
    WALLET.parse().unwrap()
}

fn contract() -> ContractAddress {
    CONTRACT.parse().unwrap()
}

/// Returns the row of a block table. Its committee is an array inside a string.
fn row(index: u64, previous_hash: &str) -> Value {
    json!({
        "block_index": index, "timestamp": 1_784_000_000_000_u64, "proof": 1, "status": null,
        "previous_hash": previous_hash, "hash": HASH, "creator_wallet": null,
        "expected_miner": WALLET, "committee": format!("[\"{WALLET}\", \"{OTHER}\"]"),
    })
}

/// Returns a block in the documented form, with a transaction and a receipt.
fn documented() -> Value {
    json!({
        "index": 7, "timestamp": 1_784_000_000_000_u64, "proof": 42, "status": 1,
        "text": {
            "transactions": [{
                "transaction": {
                    "timestamp": 1_783_999_990_000_u64, "trans_code": CODE, "type": 1,
                    "currency": "TKN", "fee": 1_000_000, "descr": "a new wallet", "valid": 1,
                    "specific_data": {"custodian_wallet": WALLET}, "is_child_txn": false,
                },
                "signatures": [{"wallet_address": WALLET, "msgsign": "b82a"}],
                "status": 1,
            }],
            "previous_block_receipts": [{
                "data": {
                    "block_index": 6, "block_hash": HASH, "vote": 9,
                    "timestamp": 1_783_999_991_000_u64, "wallet_address": OTHER,
                },
                "public_key": "ab".repeat(64), "signature": "cd".repeat(64),
            }],
        },
        "creator_wallet": WALLET, "expected_miner": WALLET, "committee": [WALLET, OTHER],
        "previous_hash": HASH,
    })
}

/// Returns the block in the form of the node of 2022.
fn of_2022() -> Value {
    let mut block = documented();
    block.as_object_mut().unwrap().remove("status");
    block["committee"] = json!(format!("[\"{WALLET}\", \"{OTHER}\"]"));
    block
}

#[tokio::test]
async fn blocks() {
    // Each with: the previous hash, the status, the transactions and the receipts.
    let forms = [
        (row(7, HASH), HASH, None, None),
        (row(7, "0"), "0", None, None),
        (of_2022(), HASH, None, Some((1, 1))),
        (documented(), HASH, Some(1), Some((1, 1))),
    ];
    for (body, previous, status, counts) in forms {
        let (_server, node) = node(200, &body).await;
        let block = node.block(7).await.unwrap().unwrap();
        assert_eq!(
            (&block.index, block.timestamp.as_millis()),
            (&7.into(), 1_784_000_000_000)
        );
        assert_eq!(block.previous_hash.to_string(), previous);
        assert_eq!(block.status, status.map(i32::into), "{body}");
        assert_eq!(block.committee, [wallet(), OTHER.parse().unwrap()]);
        assert_eq!(block.expected_miner, Some(wallet()));
        assert_eq!(block.creator_wallet.is_some(), counts.is_some());
        let shown = block.transactions().zip(block.receipts());
        assert_eq!(shown.map(|(all, votes)| (all.len(), votes.len())), counts);
        assert_eq!(block.is_row(), counts.is_none());
        if counts.is_some() {
            let entry = block.transaction(CODE.parse().unwrap()).unwrap();
            assert_eq!(entry.status(), Some(1.into()));
            let signed = entry.signed().unwrap();
            assert_eq!(signed.signatures().unwrap()[0].wallet_address, wallet());
            assert_eq!(signed.transaction().unwrap().fee.as_str(), "1000000");
            assert_eq!(block.receipts().unwrap()[0].data.value().vote, 9);
        }
        no_extra(&block);
    }
}

#[tokio::test]
async fn balances() {
    for (body, expected) in [
        // The public clients read `balance`. The specification also permits `value`.
        (
            json!({"balance": 9_999_936_999_900_u64}),
            Some("9999936999900"),
        ),
        (json!({"value": 0}), Some("0")),
        (json!({"balance": null}), None),
    ] {
        let (_server, node) = node(200, &body).await;
        let balance = node.token_balance("TKN", wallet()).await.unwrap();
        assert_eq!(
            balance.map(|balance| balance.to_string()).as_deref(),
            expected
        );
    }
    for (body, expected) in [
        (
            json!({"balance": [
                {"token_code": "TKN", "balance": 9_007_199_254_740_993_u64},
                {"token_code": "TSTTOKEN0000001", "balance": 0},
            ]}),
            vec![("TKN", "9007199254740993"), ("TSTTOKEN0000001", "0")],
        ),
        (json!({"balance": []}), vec![]),
    ] {
        let (_server, node) = node(200, &body).await;
        let held = node.balances(wallet()).await.unwrap();
        let held = held
            .into_iter()
            .map(|held| (held.token_code, held.balance.unwrap().to_string()));
        let expected = expected
            .into_iter()
            .map(|(token, sum)| (token.into(), sum.to_owned()));
        assert_eq!(
            held.collect::<Vec<(String, _)>>(),
            expected.collect::<Vec<_>>()
        );
    }
    let body = json!({"balance": [
        {"wallet": CONTRACT, "token_code": "TKN", "balance": 2_000_000_000_000_000_u64},
        {"wallet": WALLET, "token_code": "TKN", "balance": 7_000_000},
    ]});
    let (_server, node) = node(200, &body).await;
    let holders = node.holders("TKN").await.unwrap();
    assert_eq!(holders[0].wallet, HolderAddress::Contract(contract()));
    assert_eq!(holders[1].wallet, HolderAddress::Wallet(wallet()));
    assert_eq!(holders[0].balance, Some(2_000_000_000_000_000_u64.into()));
    assert_eq!(holders[0].token_code.as_deref(), Some("TKN"));
}

#[tokio::test]
async fn contract_states() {
    let columns = json!([
        CONTRACT,
        "sample",
        "token",
        WALLET,
        1,
        "[\"doc1\", \"doc2\"]",
        "[]",
        "remarks",
        1_347_344,
    ]);
    let (_server, found) = node(200, &json!({"status": "SUCCESS", "data": columns})).await;
    let record = found
        .verification(contract(), "sample")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (record.contract, record.verifier_address),
        (Some(contract()), wallet())
    );
    assert_eq!(
        (&*record.asset_id, &*record.asset_type),
        ("sample", "token")
    );
    assert_eq!(record.doc_hash_list, ["doc1", "doc2"]);
    assert_eq!(
        (record.outcome, record.deletable_after),
        (1.into(), 1_347_344.into())
    );
    assert_eq!(
        found
            .verifications(contract(), "asset_id", "sample")
            .await
            .unwrap()
            .len(),
        1
    );
    let state = found
        .contract_state("verification", contract(), "asset_id", "sample")
        .await;
    assert_eq!(state.unwrap().unwrap().as_str(), columns.to_string());

    let (_server, none) = node(200, &json!({"status": "SUCCESS", "data": null})).await;
    assert_eq!(none.verification(contract(), "sample").await.unwrap(), None);
    assert_eq!(
        none.verifications(contract(), "asset_id", "sample")
            .await
            .unwrap(),
        []
    );
    assert_eq!(
        none.contract_state("t", contract(), "c", "v")
            .await
            .unwrap(),
        None
    );
}

#[tokio::test]
async fn trust_scores() {
    let (_server, node) = node(200, &json!({"status": "SUCCESS", "trust_score": 1})).await;
    let trust = node
        .trust_score(wallet(), OTHER.parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (trust.status.as_str(), trust.trust_score),
        ("SUCCESS", 1.into())
    );
}

fn built() -> Value {
    json!({
        "transaction": {
            "timestamp": 1_784_000_001_000_u64, "trans_code": CODE, "type": 3, "currency": "TKN",
            "fee": 0.0, "descr": "", "valid": 1,
            "specific_data": {
                "address": CONTRACT, "function": "add_verification", "signers": [WALLET],
                "params": {"remarks": "café"},
            },
            "is_child_txn": false,
        },
        "signatures": [],
    })
}

#[tokio::test]
async fn built_calls() {
    let body = built();
    let (_server, node) = node(200, &body).await;
    let call = ContractCall::new(contract(), "add_verification");
    let raw = node.build_call(&call).await.unwrap();
    assert_eq!(raw.text().as_str(), body.to_string());
    let transaction = raw.transaction().unwrap();
    assert_eq!(
        (transaction.fee.as_str(), transaction.is_child_txn),
        ("0.0", Some(false))
    );
    let call = transaction.contract_call().unwrap();
    assert_eq!((call.address, call.signers), (contract(), vec![wallet()]));
    assert_eq!(call.params.as_str(), r#"{"remarks":"café"}"#);
}

fn signed() -> SignedTransaction {
    let raw = RawTransaction::from_json(&built().to_string()).unwrap();
    raw.with_signatures([json!({"wallet_address": WALLET, "msgsign": "30c4"})])
        .unwrap()
}

#[tokio::test]
async fn submissions() {
    for (response, is_accepted, messages, new) in [
        (
            json!({"valid": true, "msg": "economic validation passed", "new_transaction": true}),
            true,
            "economic validation passed",
            Some(true),
        ),
        (
            json!({"valid": true, "msg": "known", "new_transaction": false}),
            true,
            "known",
            Some(false),
        ),
        (
            json!({"valid": false, "msg": "a signature is missing", "new_transaction": true}),
            false,
            "a signature is missing",
            Some(true),
        ),
        (
            json!({"valid": false, "msg": "the fee is too low", "new_transaction": true}),
            false,
            "the fee is too low",
            Some(true),
        ),
        (
            json!({"valid": false, "msg": ["the fee can't be paid"], "new_transaction": true}),
            false,
            "the fee can't be paid",
            Some(true),
        ),
        (
            json!({"valid": false, "msg": "too large"}),
            false,
            "too large",
            None,
        ),
    ] {
        let (_server, node) = node(200, &json!({"status": "SUCCESS", "response": response})).await;
        let read = node.submit(&signed()).await.unwrap();
        assert_eq!(
            (read.status.as_str(), read.is_accepted()),
            ("SUCCESS", is_accepted)
        );
        assert_eq!(
            (read.response.valid, read.response.new_transaction),
            (is_accepted, new)
        );
        assert_eq!(read.messages(), [messages]);
        no_extra(&read);
        let outcome = node
            .submit_with_retries(&signed(), &SubmitPolicy::once())
            .await;
        match outcome {
            Ok(submitted) => assert!(is_accepted && submitted.sent == 1),
            Err(error) => {
                assert!(!is_accepted && error.is_refused() && !error.maybe_accepted());
                assert_eq!(
                    (error.messages(), error.new_transaction()),
                    (read.messages(), new)
                );
            }
        }
    }
}

#[tokio::test]
async fn batches() {
    for (body, is_accepted, message) in [
        (
            json!({"status": "SUCCESS", "response": {
                "accepted_transactions": [CODE], "failed_transactions": [],
            }}),
            true,
            "",
        ),
        (
            json!({"status": "SUCCESS", "response": {
                "accepted_transactions": [],
                "failed_transactions": [{"transaction_code": CODE, "msg": "no"}],
            }}),
            false,
            "transactions of the batch that failed: 1",
        ),
        (
            json!({"status": "FAILURE", "response": "NODE_BUSY"}),
            false,
            "NODE_BUSY",
        ),
    ] {
        let (_server, node) = node(200, &body).await;
        let read = node.submit_batch(&[signed()]).await.unwrap();
        match read.accepted(1) {
            Ok(codes) => assert!(is_accepted && codes == [CODE.parse().unwrap()], "{body}"),
            Err(error) => {
                assert!(
                    !is_accepted && error.is_refused() && !error.maybe_accepted(),
                    "{body}"
                );
                assert_eq!(error.messages(), [message]);
            }
        }
    }
}

#[tokio::test]
async fn failures() {
    let missing = json!({"detail": [
        {"loc": ["query", "block_index"], "msg": "field required", "type": "value_error.missing"},
    ]});
    for (status, body, is_absent, detail) in [
        (
            400,
            json!({"detail": "Block not found"}),
            true,
            "Block not found",
        ),
        (
            400,
            json!({"detail": "Trust score not available"}),
            true,
            "Trust score not available",
        ),
        (404, json!({"detail": "Not Found"}), true, "Not Found"),
        (
            405,
            json!({"detail": "Method Not Allowed"}),
            false,
            "Method Not Allowed",
        ),
        (422, missing, true, "query.block_index: field required"),
        (
            429,
            json!({"error": "Rate limit exceeded"}),
            false,
            "Rate limit exceeded",
        ),
        (
            500,
            json!({"detail": "no such table: x"}),
            false,
            "no such table: x",
        ),
        (
            500,
            json!({"detail": "'transaction'"}),
            false,
            "'transaction'",
        ),
    ] {
        let (_server, node) = node(status, &body).await;
        let error = node.submit(&signed()).await.unwrap_err();
        assert_eq!(
            (error.detail(), error.is_absent()),
            (Some(detail), is_absent),
            "{body}"
        );
        assert_eq!(error.is_rate_limited(), status == 429);
        assert_eq!(matches!(node.block(7).await, Ok(None)), is_absent, "{body}");
        no_extra(&from_json::<ErrorResponse>(body.to_string().as_bytes()).unwrap());
    }
}

/// Asserts that every member was read into a field, also of the objects inside.
#[track_caller]
fn no_extra(value: &impl Debug) {
    let text = format!("{value:?}");
    let all = text.matches("extra: {").count();
    assert!(
        all > 0 && all == text.matches("extra: {}").count(),
        "{text}"
    );
}

/// Decodes an example, and asserts that its type has a field for each member.
fn decode<T: DeserializeOwned + Debug>(example: &Value) -> T {
    let decoded = from_json::<T>(example.to_string().as_bytes());
    decoded.unwrap_or_else(|error| panic!("{error}: {example}"))
}

fn check<T: DeserializeOwned + Debug>(example: &Value) {
    no_extra(&decode::<T>(example));
}

fn check_signed(example: &Value) {
    let signed: SignedTransaction = decode(example);
    let transaction = signed.transaction().unwrap();
    no_extra(&transaction);
    no_extra(&signed.signatures().unwrap());
    let call = transaction.contract_call().unwrap();
    no_extra(&call);
    check_params(&serde_json::from_str(call.params.as_str()).unwrap());
}

fn check_params(params: &Value) {
    match params.get("receiver") {
        Some(_) => check::<Transfer>(params),
        None => check::<AddVerification>(params),
    }
}

/// Checks an example of a successful response or of a request.
fn check_example(operation: &str, part: &str, example: &Value, value: &Value) {
    match (operation, part) {
        ("get_block", "response") => {
            let block: Block = decode(value);
            no_extra(&block);
            for entry in block.transactions().into_iter().flatten() {
                check_signed(&serde_json::from_str(entry.text().as_str()).unwrap());
            }
        }
        ("get_balances", "response") => match example["x-when"]["balance_type"].as_str().unwrap() {
            "TOKEN_IN_WALLET" => check::<TokenBalance>(value),
            "ALL_TOKENS_IN_WALLET" => check::<TokenBalances>(value),
            "ALL_WALLETS_FOR_TOKEN" => check::<TokenHolders>(value),
            other => panic!("{other}"),
        },
        ("sc_state", "response") => {
            check::<ContractState>(value);
            decode::<ContractState>(value).record().unwrap();
        }
        ("get_trustscore_wallets", "response") => check::<TrustScore>(value),
        ("call_sc", "request") => {
            check::<ContractCall>(value);
            check_params(&value["params"]);
        }
        ("call_sc", "response") => {
            let transaction = decode::<RawTransaction>(value).transaction().unwrap();
            no_extra(&transaction);
            no_extra(&transaction.contract_call().unwrap());
        }
        ("submit_transaction", "request") => check_signed(value),
        ("submit_transaction", "response") => check::<SubmitResponse>(value),
        ("submit_transaction_batch", "request") => {
            value.as_array().unwrap().iter().for_each(check_signed);
        }
        ("submit_transaction_batch", "response") => check::<BatchResponse>(value),
        (_, "failure") => check::<ErrorResponse>(value),
        other => panic!("no type for {other:?}"),
    }
}

/// Returns the object that a reference names, or the object itself.
fn resolved<'d>(document: &'d Value, node: &'d Value) -> &'d Value {
    match node["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => node,
    }
}

#[test]
fn every_example_of_the_description_decodes_through_its_type() {
    let document: Value = serde_json::from_str(nodeproof_openapi::NODE_JSON).unwrap();
    let mut count = 0;
    for path in document["paths"].as_object().unwrap().values() {
        let operation = path.get("get").or_else(|| path.get("post")).unwrap();
        let responses = operation["responses"].as_object().unwrap().iter();
        let bodies = responses.map(|(status, response)| {
            let part = if status == "200" {
                "response"
            } else {
                "failure"
            };
            (part, resolved(&document, response))
        });
        for (part, body) in bodies.chain(operation.get("requestBody").map(|body| ("request", body)))
        {
            // The page for people has one example, which is text.
            let Some(examples) = body["content"]["application/json"]["examples"].as_object() else {
                assert_eq!(operation["operationId"], "docs");
                continue;
            };
            for example in examples.values() {
                let example = resolved(&document, example);
                let operation = operation["operationId"].as_str().unwrap();
                check_example(operation, part, example, &example["value"]);
                count += 1;
            }
        }
    }
    assert!(count >= 40, "{count}");
}
