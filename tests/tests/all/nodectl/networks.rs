//! Wallets and their networks.

use integration_tests::proxy::Proxy;
use nodeproof_claims::{Claim, SavedTransaction};
use nodeproof_client::{BaseUrl, Client, Clock, Fee};
use nodeproof_devnode::Config;
use nodeproof_primitives::Network;
use nodeproof_wallet::{KeyFile, KeyPair, Protection};

use crate::nodectl::{
    claims::Verifier,
    confirming,
    program::{Home, words},
};

#[test]
fn a_key_file_records_the_network_and_keeps_it() {
    let home = Home::new();
    home.file("pw", "correct horse battery");
    let network = |name: &str| KeyFile::read(home.path(name)).unwrap().network();
    for (kind, name) in [
        (&["--plain"][..], "plain"),
        (&["--passphrase-file", "pw"], "sealed"),
    ] {
        let run = |arguments: &[&str]| home.run(&[arguments, kind].concat());
        // Opening an encrypted file takes long.
        let networks = if name == "plain" { 3 } else { 1 };
        for wanted in Network::ALL.into_iter().take(networks) {
            let made = format!("{name}-{wanted}");
            run(&["wallet", "new", &made, "--network", wanted.name()]).ended(0);
            assert_eq!(network(&made), Some(wanted));
            let shown = home
                .run(&["--json", "wallet", "show", &made])
                .ended(0)
                .json();
            assert_eq!(shown["wallets"][0]["network"], wanted.name());

            let unlocked = ["--from-passphrase-file", "pw"];
            let copy = format!("{made}-copy");
            run(&[&["wallet", "export", &made, &copy][..], &unlocked].concat()).ended(0);
            assert_eq!(network(&copy), Some(wanted));
            let imported = format!("{made}-imported");
            run(&[
                &["wallet", "import", &imported, "--from", &made][..],
                &unlocked,
            ]
            .concat())
            .ended(0);
            assert_eq!(network(&imported), Some(wanted));
            let other = if wanted == Network::Devnet {
                "testnet"
            } else {
                "devnet"
            };
            for command in [
                &["wallet", "export", &made, "other"][..],
                &["wallet", "import", "other", "--from", &made],
            ] {
                let ran = run(&[command, &unlocked, &["--network", other]].concat()).ended(2);
                assert!(ran.err.contains(&format!("wallet of {wanted}")), "{ran:?}");
                assert!(!home.path("other").exists());
            }
        }
        // An older file is not bound to a network, but a copy of it can be.
        let keys = KeyPair::from_bytes(&[7; 32]).unwrap();
        let old = format!("{name}-old");
        KeyFile::write(home.path(&old), &keys, Protection::Plain).unwrap();
        let bound = format!("{name}-bound");
        run(&["wallet", "export", &old, &bound, "--network", "mainnet"]).ended(0);
        assert_eq!(
            (network(&old), network(&bound)),
            (None, Some(Network::Mainnet))
        );
        let ran = run(&["wallet", "new", &format!("{name}-none")]).ended(0);
        assert!(ran.err.contains("records no network"), "{ran:?}");
    }
    let digits = home.run_with_input(
        &[
            "wallet",
            "import",
            "digits",
            "--from",
            "-",
            "--plain",
            "--network",
            "testnet",
        ],
        &"5e".repeat(32),
    );
    digits.ended(0);
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

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_transaction_is_submitted_on_its_own_network_only() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let proxy = Proxy::honest(&node).await.unwrap();
    let keys = node.wallets().first().unwrap().keys().clone();
    let fee = Fee::new(1_500_000.into(), node.native_token()).unwrap();
    let claim = Claim::new(node.contract_address(), "a", 99, fee);
    let call = claim.call(&[keys.address()], Vec::new()).unwrap();
    let client = Client::new(node.base_url()).unwrap();
    let checked = client.build_call(&call, &claim.fee, Clock::Local);
    let checked = checked.await.unwrap();
    let signed = checked.sign(&[&keys]).await.unwrap();
    let home = Home::new();
    let devnet = BaseUrl::for_network("127.0.0.1", Network::Devnet).unwrap();
    SavedTransaction::create(&home.path("saved.json"), &devnet, &checked, &signed).unwrap();

    let submit = |url: &str, network: &str| {
        let submit = ["submit", "saved.json", "--any-node", "--allow-mainnet"];
        let target = ["--base-url", url, "--network", network];
        home.run(&[submit, target].concat())
    };
    let url = proxy.server.base_url();
    for (url, network) in [
        ("http://127.0.0.1:8421", "testnet"),
        ("http://127.0.0.1:8456", "mainnet"),
        (&*url, "testnet"),
        (&*url, "mainnet"),
    ] {
        let refused = submit(url, network).ended(2);
        let words = format!("was saved for devnet, and the node is one of {network}");
        assert!(refused.err.contains(&words), "{refused:?}");
    }
    assert!(proxy.requests().is_empty());
    submit(&url, "devnet").ended(0);
}
