//! Claims and the networks of nodes, wallets and saved transactions.

use nodeproof_claims::{
    ClaimError, ClaimErrorKind, ExistingRecord, PreparedClaim, SavedTransactionError,
    TransactionState,
};
use nodeproof_client::contract_call::CheckedTransaction;
use nodeproof_primitives::Network;

use super::{crashes::crash, *};

/// Returns a client for a network's port on this machine. No node listens there.
fn at_port_of(network: Network) -> Client {
    Client::for_network("127.0.0.1", network).unwrap()
}

impl TestEnvironment {
    async fn prepared(&self, client: &Client, options: &ClaimOptions) -> PreparedClaim {
        let (claim, signers) = (self.claim("a"), [self.wallet(0).address()]);
        let prepared = PreparedClaim::prepare(client, &claim, &signers, options);
        prepared.await.unwrap()
    }

    async fn built(&self) -> CheckedTransaction {
        let prepared = self.prepared(&self.client, &self.options()).await;
        prepared.build().await.unwrap()
    }
}

#[tokio::test]
async fn a_claim_has_another_file_on_each_network() {
    let world = TestEnvironment::new().await;
    let none = ClaimOptions::default();
    let mut names = Vec::new();
    for network in Network::ALL {
        let stated = none.clone().network(network);
        let stated = world.prepared(&world.client, &stated).await;
        let prepared = world.prepared(&at_port_of(network), &none).await;
        let name = prepared.file_name().unwrap();
        assert_eq!(stated.file_name().unwrap(), name);
        names.push(name);
    }
    let unknown = world.prepared(&world.client, &none).await;
    names.push(unknown.file_name().unwrap());
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 4);
}

#[tokio::test]
async fn a_transaction_that_was_saved_on_the_port_of_another_network_is_not_submitted() {
    let world = TestEnvironment::new().await;
    let (claim, wallet, checked) = (world.claim("a"), world.wallet(0), world.built().await);
    let signed = checked.sign(&[&wallet]).await.unwrap();
    let devnet = at_port_of(Network::Devnet);
    SavedTransaction::create(&world.file(), devnet.base_url(), &checked, &signed).unwrap();

    let options = world.with_blocks().any_node(true);
    let on_mainnet = options.clone().network(Network::Mainnet);
    for (client, options) in [
        (&world.client, &on_mainnet),
        (&at_port_of(Network::Mainnet), &options),
        // The port counts, whatever the option is.
        (
            &at_port_of(Network::Mainnet),
            &options.clone().network(Network::Devnet),
        ),
    ] {
        let made = claim.make(client, &[&wallet], options).await;
        let error = made.unwrap_err();
        assert!(
            matches!(
                error,
                ClaimError::Saved(SavedTransactionError::DifferentNetwork {
                    saved_for: Network::Devnet,
                    network: Network::Mainnet,
                    ..
                })
            ),
            "{error}"
        );
    }
    assert_eq!(world.node.submissions_received(), 0);
    assert_eq!(world.saved().state(), TransactionState::Signed);

    let same = options.network(Network::Devnet);
    let made = claim.make(&world.client, &[&wallet], &same).await.unwrap();
    assert_eq!((made.transaction, made.resumed), (signed, true));
}

#[tokio::test]
async fn a_wallet_of_another_network_submits_no_saved_transaction() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    crash(&world, &claim, |step| {
        matches!(step, ClaimStep::Saved { .. })
    })
    .await;
    let wallet = world.wallet(0).for_network(Some(Network::Testnet));
    let options = world.with_blocks().network(Network::Devnet);
    let refused = claim.make(&world.client, &[&wallet], &options).await;
    let error = refused.unwrap_err();
    assert!(error.to_string().contains("is bound to testnet"), "{error}");
    assert_eq!(error.kind(), ClaimErrorKind::NotMade);
    assert_eq!(world.node.submissions_received(), 0);
}

#[tokio::test]
async fn an_option_does_not_lift_the_network_of_the_port() {
    let world = TestEnvironment::new().await;
    let (checked, mainnet) = (world.built().await, at_port_of(Network::Mainnet));
    let options = world.options().network(Network::Testnet);
    let prepared = world.prepared(&mainnet, &options).await;
    for (bound, words) in [
        (Network::Testnet, "the node is one of mainnet"),
        (Network::Mainnet, "the node is one of testnet"),
    ] {
        let wallet = world.wallet(0).for_network(Some(bound));
        let signers = [signer(&wallet)];
        let signed = prepared.sign(&checked, &signers, ExistingRecord::None);
        let error = signed.await.unwrap_err();
        assert!(matches!(error, ClaimError::Signing(_)), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let unbound = world.wallet(0);
    let signers = [signer(&unbound)];
    let signed = prepared.sign(&checked, &signers, ExistingRecord::None);
    assert!(signed.await.is_ok());
}
