//! Making another transaction of a claim, and what happens to the saved one.

use axum::http::StatusCode;
use nodeproof_claims::{CallErrorKind, PreparedClaim, ReadBack, TransactionState};

use super::{crashes::crash, *};

/// Returns the names of all files in the folder, sorted.
fn names(world: &TestEnvironment) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(world.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn again(world: &TestEnvironment) -> ClaimOptions {
    ClaimOptions {
        again: true,
        ..world.options()
    }
}

#[tokio::test]
async fn what_is_kept_keeps_its_place_until_another_one_is_signed() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    let first = world.make(&claim, &world.options()).await.unwrap();
    let before = std::fs::read(world.file()).unwrap();
    let unchanged = || {
        assert_eq!(names(&world), ["claim.json"]);
        assert_eq!(std::fs::read(world.file()).unwrap(), before);
    };
    // The node builds nothing.
    let failing: Fault = Arc::new(|request, response| match request.path.as_str() {
        "/call-sc" => response.with_status(StatusCode::INTERNAL_SERVER_ERROR),
        _ => response,
    });
    let (_proxy, client) = world.behind(failing).await;
    let error = world.make_at(&client, &claim, &again(&world)).await;
    assert_eq!(error.unwrap_err().kind(), CallErrorKind::NotMade);
    unchanged();
    // The program ends before the new transaction is written.
    crash(&world, again(&world), &claim, "Signed").await;
    unchanged();

    // So the next run submits the first transaction, and nothing is paid twice.
    let outcome = world.make(&claim, &world.with_blocks()).await.unwrap();
    assert_eq!(outcome.transaction, first.transaction);
    assert!(outcome.resumed && outcome.put_aside.is_none());
    assert!(outcome.record().is_some());
    // Once this verifier's record is there, no other transaction is made.
    let error = world.make(&claim, &again(&world)).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Earlier);
    assert_eq!(names(&world), ["claim.json"]);
    assert_eq!(world.node.submissions_received(), 2);
}

#[tokio::test]
async fn another_transaction_takes_the_place_of_the_kept_one_which_is_put_aside() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    crash(&world, world.options(), &claim, "Saved").await;
    let old = world.saved();
    // Time advances with blocks here. A call that is built at another time is another transaction.
    world.node.make_block();
    let steps = Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = Arc::clone(&steps);
    let options = ClaimOptions {
        on_step: OnStep::new(move |step| list.lock().unwrap().push(name(step))),
        ..again(&world)
    };
    let outcome = world.make(&claim, &options).await.unwrap();
    assert_ne!(&outcome.transaction, old.signed());
    assert!(!outcome.resumed);
    let aside = world.folder.path().join("claim.json.1");
    assert_eq!(outcome.put_aside.as_ref(), Some(&aside));
    assert_eq!(names(&world), ["claim.json", "claim.json.1"]);
    let aside = SavedTransaction::open(&aside).unwrap().unwrap();
    assert_eq!(aside.signed(), old.signed());
    assert_eq!(aside.state(), TransactionState::Signed);
    assert_eq!(world.saved().signed(), &outcome.transaction);
    assert_eq!(
        *steps.lock().unwrap(),
        [
            "Built",
            "Signed",
            "PutAside",
            "Saved",
            "Submitting",
            "Submitted"
        ]
    );
}

#[tokio::test]
async fn a_crash_after_the_new_one_is_kept_submits_the_new_one() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    world.make(&claim, &world.options()).await.unwrap();
    let old = world.saved();
    crash(&world, again(&world), &claim, "Saved").await;
    let new = world.saved();
    assert_ne!(new.signed(), old.signed());
    assert_eq!(names(&world), ["claim.json", "claim.json.1"]);
    let outcome = world.make(&claim, &world.options()).await.unwrap();
    assert!(outcome.resumed);
    assert_eq!(&outcome.transaction, new.signed());
    assert_eq!(world.node.submissions_received(), 2);
}

#[tokio::test]
async fn a_transaction_that_was_saved_elsewhere_is_not_sent_beside_another_claim() {
    let world = TestEnvironment::new().await;
    let wallet = world.wallet(0);
    let mut made = Vec::new();
    for remarks in ["first", "second"] {
        let claim = Claim {
            remarks: remarks.to_owned(),
            ..world.claim("a")
        };
        let options = world.with_blocks();
        let address = wallet.address();
        let prepared = PreparedClaim::prepare(&world.client, &claim, &[address], &options).await;
        let prepared = prepared.unwrap();
        // For example, the file goes to a co-signer and back.
        let checked = prepared.build().await.unwrap();
        let signed = checked.sign(&[&wallet]).await.unwrap();
        let file = world.folder.path().join(format!("{remarks}.json"));
        let node = world.client.base_url();
        SavedTransaction::create(&file, node, &checked, &signed).unwrap();
        made.push(prepared.complete(&file, &[&wallet]).await);
    }
    let [first, second] = &made[..] else {
        panic!("{made:?}");
    };
    assert!(first.as_ref().unwrap().record().is_some());
    assert_eq!(second.as_ref().unwrap_err().kind(), CallErrorKind::Earlier);
    assert_eq!(world.node.submissions_received(), 1);
}

#[tokio::test]
async fn a_claim_whose_record_was_deleted_is_not_sent_again_while_its_block_is_there() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    let first = world.make(&claim, &world.with_blocks()).await.unwrap();
    assert!(first.inclusion.is_some() || first.record().is_some());
    let waiting = ClaimOptions {
        wait: Duration::from_secs(60),
        any_node: true,
        ..world.options()
    };
    world.make(&claim, &waiting).await.unwrap();
    let no_record: Fault = Arc::new(|request, response| match request.path.as_str() {
        "/sc-state" => response.with_body(r#"{"value":null}"#),
        _ => response,
    });
    let (_proxy, client) = world.behind(no_record).await;
    let sent = world.node.submissions_received();
    let outcome = world.make_at(&client, &claim, &waiting).await.unwrap();
    assert_eq!(outcome.read_back, ReadBack::Nothing);
    assert!(outcome.inclusion.is_some() && outcome.recorded_earlier);
    assert_eq!((outcome.sent, world.node.submissions_received()), (0, sent));
}
