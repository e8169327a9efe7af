//! Several claims in one call.

use std::sync::atomic::{AtomicUsize, Ordering};

use nodeproof_claims::ClaimError;
use nodeproof_primitives::{Integer, Signing, WalletAddress};
use tokio::sync::Barrier;

use super::*;

const FEE: i64 = 1_500_000;

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

    async fn balance(&self) -> Integer {
        let (token, wallet) = (self.node.native_token(), self.alice().address());
        let balance = self.client.token_balance(token, wallet).await;
        balance.unwrap().unwrap()
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
    let signer = Together {
        wallet: world.alice(),
        barrier: Barrier::new(3),
        waiting: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
    };
    let before = world.balance().await;
    let (options, folder) = (world.with_blocks(), world.folder.path());
    let made = Claim::make_all(&claims, &world.client, &[&signer], &options, folder, 3).await;
    assert_eq!(signer.most.load(Ordering::SeqCst), 3);
    assert_eq!(made.len(), claims.len());
    for (position, (claim, result)) in claims.iter().zip(&made).enumerate() {
        match result {
            Ok(outcome) => assert_eq!(outcome.record().unwrap().asset_id, claim.asset_id),
            Err(error) => assert!(error.is_refused() && position == 4, "{position}: {error}"),
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
    let crashing = options.clone().on_step(move |step| {
        let ends = matches!(step, ClaimStep::Submitted { .. })
            && submitted.fetch_add(1, Ordering::SeqCst) == 2;
        assert!(!ends, "the program ends here");
    });
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
    let other = first.clone().remarks("another");
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
