//! Claims that are not made, and their messages.

use nodeproof_claims::{
    ClaimError, ClaimErrorKind, ReadBack, SavedTransactionError, TransactionState,
};
use nodeproof_client::Transfer;
use nodeproof_primitives::Network;
use nodeproof_wallet::{KeyFile, Protection};

use super::*;

#[tokio::test]
async fn a_fee_that_the_node_refuses_is_told_in_its_words() {
    let world = TestEnvironment::new().await;
    let mut claim = world.claim("a");
    claim.fee = Fee::new(1.into(), world.node.native_token()).unwrap();
    let wallet = world.wallet(0);
    let error = claim
        .make(&world.client, &[&wallet], &world.options())
        .await
        .unwrap_err();
    assert!(error.maybe_sent());
    match &error {
        ClaimError::Refused {
            messages, saved_in, ..
        } => {
            assert!(messages.first().unwrap().contains("fee"), "{messages:?}");
            assert_eq!(saved_in.as_deref(), Some(&*world.file()));
        }
        other => panic!("{other}"),
    }
    assert_eq!(world.saved().state(), TransactionState::Refused);
    assert_eq!(world.node.pending(), 0);

    // With another fee, it is another transaction. The file does not contain it.
    claim.fee = Fee::new(1_500_000.into(), world.node.native_token()).unwrap();
    let other = claim
        .make(&world.client, &[&wallet], &world.options())
        .await
        .unwrap_err();
    assert!(
        other
            .to_string()
            .contains("`fee` was 1, and is now 1500000"),
        "{other}"
    );
    assert_eq!(world.node.submissions_received(), 1);
    std::fs::remove_file(world.file()).unwrap();
    let made = claim
        .make(&world.client, &[&wallet], &world.with_blocks())
        .await;
    assert!(made.unwrap().record().is_some());
}

#[tokio::test]
async fn a_claim_that_is_recorded_already_is_not_signed() {
    let world = TestEnvironment::new().await;
    world.claimed("a").await;
    let before = world.node.submissions_received();
    let wallet = world.wallet(0);
    let other = world.claim("a").outcome(2);
    for claim in [&world.claim("a"), &other] {
        let error = claim
            .make(&world.client, &[&wallet], &world.options())
            .await
            .unwrap_err();
        assert!(!error.maybe_sent());
        match error {
            ClaimError::AlreadyRecorded {
                ref record,
                ref differences,
            } => {
                assert_eq!(record.asset_id, "a");
                let fields: Vec<_> = differences.iter().map(|one| one.field).collect();
                let is_same = claim == &world.claim("a");
                assert_eq!(fields.is_empty(), is_same);
                assert_eq!(fields.contains(&"outcome"), !is_same);
                assert_eq!(error.same_record().is_some(), is_same);
                let text = error.to_string();
                assert!(text.contains(&wallet.address().to_string()), "{text}");
                assert!(text.contains("about \"a\" already"), "{text}");
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(world.node.submissions_received(), before);
    assert!(!world.file().exists());

    // The option allows it. The node then takes the transaction, but records nothing.
    let options = world
        .with_blocks()
        .allow_existing_record(true)
        .wait(Duration::from_secs(600));
    let outcome = other.make(&world.client, &[&wallet], &options).await;
    match outcome.unwrap().read_back {
        ReadBack::Differs {
            record,
            differences,
        } => {
            assert_eq!(
                differences[0].to_string(),
                "outcome: expected 2, recorded 1"
            );
            assert_eq!(record.outcome, 1);
        }
        seen => panic!("{seen:?}"),
    }
}

#[tokio::test]
async fn a_document_that_can_not_be_read_is_named_before_anything_is_asked() {
    let world = TestEnvironment::new().await;
    let wallet = world.wallet(0);
    for (path, words) in [
        (world.folder.path().join("nowhere.pdf"), "can't be read"),
        (world.folder.path().to_owned(), "is a folder"),
    ] {
        let claim = world.claim("a").document(path.clone());
        let error = claim
            .make(&world.client, &[&wallet], &world.options())
            .await
            .unwrap_err();
        assert!(matches!(error, ClaimError::Document(_)) && !error.maybe_sent());
        let text = error.to_string();
        assert!(text.contains(words), "{text}");
        assert!(text.contains(&*path.to_string_lossy()), "{text}");
    }
    let (claim, options) = (world.claim("a"), world.options());
    let nobody = claim.make(&world.client, &[], &options).await;
    assert!(matches!(nobody, Err(ClaimError::Input(_))));
    assert_eq!(world.node.requests_received(), 0);
}

#[tokio::test]
async fn what_can_not_be_signed_is_refused_before_anything_is_asked() {
    let world = TestEnvironment::new().await;
    let wallet = world.wallet(0);
    let mut claim = world.claim("a");
    claim.remarks = "x".repeat(1 << 20);
    let options = world.options();
    let error = claim.make(&world.client, &[&wallet], &options).await;
    let error = error.unwrap_err();
    assert!(matches!(error, ClaimError::Input(_)), "{error}");
    assert!(error.to_string().contains("1048576"), "{error}");
    assert_eq!(world.node.requests_received(), 0);
}

#[tokio::test]
async fn a_node_that_can_not_tell_whether_there_is_a_record_has_nothing_signed() {
    let world = TestEnvironment::new().await;
    let wallet = world.wallet(0);
    for body in [r#"{"status":"FAILURE","data":null}"#, r#"{"data":{}}"#] {
        let unclear: Fault = Arc::new(move |request, response| {
            if request.path == "/sc-state" {
                return response.with_body(body);
            }
            response
        });
        let (proxy, client) = world.behind(unclear).await;
        let claim = world.claim("a");
        let error = claim.make(&client, &[&wallet], &world.options()).await;
        assert!(error.unwrap_err().client_error().unwrap().is_decode());
        assert!(
            proxy
                .requests()
                .iter()
                .all(|request| request.path == "/sc-state")
        );
    }
    assert!(!world.file().exists());
}

#[tokio::test]
async fn a_file_of_another_claim_is_refused_before_anything_is_asked() {
    let world = TestEnvironment::new().await;
    let wallet = world.wallet(0);
    let options = world.options();
    let first = world.claim("a");
    first
        .make(&world.client, &[&wallet], &options)
        .await
        .unwrap();
    let before = world.node.requests_received();
    let saved = std::fs::read(world.file()).unwrap();
    let other = world.claim("b");
    let error = other.make(&world.client, &[&wallet], &options).await;
    match error.unwrap_err() {
        ClaimError::Saved(SavedTransactionError::DifferentTransaction { differences, .. }) => {
            assert_eq!(differences, [r#"`asset_id` was "a", and is now "b""#]);
        }
        other => panic!("{other}"),
    }
    // With another wallet, it is also another claim.
    let stranger = world.wallet(1);
    let error = first.make(&world.client, &[&stranger], &options).await;
    assert!(error.unwrap_err().to_string().contains("`signers` was"));

    std::fs::write(world.file(), &saved[..saved.len() / 2]).unwrap();
    let damaged = first.make(&world.client, &[&wallet], &options).await;
    assert!(matches!(
        damaged,
        Err(ClaimError::Saved(SavedTransactionError::Damaged { .. }))
    ));
    assert_eq!(world.node.requests_received(), before);
}

#[tokio::test]
async fn where_nothing_can_be_kept_nothing_is_sent() {
    let world = TestEnvironment::new().await;
    let wallet = world.wallet(0);
    let nowhere = world.folder.path().join("no").join("where.json");
    let options = world.options().save_to(nowhere);
    let error = world
        .claim("a")
        .make(&world.client, &[&wallet], &options)
        .await
        .unwrap_err();
    assert!(matches!(error, ClaimError::Saved(_)) && !error.maybe_sent());
    assert_eq!(world.node.submissions_received(), 0);
}

#[tokio::test]
async fn a_refusal_has_a_kind_of_its_own_and_names_what_the_wallet_lacks() {
    let world = TestEnvironment::new().await;
    let native = world.node.native_token();
    let poor = KeyPair::from_bytes(&[0x5a; 32]).unwrap();
    let rich = world.wallet(0);
    let fee = |amount: u64, token: &str| Fee::new(amount.into(), token).unwrap();
    let has_none = format!(
        "wallet {} has 0 {native}, and the fee is 1500000",
        poor.address()
    );
    for (asset, wallet, fee, expected) in [
        ("no funds", &poor, fee(1_500_000, native), Some(&*has_none)),
        ("a low fee", &rich, fee(1, native), None),
        (
            "an unknown currency",
            &rich,
            fee(1_500_000, "NONE"),
            Some("has 0 NONE, and the fee is 1500000"),
        ),
    ] {
        let mut claim = world.claim(asset);
        claim.fee = fee;
        let mut options = world.options();
        options.save_to = None;
        let error = claim
            .make(&world.client, &[wallet], &options)
            .await
            .unwrap_err();
        assert!(error.is_refused(), "{asset}: {:?}", error.kind());
        assert_eq!(error.kind(), ClaimErrorKind::Refused);
        let text = error.to_string();
        match expected {
            Some(expected) => assert!(text.contains(expected), "{text}"),
            None => assert!(!text.contains("; wallet "), "{text}"),
        }
    }
    let known = world.node.submissions_received();
    world.claimed("a").await;
    let again = world
        .claim("a")
        .make(&world.client, &[&rich], &world.options())
        .await;
    assert_eq!(again.unwrap_err().kind(), ClaimErrorKind::Earlier);
    assert_eq!(world.node.submissions_received(), known + 1);
}

#[tokio::test]
async fn a_claim_that_is_too_long_is_not_signed() {
    let world = TestEnvironment::new().await;
    let wallet = world.wallet(0);
    let with_remarks = |length: usize| world.claim("a").remarks("\u{e9}".repeat(length));
    let error = async |length: usize| {
        let made = with_remarks(length)
            .make(&world.client, &[&wallet], &world.options())
            .await;
        made.unwrap_err()
    };
    let too_long = error(2000).await;
    assert_eq!(too_long.kind(), ClaimErrorKind::NotMade);
    let text = too_long.to_string();
    assert!(text.contains("nodes refuse more than 4096"), "{text}");
    assert_eq!(world.node.submissions_received(), 0);
    assert!(!world.file().exists());

    // The longest claim that is signed is one that the node accepts.
    let length: usize = text
        .split(' ')
        .find_map(|word| word.parse().ok())
        .expect("a length");
    let longest = 2000 - (length - 4096).div_ceil(r"\u00e9".len());
    assert!(error(longest + 1).await.to_string().contains("4096"));
    let made = with_remarks(longest)
        .make(&world.client, &[&wallet], &world.with_blocks())
        .await;
    assert!(made.unwrap().record().is_some());
}

#[tokio::test]
async fn a_wallet_of_another_network_signs_no_claim_and_no_call() {
    let world = TestEnvironment::new().await;
    let path = world.folder.path().join("testnet.json");
    let keys = world.wallet(0).for_network(Some(Network::Testnet));
    KeyFile::write(&path, &keys, Protection::Plain).unwrap();
    let wallet = KeyFile::read(&path).unwrap().key_pair(None).unwrap();
    let options = world.with_blocks().network(Network::Devnet);
    let claim = world.claim("a");
    let refused = claim.make(&world.client, &[&wallet], &options).await;
    let error = refused.unwrap_err();
    assert_eq!(error.kind(), ClaimErrorKind::NotMade);
    assert!(error.to_string().contains("is bound to testnet"), "{error}");
    assert_eq!(world.node.submissions_received(), 0);
    assert!(!world.file().exists());
    let unbound = wallet.clone().for_network(None);
    let made = claim.make(&world.client, &[&unbound], &options).await;
    assert!(made.unwrap().record().is_some());

    // The port of devnet. Nothing is requested.
    let devnet = Client::for_network("127.0.0.1", Network::Devnet).unwrap();
    let transfer = Transfer::new(1, keys.address(), "GRAIN");
    let contract = world.node.token_contract_address();
    let call = devnet
        .call(contract, &transfer, &claim.fee, &[&wallet])
        .await;
    let error = call.unwrap_err();
    assert!(error.to_string().contains("is bound to testnet"), "{error}");
    assert!(error.request_error().is_none() && !error.maybe_accepted());
}
