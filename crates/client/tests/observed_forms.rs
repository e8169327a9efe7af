//! Every form of a response that was observed on real nodes, and every example of the description,
//! decodes to the expected value.
//!
//! The bodies in `observed_forms.txt` were written for this test, after the forms that nodes of 2022 and 2024 were
//! seen to return. The values are made up. Below each body is what the client makes of it.

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
    AddVerification, BatchOutcome, BatchResponse, Block, CallErrorKind, Client, ClientOptions,
    ContractCall, ContractState, HolderAddress, RawTransaction, SignedTransaction, SubmitPolicy,
    SubmitResponse, TokenBalance, Transfer, TrustScore, contract_address, from_json,
    generated::types::{ErrorResponse, TokenBalances, TokenHolders},
    transport::RetryPolicy,
    wallet_address,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use server::{Reply, Server};

const FORMS: &str = include_str!("observed_forms.txt");
const WALLET: &str = "0x5b1f6a1c0f7a40b2a91f64a6f1d2c0e37b8a9d44";
const CODE: &str = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334";

fn signed() -> SignedTransaction {
    let raw = r#"{"transaction":{"fee":1},"signatures":[]}"#;
    let raw = RawTransaction::from_json(raw).unwrap();
    raw.with_signatures([json!({"wallet_address": WALLET, "msgsign": "30c4"})])
        .unwrap()
}

/// Describes a block: its members, and the number of its transactions and receipts if it has them.
fn described(block: &Block) -> String {
    no_extra(block);
    let shown = block.transactions().ok().zip(block.receipts().ok());
    if shown.is_some() {
        let entry = block.transaction(CODE.parse().unwrap()).unwrap();
        let signed = entry.signed().unwrap();
        let signature = &signed.signatures().unwrap()[0];
        assert_eq!(signature.wallet_address.to_string(), WALLET);
        assert_eq!(signed.transaction().unwrap().fee.as_str(), "1000000");
        assert_eq!(entry.status(), Some(1.into()));
        assert_eq!(block.receipts().unwrap()[0].data.vote, 9);
    }
    let counts = shown.map(|(all, votes)| (all.len(), votes.len()));
    let committee: Vec<_> = block.committee.iter().map(ToString::to_string).collect();
    format!(
        "block {} at {}, after {}, status {:?}, of {:?}, expected {:?}, by {committee:?}, {counts:?}, row: {}",
        block.index,
        block.timestamp.as_millis(),
        block.previous_hash,
        block.status.as_ref().map(ToString::to_string),
        block.creator_wallet.map(|wallet| wallet.to_string()),
        block.expected_miner.map(|wallet| wallet.to_string()),
        block.text.is_none()
    )
}

/// Describes the result of an operation at a node that sends this response.
async fn result(operation: &str, status: u16, body: &str) -> String {
    let server = Server::responding(Reply::status(status, body)).await;
    let options = ClientOptions {
        retry: RetryPolicy::NEVER,
        ..ClientOptions::default()
    };
    let node = Client::with_options(&server.base, options).unwrap();
    let wallet = wallet_address!("0x5b1f6a1c0f7a40b2a91f64a6f1d2c0e37b8a9d44");
    let contract = contract_address!("ct7d2e9a40b1c3f5867a9d0e1f2b3c4d5e6f708192");
    match operation {
        "block" => described(&node.block(7).await.unwrap().unwrap()),
        "balance" => {
            let balance = node.token_balance("TKN", wallet).await.unwrap();
            format!("{:?}", balance.map(|balance| balance.to_string()))
        }
        "balances" => {
            let held = node.balances(wallet).await.unwrap().into_iter();
            let held = held.map(|held| (held.token_code, held.balance.unwrap().to_string()));
            format!("{:?}", held.collect::<Vec<_>>())
        }
        "holders" => {
            let all = node.holders("TKN").await.unwrap().into_iter();
            let all = all.map(|one| match one.wallet {
                HolderAddress::Contract(address) => format!("{address} {:?}", one.balance),
                HolderAddress::Wallet(address) => format!("{address} {:?}", one.token_code),
            });
            all.collect::<Vec<_>>().join(", ")
        }
        "verification" => format!("{:?}", node.verification(contract, "sample").await.unwrap()),
        "verifications" => {
            let all = node.verifications(contract, "asset_id", "sample").await;
            format!("{} records", all.unwrap().len())
        }
        "state" => {
            let state = node.contract_state("verification", contract, "asset_id", "sample");
            let state = state.await.unwrap();
            state.map_or("none".to_owned(), |state| state.as_str().to_owned())
        }
        "trust" => {
            let trust = node.trust_score(wallet, wallet).await.unwrap().unwrap();
            format!("{} {}", trust.status, trust.trust_score)
        }
        "call" => {
            let call = ContractCall::new(contract, "add_verification");
            let raw = node.generated().call_sc(&call).await.unwrap().into_inner();
            assert_eq!(raw.text().as_str(), body);
            let transaction = raw.transaction().unwrap();
            let (fee, is_child) = (&transaction.fee, transaction.is_child_txn);
            let call = transaction.contract_call().unwrap();
            assert_eq!((call.address, call.signers), (contract, vec![wallet]));
            format!("fee {fee}, {is_child:?}, {}", call.params)
        }
        "submit" => {
            let read = node.generated().submit_transaction(&signed()).await;
            let read = read.unwrap().into_inner();
            no_extra(&read);
            let (new, messages) = (read.response.new_transaction, read.messages());
            let once = SubmitPolicy::ONCE;
            match node.submit(&signed(), &once).await {
                Ok(submitted) => assert!(read.response.valid && submitted.sent == 1),
                Err(error) => {
                    assert!(!read.response.valid && error.kind() == CallErrorKind::Refused);
                    let of_error = (error.messages(), error.new_transaction());
                    assert_eq!(of_error, (messages, new));
                }
            }
            format!(
                "accepted: {}, {messages:?}, new: {new:?}",
                read.response.valid
            )
        }
        "batch" => {
            let batch = vec![signed()];
            let read = node.generated().submit_transaction_batch(&batch).await;
            match &read.unwrap().response {
                BatchOutcome::Result(result) if result.failed_transactions.is_empty() => {
                    format!("accepted {:?}", result.accepted_transactions)
                }
                BatchOutcome::Result(result) => {
                    format!("failed: {}", result.failed_transactions.len())
                }
                BatchOutcome::Refusal(reason) => format!("refused: {reason}"),
            }
        }
        "failure" => {
            no_extra(&from_json::<ErrorResponse>(body.as_bytes()).unwrap());
            let submitted = node.submit(&signed(), &SubmitPolicy::ONCE).await;
            let failed = submitted.unwrap_err();
            let error = failed.client_error().unwrap();
            let (absent, busy) = (
                error.is_absent(),
                (error.status() == Some(nodeproof_client::StatusCode::TOO_MANY_REQUESTS)),
            );
            assert_eq!(matches!(node.block(7).await, Ok(None)), absent, "{body}");
            format!(
                "{:?}, absent: {absent}, rate limited: {busy}",
                error.detail()
            )
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn every_observed_form_is_read() {
    let mut lines = FORMS.lines();
    let mut operations = Vec::new();
    while let (Some(form), Some(expected)) = (lines.next(), lines.next()) {
        let [operation, status, body] = form.splitn(3, ' ').collect::<Vec<_>>()[..] else {
            panic!("{form}")
        };
        let seen = result(operation, status.parse().unwrap(), body).await;
        assert_eq!(seen, expected.trim(), "{form}");
        operations.push(operation);
    }
    operations.dedup();
    assert!(operations.len() >= 10, "{operations:?}");
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
