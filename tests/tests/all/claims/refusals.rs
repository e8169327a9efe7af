//! Claims that are not made, and their messages.

use axum::http::StatusCode;
use nodeproof_claims::{CallErrorKind, ReadBack, Refusal, SavedCallError, SavedTransactionError};
use nodeproof_client::{ContractCall, ErrorKind, Transfer};
use nodeproof_primitives::{Network, SignerError, Signing, WalletAddress};

use super::*;

#[tokio::test]
async fn a_claim_with_another_fee_than_the_saved_one_is_another_claim() {
    let world = TestEnvironment::new().await;
    let mut claim = world.claim("a");
    claim.fee = Fee::new(1.into(), world.node.native_token()).unwrap();
    let error = world.make(&claim, &world.options()).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Refused, "{error}");

    claim.fee = Fee::new(1_500_000.into(), world.node.native_token()).unwrap();
    let other = world.make(&claim, &world.options()).await.unwrap_err();
    let expected = "`fee` was 1, and is now 1500000";
    assert!(other.to_string().contains(expected), "{other}");
    assert_eq!(other.kind(), CallErrorKind::SavedFile);
    assert_eq!(world.node.submissions_received(), 1);
    std::fs::remove_file(world.file()).unwrap();
    let made = world.make(&claim, &world.with_blocks()).await;
    assert!(made.unwrap().record().is_some());
}

#[tokio::test]
async fn a_claim_that_was_refused_and_is_recorded_is_found_by_the_next_run() {
    let world = TestEnvironment::new().await;
    let refuses: Fault = Arc::new(|request, response| match request.path.as_str() {
        "/submit-transaction" => response
            .with_status(StatusCode::BAD_REQUEST)
            .with_body(r#"{"detail":"Bad"}"#),
        _ => response,
    });
    let (_proxy, client) = world.behind(refuses).await;
    let (claim, options) = (world.claim("a"), world.options());
    let error = world.make_at(&client, &claim, &options).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Refused, "{error}");
    world.node.node().make_block();
    let made = world.make_at(&client, &claim, &options).await.unwrap();
    assert!(made.record().is_some() && made.resumed);
    assert_eq!(world.node.submissions_received(), 1);
}

#[tokio::test]
async fn a_claim_that_is_recorded_already_is_not_signed() {
    let world = TestEnvironment::new().await;
    world.claimed("a").await;
    let before = world.node.submissions_received();
    let other = Claim {
        outcome: 2.into(),
        ..world.claim("a")
    };
    for claim in [&world.claim("a"), &other] {
        let error = world.make(claim, &world.options()).await.unwrap_err();
        assert_eq!(error.kind(), CallErrorKind::Earlier);
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
                assert!(text.contains(&world.wallet(0).address().to_string()));
                assert!(text.contains("about \"a\" already"), "{text}");
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(world.node.submissions_received(), before);
    assert!(!world.file().exists());
}

#[tokio::test]
async fn what_can_not_be_claimed_is_refused_before_anything_is_asked() {
    let world = TestEnvironment::new().await;
    let missing = world.folder.path().join("nowhere.pdf");
    for (claim, words) in [
        (world.claim_with("a", missing), "nowhere.pdf"),
        (world.claim_with("a", world.folder.path()), "is a folder"),
    ] {
        let error = world.make(&claim, &world.options()).await.unwrap_err();
        assert_eq!(error.kind(), CallErrorKind::NotMade);
        assert!(error.to_string().contains(words), "{error}");
    }
    let claim = world.claim("a");
    let nobody = claim
        .make(&world.client, &[], world.file(), &world.options())
        .await;
    assert!(matches!(nobody, Err(ClaimError::Input(_))));
    assert_eq!(world.node.requests_received(), 0);
}

#[tokio::test]
async fn what_a_node_does_not_say_rightly_has_nothing_signed() {
    let world = TestEnvironment::new().await;
    // It does not show whether there is a record, or builds another claim.
    for (path, from, to) in [
        ("/sc-state", "", r#"{"status":"FAILURE","data":null}"#),
        ("/sc-state", "", r#"{"data":{}}"#),
        ("/call-sc", r#""outcome":1"#, r#""outcome":2"#),
        ("/call-sc", r#""outcome":1"#, r#""outcome":1,"a":1"#),
    ] {
        let wrong: Fault = Arc::new(move |request, response| {
            if request.path != path {
                return response;
            }
            let text = String::from_utf8(response.body.to_vec()).unwrap();
            response.with_body(match from {
                "" => to.to_owned(),
                from => text.replacen(from, to, 1),
            })
        });
        let (proxy, client) = world.behind(wrong).await;
        let made = world
            .make_at(&client, &world.claim("a"), &world.options())
            .await;
        let error = made.unwrap_err();
        let is_decode = error
            .client_error()
            .is_some_and(|error| error.kind() == ErrorKind::Decode);
        let is_other = matches!(
            error,
            ClaimError::Call(SavedCallError::BuiltCallMismatch(_))
        );
        assert_eq!((is_decode, is_other), (from.is_empty(), !from.is_empty()));
        assert_eq!(error.kind(), CallErrorKind::NotMade, "{error}");
        let requests = proxy.requests();
        assert!(requests.iter().all(|one| one.path != "/submit-transaction"));
    }
    assert!(!world.file().exists());
}

#[tokio::test]
async fn a_file_of_another_claim_is_refused_before_anything_is_asked() {
    let world = TestEnvironment::new().await;
    let (first, options) = (world.claim("a"), world.options());
    world.make(&first, &options).await.unwrap();
    let before = world.node.requests_received();
    let saved = std::fs::read(world.file()).unwrap();
    let error = world.make(&world.claim("b"), &options).await.unwrap_err();
    match error {
        ClaimError::Call(SavedCallError::Saved(SavedTransactionError::DifferentTransaction {
            differences,
            ..
        })) => assert_eq!(differences, [r#"`asset_id` was "a", and is now "b""#]),
        other => panic!("{other}"),
    }
    // With another wallet, it is also another claim.
    let stranger = world.wallet(1);
    let error = first
        .make(&world.client, &[&stranger], world.file(), &options)
        .await;
    assert!(error.unwrap_err().to_string().contains("`signers` was"));

    std::fs::write(world.file(), &saved[..saved.len() / 2]).unwrap();
    let damaged = world.make(&first, &options).await.unwrap_err();
    assert_eq!(damaged.kind(), CallErrorKind::SavedFile);
    assert!(damaged.to_string().contains("is damaged"), "{damaged}");
    assert_eq!(world.node.requests_received(), before);
}

#[tokio::test]
async fn where_nothing_can_be_kept_nothing_is_sent() {
    let world = TestEnvironment::new().await;
    let nowhere = world.folder.path().join("no").join("where.json");
    let (claim, wallet) = (world.claim("a"), world.wallet(0));
    let made = claim
        .make(&world.client, &[&wallet], nowhere, &world.options())
        .await;
    let error = made.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::SavedFile);
    assert!(!error.maybe_sent() && !error.is_retryable(), "{error}");
    assert_eq!(world.node.submissions_received(), 0);
}

#[tokio::test]
async fn a_refusal_names_what_the_wallet_lacks() {
    let world = TestEnvironment::new().await;
    let native = world.node.native_token();
    let poor = KeyPair::from_bytes(&[0x5a; 32]).unwrap();
    let rich = world.wallet(0);
    let lacks = Refusal::Fee {
        wallet: poor.address(),
        have: 0.into(),
        need: 1_500_000.into(),
        token: native.to_owned(),
    };
    let unknown = Refusal::UnknownToken {
        token: "NONE".to_owned(),
    };
    let low = "Not enough fee. Min of 1 DEVN is required: 1000000 base units".to_owned();
    for (asset, wallet, amount, token, expected) in [
        ("no funds", &poor, 1_500_000, native, lacks),
        ("a low fee", &rich, 1, native, Refusal::Other(low)),
        ("an unknown currency", &rich, 1_500_000, "NONE", unknown),
    ] {
        let mut claim = world.claim(asset);
        claim.fee = Fee::new(amount.into(), token).unwrap();
        let file = world.folder.path().join(asset);
        let made = claim
            .make(&world.client, &[wallet], &file, &world.options())
            .await;
        let error = made.unwrap_err();
        assert_eq!(error.kind(), CallErrorKind::Refused, "{asset}: {error}");
        assert_eq!(error.refusal(), Some(&expected));
        let text = error.to_string();
        assert!(text.contains(&*file.to_string_lossy()), "{text}");
        assert!(text.contains(&expected.to_string()), "{text}");

        let transfer = Transfer::new(1, wallet.address(), "GRAIN");
        let contract = world.node.token_contract_address();
        let transfer = ContractCall::of(contract, &transfer).unwrap();
        let options = CallOptions::default();
        let called = world
            .client
            .call(&transfer, &claim.fee, &[wallet], &options);
        let error = called.await.unwrap_err();
        assert_eq!(error.kind(), CallErrorKind::Refused, "{asset}: {error}");
        assert_eq!(error.refusal(), Some(&expected));
        assert!(!error.maybe_sent() && !error.is_retryable());
    }
}

/// A signer whose owner refuses, or whose device fails.
struct DoesNotSign(WalletAddress, bool);

impl Signer for DoesNotSign {
    fn wallet_address(&self) -> WalletAddress {
        self.0
    }

    fn sign_message<'a>(&'a self, _message: &'a [u8]) -> Signing<'a> {
        let error = match self.1 {
            true => SignerError::refused("not today"),
            false => SignerError::failed("no device"),
        };
        Box::pin(async { Err(error) })
    }
}

#[tokio::test]
async fn a_signer_that_fails_or_refuses_is_named_by_each_error() {
    let world = TestEnvironment::new().await;
    for refuses in [true, false] {
        let wallet = world.wallet(0).address();
        let signer = DoesNotSign(wallet, refuses);
        let (claim, options) = (world.claim("a"), world.options());
        let claimed = claim.make(&world.client, &[&signer], world.file(), &options);
        let claimed = claimed.await.unwrap_err();
        let (contract, transfer) = (claim.contract, Transfer::new(1, wallet, "GRAIN"));
        let transfer = ContractCall::of(contract, &transfer).unwrap();
        let called = world
            .client
            .call(&transfer, &claim.fee, &[&signer], &CallOptions::default());
        let called = called.await.unwrap_err();
        for (found, kind) in [
            (claimed.signer_error(), claimed.kind()),
            (called.signer_error(), called.kind()),
        ] {
            let (named, error) = found.unwrap();
            assert_eq!((named, error.is_refusal()), (wallet, refuses));
            assert_eq!(kind, CallErrorKind::NotMade);
        }
    }
    assert_eq!(world.node.submissions_received(), 0);
}

#[tokio::test]
async fn a_claim_that_is_too_long_is_not_signed() {
    let world = TestEnvironment::new().await;
    let with_remarks = |length: usize| Claim {
        remarks: "\u{e9}".repeat(length),
        ..world.claim("a")
    };
    let error = async |length: usize| {
        let made = world.make(&with_remarks(length), &world.options()).await;
        made.unwrap_err()
    };
    let too_long = error(2000).await;
    assert_eq!(too_long.kind(), CallErrorKind::NotMade);
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
    let made = world
        .make(&with_remarks(longest), &world.with_blocks())
        .await;
    assert!(made.unwrap().record().is_some());
}

#[tokio::test]
async fn a_wallet_of_another_network_signs_no_call() {
    let world = TestEnvironment::new().await;
    let wallet = world.wallet(0).for_network(Some(Network::Testnet));
    // The port of devnet. Nothing is requested.
    let devnet = Client::for_network("127.0.0.1", Network::Devnet).unwrap();
    let transfer = Transfer::new(1, wallet.address(), "GRAIN");
    let (contract, fee) = (world.node.token_contract_address(), world.claim("a").fee);
    let transfer = ContractCall::of(contract, &transfer).unwrap();
    let call = devnet.call(&transfer, &fee, &[&wallet], &CallOptions::default());
    let error = call.await.unwrap_err();
    assert!(error.to_string().contains("is bound to testnet"), "{error}");
    assert!(error.client_error().is_none() && !error.maybe_sent());
    assert_eq!(error.kind(), CallErrorKind::OtherNetwork);
}

#[tokio::test]
async fn a_record_with_other_words_is_not_taken_for_the_claim() {
    let world = TestEnvironment::new().await;
    let lie: Fault = Arc::new(|request, response| {
        if request.path != "/sc-state" {
            return response;
        }
        let text = String::from_utf8(response.body.to_vec()).unwrap();
        response.with_body(text.replace("na\u{ef}ve", "naive"))
    });
    let (_proxy, client) = world.behind(lie).await;
    let made = world
        .make_at(&client, &world.claim("a"), &world.with_blocks())
        .await;
    match made.unwrap().read_back {
        ReadBack::Differs { differences, .. } => {
            let fields: Vec<_> = differences.iter().map(|one| one.field).collect();
            assert_eq!(fields, ["remarks"]);
        }
        seen => panic!("{seen:?}"),
    }
}
