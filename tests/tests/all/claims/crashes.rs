//! Claims whose program ends before they are done, or whose responses are lost.

use std::{
    fs,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use axum::http::{HeaderValue, StatusCode, header};
use nodeproof_claims::{ClaimError, ClaimErrorKind, TransactionState};
use nodeproof_devnode::Outage;

use super::*;

/// Makes a claim, and crashes without clean-up at a step.
pub(super) async fn crash(world: &TestEnvironment, claim: &Claim, at: fn(&ClaimStep<'_>) -> bool) {
    crash_with(world, world.options(), claim, at).await;
}

/// Does the same with other options.
pub(super) async fn crash_with(
    world: &TestEnvironment,
    options: ClaimOptions,
    claim: &Claim,
    at: fn(&ClaimStep<'_>) -> bool,
) {
    let options = options.on_step(move |step| {
        assert!(!at(step), "the program ends here");
    });
    let (claim, wallet, client) = (claim.clone(), world.wallet(0), world.client.clone());
    let ended =
        tokio::spawn(async move { claim.make(&client, &[signer(&wallet)], &options).await });
    assert!(ended.await.unwrap_err().is_panic());
}

async fn resume(world: &TestEnvironment, claim: &Claim) -> ClaimOutcome {
    let wallet = world.wallet(0);
    let outcome = claim
        .make(&world.client, &[&wallet], &world.with_blocks())
        .await
        .unwrap();
    assert!(outcome.resumed && outcome.record().is_some());
    outcome
}

#[tokio::test]
async fn a_crash_between_keeping_and_submitting_submits_what_was_kept() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    crash(&world, &claim, |step| {
        matches!(step, ClaimStep::Saved { .. })
    })
    .await;
    assert_eq!(world.node.submissions_received(), 0);
    let saved = world.saved();
    assert_eq!(saved.state(), TransactionState::Signed);

    let outcome = resume(&world, &claim).await;
    assert_eq!(&outcome.transaction, saved.signed());
    // It had not arrived before.
    assert_eq!(outcome.new_transaction, Some(true));
    assert_eq!(world.node.submissions_received(), 1);
}

#[tokio::test]
async fn a_claim_whose_response_alone_is_lost_is_paid_once() {
    let world = TestEnvironment::new().await;
    let (claim, wallet) = (world.claim("a"), world.wallet(0));
    let balance = async || {
        let token = world.node.native_token();
        let balance = world.client.token_balance(token, wallet.address());
        balance.await.unwrap().unwrap().get()
    };
    let before = balance().await;
    world
        .node
        .set_submission_outage(Some(Outage::LostResponses));
    let options = world.options().submit(SubmitPolicy::once());
    let lost = claim.make(&world.client, &[&wallet], &options).await;
    let error = lost.unwrap_err();
    assert_eq!(error.kind(), ClaimErrorKind::Uncertain, "{error}");
    // All other requests are handled.
    assert_eq!((balance().await, world.node.pending()), (before, 1));

    world.node.set_submission_outage(None);
    let outcome = resume(&world, &claim).await;
    assert_eq!(outcome.new_transaction, Some(false));
    assert_eq!(before - balance().await, 1_500_000);
}

#[tokio::test]
async fn a_crash_between_submitting_and_waiting_makes_no_second_claim() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    crash(&world, &claim, |step| {
        matches!(step, ClaimStep::Submitted { .. })
    })
    .await;
    assert_eq!(world.node.pending(), 1);
    let saved = world.saved();

    let outcome = resume(&world, &claim).await;
    assert_eq!(&outcome.transaction, saved.signed());
    // It had already arrived.
    assert_eq!(outcome.new_transaction, Some(false));
}

#[tokio::test]
async fn a_crash_before_keeping_leaves_nothing_behind() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    crash(&world, &claim, |step| matches!(step, ClaimStep::Signed)).await;
    assert!(!world.file().exists());
    assert_eq!(world.node.submissions_received(), 0);
}

#[tokio::test]
async fn a_claim_that_is_dropped_while_it_hashes_stops_reading() {
    let world = TestEnvironment::new().await;
    let document = world.folder.path().join("endless");
    // The file is sparse: it takes no space, but hours to read.
    fs::File::create(&document)
        .unwrap()
        .set_len(1 << 42)
        .unwrap();
    let claim = world.claim("a").document(document);
    let (told, mut steps) = tokio::sync::mpsc::unbounded_channel();
    let options = world.options().on_step(move |_| {
        // At the end, the receiver is closed.
        let _ = told.send(());
    });
    let (wallet, client) = (world.wallet(0), world.client.clone());
    let claiming =
        tokio::spawn(async move { claim.make(&client, &[signer(&wallet)], &options).await });
    steps.recv().await.unwrap();
    claiming.abort();
    assert!(claiming.await.unwrap_err().is_cancelled());
    // The sender is dropped when the reading thread ends.
    while steps.recv().await.is_some() {}
    assert_eq!(world.node.requests_received(), 0);
}

/// Loses the responses to the first submissions. The node receives these submissions.
pub(super) fn losing(count: u32, status: StatusCode) -> Fault {
    let lost = AtomicU32::new(0);
    Arc::new(move |request, mut response| {
        let submission = request.path == "/submit-transaction";
        if !submission || lost.fetch_add(1, Ordering::SeqCst) >= count {
            return response;
        }
        let now = HeaderValue::from_static("0");
        response.headers.insert(header::RETRY_AFTER, now);
        response.with_status(status).with_body("lost")
    })
}

#[tokio::test]
async fn after_a_lost_response_the_same_transaction_is_submitted_again() {
    for status in [
        StatusCode::BAD_GATEWAY,
        StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::TOO_MANY_REQUESTS,
        // The response is not JSON.
        StatusCode::OK,
    ] {
        let world = TestEnvironment::new().await;
        let (proxy, client) = world.behind(losing(2, status)).await;
        let wallet = world.wallet(0);
        let outcome = world
            .claim("a")
            .make(&client, &[&wallet], &world.with_blocks())
            .await
            .unwrap();
        assert_eq!(outcome.sent, 3, "{status}");
        assert_eq!(outcome.new_transaction, Some(false));
        assert!(outcome.record().is_some() && !outcome.resumed);
        let bodies: Vec<_> = proxy
            .requests()
            .into_iter()
            .filter(|request| request.path == "/submit-transaction")
            .map(|request| request.body)
            .collect();
        let saved = world.saved().signed().text().as_str().to_owned();
        assert_eq!(bodies, [saved.as_str(); 3]);
    }
}

#[tokio::test]
async fn after_only_lost_responses_the_error_has_the_transaction_and_the_claim_can_be_resumed() {
    let world = TestEnvironment::new().await;
    let (_proxy, client) = world.behind(losing(9, StatusCode::BAD_GATEWAY)).await;
    let (claim, wallet) = (world.claim("a"), world.wallet(0));
    let error = claim
        .make(&client, &[&wallet], &world.options())
        .await
        .unwrap_err();
    assert!(error.maybe_sent());
    let ClaimError::Submission {
        error: failed,
        saved_in,
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(failed.sent(), 4);
    assert_eq!(saved_in.as_deref(), Some(&*world.file()));
    assert!(
        error.to_string().contains("repeat the same claim"),
        "{error}"
    );
    assert_eq!(world.node.pending(), 1);

    // The node's own base URL differs from the proxy's, and may belong to another network.
    let node = claim
        .make(&world.client, &[&wallet], &world.options())
        .await
        .unwrap_err();
    assert!(matches!(node, ClaimError::Saved(_)), "{node}");
    let anywhere = world.with_blocks().any_node(true);
    let outcome = claim.make(&world.client, &[&wallet], &anywhere).await;
    let outcome = outcome.unwrap();
    assert_eq!(outcome.new_transaction, Some(false));
    assert!(outcome.record().is_some());
}

#[tokio::test]
async fn a_node_that_is_gone_was_sent_nothing_and_the_transaction_stays() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    crash(&world, &claim, |step| {
        matches!(step, ClaimStep::Saved { .. })
    })
    .await;
    let TestEnvironment {
        node,
        client,
        folder,
    } = world;
    let wallet = node.wallets().first().unwrap().keys().clone();
    let path = folder.path().join("claim.json");
    let short = Duration::from_millis(1);
    restart::stop(node).await;
    let options = ClaimOptions::default().save_to(&path).submit(SubmitPolicy {
        first_pause: short,
        longest_pause: short,
        ..SubmitPolicy::default()
    });
    let error = claim.make(&client, &[&wallet], &options).await.unwrap_err();
    assert!(!error.maybe_sent());
    assert!(error.client_error().unwrap().is_connect(), "{error}");
    assert!(error.to_string().contains("never sent"), "{error}");
    let saved = SavedTransaction::open(&path).unwrap().unwrap();
    assert_eq!(saved.state(), TransactionState::Signed);
}

#[tokio::test]
async fn of_two_at_the_same_time_the_slower_one_is_told_whose_transaction_it_submits() {
    let world = TestEnvironment::new().await;
    let both = Arc::new(std::sync::Barrier::new(2));
    let claim = world.claim("a");
    let started: Vec<_> = (0..2)
        .map(|_| {
            let (told, both) = (Arc::new(Mutex::new(Vec::new())), Arc::clone(&both));
            let list = Arc::clone(&told);
            let options = world.options().on_step(move |step| {
                // Neither saves its transaction before both have signed.
                if matches!(step, ClaimStep::Signed) {
                    both.wait();
                }
                list.lock().unwrap().push(match step {
                    ClaimStep::Resumed { trans_code, .. } => format!("resumed {trans_code}"),
                    step => name(step),
                });
            });
            let (claim, wallet) = (claim.clone(), world.wallet(0));
            let base = world.client.base_url().as_str().to_owned();
            // Each has its own thread, because it waits for the other.
            let made = tokio::task::spawn_blocking(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .unwrap();
                runtime.block_on(async {
                    let client = Client::new(&*base).unwrap();
                    let signers = [signer(&wallet)];
                    claim.make(&client, &signers, &options).await.unwrap()
                })
            });
            (made, told)
        })
        .collect();
    let mut runs = Vec::new();
    for (made, told) in started {
        runs.push((made.await.unwrap(), told));
    }
    runs.sort_by_key(|(outcome, _)| outcome.resumed);
    let [(won, first), (lost, second)] = &runs[..] else {
        panic!("two were started");
    };
    assert_eq!((won.resumed, lost.resumed), (false, true));
    assert_eq!(won.transaction, lost.transaction);
    assert_eq!(won.trans_code(), lost.trans_code());
    assert_eq!(world.node.pending(), 1);
    assert_eq!(
        *first.lock().unwrap(),
        ["Built", "Signed", "Saved", "Submitting", "Submitted"]
    );
    let winner = format!("resumed {}", won.trans_code());
    assert_eq!(
        *second.lock().unwrap(),
        [
            "Built",
            "Signed",
            winner.as_str(),
            "Submitting",
            "Submitted"
        ]
    );
}
