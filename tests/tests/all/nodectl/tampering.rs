//! Nodes that build a different transaction, against every command that signs or leads to a signature.

use std::{collections::BTreeMap, sync::Arc};

use integration_tests::{
    proxy::{Fault, Proxy},
    tampering::MANIPULATIONS,
};
use nodeproof_devnode::Config;
use nodeproof_primitives::RawJson;

use crate::nodectl::{claims::Verifier, program::RunOutput};

/// Returns texts of the built transaction and their replacements. Each occurs exactly once.
fn manipulations(contract: &str, signer: &str) -> Vec<(String, String)> {
    let thief = "0x00000000000000000000000000000000000000b0";
    let twice = |text: &str| (format!("\"{text}\":"), format!("\"{text}\":0,\"{text}\":"));
    let mut table: Vec<(String, String)> = [
        (r#""is_child_txn":false"#, r#""is_child_txn":0"#),
        (
            r#""function":"add_verification""#,
            r#""function":"add_verification","amount":1"#,
        ),
        (r#""outcome":1"#, r#""outcome":1e0"#),
        (r#""outcome":1"#, r#""outcome":"1""#),
        (r#""asset_id":"a""#, r#""asset_id":"b""#),
        (r#""asset_id":"a""#, r#""asset_id":"a\u0000""#),
        (r#""asset_id":"a""#, r#""asset_id":"\u0430""#),
        (r#""remarks":"x""#, r#""remarks":"""#),
        (
            r#""doc_link_list":[]"#,
            r#""doc_link_list":["http://thief.example"]"#,
        ),
        (r#""doc_link_list":[]"#, r#""doc_link_list":null"#),
        (
            r#""deletable_after":9007199254740993"#,
            r#""deletable_after":9007199254740992"#,
        ),
        (
            r#""deletable_after":9007199254740993"#,
            r#""deletable_after":9007199254740993.0"#,
        ),
    ]
    .iter()
    .chain(MANIPULATIONS)
    .map(|(from, to)| ((*from).to_owned(), (*to).to_owned()))
    .collect();
    for member in [
        "timestamp",
        "trans_code",
        "type",
        "fee",
        "specific_data",
        "params",
        "outcome",
    ] {
        table.push(twice(member));
    }
    table.push((
        format!(r#""address":"{contract}""#),
        format!(r#""address":"ct{}""#, "b0".repeat(20)),
    ));
    table.push((
        format!(r#""signers":["{signer}"]"#),
        format!(r#""signers":["{thief}"]"#),
    ));
    table.push((
        format!(r#""signers":["{signer}"]"#),
        r#""signers":[]"#.to_owned(),
    ));
    table.push((
        format!(r#""signers":["{signer}"]"#),
        format!(r#""signers":["{signer}","{signer}"]"#),
    ));
    table.push((
        format!(r#""signers":["{signer}"]"#),
        format!(r#""signers":["{signer}","{thief}"]"#),
    ));
    table
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_node_builds_only_what_was_asked_for_is_signed() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let verifier = Verifier::of(&node);
    let (home, contract) = (&verifier.home, &*verifier.contract);
    let signer = verifier.keys.address().to_string();
    let wallet = home.wallet("plain.json", &verifier.keys);
    let params = format!(
        r#"{{"asset_id":"a","asset_type":"token","verifier_address":"{signer}","outcome":1,"doc_hash_list":[],"doc_link_list":[],"remarks":"x","deletable_after":9007199254740993}}"#
    );
    let params = home.file("params.json", &params);
    let common = [
        "--contract",
        contract,
        "--fee",
        "1000000",
        "--currency",
        "DEVN",
    ];
    let claim = [
        &[
            "claim",
            "add",
            "--asset",
            "a",
            "--remarks",
            "x",
            "--deletable-after",
            "9007199254740993",
        ],
        &common[..],
        &["--no-wait", "--wallet", &wallet],
    ]
    .concat();
    let call = [
        &[
            "call",
            "--function",
            "add_verification",
            "--signer",
            &signer,
            "--params",
            &params,
        ],
        &common[..],
    ]
    .concat();
    let honest = home.ask(node.base_url(), &call).ended(0).out;
    let mut tried = 0;
    for (from, to) in manipulations(contract, &signer) {
        let (old, new) = (from.clone(), to.clone());
        let fault: Fault = Arc::new(move |request, response| {
            if request.path != "/call-sc" {
                return response;
            }
            let text = String::from_utf8(response.body.to_vec()).expect("text");
            assert_eq!(text.matches(&old).count(), 1, "{old} in {text}");
            response.with_body(text.replacen(&old, &new, 1))
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let url = proxy.server.base_url();
        for command in [&claim, &call] {
            let ran = home.ask(&url, command);
            assert_eq!((ran.status, &*ran.out), (6, ""), "{from} -> {to}: {ran:?}");
            tried += 1;
        }
        assert!(
            proxy
                .requests()
                .iter()
                .all(|request| request.path != "/submit-transaction")
        );

        // When a user signs such a transaction by hand, it is shown and must be confirmed.
        let priced = from.replace("0.0", "1000000");
        let tampered = honest.replacen(&priced, &to.replace("0.0", "1000000"), 1);
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
    assert!(tried > 80, "{tried}");
    assert_eq!(node.submissions_received(), 0);
    assert!(!home.path(".local/state/nodectl/claims").exists() || kept(&verifier) == 0);
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

fn kept(verifier: &Verifier) -> usize {
    let folder = std::fs::read_dir(verifier.home.path(".local/state/nodectl/claims"));
    folder.expect("a folder").count()
}
