//! Nodes that build a different transaction, against every command that signs or leads to a signature.

use std::{collections::BTreeMap, sync::Arc};

use integration_tests::{
    proxy::{Fault, Proxy},
    tampering::MANIPULATIONS,
};
use nodeproof_devnode::Config;
use nodeproof_primitives::RawJson;

use crate::nodectl::{claims::Verifier, program::RunOutput};

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_node_builds_only_what_was_asked_for_is_signed() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let verifier = Verifier::of(&node);
    let home = &verifier.home;
    let signer = verifier.keys.address().to_string();
    let wallet = home.wallet("plain.json", &verifier.keys);
    let params = home.file("params.json", r#"{"asset_id":"a","outcome":1}"#);
    let common = [
        "--contract",
        &verifier.contract,
        "--fee",
        "1000000",
        "--currency",
        "DEVN",
    ];
    let claim = ["claim", "add", "--asset", "a", "--deletable-after", "9"];
    let claim = [&claim[..], &common, &["--no-wait", "--wallet", &wallet]].concat();
    let call = ["call", "--function", "add_verification", "--signer"];
    let call = [&call[..], &[&signer, "--params", &params], &common].concat();
    let honest = home.ask(node.base_url(), &call).ended(0).out;
    for (from, to) in MANIPULATIONS {
        let fault: Fault = Arc::new(move |request, response| {
            if request.path != "/call-sc" {
                return response;
            }
            let text = String::from_utf8(response.body.to_vec()).expect("text");
            assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
            response.with_body(text.replacen(from, to, 1))
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let url = proxy.server.base_url();
        for command in [&claim, &call] {
            let ran = home.ask(&url, command);
            assert_eq!((ran.status, &*ran.out), (6, ""), "{from} -> {to}: {ran:?}");
        }

        // When a user signs such a transaction by hand, it is shown and must be confirmed.
        let priced = |text: &str| text.replace("0.0", "1000000");
        let tampered = honest.replacen(&priced(from), &priced(to), 1);
        assert_ne!(tampered, honest, "{from}");
        let file = home.file("tampered.json", &tampered);
        let sign =
            |more: &[&str]| home.run(&[&["sign", &file, "--wallet", &wallet], more].concat());
        assert_eq!(sign(&[]).ended(2).out, "");
        let ran = sign(&["--yes"]);
        if ran.status == 0 {
            is_shown(&ran, &tampered);
        } else {
            assert_eq!((ran.status, &*ran.out), (2, ""), "{to}: {ran:?}");
        }
    }
    assert_eq!(node.submissions_received(), 0);
    let kept = std::fs::read_dir(home.path(".local/state/nodectl/claims"));
    assert_eq!(kept.map_or(0, Iterator::count), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_node_adds_beside_a_transaction_or_describes_is_neither_signed_nor_submitted() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let verifier = Verifier::of(&node);
    let wallet = verifier.home.wallet("plain.json", &verifier.keys);
    let beside: Fault = Arc::new(|request, response| match &*request.path {
        "/call-sc" => response.with_json(|built| {
            built["served_by"] = "a worker".into();
            built["transaction"]["descr"] = "for the thief".into();
        }),
        _ => response,
    });
    let proxy = Proxy::spawn(&node, beside).await.unwrap();
    let common = ["--contract", &verifier.contract, "--fee", "1000000"];
    let common = [&common[..], &["--currency", "DEVN", "--no-wait"]].concat();
    let claim = ["claim", "add", "--asset", "a", "--deletable-after", "9"];
    let claim = [&claim[..], &["--wallet", &wallet], &common].concat();
    let ran = verifier.home.ask(&proxy.server.base_url(), &claim);
    ran.ended(0);
    let requests = proxy.requests();
    let submitted = requests
        .iter()
        .find(|one| one.path == "/submit-transaction");
    let text = String::from_utf8_lossy(&submitted.expect("a submission").body);
    assert!(text.contains("add_verification"), "{text}");
    assert!(text.contains(r#""descr":"""#), "{text}");
    assert!(!text.contains("served_by"), "{text}");
}

/// Asserts that each member of the transaction is shown with its value, as it is written.
fn is_shown(ran: &RunOutput, document: &str) {
    let members = |text: &str| -> BTreeMap<String, RawJson> {
        serde_json::from_str(text).expect("an object")
    };
    let transaction = members(members(document)["transaction"].as_str());
    let is_call = transaction["type"].as_str().parse() == Ok(3.0);
    for (name, value) in &transaction {
        if is_call && name == "specific_data" {
            for (name, value) in members(value.as_str()) {
                let line = format!("specific_data.{name}: {value}");
                assert!(ran.err.contains(&line), "{line}: {ran:?}");
            }
        } else {
            let line = format!("{name}: {value}");
            assert!(ran.err.contains(&line), "{line}: {ran:?}");
        }
    }
}
