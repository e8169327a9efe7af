//! Claims without errors.

use std::sync::Mutex;

use nodeproof_claims::{PreparedClaim, ReadBack, TransactionState, wait_for_claim};
use nodeproof_client::{Hash256, signed_message};

use super::*;

const ASSET: &str = "crate \u{2116} 7 \"caf\u{e9}\"";

#[tokio::test]
async fn a_claim_is_made_in_one_call_and_its_record_read_back() {
    let world = TestEnvironment::new().await;
    let document = world.folder.path().join("inspection.pdf");
    std::fs::write(&document, "weighed").unwrap();
    let hash = "ab".repeat(32).parse::<Hash256>().unwrap();
    let claim = Claim {
        documents: vec![document.into(), hash.into()],
        asset_type: "crate".to_owned(),
        outcome: 3.into(),
        ..world.claim(ASSET)
    };
    let wallet = world.wallet(0);
    let outcome = world.make(&claim, &world.with_blocks()).await.unwrap();

    let record = outcome.record().unwrap();
    assert_eq!(record.asset_id, ASSET);
    assert_eq!(record.asset_type, "crate");
    assert_eq!(record.outcome, 3);
    assert_eq!(record.remarks, "na\u{ef}ve \"quoted\"");
    assert_eq!(
        record.doc_hash_list,
        [
            // The output of sha256sum for the file.
            "dfa086bad24f43952f29adcf6097ed91749841cd7b4a61ea3fd44ce80ce55c59".to_owned(),
            "ab".repeat(32)
        ]
    );
    assert_eq!(record.verifier_address, wallet.address());
    assert_eq!(outcome.new_transaction, Some(true));
    let inclusion = outcome.inclusion.as_ref().unwrap();
    assert_eq!(inclusion.block, world.node.height());
    assert_eq!(
        inclusion.transaction.trans_code(),
        Some(outcome.trans_code())
    );
    assert_eq!((outcome.resumed, outcome.sent), (false, 1));
    assert_eq!(world.node.submissions_received(), 1);
    let fee = outcome.transaction.transaction().unwrap();
    assert_eq!(fee.fee.as_str(), "1500000");
    assert_eq!(world.saved().state(), TransactionState::Recorded);
    assert_eq!(world.saved().signed(), &outcome.transaction);
}

#[tokio::test]
async fn a_block_shows_the_claims_of_a_contract() {
    let world = TestEnvironment::new().await;
    let outcome = world.claimed(ASSET).await;
    let block = world.client.block(world.node.height()).await.unwrap();
    let block = block.unwrap();
    let claims = block.claims(world.node.contract_address()).unwrap();
    let [Ok(claim)] = claims.as_slice() else {
        panic!("{claims:?}")
    };
    assert_eq!(claim.trans_code, outcome.trans_code());
    assert_eq!(claim.params.asset_id, ASSET);
    assert_eq!(claim.verifier, world.wallet(0).address());
    let calls = block.transactions().unwrap().iter();
    let calls: Vec<_> = calls.map(|entry| entry.contract_call().unwrap()).collect();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].as_ref().unwrap().function, "add_verification");
    let other = block.claims(world.node.token_contract_address());
    assert!(other.unwrap().is_empty());
}

#[tokio::test]
async fn each_step_is_told_in_its_order() {
    let world = TestEnvironment::new().await;
    let document = world.folder.path().join("a");
    std::fs::write(&document, "a").unwrap();
    let steps = Arc::new(Mutex::new(Vec::new()));
    let (list, node) = (Arc::clone(&steps), Arc::clone(world.node.node()));
    let options = ClaimOptions {
        wait: Duration::from_secs(600),
        on_step: OnStep::new(move |step| {
            // The record exists after the first request that did not find it.
            if matches!(step, ClaimStep::Waiting { .. }) {
                node.make_block();
            }
            list.lock().unwrap().push(name(step));
        }),
        ..world.options()
    };
    let claim = world.claim_with(ASSET, document);
    // Run it on another thread, like an application.
    let (client, wallet, file) = (world.client.clone(), world.wallet(0), world.file());
    let outcome = tokio::spawn(async move {
        let made = claim
            .make(&client, &[signer(&wallet)], file, &options)
            .await;
        made.unwrap()
    });
    assert!(outcome.await.unwrap().record().is_some());
    assert_eq!(
        *steps.lock().unwrap(),
        [
            "Hashing",
            "Built",
            "Signed",
            "Saved",
            "Submitting",
            "Submitted",
            "Waiting"
        ]
    );
}

#[tokio::test]
async fn a_record_that_is_not_there_at_the_deadline_is_told_as_such() {
    let world = TestEnvironment::new().await;
    let (claim, options) = (world.claim(ASSET), world.options());
    let outcome = world.make(&claim, &options).await.unwrap();
    assert_eq!(outcome.read_back, ReadBack::Nothing);
    assert_eq!(outcome.record(), None);
    assert_eq!(world.saved().state(), TransactionState::Accepted);

    // The record exists later, without a second transaction.
    world.node.make_block();
    let later = world.make(&claim, &options).await.unwrap();
    assert!(later.resumed && later.record().is_some());
    assert_eq!(later.transaction, outcome.transaction);
    assert_eq!(later.new_transaction, Some(false));
}

#[tokio::test]
async fn a_recorded_claim_is_sent_once_however_often_it_is_made() {
    let world = TestEnvironment::new().await;
    let (claim, options) = (world.claim(ASSET), world.with_blocks());
    let wallets = [world.wallet(0).address()];
    let prepared = PreparedClaim::prepare(&world.client, &claim, &wallets, &options);
    let prepared = prepared.await.unwrap();
    assert_eq!(prepared.status(&world.file()).await.unwrap(), None);
    let first = world.make(&claim, &options).await.unwrap();
    // The block is known, also when it is not one of the latest any more.
    for _ in 0..30 {
        world.node.make_block();
    }
    for _ in 0..3 {
        let again = world.make(&claim, &options).await.unwrap();
        assert_eq!((again.sent, again.resumed), (0, true));
        assert_eq!(again.inclusion, first.inclusion);
        assert_eq!(again.record(), first.record());
        let status = prepared.status(&world.file()).await.unwrap().unwrap();
        assert_eq!(status.saved.state(), TransactionState::Recorded);
        assert_eq!(status.inclusion, first.inclusion);
        assert_eq!(status.read_back.record(), first.record());
    }
    assert_eq!(world.node.submissions_received(), 1);
}

#[tokio::test]
async fn all_signers_sign_and_one_of_them_verifies() {
    let world = TestEnvironment::new().await;
    let (first, second) = (world.wallet(0), world.wallet(1));
    let claim = Claim {
        verifier: Some(second.address()),
        ..world.claim(ASSET)
    };
    let outcome = claim
        .make(
            &world.client,
            &[&first, &second],
            world.file(),
            &world.with_blocks(),
        )
        .await
        .unwrap();
    assert_eq!(outcome.transaction.signatures().unwrap().len(), 2);
    // The node stores the first signer, not the requested verifier. The record is still this claim's.
    let stored = outcome.record().unwrap().verifier_address;
    assert_eq!(stored, first.address());
}

#[tokio::test]
async fn a_second_verifier_finds_the_own_record_behind_the_first_one() {
    let world = TestEnvironment::new().await;
    world.claimed(ASSET).await;
    let other = world.wallet(1);
    let by_other = |asset: &'static str, file: &'static str| {
        let (file, options) = (world.folder.path().join(file), world.with_blocks());
        let (claim, other, client) = (world.claim(asset), other.clone(), &world.client);
        async move {
            let made = claim.make(client, &[&other], file, &options).await;
            made.unwrap()
        }
    };
    let own = by_other(ASSET, "one").await;
    let record = own.record().unwrap();
    assert_eq!(record.verifier_address, other.address());

    // Nodes that return one row show only the first verifier's record. The result reports that.
    world.claimed("another").await;
    match by_other("another", "two").await.read_back {
        ReadBack::OtherVerifiers(records) => {
            let shown = records.first().unwrap().verifier_address;
            assert_eq!(shown, world.wallet(0).address());
        }
        seen => panic!("{seen:?}"),
    }
}

#[tokio::test]
async fn a_prepared_claim_is_shown_before_it_is_made() {
    let world = TestEnvironment::new().await;
    let (claim, wallet) = (world.claim(ASSET), world.wallet(0));
    let (wallets, options) = ([wallet.address()], world.with_blocks());
    let prepared = PreparedClaim::prepare(&world.client, &claim, &wallets, &options).await;
    let prepared = prepared.unwrap();
    assert_eq!(prepared.call(), &claim.call(&wallets, Vec::new()).unwrap());
    assert_eq!(prepared.saved(&world.file()).await.unwrap(), None);
    let checked = prepared.build().await.unwrap();
    assert!(checked.to_string().contains("add_verification"));
    let message = signed_message(checked.transaction_text()).unwrap();
    assert_eq!(checked.message(), message);
    assert!(!world.file().exists());
    assert_eq!(world.node.submissions_received(), 0);

    let made = prepared.complete(world.file(), &[&wallet]).await.unwrap();
    assert!(made.record().is_some());
    let saved = prepared.saved(&world.file()).await.unwrap().unwrap();
    assert_eq!(saved.state(), TransactionState::Recorded);
    let wait = wait_for_claim(
        &world.client,
        claim.contract,
        prepared.params(),
        Duration::ZERO,
        Duration::ZERO,
    );
    assert_eq!(wait.await.unwrap().record(), made.record());
}
