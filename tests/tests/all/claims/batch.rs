//! Several claims in one call.

use std::{
    slice::from_ref,
    sync::{
        Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use nodeproof_claims::CallErrorKind;
use nodeproof_primitives::{Hash256, Signing, WalletAddress};
use tokio::sync::Barrier;

use super::*;

const FEE: i128 = 1_500_000;

/// A signer that signs when this many transactions wait for a signature.
struct Together {
    wallet: KeyPair,
    barrier: Barrier,
    waiting: AtomicUsize,
    most: AtomicUsize,
}

impl Signer for Together {
    fn wallet_address(&self) -> WalletAddress {
        self.wallet.address()
    }

    fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a> {
        Box::pin(async move {
            let waiting = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(waiting, Ordering::SeqCst);
            self.barrier.wait().await;
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            self.wallet.sign_message(message).await
        })
    }
}

impl Together {
    fn of(wallet: KeyPair, count: usize) -> Self {
        Self {
            wallet,
            barrier: Barrier::new(count),
            waiting: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
        }
    }
}

impl TestEnvironment {
    fn claims(&self, count: usize) -> Vec<Claim> {
        (0..count)
            .map(|one| self.claim(&format!("lot/{one}")))
            .collect()
    }

    /// Returns a wallet that receives no fees.
    fn alice(&self) -> KeyPair {
        self.node.wallet("alice").unwrap().keys().clone()
    }

    async fn balance(&self) -> i128 {
        let (token, wallet) = (self.node.native_token(), self.alice().address());
        let balance = self.client.token_balance(token, wallet).await;
        balance.unwrap().unwrap().get()
    }

    fn files(&self) -> usize {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".json")).count()
    }
}

#[tokio::test]
async fn claims_are_made_several_at_a_time_and_each_has_its_result() {
    let world = TestEnvironment::new().await;
    let mut claims = world.claims(9);
    // The node refuses this fee.
    claims[4].fee = Fee::new(1.into(), world.node.native_token()).unwrap();
    let signer = Together::of(world.alice(), 3);
    let before = world.balance().await;
    let (options, folder) = (world.with_blocks(), world.folder.path());
    let made = Claim::make_all(&claims, &world.client, &[&signer], &options, folder, 3).await;
    assert_eq!(signer.most.load(Ordering::SeqCst), 3);
    assert_eq!(made.len(), claims.len());
    for (position, (claim, result)) in claims.iter().zip(&made).enumerate() {
        match result {
            Ok(outcome) => assert_eq!(outcome.record().unwrap().asset_id, claim.asset_id),
            Err(error) => assert!(
                error.kind() == CallErrorKind::Refused && position == 4,
                "{position}: {error}"
            ),
        }
    }
    assert_eq!(before - world.balance().await, 8 * FEE);
    assert_eq!(world.files(), 9);
}

#[tokio::test]
async fn claims_that_were_interrupted_are_each_paid_once() {
    let world = TestEnvironment::new().await;
    let (claims, wallet) = (world.claims(6), world.alice());
    let before = world.balance().await;
    let (folder, client) = (world.folder.path().to_owned(), world.client.clone());
    let submitted = AtomicUsize::new(0);
    let options = world.with_blocks();
    let crashing = ClaimOptions {
        on_step: OnStep::new(move |step| {
            let ends = matches!(step, ClaimStep::Submitted { .. })
                && submitted.fetch_add(1, Ordering::SeqCst) == 2;
            assert!(!ends, "the program ends here");
        }),
        ..options.clone()
    };
    let (begun, signing) = (claims.clone(), wallet.clone());
    let ended = tokio::spawn(async move {
        Claim::make_all(&begun, &client, &[signer(&signing)], &crashing, &folder, 2).await
    });
    assert!(ended.await.unwrap_err().is_panic());
    assert!(world.files() >= 3);

    // A claim that is listed twice is made once.
    let twice = [claims.clone(), claims.clone()].concat();
    let folder = world.folder.path();
    let made = Claim::make_all(&twice, &world.client, &[&wallet], &options, folder, 4).await;
    world.node.make_block();
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    assert_eq!(before - world.balance().await, 6 * FEE);
    assert_eq!(world.files(), 6);
}

#[tokio::test]
async fn two_claims_about_one_asset_are_not_both_paid() {
    let world = TestEnvironment::new().await;
    let (first, wallet) = (world.claim("a"), world.alice());
    let mut other = first.clone();
    other.remarks = "another".to_owned();
    let (options, folder) = (world.with_blocks(), world.folder.path());
    let before = world.balance().await;
    for concurrency in [2, 1, 0] {
        let (claims, client) = ([first.clone(), other.clone()], &world.client);
        let made =
            Claim::make_all(&claims, client, &[&wallet], &options, folder, concurrency).await;
        let refused: Vec<_> = made.iter().filter_map(|one| one.as_ref().err()).collect();
        let [error] = refused.as_slice() else {
            panic!("{made:?}")
        };
        assert!(
            matches!(
                error,
                ClaimError::EarlierClaim { .. } | ClaimError::AlreadyRecorded { .. }
            ),
            "{error}"
        );
        world.node.make_block();
    }
    assert_eq!(before - world.balance().await, FEE);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn without_locks_two_claims_about_one_asset_are_not_both_paid() {
    const NAME: &str = "claims::batch::without_locks_two_claims_about_one_asset_are_not_both_paid";
    const INSIDE: &str = "TEST_WITHOUT_LOCKS";
    let world = TestEnvironment::new().await;
    if std::env::var_os(INSIDE).is_none() {
        // Only this test runs without locks.
        let library = integration_tests::without_locks::library(world.folder.path());
        let mut test = std::process::Command::new(std::env::current_exe().unwrap());
        let test = test.args([NAME, "--exact"]).env("LD_PRELOAD", library);
        let ran = test.env(INSIDE, "yes").output().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    let first = world.claim("a");
    let mut other = first.clone();
    other.remarks = "x".to_owned();
    let claims = [first, other];
    // Both have found no earlier claim when they are signed.
    let signer = Together::of(world.alice(), 2);
    let node = Arc::clone(world.node.node());
    let (writers, changed) = (Mutex::new(0), Condvar::new());
    let on_step = OnStep::new(move |step| {
        if matches!(step, ClaimStep::NotSearched { .. }) {
            // A writer waits for the other one, which must not come before this one has written.
            let mut count = writers.lock().unwrap();
            *count += 1;
            changed.notify_all();
            let longest = Duration::from_secs(1);
            drop(changed.wait_timeout_while(count, longest, |count| *count < 2));
        }
        make_block(&node, step);
    });
    let options = ClaimOptions {
        without_lock: true,
        on_step,
        ..world.options()
    };
    let (before, folder) = (world.balance().await, world.folder.path());
    let made = Claim::make_all(&claims, &world.client, &[&signer], &options, folder, 2).await;
    let refused: Vec<_> = made.iter().filter_map(|one| one.as_ref().err()).collect();
    assert!(
        matches!(refused.as_slice(), [ClaimError::EarlierClaim { .. }]),
        "{made:?}"
    );
    assert_eq!(before - world.balance().await, FEE);
    assert_eq!((world.node.submissions_received(), world.files()), (1, 1));
}

#[tokio::test]
async fn a_claim_is_not_paid_if_not_all_files_can_be_searched_for_an_earlier_one() {
    let world = TestEnvironment::new().await;
    let (claim, wallet, folder) = (world.claim("a"), world.alice(), world.folder.path());
    let (client, options) = (&world.client, world.with_blocks());
    let make = async |options: &ClaimOptions| {
        let mut made =
            Claim::make_all(from_ref(&claim), client, &[&wallet], options, folder, 1).await;
        made.pop().unwrap()
    };
    // A file that is too large for a saved claim does not count.
    let large = std::fs::File::create(folder.join("large.pdf")).unwrap();
    large.set_len(1 << 30).unwrap();
    let other = folder.join("0");
    std::fs::write(&other, "x").unwrap();
    for number in 1..10_000 {
        std::fs::hard_link(&other, folder.join(number.to_string())).unwrap();
    }
    let error = make(&options).await.unwrap_err();
    assert!(matches!(error, ClaimError::TooManyFiles { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("nothing was sent"), "{text}");
    assert_eq!(error.kind(), CallErrorKind::SavedFile);
    assert_eq!((world.node.submissions_received(), world.files()), (0, 0));

    std::fs::remove_file(folder.join("1")).unwrap();
    assert!(make(&options).await.unwrap().record().is_some());
}

#[tokio::test]
async fn a_claim_that_is_listed_twice_with_again_is_paid_for_once_more() {
    for concurrency in [2, 1] {
        let world = TestEnvironment::new().await;
        let (wallet, folder) = (world.alice(), world.folder.path());
        let document = folder.join("a.txt");
        std::fs::write(&document, "a").unwrap();
        let hash = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
        let hash: Hash256 = hash.parse().unwrap();
        // The same claim in two forms.
        let claims = [world.claim_with("a", document), world.claim_with("a", hash)];
        let (client, mut options) = (&world.client, world.options());
        options.again = true;
        let before = world.balance().await;
        let made =
            Claim::make_all(&claims, client, &[&wallet], &options, folder, concurrency).await;
        let refused: Vec<_> = made.iter().filter_map(|one| one.as_ref().err()).collect();
        let [error] = refused.as_slice() else {
            panic!("{made:?}")
        };
        assert_eq!(error.kind(), CallErrorKind::NotMade, "{error}");
        assert!(error.to_string().contains("listed twice"), "{error}");
        world.node.make_block();
        assert_eq!(before - world.balance().await, FEE);
        assert_eq!((world.node.submissions_received(), world.files()), (1, 1));
    }
}
