//! Claims whose program ends before they are done.

use nodeproof_client::ErrorKind;
use std::{fs, sync::Mutex};

use nodeproof_claims::{CallErrorKind, TransactionState};

use super::*;

/// Makes a claim, and crashes without clean-up at a step.
pub(super) async fn crash(
    world: &TestEnvironment,
    options: ClaimOptions,
    claim: &Claim,
    at: &'static str,
) {
    let options = ClaimOptions {
        on_step: OnStep::new(move |step| assert_ne!(name(step), at, "the program ends here")),
        ..options
    };
    let (claim, wallet, client) = (claim.clone(), world.wallet(0), world.client.clone());
    let file = world.file();
    let ended = tokio::spawn(async move {
        claim
            .make(&client, &[signer(&wallet)], file, &options)
            .await
    });
    assert!(ended.await.unwrap_err().is_panic());
}

#[tokio::test]
async fn whenever_a_program_ends_the_same_claim_is_paid_once() {
    // The step, and then: the state on disk, the submissions, and whether it is new to the node later.
    for (step, state, received, is_new) in [
        ("Signed", None, 0, true),
        ("Saved", Some(TransactionState::Signed), 0, true),
        // That it was about to be sent is on disk before it is.
        ("Submitting", Some(TransactionState::Sent), 0, true),
        ("Submitted", Some(TransactionState::Accepted), 1, false),
    ] {
        let world = TestEnvironment::new().await;
        let claim = world.claim("a");
        crash(&world, world.options(), &claim, step).await;
        assert_eq!(world.file().exists(), state.is_some(), "{step}");
        assert_eq!(world.node.submissions_received(), received, "{step}");
        let saved = state.map(|state| {
            assert_eq!(world.saved().state(), state, "{step}");
            world.saved().signed().clone()
        });
        let outcome = world.make(&claim, &world.with_blocks()).await.unwrap();
        assert!(outcome.record().is_some());
        assert_eq!(outcome.resumed, saved.is_some());
        assert_eq!(
            outcome.transaction,
            saved.unwrap_or(outcome.transaction.clone())
        );
        assert_eq!(outcome.new_transaction, Some(is_new));
        assert_eq!(world.node.submissions_received(), received + 1, "{step}");
    }
}

#[tokio::test]
async fn a_claim_that_is_dropped_while_it_hashes_stops_reading() {
    let world = TestEnvironment::new().await;
    let document = world.folder.path().join("endless");
    // The file is sparse: it takes no space, but hours to read.
    let file = fs::File::create(&document).unwrap();
    file.set_len(1 << 42).unwrap();
    let claim = world.claim_with("a", document);
    let (sender, mut steps) = tokio::sync::mpsc::unbounded_channel();
    let options = ClaimOptions {
        on_step: OnStep::new(move |_| {
            // At the end, the receiver is closed.
            let _ = sender.send(());
        }),
        ..world.options()
    };
    let (wallet, client, file) = (world.wallet(0), world.client.clone(), world.file());
    let claiming = tokio::spawn(async move {
        claim
            .make(&client, &[signer(&wallet)], file, &options)
            .await
    });
    steps.recv().await.unwrap();
    claiming.abort();
    assert!(claiming.await.unwrap_err().is_cancelled());
    // The sender is dropped when the reading thread ends.
    while steps.recv().await.is_some() {}
    assert_eq!(world.node.requests_received(), 0);
}

#[tokio::test]
async fn a_node_that_is_gone_was_sent_nothing_unless_an_earlier_run_has_sent_it() {
    for (step, state, kind, words) in [
        (
            "Saved",
            TransactionState::Signed,
            CallErrorKind::NotMade,
            "never sent",
        ),
        (
            "Submitting",
            TransactionState::Sent,
            CallErrorKind::Uncertain,
            "may have been accepted",
        ),
        (
            "Submitted",
            TransactionState::Accepted,
            CallErrorKind::Uncertain,
            "may have been accepted",
        ),
    ] {
        let world = TestEnvironment::new().await;
        let (claim, options, file) = (world.claim("a"), world.options(), world.file());
        crash(&world, options.clone(), &claim, step).await;
        let (wallet, client) = (world.wallet(0), world.client.clone());
        restart::stop(world.node).await;
        let made = claim.make(&client, &[&wallet], &file, &options).await;
        let error = made.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(error.client_error().unwrap().kind(), ErrorKind::Connect);
        assert!(error.is_retryable());
        let saved = SavedTransaction::open(&file).unwrap().unwrap();
        assert_eq!(saved.state(), state);
    }
}

#[tokio::test]
async fn of_two_at_the_same_time_the_slower_one_is_told_whose_transaction_it_submits() {
    let world = TestEnvironment::new().await;
    let both = Arc::new(std::sync::Barrier::new(2));
    let claim = world.claim("a");
    let started: Vec<_> = (0..2)
        .map(|_| {
            let (steps, both) = (Arc::new(Mutex::new(Vec::new())), Arc::clone(&both));
            let list = Arc::clone(&steps);
            let options = ClaimOptions {
                on_step: OnStep::new(move |step| {
                    // Neither saves its transaction before both have signed.
                    if matches!(step, ClaimStep::Signed) {
                        both.wait();
                    }
                    list.lock().unwrap().push(match step {
                        ClaimStep::Resumed { trans_code, .. } => format!("resumed {trans_code}"),
                        step => name(step),
                    });
                }),
                ..world.options()
            };
            let (claim, wallet, file) = (claim.clone(), world.wallet(0), world.file());
            let base = world.client.base_url().as_str().to_owned();
            // Each has its own thread, because it waits for the other.
            let made = tokio::task::spawn_blocking(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .unwrap();
                runtime.block_on(async {
                    let client = Client::new(&*base).unwrap();
                    let made = claim
                        .make(&client, &[signer(&wallet)], file, &options)
                        .await;
                    made.unwrap()
                })
            });
            (made, steps)
        })
        .collect();
    let mut runs = Vec::new();
    for (made, steps) in started {
        runs.push((made.await.unwrap(), steps));
    }
    runs.sort_by_key(|(outcome, _)| outcome.resumed);
    let [(won, first), (lost, second)] = &runs[..] else {
        panic!("two were started");
    };
    assert_eq!((won.resumed, lost.resumed), (false, true));
    assert_eq!(won.transaction, lost.transaction);
    assert_eq!(world.node.pending(), 1);
    assert_eq!(
        *first.lock().unwrap(),
        ["Built", "Signed", "Saved", "Submitting", "Submitted"]
    );
    let winner = format!("resumed {}", won.trans_code());
    assert_eq!(
        *second.lock().unwrap(),
        ["Built", "Signed", &winner, "Submitting", "Submitted"]
    );
}
