//! Faults that no conformance case can find. The tests of `devnode --fault` show that cases find the others.

use nodeproof_devnode::{ChainTime, Config, InjectedFault};

use crate::peer::Peer;

async fn faulty(fault: InjectedFault) -> Peer {
    let config = Config::for_tests().with_time(ChainTime::FIXED);
    Peer::with(config.with_fault(fault)).await
}

#[tokio::test]
async fn balances_lose_digits_above_2_to_the_53() {
    let (honest, rounding) = (
        Peer::new().await,
        faulty(InjectedFault::BalanceRounded).await,
    );
    let alice = honest.keys("alice").address();
    for (token, lost) in [("VAULT", 1), ("GRAIN", 0)] {
        let exact = honest.balance(alice, token).await;
        assert_eq!(rounding.balance(alice, token).await, exact - lost);
    }
}

#[tokio::test]
async fn the_wallets_of_a_score_are_swapped() {
    let (honest, swapping) = (Peer::new().await, faulty(InjectedFault::TrustSwapped).await);
    let [alice, bob] = ["alice", "bob"].map(|name| honest.keys(name).address());
    let path = |from, to| {
        format!("/get-trustscore-wallets?src_wallet_address={from}&dst_wallet_address={to}")
    };
    let back = honest.get(&path(bob, alice)).await;
    assert_ne!(honest.get(&path(alice, bob)).await, back);
    assert_eq!(swapping.get(&path(alice, bob)).await, back);
}
