//! Claims and the networks of nodes, wallets and saved transactions.

use nodeproof_claims::{
    CallErrorKind, PreparedClaim, SavedCallError, SavedTransactionError, TransactionState,
};
use nodeproof_client::{Error, ErrorKind};
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
}

fn on(network: Network, options: &ClaimOptions) -> ClaimOptions {
    ClaimOptions {
        network: Some(network),
        ..options.clone()
    }
}

#[tokio::test]
async fn a_claim_has_another_file_on_each_network() {
    let world = TestEnvironment::new().await;
    let none = ClaimOptions::default();
    let mut names = Vec::new();
    for network in Network::ALL {
        let stated = world.prepared(&world.client, &on(network, &none)).await;
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
    let (claim, wallet) = (world.claim("a"), world.wallet(0));
    let prepared = world.prepared(&world.client, &world.options()).await;
    let checked = prepared.build().await.unwrap();
    let signed = checked.sign(&[&wallet]).await.unwrap();
    let devnet = at_port_of(Network::Devnet);
    SavedTransaction::create(&world.file(), devnet.base_url(), &checked, &signed).unwrap();

    let options = ClaimOptions {
        any_node: true,
        ..world.with_blocks()
    };
    for (client, options) in [
        (&world.client, &on(Network::Mainnet, &options)),
        (&at_port_of(Network::Mainnet), &options),
        // The port counts, whatever the option is.
        (
            &at_port_of(Network::Mainnet),
            &on(Network::Devnet, &options),
        ),
    ] {
        let made = world.make_at(client, &claim, options).await;
        let error = made.unwrap_err();
        assert!(
            matches!(
                error,
                ClaimError::Call(SavedCallError::Saved(
                    SavedTransactionError::DifferentNetwork {
                        saved_for: Network::Devnet,
                        network: Network::Mainnet,
                        ..
                    }
                ))
            ),
            "{error}"
        );
        assert_eq!(error.kind(), CallErrorKind::OtherNetwork);
    }
    assert_eq!(world.node.submissions_received(), 0);
    assert_eq!(world.saved().state(), TransactionState::Signed);

    let same = on(Network::Devnet, &options);
    let made = world.make(&claim, &same).await.unwrap();
    assert_eq!((made.transaction, made.resumed), (signed, true));
}

#[tokio::test]
async fn a_wallet_of_another_network_submits_no_saved_transaction() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    crash(&world, world.options(), &claim, "Saved").await;
    let wallet = world.wallet(0).for_network(Some(Network::Testnet));
    let options = on(Network::Devnet, &world.with_blocks());
    let refused = claim
        .make(&world.client, &[&wallet], world.file(), &options)
        .await;
    let error = refused.unwrap_err();
    assert!(error.to_string().contains("is bound to testnet"), "{error}");
    assert_eq!(error.kind(), CallErrorKind::OtherNetwork);
    assert_eq!(world.node.submissions_received(), 0);
}

#[tokio::test]
async fn an_option_does_not_lift_the_network_of_the_port() {
    let world = TestEnvironment::new().await;
    let (claim, mainnet) = (world.claim("a"), at_port_of(Network::Mainnet));
    let options = on(Network::Testnet, &world.options());
    for (bound, words) in [
        (Some(Network::Testnet), "the node is one of mainnet"),
        (Some(Network::Mainnet), "the node is one of testnet"),
        // No node listens there.
        (None, "no connection"),
    ] {
        let wallet = world.wallet(0).for_network(bound);
        let made = claim
            .make(&mainnet, &[&wallet], world.file(), &options)
            .await;
        let error = made.unwrap_err();
        let kind = match bound {
            Some(_) => CallErrorKind::OtherNetwork,
            None => CallErrorKind::NotMade,
        };
        assert_eq!(error.kind(), kind);
        let is_connect = error.client_error().map(Error::kind) == Some(ErrorKind::Connect);
        let is_refused = error.to_string().contains(words);
        assert_eq!((is_refused, is_connect), (bound.is_some(), bound.is_none()));
    }
}
