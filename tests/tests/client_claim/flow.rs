//! What a claim does when all goes well.

use std::sync::Mutex;

use nodeproof_client::{
    claim::{CheckedTransaction, Document, KeptState, ReadBack, SubmitPolicy},
    nodeproof_primitives::{Hash256, signed_message},
};

use super::*;

const ASSET: &str = "crate \u{2116} 7 \"caf\u{e9}\"";

#[tokio::test]
async fn a_claim_is_made_in_one_call_and_its_record_read_back() {
    let world = World::new().await;
    let document = world.folder.path().join("inspection.pdf");
    std::fs::write(&document, "weighed").unwrap();
    let hash = "ab".repeat(32).parse::<Hash256>().unwrap();
    let claim = world
        .claim(ASSET)
        .document(document)
        .document(hash)
        .asset_type("crate")
        .outcome(3);
    let wallet = world.wallet(0);
    let outcome = world
        .client
        .claim(&claim, &[&wallet], &world.with_blocks())
        .await
        .unwrap();

    let record = outcome.record().unwrap();
    assert_eq!(record.asset_id(), Ok(ASSET));
    assert_eq!(record.asset_type(), Ok("crate"));
    assert_eq!(record.outcome(), Ok(&3.into()));
    assert_eq!(record.remarks(), Ok("na\u{ef}ve \"quoted\""));
    assert_eq!(
        record.doc_hash_list().unwrap(),
        [
            // What sha256sum says of the file.
            "dfa086bad24f43952f29adcf6097ed91749841cd7b4a61ea3fd44ce80ce55c59".to_owned(),
            "ab".repeat(32)
        ]
    );
    assert_eq!(record.verifier_address(), Ok(wallet.address()));
    assert_eq!(outcome.new_transaction, Some(true));
    assert_eq!((outcome.resumed, outcome.sent), (false, 1));
    assert_eq!(world.node.submissions_received(), 1);
    let fee = outcome.transaction.transaction().unwrap();
    assert_eq!(fee.fee().unwrap().as_str(), "1500000");
    assert_eq!(world.kept().state(), KeptState::Recorded);
    assert_eq!(world.kept().signed(), &outcome.transaction);
}

#[tokio::test]
async fn claiming_the_same_again_submits_the_same_transaction() {
    let world = World::new().await;
    let (claim, wallet) = (world.claim(ASSET), world.wallet(0));
    let claim_it = || async {
        world
            .client
            .claim(&claim, &[&wallet], &world.with_blocks())
            .await
            .unwrap()
    };
    let (first, again) = (claim_it().await, claim_it().await);
    assert_eq!(again.transaction, first.transaction);
    assert_eq!(again.trans_code(), first.trans_code());
    assert_eq!(again.new_transaction, Some(false));
    assert!(again.resumed && again.record().is_some());
}

#[tokio::test]
async fn each_step_is_told_in_its_order() {
    let world = World::new().await;
    let document = world.folder.path().join("a");
    std::fs::write(&document, "a").unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let (list, node) = (Arc::clone(&told), Arc::clone(world.node.node()));
    let options = world
        .options()
        .wait(Duration::from_secs(600))
        .on_step(move |step| {
            // The record is there after the first look that did not find it.
            if matches!(step, ClaimStep::Waiting { .. }) {
                node.make_block();
            }
            list.lock().unwrap().push(name(step));
        });
    let claim = world.claim(ASSET).document(document);
    let wallet = world.wallet(0);
    // On another thread, as an application would.
    let client = world.client.clone();
    let outcome = tokio::spawn(async move {
        client
            .claim(&claim, &[signer(&wallet)], &options)
            .await
            .unwrap()
    });
    assert!(outcome.await.unwrap().record().is_some());
    assert_eq!(
        *told.lock().unwrap(),
        [
            "Hashing",
            "Built",
            "Signed",
            "Kept",
            "Submitting",
            "Submitted",
            "Waiting"
        ]
    );
}

#[tokio::test]
async fn a_record_that_is_not_there_at_the_deadline_is_told_as_such() {
    let world = World::new().await;
    let (claim, wallet) = (world.claim(ASSET), world.wallet(0));
    let options = world.options();
    let outcome = world.client.claim(&claim, &[&wallet], &options).await;
    let outcome = outcome.unwrap();
    assert_eq!(outcome.read_back, ReadBack::Nothing);
    assert_eq!(outcome.record(), None);
    assert_eq!(world.kept().state(), KeptState::Accepted);

    // Later it is there, without a second transaction.
    world.node.make_block();
    let later = world.client.claim(&claim, &[&wallet], &options).await;
    assert!(later.unwrap().record().is_some());
}

#[tokio::test]
async fn all_signers_sign_and_one_of_them_verifies() {
    let world = World::new().await;
    let (first, second) = (world.wallet(0), world.wallet(1));
    let claim = world.claim(ASSET).verifier(second.address());
    let outcome = world
        .client
        .claim(&claim, &[&first, &second], &world.with_blocks())
        .await
        .unwrap();
    assert_eq!(outcome.transaction.signatures().unwrap().len(), 2);
    // The node stores who signs first, whatever was asked; it is this claim all the same.
    let stored = outcome.record().unwrap().verifier_address();
    assert_eq!(stored, Ok(first.address()));
}

#[tokio::test]
async fn a_second_verifier_finds_the_own_record_behind_the_first_one() {
    let world = World::new().await;
    world.claimed(ASSET).await;
    let other = world.wallet(1);
    let by_other = |asset: &'static str, file: &'static str| {
        let options = world.with_blocks().keep(world.folder.path().join(file));
        let (claim, other, client) = (world.claim(asset), other.clone(), &world.client);
        async move { client.claim(&claim, &[&other], &options).await.unwrap() }
    };
    let own = by_other(ASSET, "one").await;
    let record = own.record().unwrap();
    assert_eq!(record.verifier_address(), Ok(other.address()));

    // Of a verifier's second record, nodes that answer one row show neither: that is told, too.
    world.claimed("another").await;
    match by_other("another", "two").await.read_back {
        ReadBack::OfOthers(records) => {
            let shown = records.first().unwrap().verifier_address();
            assert_eq!(shown, Ok(world.wallet(0).address()));
        }
        seen => panic!("{seen:?}"),
    }
}

#[tokio::test]
async fn every_step_can_be_taken_alone() {
    let world = World::new().await;
    let (claim, wallet) = (world.claim(ASSET), world.wallet(0));
    let hash = Document::from(Hash256::from_bytes([7; 32]))
        .hash(|_| {})
        .unwrap();
    let params = claim.params(&[wallet.address()], vec![hash]).unwrap();
    let call = claim.call(&[wallet.address()], vec![hash]).unwrap();
    let raw = world.client.build_call(&call).await.unwrap();
    let checked = CheckedTransaction::check(&call, &raw, &claim.fee).unwrap();
    assert_eq!(
        checked.message(),
        signed_message(checked.transaction_text()).unwrap()
    );
    assert_eq!(world.node.submissions_received(), 0);
    let signed = checked.sign(&[&wallet]).await.unwrap();
    let base = world.client.base_url();
    let kept = Kept::create(&world.file(), base, &checked, &signed).unwrap();
    let submitted = world
        .client
        .submit_until_answered(kept.signed(), &SubmitPolicy::once())
        .await
        .unwrap();
    assert!(submitted.answer.is_valid());
    let contract = claim.contract;
    let look = world.client.look_for_claim(contract, &params);
    assert_eq!(look.await.unwrap(), ReadBack::Nothing);
    world.node.make_block();
    let short = Duration::from_millis(1);
    let found = world
        .client
        .wait_for_claim(contract, &params, Duration::ZERO, (short, short))
        .await
        .unwrap();
    assert!(found.is_final() && found.record().is_some());
}
