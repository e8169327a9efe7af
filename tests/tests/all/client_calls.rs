//! Contract calls from start to end, and the blocks that contain them.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use std::time::Duration;

use axum::http::StatusCode;
use integration_tests::{faults::change_response, proxy::Proxy, restart};
use nodeproof_client::{
    AddVerification, CallOptions, Client, ClientOptions, ContractCall, ErrorKind, InclusionOptions,
    SignedTransaction, SubmitPolicy, Transfer,
    contract_call::{Clock, Fee},
    transport::RetryPolicy,
};
use nodeproof_devnode::{Config, Handle, InjectedFault, Outage};
use nodeproof_primitives::{Signer, TransactionCode};
use nodeproof_wallet::KeyPair;

const SHORT: Duration = Duration::from_millis(5);

async fn start() -> (Handle, Client) {
    let node = restart::start(Config::for_tests()).await;
    let client = Client::new(node.base_url()).unwrap();
    (node, client)
}

fn keys(node: &Handle, name: &str) -> KeyPair {
    node.wallet(name).unwrap().keys().clone()
}

fn fee(node: &Handle) -> Fee {
    Fee::new(1_500_000.into(), node.native_token()).unwrap()
}

/// Returns a transfer of one base unit from a wallet to itself.
fn transfer_to_self(node: &Handle, wallet: &KeyPair) -> ContractCall {
    let transfer = Transfer::new(1, wallet.address(), "GRAIN");
    let call = ContractCall::of(node.token_contract_address(), &transfer).unwrap();
    call.signers([wallet.address()])
}

/// Returns a policy with short pauses.
fn attempts(attempts: u32) -> SubmitPolicy {
    SubmitPolicy {
        attempts,
        first_pause: SHORT,
        longest_pause: SHORT,
        ..SubmitPolicy::default()
    }
}

fn submitting(submit: SubmitPolicy) -> CallOptions {
    CallOptions {
        submit,
        ..CallOptions::default()
    }
}

async fn signed_transfer(node: &Handle, client: &Client, wallet: &KeyPair) -> SignedTransaction {
    let call = transfer_to_self(node, wallet);
    let built = client
        .build_call(&call, &fee(node), Clock::Local)
        .await
        .unwrap();
    built.sign(&[wallet]).await.unwrap()
}

fn waiting() -> InclusionOptions {
    InclusionOptions {
        interval: SHORT,
        ..InclusionOptions::default()
    }
}

#[tokio::test]
async fn a_transfer_moves_tokens_and_its_block_is_found() {
    let (node, client) = start().await;
    let (alice, bob) = (keys(&node, "alice"), keys(&node, "bob").address());
    let held = client.token_balance("GRAIN", bob).await.unwrap().unwrap();
    let contract = node.token_contract_address();
    let transfer = ContractCall::of(contract, &Transfer::new(1_250_u32, bob, "GRAIN")).unwrap();
    let accepted = client
        .call(&transfer, &fee(&node), &[&alice], &CallOptions::default())
        .await
        .unwrap();
    assert_eq!(accepted.sent, 1);
    let code = accepted.trans_code();
    let once = InclusionOptions {
        timeout: Duration::ZERO,
        ..waiting()
    };
    let once = client.wait_for_inclusion(code, &once).await.unwrap();
    assert_eq!(once, None, "no block was made since");
    let brief = InclusionOptions {
        timeout: 4 * SHORT,
        ..waiting()
    };
    let none = client.wait_for_inclusion(code, &brief).await.unwrap();
    assert_eq!(none, None);

    // The block is made while the client waits for it.
    let (waiter, received) = (client.clone(), node.requests_received());
    let waits = tokio::spawn(async move { waiter.wait_for_inclusion(code, &waiting()).await });
    while node.requests_received() < received + 40 {
        tokio::time::sleep(SHORT).await;
    }
    let made = node.make_block();
    let included = waits.await.unwrap().unwrap().unwrap();
    assert_eq!((included.block, included.position), (made, 0));
    assert_eq!(included.status(), Some(1.into()));
    assert_eq!(included.transaction.trans_code(), Some(code));
    let signed = included.transaction.signed().unwrap();
    assert_eq!(
        signed.transaction_text(),
        accepted.transaction.transaction_text()
    );
    let block = client.block(made).await.unwrap().unwrap();
    assert!(block.transaction(code).is_some());
    let other = TransactionCode::from_bytes([7; 20]);
    assert_eq!(block.transaction(other), None);

    // Later, the transaction is found in an earlier block, if the search goes back far enough.
    for _ in 0..3 {
        node.make_block();
    }
    let back = client.wait_for_inclusion(code, &waiting()).await.unwrap();
    assert_eq!(back.unwrap().block, made);
    let near = InclusionOptions {
        look_back: 2,
        timeout: Duration::ZERO,
        ..waiting()
    };
    assert_eq!(client.wait_for_inclusion(code, &near).await.unwrap(), None);
    let from = InclusionOptions {
        start: Some(made),
        ..near
    };
    let found = client.wait_for_inclusion(code, &from).await.unwrap();
    assert_eq!(found.unwrap().block, made);

    // It is near the first block to search, however long the chain has become.
    for _ in 0..300 {
        node.make_block();
    }
    let received = node.requests_received();
    let found = client.wait_for_inclusion(code, &from).await.unwrap();
    assert_eq!(found.unwrap().block, made);
    let sent = node.requests_received() - received;
    assert!(sent < 50, "{sent} requests");

    let now = client.token_balance("GRAIN", bob).await.unwrap().unwrap();
    assert_eq!(now.get() - held.get(), 1_250);
}

#[tokio::test]
async fn a_call_of_two_signers_and_one_without_a_type_are_made() {
    let (node, client) = start().await;
    let (alice, bob) = (keys(&node, "alice"), keys(&node, "bob"));
    let contract = node.contract_address();
    let claim = AddVerification::new("a", alice.address(), 9);
    let claim = ContractCall::of(contract, &claim).unwrap();
    let signers: [&dyn Signer; 2] = [&alice, &bob];
    let accepted = client
        .call(&claim, &fee(&node), &signers, &CallOptions::default())
        .await
        .unwrap();
    assert_eq!(accepted.transaction.signatures().unwrap().len(), 2);
    let call = ContractCall::new(node.token_contract_address(), "transfer")
        .signers([bob.address()])
        .params(&Transfer::new(1, alice.address(), "GRAIN"))
        .unwrap();
    let options = submitting(SubmitPolicy::ONCE);
    client
        .call(&call, &fee(&node), &[&bob], &options)
        .await
        .unwrap();
    node.make_block();
    let record = client.verification(contract, "a").await.unwrap();
    assert!(record.is_some());
}

#[tokio::test]
async fn an_error_of_a_call_keeps_the_transaction_once_it_is_signed() {
    let (node, _) = start().await;
    let alice = keys(&node, "alice");
    for (path, is_signed) in [("/call-sc", false), ("/submit-transaction", true)] {
        let fault = change_response(path, |_, response| {
            response.with_status(StatusCode::BAD_GATEWAY)
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let client = Client::new(&*proxy.server.base_url()).unwrap();
        let (call, options) = (
            transfer_to_self(&node, &alice),
            submitting(SubmitPolicy::ONCE),
        );
        let failed = client.call(&call, &fee(&node), &[&alice], &options).await;
        let failed = failed.unwrap_err();
        assert_eq!(failed.maybe_sent(), is_signed, "{failed}");
        assert_eq!(failed.trans_code().is_some(), is_signed, "{failed}");
        let transaction = failed.transaction().map(SignedTransaction::transaction);
        let code = transaction.map(|transaction| transaction.unwrap().trans_code);
        assert_eq!(code, failed.trans_code(), "{failed}");
        let status = failed.client_error().unwrap().status();
        assert_eq!(status, Some(StatusCode::BAD_GATEWAY), "{failed}");
        // The operation and the URL occur once.
        assert!(format!("{failed:#}").matches("http://").count() <= 1);
    }
}

#[tokio::test]
async fn a_call_that_never_reaches_the_node_is_not_unclear() {
    let (node, client) = start().await;
    let alice = keys(&node, "alice");
    let signed = signed_transfer(&node, &client, &alice).await;
    restart::stop(node).await;
    let failed = client.submit(&signed, &attempts(2)).await;
    let error = failed.unwrap_err();
    assert_eq!((error.attempts(), error.sent()), (2, 0));
    let request = error.client_error().unwrap();
    assert_eq!(request.kind(), ErrorKind::Connect, "{error}");
    assert!(request.is_retryable());
    assert!(!error.maybe_sent());
    let shown = error.to_string();
    assert!(
        shown.ends_with("(tried 2 times, and never sent)"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_node_that_does_not_show_transactions_is_not_searched_in_vain() {
    let config = Config::for_tests().with_fault(InjectedFault::BlockRows);
    let node = nodeproof_devnode::spawn(config).await.unwrap();
    let client = Client::new(node.base_url()).unwrap();
    let code = TransactionCode::from_bytes([7; 20]);
    let error = client
        .wait_for_inclusion(code, &waiting())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoTransactions);
    let (url, height) = (node.base_url(), node.height());
    let place = format!("{url}: block {height} does not show its transactions");
    assert!(error.to_string().starts_with(&place), "{error}");
    assert!(
        error
            .to_string()
            .contains("use a node that returns whole blocks")
    );
}

#[tokio::test]
async fn outages_of_a_local_node_are_what_a_program_has_to_survive() {
    let (node, client) = start().await;
    let brief = ClientOptions {
        retry: RetryPolicy::NEVER,
        request_timeout: Duration::from_millis(50),
        ..ClientOptions::default()
    };
    let brief = Client::with_options(node.base_url(), brief).unwrap();
    let alice = keys(&node, "alice");
    let signed = signed_transfer(&node, &client, &alice).await;

    node.set_outage(Some(Outage::Unavailable));
    let error = brief.block(1).await.unwrap_err();
    assert_eq!(error.status(), Some(StatusCode::SERVICE_UNAVAILABLE));
    let once = SubmitPolicy::ONCE;
    client.submit(&signed, &once).await.unwrap_err();
    assert_eq!(node.pending(), 0);

    node.set_outage(Some(Outage::Delayed(Duration::from_secs(3_600))));
    let late = brief.block(1).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Timeout);

    node.set_outage(Some(Outage::LostResponses));
    let error = client.submit(&signed, &once).await.unwrap_err();
    assert!(error.maybe_sent() && error.is_retryable(), "{error}");
    assert_eq!(node.pending(), 1);

    node.set_outage(None);
    let again = client.submit(&signed, &once).await.unwrap();
    assert_eq!(again.response.response.new_transaction, Some(false));
    assert_eq!(node.pending(), 1);
}
