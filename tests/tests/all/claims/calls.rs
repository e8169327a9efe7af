//! Contract calls that are saved, and paid for once.

use std::process::{Command, Stdio};

use axum::http::StatusCode;
use integration_tests::{built, faults::change_json};
use nodeproof_claims::{
    CallErrorKind, CallOutcome, SavedCall, SavedCallError, SavedTransactionError, TransactionState,
};
use nodeproof_client::{CallOptions, CheckedTransaction, ContractCall, InclusionOptions, Transfer};
use nodeproof_devnode::{BlockTime, ChainTime, InjectedFault, Outage};
use nodeproof_primitives::{Network, TimestampMs, WalletAddress};
use serde_json::{Value, json};

use super::*;

const TOKEN: &str = "GRAIN";
const FEE: i128 = 1_500_000;

impl TestEnvironment {
    /// Starts a node that makes a block for each submission.
    async fn with_quick_blocks() -> Self {
        let config = Config::for_tests().with_block_time(BlockTime::OnSubmission);
        let node = nodeproof_devnode::spawn(config).await.unwrap();
        Self {
            client: Client::new(node.base_url()).unwrap(),
            node,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn named(&self, name: &str) -> KeyPair {
        self.node.wallet(name).unwrap().keys().clone()
    }

    /// Returns a transfer of tokens to bob, which is submitted once and waits briefly.
    fn transfer(&self, amount: u64) -> SavedCall {
        let transfer = Transfer::new(amount, self.named("bob").address(), TOKEN);
        let fee = Fee::new(FEE.into(), self.node.native_token()).unwrap();
        let contract = self.node.token_contract_address();
        let transfer = ContractCall::of(contract, &transfer).unwrap();
        let options = CallOptions {
            submit: SubmitPolicy::ONCE,
            ..CallOptions::default()
        };
        let wait = InclusionOptions {
            interval: Duration::from_millis(1),
            ..InclusionOptions::default()
        };
        SavedCall {
            options,
            wait,
            ..SavedCall::new(transfer, fee, self.file())
        }
    }

    async fn held(&self, token: &str, wallet: WalletAddress) -> i128 {
        let balance = self.client.token_balance(token, wallet).await.unwrap();
        balance.unwrap_or_default().get()
    }

    /// Returns what alice has for fees, and what bob has of the token.
    async fn balances(&self) -> (i128, i128) {
        let native = self.node.native_token();
        let alice = self.held(native, self.named("alice").address()).await;
        (alice, self.held(TOKEN, self.named("bob").address()).await)
    }

    async fn pay(&self, call: &SavedCall) -> Result<CallOutcome, SavedCallError> {
        let alice = self.named("alice");
        call.make(&self.client, &[&alice]).await
    }
}

#[tokio::test]
async fn a_transfer_whose_response_is_lost_is_paid_once() {
    let world = TestEnvironment::new().await;
    let (call, before) = (world.transfer(1_250_000), world.balances().await);
    let node = Arc::clone(world.node.node());
    for outage in [Outage::Unavailable, Outage::LostResponses] {
        node.set_submission_outage(Some(outage));
        let error = world.pay(&call).await.unwrap_err();
        assert!(error.maybe_sent() && error.refusal().is_none(), "{error}");
        assert!(
            error.to_string().contains("submit the same transaction"),
            "{error}"
        );
        assert_eq!(world.saved().state(), TransactionState::Sent);
    }
    node.set_submission_outage(None);
    let no_wait = InclusionOptions {
        timeout: Duration::ZERO,
        ..InclusionOptions::default()
    };
    let mut brief = call.clone();
    brief.wait = no_wait;
    let outcome = world.pay(&brief).await.unwrap();
    assert_eq!((outcome.included, outcome.shows_transactions), (None, None));
    assert_eq!(
        (outcome.resumed, outcome.new_transaction),
        (true, Some(false))
    );
    node.make_block();
    let (code, height) = (world.saved().trans_code(), world.node.height());
    // In a block, it is found even if the node takes no submission.
    for outage in [None, Some(Outage::Unavailable)] {
        node.set_submission_outage(outage);
        let outcome = world.pay(&call).await.unwrap();
        assert_eq!(outcome.trans_code(), code);
        assert_eq!(outcome.block(), Some(height));
        let included = outcome.included.unwrap();
        assert_eq!(included.transaction.trans_code(), Some(code));
        // Blocks are read before anything is sent again.
        assert_eq!(outcome.sent, 0);
        if outage.is_none() {
            // Later runs find a block that is not one of the latest any more.
            for _ in 0..30 {
                node.make_block();
            }
        }
    }
    assert_eq!(world.saved().state(), TransactionState::Recorded);
    let after = world.balances().await;
    assert_eq!(before.0 - after.0, FEE);
    assert_eq!(after.1 - before.1, 1_250_000);
}

#[tokio::test]
async fn a_node_that_refuses_a_transaction_it_has_does_not_hide_its_block() {
    let world = TestEnvironment::with_quick_blocks().await;
    let call = world.transfer(7);
    let first = world.pay(&call).await.unwrap();
    let refuses: Fault = Arc::new(|request, good| match request.path.as_str() {
        "/submit-transaction" => good
            .with_status(StatusCode::OK)
            .with_body(r#"{"status":"SUCCESS","response":{"valid":false,"msg":"known"}}"#),
        _ => good,
    });
    let (proxy, _) = world.behind(refuses).await;
    let client = Client::new(&*proxy.server.base_url()).unwrap();
    let (alice, mut again) = (world.named("alice"), call.clone());
    again.any_node = true;
    let outcome = again.make(&client, &[&alice]).await.unwrap();
    assert_eq!(outcome.block(), first.block());

    // A call that no block contains is refused, and stays so.
    let refused = world.transfer(999_999_999_999_999);
    std::fs::remove_file(world.file()).unwrap();
    let error = refused.make(&client, &[&alice]).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Refused, "{error}");
}

/// Changes the transactions in blocks.
fn shows_transactions(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Fault {
    change_json("/get-block", move |_, block| {
        let list = block.pointer_mut("/text/transactions");
        let list = list.and_then(Value::as_array_mut).into_iter().flatten();
        let transactions = list.filter_map(|entry| entry.get_mut("transaction"));
        transactions.for_each(&change);
    })
}

/// Changes the `specific_data` of all transactions in blocks.
fn shows_calls(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Fault {
    shows_transactions(move |transaction| {
        if let Some(call) = transaction.get_mut("specific_data") {
            change(call);
        }
    })
}

#[tokio::test]
async fn a_block_with_another_transaction_confirms_nothing() {
    let change = |name: &'static str, value: Value| {
        shows_calls(move |call| match call["params"].get_mut(name) {
            Some(param) => *param = value.clone(),
            None => call[name] = value.clone(),
        })
    };
    let other = format!("0x{}", "6".repeat(40));
    for (name, fault, shown) in [
        (
            "amount_to_send",
            change("amount_to_send", json!(7)),
            "is 7 there, and was signed as 900",
        ),
        ("receiver", change("receiver", json!(other)), "is \"0x666"),
        (
            "function",
            change("function", json!("mint")),
            "is mint there",
        ),
        ("signers", change("signers", json!([other])), "is 0x666"),
        (
            "fee",
            shows_transactions(|transaction| transaction["fee"] = json!(5)),
            "is 5 there",
        ),
        (
            "currency",
            shows_transactions(|transaction| transaction["currency"] = json!("OTHER")),
            "is \"OTHER\" there",
        ),
        (
            "timestamp",
            shows_transactions(|transaction| transaction["timestamp"] = json!(7)),
            "is 7 there",
        ),
    ] {
        let world = TestEnvironment::with_quick_blocks().await;
        let (_proxy, client) = world.behind(fault).await;
        let (alice, call) = (world.named("alice"), world.transfer(900));
        // Whether it was sent just now or by an earlier run.
        for _ in 0..2 {
            let error = call.make(&client, &[&alice]).await.unwrap_err();
            assert!(error.maybe_sent(), "{error}");
            let text = error.to_string();
            assert!(text.contains(&format!("`{name}` {shown}")), "{text}");
            assert_eq!(world.saved().state(), TransactionState::Accepted);
        }
        let error = call.status(&client).await.unwrap_err();
        assert!(matches!(error, SavedCallError::AnotherInBlock { .. }));
        assert_eq!(world.node.submissions_received(), 1);
    }
}

#[tokio::test]
async fn a_block_with_another_claim_is_an_error_and_nothing_is_sent_again() {
    for (fault, shown) in [
        (
            shows_calls(|call| call["params"]["outcome"] = json!(7)),
            "`outcome` is 7 there, and was signed as 1",
        ),
        (
            shows_transactions(|transaction| transaction["fee"] = json!(5)),
            "`fee` is 5 there, and was signed as 1500000",
        ),
    ] {
        let world = TestEnvironment::with_quick_blocks().await;
        let (_proxy, client) = world.behind(fault).await;
        // Whether it was sent just now or by an earlier run.
        for _ in 0..2 {
            let claim = world.claim("lot/1");
            let made = world.make_at(&client, &claim, &world.options()).await;
            let error = made.unwrap_err();
            assert!(error.maybe_sent(), "{error}");
            assert!(error.to_string().contains(shown), "{error}");
            assert_eq!(world.saved().state(), TransactionState::Accepted);
        }
        assert_eq!(world.node.submissions_received(), 1);
    }
}

#[tokio::test]
async fn a_block_may_write_the_transaction_in_another_way() {
    let world = TestEnvironment::with_quick_blocks().await;
    let (_proxy, client) = world
        .behind(shows_calls(|call| {
            call["params"]["amount_to_send"] = json!(7.0)
        }))
        .await;
    let alice = world.named("alice");
    let outcome = world.transfer(7).make(&client, &[&alice]).await.unwrap();
    assert_eq!(outcome.block(), Some(world.node.height()));
}

#[tokio::test]
async fn a_call_in_a_block_is_sent_once_however_often_it_is_made() {
    let world = TestEnvironment::with_quick_blocks().await;
    let call = world.transfer(7);
    assert_eq!(call.status(&world.client).await.unwrap(), None);
    let first = world.pay(&call).await.unwrap();
    for _ in 0..3 {
        let again = world.pay(&call).await.unwrap();
        assert_eq!((again.block(), again.sent), (first.block(), 0));
        let status = call.status(&world.client).await.unwrap().unwrap();
        assert_eq!(status.saved.state(), TransactionState::Recorded);
        assert_eq!(status.included, first.included);
    }
    assert_eq!(world.node.submissions_received(), 1);
    // A call that no block contains yet.
    let manual = TestEnvironment::new().await;
    let mut call = manual.transfer(7);
    call.wait.timeout = Duration::ZERO;
    manual.pay(&call).await.unwrap();
    let status = call.status(&manual.client).await.unwrap().unwrap();
    assert_eq!(status.saved.state(), TransactionState::Accepted);
    assert_eq!(status.included, None);
    assert_eq!(manual.node.submissions_received(), 1);
}

#[tokio::test]
async fn a_call_that_was_refused_for_its_fee_is_made_again_with_another_one() {
    let world = TestEnvironment::with_quick_blocks().await;
    let (alice, bob) = (world.named("alice"), world.named("bob"));
    let with_fee = |amount: i128, tokens: u64| {
        let transfer = Transfer::new(tokens, bob.address(), TOKEN);
        let fee = Fee::new(amount.into(), world.node.native_token()).unwrap();
        let contract = world.node.token_contract_address();
        let transfer = ContractCall::of(contract, &transfer).unwrap();
        SavedCall::new(transfer, fee, world.file())
    };
    let again = |amount: i128, tokens: u64| SavedCall {
        again: true,
        ..with_fee(amount, tokens)
    };
    let make = async |call: SavedCall| call.make(&world.client, &[&alice]).await;
    let before = world.balances().await;
    let error = make(with_fee(1, 5)).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Refused);
    let refused = world.saved();
    // Without the option, the fee is part of the call. With it, only the fee may differ.
    for wrong in [with_fee(FEE, 5), again(FEE, 6)] {
        let error = make(wrong).await.unwrap_err();
        assert_eq!(error.kind(), CallErrorKind::SavedFile, "{error}");
    }
    let made = make(again(FEE, 5)).await.unwrap();
    let aside = made.put_aside.as_ref().unwrap();
    let aside = SavedTransaction::open(aside).unwrap().unwrap();
    assert_eq!(aside.signed(), refused.signed());
    // A later run finds the block of the one that was made, and pays no third one.
    for later in [with_fee(FEE, 5), again(2 * FEE, 5)] {
        let later = make(later).await.unwrap();
        assert_eq!((later.block(), later.sent), (made.block(), 0));
    }
    let after = world.balances().await;
    assert_eq!((before.0 - after.0, after.1 - before.1), (FEE, 5));
}

#[tokio::test]
async fn a_call_and_a_claim_are_made_at_the_same_time_in_one_expression() {
    let world = TestEnvironment::with_quick_blocks().await;
    let (alice, folder) = (world.named("alice"), world.folder.path());
    let (paid, claimed) = tokio::join!(
        world.transfer(5).make(&world.client, &[&alice]),
        world.claim("a").make(
            &world.client,
            &[&alice],
            folder.join("a.json"),
            &ClaimOptions::default()
        ),
    );
    let (paid, claimed) = (paid.unwrap(), claimed.unwrap());
    assert!(paid.block().is_some() && claimed.record().is_some());
    // A service stores the results.
    let stored = serde_json::to_value((&paid.included, claimed.record())).unwrap();
    assert_eq!(stored[0]["block"], paid.block().unwrap());
    assert_eq!(stored[1]["asset_id"], "a");
}

#[tokio::test]
async fn several_wallets_sign_a_call_in_one_step_and_the_first_comes_first() {
    let world = TestEnvironment::with_quick_blocks().await;
    let (alice, carol) = (world.named("alice"), world.named("carol"));
    let signers: [&dyn Signer; 2] = [&alice, &carol];
    let outcome = world
        .transfer(9)
        .make(&world.client, &signers)
        .await
        .unwrap();
    let transaction = outcome.included.unwrap().transaction;
    let call = transaction.contract_call().unwrap().unwrap();
    assert_eq!(call.signers, [alice.address(), carol.address()]);
    let signed = transaction.signed().unwrap().signatures().unwrap();
    assert_eq!(signed.len(), 2);
    let error = world.transfer(9).make(&world.client, &[&alice]).await;
    assert!(error.unwrap_err().to_string().contains("`signers` was"));
}

#[tokio::test]
async fn two_runs_with_one_file_make_one_call() {
    let world = TestEnvironment::with_quick_blocks().await;
    let (call, before) = (world.transfer(5), world.balances().await);
    let (one, other) = tokio::join!(world.pay(&call), world.pay(&call));
    assert_eq!(one.unwrap().trans_code(), other.unwrap().trans_code());
    let error = world.pay(&world.transfer(6)).await.unwrap_err();
    assert!(
        matches!(
            error,
            SavedCallError::Saved(SavedTransactionError::DifferentTransaction { .. })
        ),
        "{error}"
    );
    let after = world.balances().await;
    assert_eq!((before.0 - after.0, after.1 - before.1), (FEE, 5));
}

#[tokio::test]
async fn a_block_is_found_after_a_shorter_chain_replaced_the_old_one() {
    let mut world = TestEnvironment::new().await;
    let alice = world.named("alice");
    let mut call = world.transfer(5);
    call.any_node = true;
    while world.node.height() < 40 {
        world.node.make_block();
    }
    let outage = Some(Outage::Unavailable);
    world.node.node().set_submission_outage(outage);
    assert!(world.pay(&call).await.unwrap_err().maybe_sent());

    let time = ChainTime::From(TimestampMs::from_millis(1_767_225_600_000));
    let config = Config::for_tests().with_blocks(12).with_time(time);
    let config = config.with_block_time(BlockTime::OnSubmission);
    world.node = nodeproof_devnode::spawn(config).await.unwrap();
    world.client = Client::new(world.node.base_url()).unwrap();
    let (saved, once) = (world.saved(), SubmitPolicy::ONCE);
    world.client.submit(saved.signed(), &once).await.unwrap();
    let block = world.node.height();
    while world.node.height() < 63 {
        world.node.make_block();
    }
    for _ in 0..2 {
        let outcome = call.make(&world.client, &[&alice]).await.unwrap();
        assert_eq!(outcome.block(), Some(block));
        let found = world.client.block(block).await.unwrap().unwrap();
        let hash = outcome.included.unwrap().block_hash;
        assert!(hash.is_some() && hash == found.block_hash());
    }
}

#[tokio::test]
async fn a_call_that_was_saved_for_another_network_is_not_submitted() {
    let world = TestEnvironment::with_quick_blocks().await;
    let (alice, call) = (world.named("alice"), world.transfer(5));
    world.pay(&call).await.unwrap();
    // The same transaction, saved for a node on devnet's port.
    let saved = world.saved();
    let fee = Fee::new(FEE.into(), world.node.native_token()).unwrap();
    let checked = CheckedTransaction::check_signed(saved.call(), saved.signed(), &fee).unwrap();
    std::fs::remove_file(world.file()).unwrap();
    let devnet = Client::for_network("127.0.0.1", Network::Devnet).unwrap();
    SavedTransaction::create(&world.file(), devnet.base_url(), &checked, saved.signed()).unwrap();
    let received = world.node.submissions_received();
    let error = world.pay(&call).await.unwrap_err();
    assert!(error.to_string().contains("`any_node`"), "{error}");
    let mut elsewhere = call.clone();
    (elsewhere.any_node, elsewhere.network) = (true, Some(Network::Testnet));
    let error = elsewhere.make(&world.client, &[&alice]).await.unwrap_err();
    assert!(error.to_string().contains("saved for devnet"), "{error}");
    assert_eq!(world.node.submissions_received(), received);
}

#[tokio::test]
async fn a_node_without_transactions_in_its_blocks_accepts_a_call_without_a_wait() {
    let mut world = TestEnvironment::with_quick_blocks().await;
    let config = Config::for_tests().with_fault(InjectedFault::BlockRows);
    world.node = nodeproof_devnode::spawn(config).await.unwrap();
    world.client = Client::new(world.node.base_url()).unwrap();
    let outcome = world.pay(&world.transfer(5)).await.unwrap();
    assert_eq!(outcome.shows_transactions, Some(false));
    assert_eq!((outcome.included, outcome.sent), (None, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_pays_once_although_it_is_killed_while_it_submits() {
    let every = BlockTime::Every(Duration::from_millis(200));
    let node = nodeproof_devnode::spawn(Config::for_tests().with_block_time(every));
    let node = node.await.unwrap();
    let world = TestEnvironment {
        client: Client::new(node.base_url()).unwrap(),
        node,
        folder: tempfile::tempdir().unwrap(),
    };
    let before = world.balances().await;
    let example = built::example("pay_once").unwrap();
    let start = || {
        let mut command = Command::new(&example);
        command.arg(world.node.base_url()).arg(world.file());
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let late = Outage::Delayed(Duration::from_secs(3600));
    world.node.node().set_submission_outage(Some(late));
    let mut killed = start();
    while world.node.submissions_received() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    world.node.node().set_submission_outage(None);
    for _ in 0..2 {
        let again = start();
        let ended = tokio::task::spawn_blocking(|| again.wait_with_output());
        let output = ended.await.unwrap().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        assert!(text.contains("paid 1.25 GRAIN in block "), "{text}");
    }
    let after = world.balances().await;
    assert_eq!((before.0 - after.0, after.1 - before.1), (FEE, 1_250_000));
}
