//! Contract calls from start to end, and the blocks that contain them.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::http::StatusCode;
use integration_tests::proxy::{Fault, Proxy};
use nodeproof_client::{
    AddVerification, Client, ContractCall, ErrorKind, InclusionOptions, NotAccepted,
    SignedTransaction,
    contract_call::{
        BuildCallError, CallError, CallOptions, Fee, SignError, SubmitPolicy, Transfer,
    },
    transport::RetryPolicy,
};
use nodeproof_devnode::{Config, Handle, InjectedFault, Outage};
use nodeproof_primitives::{Integer, Signer, TransactionCode};
use nodeproof_wallet::KeyPair;

const SHORT: Duration = Duration::from_millis(5);

async fn start() -> (Handle, Client) {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
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
    call.signer(wallet.address())
}

async fn signed_transfer(node: &Handle, client: &Client, wallet: &KeyPair) -> SignedTransaction {
    let call = transfer_to_self(node, wallet);
    let built = client.build_checked_call(&call, &fee(node)).await.unwrap();
    built.sign(&[wallet]).await.unwrap()
}

fn waiting() -> InclusionOptions {
    InclusionOptions::default().interval(SHORT)
}

#[tokio::test]
async fn a_transfer_moves_tokens_and_its_block_is_found() {
    let (node, client) = start().await;
    let (alice, bob) = (keys(&node, "alice"), keys(&node, "bob").address());
    let held = client.token_balance("GRAIN", bob).await.unwrap().unwrap();
    let transfer = Transfer::new(1_250_u32, bob, "GRAIN");
    let contract = node.token_contract_address();
    let accepted = client
        .call(contract, &transfer, &fee(&node), &[&alice])
        .await
        .unwrap();
    assert_eq!(accepted.sent, 1);
    let code = accepted.trans_code();
    let once = client.find_transaction(code, &waiting()).await.unwrap();
    assert_eq!(once, None, "no block was made since");
    let brief = waiting().timeout(4 * SHORT);
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
    assert_eq!(included.transaction.trans_code().unwrap(), code);
    let signed = included.transaction.signed().unwrap();
    assert_eq!(
        signed.transaction_text(),
        accepted.transaction.transaction_text()
    );
    let block = client.block(made).await.unwrap().unwrap();
    assert_eq!(block.contains(code), Ok(true));
    assert_eq!(
        block.contains(TransactionCode::from_bytes([7; 20])),
        Ok(false)
    );

    // Later, the transaction is found in an earlier block, if the search goes back far enough.
    for _ in 0..3 {
        node.make_block();
    }
    let back = client.wait_for_inclusion(code, &waiting()).await.unwrap();
    assert_eq!(back.unwrap().block, made);
    let near = waiting().look_back(2);
    assert_eq!(client.find_transaction(code, &near).await.unwrap(), None);
    let from = near.start_at(made);
    let found = client.find_transaction(code, &from).await.unwrap();
    assert_eq!(found.unwrap().block, made);

    let now = client.token_balance("GRAIN", bob).await.unwrap().unwrap();
    let moved = |balance: &Integer| balance.as_i128().unwrap();
    assert_eq!(moved(&now) - moved(&held), 1_250);
}

#[tokio::test]
async fn a_call_of_two_signers_and_one_without_a_type_are_made() {
    let (node, client) = start().await;
    let (alice, bob) = (keys(&node, "alice"), keys(&node, "bob"));
    let claim = AddVerification::new("a", alice.address(), 9);
    let contract = node.contract_address();
    let signers: [&dyn Signer; 2] = [&alice, &bob];
    let accepted = client
        .call(contract, &claim, &fee(&node), &signers)
        .await
        .unwrap();
    assert_eq!(accepted.transaction.signatures().unwrap().len(), 2);
    let call = ContractCall::new(node.token_contract_address(), "transfer")
        .signer(bob.address())
        .params(&Transfer::new(1, alice.address(), "GRAIN"))
        .unwrap();
    let options = CallOptions::default().submit(SubmitPolicy::once());
    client
        .call_with(&call, &fee(&node), &[&bob], &options)
        .await
        .unwrap();
    node.make_block();
    let record = client.verification(contract, "a").await.unwrap();
    assert!(record.is_some());
}

#[tokio::test]
async fn a_refusal_is_an_error_with_the_nodes_message() {
    let (node, client) = start().await;
    let (alice, bob) = (keys(&node, "alice"), keys(&node, "bob").address());
    let contract = node.token_contract_address();
    let cheap = Fee::new(1.into(), node.native_token()).unwrap();
    let transfer = Transfer::new(1, bob, "GRAIN");
    let refused = client.call(contract, &transfer, &cheap, &[&alice]).await;
    let error = refused.unwrap_err();
    assert!(matches!(
        &error,
        CallError::Refused { source: NotAccepted::Refused { messages, .. }, .. }
            if messages[0].contains("Not enough fee")
    ));
    assert!(!error.maybe_sent());
    let error = nodeproof_client::Error::from(error);
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("Not enough fee"), "{error}");

    let unlisted = ContractCall::of(contract, &transfer).unwrap().signer(bob);
    let options = CallOptions::default();
    let unsigned = client
        .call_with(&unlisted, &cheap, &[&alice], &options)
        .await;
    assert!(matches!(
        unsigned,
        Err(CallError::Sign(SignError::NotASigner { .. }))
    ));
    assert_eq!(node.submissions_received(), 1);
}

#[tokio::test]
async fn a_lost_response_leaves_the_transaction_to_be_submitted_again() {
    let (node, _) = start().await;
    let alice = keys(&node, "alice");
    let submissions = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&submissions);
    let fault: Fault = Arc::new(move |request, response| {
        if request.path == "/submit-transaction" && counted.fetch_add(1, Ordering::SeqCst) < 2 {
            return response.with_status(StatusCode::BAD_GATEWAY).with_body("");
        }
        response
    });
    let proxy = Proxy::spawn(node.base_url(), fault).await.unwrap();
    let client = Client::new(&*proxy.server.base_url()).unwrap();
    let call = transfer_to_self(&node, &alice);
    let once = CallOptions::default().submit(SubmitPolicy::once());
    let lost = client.call_with(&call, &fee(&node), &[&alice], &once).await;
    let error = lost.unwrap_err();
    assert!(error.maybe_sent());
    let CallError::NoClearResponse {
        transaction,
        trans_code: code,
        ..
    } = &error
    else {
        unreachable!("{error}");
    };
    let policy = SubmitPolicy::default().pauses(SHORT, SHORT);
    let again = client
        .submit_with_retries(transaction, &policy)
        .await
        .unwrap();
    again.accepted().unwrap();
    assert_eq!(again.response.new_transaction(), Some(false));
    let code = *code;
    let error = nodeproof_client::Error::from(error);
    assert!(error.maybe_sent() && error.kind() == ErrorKind::Unclear);
    assert_eq!(error.trans_code(), Some(code));
    node.make_block();
    assert_eq!(submissions.load(Ordering::SeqCst), 3);
}

/// What happens to one request: a status, a refusal of the transaction, or nothing unusual.
enum Act {
    Status(StatusCode),
    Refuse,
    Pass,
}

#[tokio::test]
async fn an_error_of_a_call_keeps_what_is_known_about_the_transaction() {
    use Act::{Pass, Refuse, Status};
    const BUILD: &str = "/call-sc";
    const SUBMIT: &str = "/submit-transaction";
    let (unprocessable, busy) = (
        StatusCode::UNPROCESSABLE_ENTITY,
        StatusCode::TOO_MANY_REQUESTS,
    );
    let down = StatusCode::BAD_GATEWAY;
    let (node, _) = start().await;
    let alice = keys(&node, "alice");
    // The endpoint, what happens to its requests, and then: kind, maybe sent, has a code, status.
    for (path, acts, (kind, maybe_sent, has_code, status)) in [
        (
            BUILD,
            vec![Status(unprocessable)],
            (ErrorKind::Status, false, false, Some(422)),
        ),
        (
            SUBMIT,
            vec![Status(busy)],
            (ErrorKind::Status, false, true, Some(429)),
        ),
        (
            SUBMIT,
            vec![Status(down)],
            (ErrorKind::Unclear, true, true, Some(502)),
        ),
        (
            SUBMIT,
            vec![Status(down), Status(busy)],
            (ErrorKind::Unclear, true, true, Some(429)),
        ),
        (
            SUBMIT,
            vec![Refuse],
            (ErrorKind::Refused, false, true, None),
        ),
        (
            SUBMIT,
            vec![Status(down), Refuse],
            (ErrorKind::Refused, true, true, None),
        ),
        (
            SUBMIT,
            vec![Status(busy), Refuse],
            (ErrorKind::Refused, false, true, None),
        ),
    ] {
        let most = u32::try_from(acts.len()).unwrap();
        let count = AtomicUsize::new(0);
        let fault: Fault = Arc::new(move |request, response| {
            if request.path != path {
                return response;
            }
            match acts.get(count.fetch_add(1, Ordering::SeqCst)).unwrap_or(&Pass) {
                Status(status) => response.with_status(*status).with_body("{}"),
                Refuse => response.with_body(
                    r#"{"status":"SUCCESS","response":{"valid":false,"msg":"no","new_transaction":true}}"#,
                ),
                Pass => response,
            }
        });
        let proxy = Proxy::spawn(node.base_url(), fault).await.unwrap();
        let client = Client::new(&*proxy.server.base_url()).unwrap();
        let call = transfer_to_self(&node, &alice);
        let policy = SubmitPolicy::default().most(most).pauses(SHORT, SHORT);
        let options = CallOptions::default().submit(policy);
        let failed = client
            .call_with(&call, &fee(&node), &[&alice], &options)
            .await;
        let failed = failed.unwrap_err();
        let shown = format!("{path} {failed}");
        assert_eq!(failed.maybe_sent(), maybe_sent, "{shown}");
        let error = nodeproof_client::Error::from(failed);
        assert_eq!(error.kind(), kind, "{shown}");
        assert_eq!(error.maybe_sent(), maybe_sent, "{shown}");
        assert_eq!(error.trans_code().is_some(), has_code, "{shown}");
        assert_eq!(
            error.status().map(|status| status.as_u16()),
            status,
            "{shown}"
        );
        assert_eq!(error.is_rate_limited(), status == Some(429), "{shown}");
        // To repeat the call may pay twice.
        assert!(!(maybe_sent && error.is_retryable()), "{shown}");
        // The operation and the URL occur once.
        assert!(error.to_string().matches("http://").count() <= 1, "{error}");
    }
}

#[tokio::test]
async fn a_call_that_never_reaches_the_node_is_not_unclear() {
    let (node, client) = start().await;
    let alice = keys(&node, "alice");
    let signed = signed_transfer(&node, &client, &alice).await;
    node.shutdown().await;
    let policy = SubmitPolicy::default().most(2).pauses(SHORT, SHORT);
    let failed = client.submit_with_retries(&signed, &policy).await;
    let error = nodeproof_client::Error::from(failed.unwrap_err());
    assert!(
        error.is_connect() && error.is_retryable() && !error.maybe_sent(),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .ends_with("(tried 2 times, and never sent)"),
        "{error}"
    );
}

#[tokio::test]
async fn a_node_that_builds_another_call_gets_no_signature() {
    let (node, _) = start().await;
    let alice = keys(&node, "alice");
    let fault: Fault = Arc::new(|request, response| match request.path.as_str() {
        "/call-sc" => response.with_json(|body| {
            body["transaction"]["specific_data"]["params"]["amount_to_send"] = 1_000_000.into();
        }),
        _ => response,
    });
    let proxy = Proxy::spawn(node.base_url(), fault).await.unwrap();
    let client = Client::new(&*proxy.server.base_url()).unwrap();
    let transfer = Transfer::new(1, alice.address(), "GRAIN");
    let contract = node.token_contract_address();
    let error = client
        .call(contract, &transfer, &fee(&node), &[&alice])
        .await;
    assert!(matches!(
        error,
        Err(CallError::Build(BuildCallError::Mismatch(_)))
    ));
    assert_eq!(node.submissions_received(), 0);
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
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert!(
        error.to_string().contains("does not show its transactions"),
        "{error}"
    );
}

#[tokio::test]
async fn outages_of_a_local_node_are_what_a_program_has_to_survive() {
    let (node, client) = start().await;
    let client = client.with_retry(RetryPolicy::never());
    let alice = keys(&node, "alice");
    let signed = signed_transfer(&node, &client, &alice).await;

    node.set_outage(Some(Outage::Unavailable));
    let error = client.block(1).await.unwrap_err();
    assert_eq!(error.status(), Some(StatusCode::SERVICE_UNAVAILABLE));
    let _refused = client.submit(&signed).await.unwrap_err();
    assert_eq!(node.pending(), 0);

    node.set_outage(Some(Outage::Delayed(Duration::from_secs(3_600))));
    let brief = client.with_request_timeout(Duration::from_millis(50));
    assert!(brief.block(1).await.unwrap_err().is_timeout());

    node.set_outage(Some(Outage::LostResponses));
    let error = client.submit(&signed).await.unwrap_err();
    assert!(error.maybe_sent() && error.is_retryable(), "{error}");
    assert_eq!(node.pending(), 1);

    node.set_outage(None);
    let again = client.submit(&signed).await.unwrap();
    again.accepted().unwrap();
    assert_eq!(again.new_transaction(), Some(false));
    assert_eq!(node.pending(), 1);
}
