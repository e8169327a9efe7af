//! Wallets and their networks.

use integration_tests::proxy::Proxy;
use nodeproof_devnode::Config;
use nodeproof_primitives::Network;
use nodeproof_wallet::{KeyFile, KeyPair, Protection};

use crate::nodectl::{
    claims::Verifier,
    confirming,
    program::{Home, words},
};

/// That encrypted files record the network, too, is in the tests of key files in `crates/wallet`.
#[test]
fn a_key_file_records_the_network_and_keeps_it() {
    let home = Home::new();
    let network = |name: &str| KeyFile::read(home.path(name)).unwrap().network();
    let run = |line: &str| home.run(&[&words(line)[..], &["--plain"]].concat());
    run("wallet new made --network testnet").ended(0);
    let shown = home.run(&["--json", "wallet", "show", "made"]).ended(0);
    assert_eq!(shown.json()["wallets"][0]["network"], "testnet");
    run("wallet export made copy").ended(0);
    run("wallet import imported --from made").ended(0);
    for name in ["made", "copy", "imported"] {
        assert_eq!(network(name), Some(Network::Testnet), "{name}");
    }
    for command in [
        "wallet export made other --network devnet",
        "wallet import other --from made --network devnet",
    ] {
        let ran = run(command).ended(2);
        assert!(ran.err.contains("wallet of testnet"), "{ran:?}");
        assert!(!home.path("other").exists());
    }
    // An older file is not bound to a network, but a copy of it can be.
    let ran = run("wallet new old").ended(0);
    assert!(ran.err.contains("records no network"), "{ran:?}");
    run("wallet export old bound --network mainnet").ended(0);
    assert_eq!(
        (network("old"), network("bound")),
        (None, Some(Network::Mainnet))
    );
    let digits = words("wallet import digits --from - --plain --network testnet");
    home.run_with_input(&digits, &"5e".repeat(32)).ended(0);
    assert_eq!(network("digits"), Some(Network::Testnet));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wallet_signs_for_its_own_network_only() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let proxy = Proxy::honest(&node).await.unwrap();
    let url = proxy.server.base_url();
    let verifier = Verifier::of(&node);
    let wallet = |network: Network| {
        let path = verifier.home.path(network.name());
        if !path.exists() {
            let keys = verifier.keys.clone().for_network(Some(network));
            KeyFile::write(&path, &keys, Protection::Plain).unwrap();
        }
        path.display().to_string()
    };
    let claim = |wallet: &str, more: &[&str]| {
        let claim = format!(
            "claim add --asset a --deletable-after 9 --no-wait --contract {} --fee \
                 1000000 --currency DEVN --wallet {wallet}",
            verifier.contract
        );
        let claim = words(&claim);
        verifier.home.ask(&url, &[&claim[..], more].concat())
    };
    for network in [Network::Testnet, Network::Mainnet] {
        let ran = claim(&wallet(network), &[]).ended(2);
        assert!(ran.err.contains(&format!("wallet of {network}")), "{ran:?}");
        assert!(ran.err.contains("--any-network"), "{ran:?}");
    }
    assert!(proxy.requests().is_empty());
    claim(&wallet(Network::Devnet), &[]).ended(0);
    claim(&wallet(Network::Mainnet), &["--any-network", "--again"]).ended(0);

    // Without a node, the network is the named one. Otherwise all wallets must have the same network.
    let keys = KeyPair::from_bytes(&[5; 32]).unwrap();
    let home = Home::new();
    let raw = home.file("raw.json", &confirming::raw(confirming::of_now));
    for (name, network) in [("m", Network::Mainnet), ("d", Network::Devnet)] {
        let keys = keys.clone().for_network(Some(network));
        KeyFile::write(home.path(name), &keys, Protection::Plain).unwrap();
    }
    let sign = |more: &[&str]| home.run(&[&["sign", "--yes", &raw][..], more].concat());
    sign(&["--wallet", "m"]).ended(0);
    sign(&["--wallet", "m", "--network", "mainnet"]).ended(0);
    sign(&["--wallet", "m", "--network", "devnet"]).ended(2);
    sign(&["--wallet", "m", "--wallet", "d"]).ended(2);
    let config = home.file("c.toml", "network = \"devnet\"\nwallet = \"m\"\n");
    sign(&["--config", &config]).ended(2);
    sign(&["--config", &config, "--any-network"]).ended(0);

    // The port of another network is refused before anything is sent.
    for (port, network) in [(8456, "devnet"), (8420, "mainnet"), (8421, "devnet")] {
        let url = format!("http://127.0.0.1:{port}");
        let submit = format!("submit {raw} --unverified --base-url {url} --network {network}");
        let submit = words(&submit);
        let ran = home
            .run(&[&submit[..], &["--allow-mainnet"]].concat())
            .ended(2);
        assert!(ran.err.contains("is where nodes of"), "{ran:?}");
    }
}
