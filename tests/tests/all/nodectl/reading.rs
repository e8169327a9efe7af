//! The commands that only read.

use nodeproof_devnode::Config;
use nodeproof_primitives::WalletAddress;
use serde_json::{Value, json};

use crate::nodectl::{
    program::{Home, keys, words},
    raw_server::{RawServer, Reply},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_block_is_shown_by_index_and_as_the_latest() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let (home, url) = (Home::new(), node.base_url());

    let block = home.ask(url, &["block", "2", "--json"]).ended(0).json();
    assert_eq!(block["index"], 2);
    assert_eq!(block["committee"].as_array().unwrap().len(), 3);
    let transaction = &block["transactions"][0]["transaction"];
    assert_eq!(transaction["specific_data"]["function"], "add_verification");
    let voter = block["receipts"][0]["data"]["wallet_address"].as_str();
    assert!(voter.unwrap().starts_with("0x"));
    assert_eq!(block["extra"], json!({}));

    let latest = home
        .ask(url, &["--json", "block", "latest"])
        .ended(0)
        .json();
    assert_eq!(latest["index"], node.node().height());

    let shown = home.ask(url, &["block", "2"]).ended(0);
    let hash = block["previous_hash"].as_str().unwrap();
    assert!(shown.out.contains(hash), "{shown:?}");
    assert!(shown.out.contains("add_verification"), "{shown:?}");
    assert_eq!(shown.err, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_that_is_not_there_is_told_by_status_1() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let home = Home::new();
    let ran = home.ask(node.base_url(), &["block", "999999"]).ended(1);
    assert_eq!(ran.out, "");
    assert_eq!(
        ran.err,
        "error: the node has no block 999999: the node responded with 400 Bad Request: Block not found\n"
    );
    let ran = home.ask(node.base_url(), &["--json", "block", "999999"]);
    assert_eq!(ran.ended(1).error()["kind"], "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn balances_are_exact_whichever_way_they_are_asked_for() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let (home, url) = (Home::new(), node.base_url());
    let alice = keys(&node, "alice").address().to_string();

    let all = home.ask(url, &["--json", "balances", &alice]).ended(0);
    // One balance is larger than a float can represent exactly.
    assert!(
        all.out
            .contains(r#"{"token":"VAULT","balance":9007199254740993}"#),
        "{all:?}"
    );
    let one = home.ask(url, &["balance", &alice, "VAULT"]).ended(0);
    assert_eq!(one.out, "9007199254740993\n");
    let one = home.ask(url, &["--json", "balance", &alice, "VAULT"]);
    assert!(one.ended(0).out.contains(r#""balance":9007199254740993}"#));

    let held = home
        .ask(url, &["--json", "holders", "VAULT"])
        .ended(0)
        .json();
    let own = |entry: &&Value| entry["holder"] == alice.as_str();
    let entry = held["balances"]
        .as_array()
        .unwrap()
        .iter()
        .find(own)
        .unwrap();
    assert_eq!(entry["balance"].as_u64(), Some(9_007_199_254_740_993));
    let table = home.ask(url, &["holders", "VAULT"]).ended(0);
    assert!(table.out.starts_with("holder "), "{table:?}");
    let row = |line: &&str| line.starts_with(&alice);
    let row = table.out.lines().find(row).unwrap();
    assert!(row.ends_with(" 9007199254740993"), "{table:?}");

    // Who holds nothing has an empty list. A refused request has none.
    let nobody = WalletAddress::from_bytes([7; 20]).to_string();
    let elsewhere = format!("{url}/api");
    for args in [["balances", &*nobody], ["holders", "NOSUCH"]] {
        assert_eq!(home.ask(url, &args).ended(0).out, "none\n", "{args:?}");
        let refused = home.ask(&elsewhere, &args).ended(1);
        assert!(refused.err.contains("404 Not Found"), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_is_told_and_its_absence_too() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let (home, url) = (Home::new(), node.base_url());
    let (alice, bob) = (keys(&node, "alice").address(), keys(&node, "bob").address());
    let (alice, bob) = (alice.to_string(), bob.to_string());
    let trust = home
        .ask(url, &["--json", "trust", &alice, &bob])
        .ended(0)
        .json();
    assert!(trust["trust_score"].is_i64());
    assert_eq!((&trust["from"], &trust["to"]), (&json!(alice), &json!(bob)));
    let nobody = WalletAddress::from_bytes([7; 20]).to_string();
    home.ask(url, &["trust", &alice, &nobody]).ended(1);
}

#[tokio::test(flavor = "multi_thread")]
async fn state_is_shown_as_the_node_wrote_it() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let (home, url) = (Home::new(), node.base_url());
    let contract = node.contract_address().to_string();
    let block = home.ask(url, &["--json", "block", "2"]).ended(0).json();
    let params = &block["transactions"][0]["transaction"]["specific_data"]["params"];
    let asset = params["asset_id"].as_str().unwrap();
    let ask = |value: &str| {
        let arguments =
            format!("--json state --contract {contract} --table verification --column asset_id");
        let arguments = [&words(&arguments)[..], &["--value", value]].concat();
        home.ask(url, &arguments)
    };
    let found = ask(asset).ended(0).json();
    assert!(found["record"].to_string().contains(asset), "{found}");
    assert_eq!(
        ask("nothing of that name").ended(1).error()["kind"],
        "not_found"
    );
}

#[test]
fn a_record_of_something_else_is_none() {
    let contract = format!("ct{}", "0".repeat(38) + "c1");
    let other = contract.replace("c1", "c2");
    let get = ["--json", "claim", "get", "a", "--contract", &contract];
    let ask = |body: String| {
        let server = RawServer::spawn(move |_| Reply::json("200 OK", &body));
        Home::new().ask(&server.base_url, &get)
    };
    for body in [
        format!(r#"{{"status":"SUCCESS","data":{{"address":"{other}","asset_id":"a"}}}}"#),
        r#"{"status":"SUCCESS","data":{}}"#.to_owned(),
        r#"{"status":"SUCCESS","data":{"remarks":"fine"}}"#.to_owned(),
        r#"{"status":"FAILURE","data":{"asset_id":"a"}}"#.to_owned(),
    ] {
        let error = ask(body.clone()).ended(6).error();
        assert_eq!(error["kind"], "unexpected", "{body}");
    }
    let partly = r#"{"data":{"asset_id":"a","outcome":"x"}}"#;
    let error = ask(partly.to_owned()).ended(6).error();
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("`outcome`: expected an integer"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn docs_prints_the_url_of_the_page_and_whether_it_responds() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let (home, url) = (Home::new(), node.base_url());
    let docs = home.ask(url, &["--json", "docs"]).ended(0).json();
    assert_eq!(docs["url"], format!("{url}/docs"));
    assert!(docs["bytes"].as_u64().unwrap() > 100);
    let page = home.ask(url, &["docs", "--html"]).ended(0);
    assert!(page.out.to_lowercase().contains("<html"), "{page:?}");
}
