//! Making another transaction of a claim, and what happens to the saved one.

use axum::http::StatusCode;
use nodeproof_claims::{ClaimError, ReadBack, TransactionState};

use super::{
    crashes::{crash, crash_with},
    *,
};

/// Returns the names of all files in the folder, sorted.
fn names(world: &TestEnvironment) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(world.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

async fn claim_it(world: &TestEnvironment, claim: &Claim, options: ClaimOptions) -> ClaimOutcome {
    let wallet = world.wallet(0);
    let made = claim.make(&world.client, &[&wallet], &options).await;
    made.unwrap()
}

#[tokio::test]
async fn what_is_kept_keeps_its_place_until_another_one_is_signed() {
    let world = TestEnvironment::new().await;
    let (claim, wallet) = (world.claim("a"), world.wallet(0));
    let first = claim_it(&world, &claim, world.options()).await;
    let before = std::fs::read(world.file()).unwrap();
    let unchanged = || {
        assert_eq!(names(&world), ["claim.json"]);
        assert_eq!(std::fs::read(world.file()).unwrap(), before);
    };
    let again = || world.options().again(true);

    // The node builds nothing.
    let failing: Fault = Arc::new(|request, response| {
        if request.path == "/call-sc" {
            return response.with_status(StatusCode::INTERNAL_SERVER_ERROR);
        }
        response
    });
    let (_proxy, client) = world.behind(failing).await;
    let error = claim.make(&client, &[&wallet], &again()).await;
    assert!(matches!(error, Err(ClaimError::Network(_))));
    unchanged();
    // The node builds a different transaction.
    let lying: Fault = Arc::new(|request, response| {
        if request.path != "/call-sc" {
            return response;
        }
        let text = String::from_utf8(response.body.to_vec()).unwrap();
        response.with_body(
            text.replace("na\\u00efve", "naive")
                .replace("na\u{ef}ve", "naive"),
        )
    });
    let (_proxy, client) = world.behind(lying).await;
    let error = claim.make(&client, &[&wallet], &again()).await;
    assert!(matches!(error, Err(ClaimError::BuiltCallMismatch(_))));
    unchanged();
    // The program ends before the new transaction is written.
    crash_with(&world, again(), &claim, |step| {
        matches!(step, ClaimStep::Signed)
    })
    .await;
    unchanged();

    // So the next run submits the first transaction, and nothing is paid twice.
    let outcome = claim_it(&world, &claim, world.with_blocks()).await;
    assert_eq!(outcome.transaction, first.transaction);
    assert!(outcome.resumed && outcome.put_aside.is_none());
    assert!(outcome.record().is_some());
}

#[tokio::test]
async fn another_transaction_takes_the_place_of_the_kept_one_which_is_put_aside() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    crash(&world, &claim, |step| {
        matches!(step, ClaimStep::Saved { .. })
    })
    .await;
    let old = world.saved();
    // Time advances with blocks here. A call that is built at another time is another transaction.
    world.node.make_block();
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = Arc::clone(&told);
    let options = world
        .options()
        .again(true)
        .on_step(move |step| list.lock().unwrap().push(name(step)));
    let outcome = claim_it(&world, &claim, options).await;
    assert_ne!(&outcome.transaction, old.signed());
    assert!(!outcome.resumed);
    let aside = world.folder.path().join("claim.json.1");
    assert_eq!(outcome.put_aside.as_ref(), Some(&aside));
    assert_eq!(names(&world), ["claim.json", "claim.json.1"]);
    assert_eq!(
        SavedTransaction::open(&aside).unwrap().unwrap().signed(),
        old.signed()
    );
    assert_eq!(world.saved().signed(), &outcome.transaction);
    assert_eq!(
        *told.lock().unwrap(),
        [
            "Built",
            "Signed",
            "PutAside",
            "Saved",
            "Submitting",
            "Submitted"
        ]
    );

    // Both may still be recorded, so both must be found.
    let contract = claim.contract;
    let verifier = world.wallet(0).address();
    let saved =
        SavedTransaction::find_claims(world.folder.path(), contract, "a", verifier).unwrap();
    let states: Vec<_> = saved
        .transactions
        .iter()
        .map(SavedTransaction::state)
        .collect();
    assert_eq!(
        states,
        [TransactionState::Accepted, TransactionState::Signed]
    );
    assert!(saved.skipped.is_empty() && saved.complete);
}

#[tokio::test]
async fn a_crash_after_the_new_one_is_kept_submits_the_new_one() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    claim_it(&world, &claim, world.options()).await;
    let old = world.saved();
    crash_with(&world, world.options().again(true), &claim, |step| {
        matches!(step, ClaimStep::Saved { .. })
    })
    .await;
    let new = world.saved();
    assert_ne!(new.signed(), old.signed());
    assert_eq!(names(&world), ["claim.json", "claim.json.1"]);
    let outcome = claim_it(&world, &claim, world.options()).await;
    assert!(outcome.resumed);
    assert_eq!(&outcome.transaction, new.signed());
    assert_eq!(world.node.submissions_received(), 2);
}

#[tokio::test]
async fn once_this_verifiers_record_is_there_no_other_transaction_is_made() {
    let world = TestEnvironment::new().await;
    let (claim, wallet) = (world.claim("a"), world.wallet(0));
    claim_it(&world, &claim, world.with_blocks()).await;
    let again = world.options().again(true);
    let error = claim.make(&world.client, &[&wallet], &again).await;
    assert!(matches!(error, Err(ClaimError::AlreadyRecorded { .. })));
    assert_eq!(names(&world), ["claim.json"]);
    assert_eq!(world.node.submissions_received(), 1);

    // With both options, the record of another transaction does not count as this claim's.
    let insisting = world.with_blocks().again(true).allow_existing_record(true);
    let outcome = claim_it(&world, &claim, insisting).await;
    assert!(!outcome.resumed && outcome.record().is_none());
    assert!(matches!(outcome.read_back, ReadBack::Before(_)));
    // The same holds after a resume.
    let later = claim_it(&world, &claim, world.options()).await;
    assert!(later.resumed);
    assert!(matches!(later.read_back, ReadBack::Before(_)));
    assert_eq!(world.saved().state(), TransactionState::Accepted);
}
