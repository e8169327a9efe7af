//! `nodectl verify` and a conformance run agree about a receipt. The rows of how one may be signed are in
//! `receipt.rs` of the crate `nodeproof-wallet`, with which both verify.

use std::sync::Arc;

use integration_tests::{
    faults::change_json,
    proxy::{Fault, Proxy},
    watch::{caught, check},
};
use nodeproof_client::transport::{TransportOptions, http_client};
use nodeproof_conformance::Options;
use nodeproof_devnode::Config;
use nodeproof_primitives::signed_message;
use nodeproof_wallet::KeyPair;
use serde_json::{Value, json};

use crate::nodectl::program::Home;

/// The index of the block whose first receipt is replaced.
const BLOCK: u64 = 6;
/// The order in which the specification lists the members of a receipt's data.
const LISTED: [&str; 5] = [
    "block_index",
    "block_hash",
    "vote",
    "timestamp",
    "wallet_address",
];
const SORTED: [&str; 5] = [
    "block_hash",
    "block_index",
    "timestamp",
    "vote",
    "wallet_address",
];

/// A vote and its voter.
struct Voted<'v> {
    /// A vote as known nodes cast it, as an object.
    data: &'v Value,
    voter: KeyPair,
}

impl Voted<'_> {
    /// Returns the data as JSON text with its members in this order.
    fn text(&self, order: [&str; 5]) -> String {
        let members = order.map(|name| format!("\"{name}\":{}", self.data[name]));
        format!("{{{}}}", members.join(","))
    }

    /// Returns a receipt with the data in this order and the voter's signature over a message.
    fn receipt(&self, order: [&str; 5], message: &str) -> String {
        self.with(
            &self.text(order),
            &self.voter.sign(message.as_bytes()).to_string(),
        )
    }

    fn with(&self, data: &str, signature: &str) -> String {
        let key = self.voter.public_key();
        format!("{{\"data\":{data},\"public_key\":\"{key}\",\"signature\":\"{signature}\"}}")
    }

    /// Returns the message that known nodes sign for the data in this order.
    fn message(&self, order: [&str; 5]) -> String {
        signed_message(&self.text(order)).expect("a message")
    }

    fn signature(&self, order: [&str; 5]) -> String {
        self.voter.sign(self.message(order).as_bytes()).to_string()
    }
}

/// A change of a receipt, and whether the receipt is then valid.
type Variant = (&'static str, fn(&Voted<'_>) -> String, bool);

const VARIANTS: [Variant; 7] = [
    (
        "sorted, and signed as it is listed",
        |v| v.receipt(SORTED, &v.message(LISTED)),
        true,
    ),
    (
        "listed, and signed sorted",
        |v| v.receipt(LISTED, &v.message(SORTED)),
        false,
    ),
    (
        "written over several lines",
        |v| v.with(&v.text(LISTED).replace(',', ",\n  "), &v.signature(LISTED)),
        true,
    ),
    (
        "another wallet's vote",
        |v| {
            let other = KeyPair::from_bytes(&[8; 32]).expect("a key").address();
            let of =
                |text: String| text.replace(&v.voter.address().to_string(), &other.to_string());
            let signature = v.voter.sign(of(v.message(LISTED)).as_bytes());
            v.with(&of(v.text(LISTED)), &signature.to_string())
        },
        false,
    ),
    (
        "upper-case digits",
        |v| v.with(&v.text(LISTED), &v.signature(LISTED).to_uppercase()),
        true,
    ),
    (
        "half a signature",
        |v| v.with(&v.text(LISTED), &v.signature(LISTED)[..64]),
        false,
    ),
    (
        "a member twice",
        |v| {
            v.with(
                &v.text(LISTED).replacen('{', "{\"vote\":1,", 1),
                &v.signature(LISTED),
            )
        },
        false,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn nodectl_and_a_conformance_run_say_the_same_of_a_receipt() {
    let node = nodeproof_devnode::spawn(Config::for_tests().with_blocks(7));
    let node = node.await.expect("a local node");
    let base = node.base_url().parse().expect("a base URL");
    let http = http_client(&base, &TransportOptions::default()).expect("a client");
    let url = format!("{}/get-block?block_index={BLOCK}", node.base_url());
    let block = http.get(url).send().await.expect("a block");
    let block: Value = block.json().await.expect("a block");
    let voter = KeyPair::from_bytes(&[7; 32]).expect("a key");
    let mut data = block["text"]["previous_block_receipts"][0]["data"].clone();
    data["wallet_address"] = json!(voter.address());
    data["vote"] = json!(1);
    let voted = Voted { data: &data, voter };
    let home = Home::new();
    let mut wrong = Vec::new();
    for (name, receipt, is_right) in VARIANTS {
        let receipt = receipt(&voted);
        let ran = home.run(&["verify", &home.file("receipt.json", &receipt)]);
        let found = violations(node.base_url(), receipt).await;
        if (ran.status == 0) != is_right || found.is_empty() != is_right {
            wrong.push(format!(
                "{name}: nodectl ends with {} and {}, the run finds {found:?}",
                ran.status, ran.err
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the failed cases if a block has this receipt in place of its first one.
async fn violations(base_url: &str, receipt: String) -> Vec<String> {
    let fault = change_json("/get-block", move |request, block| {
        if request.query == format!("block_index={BLOCK}") {
            block["text"]["previous_block_receipts"][0] = json!(MARK);
        }
    });
    let fault: Fault = Arc::new(move |request, response| {
        let response = fault(request, response);
        // Insert the exact text. A JSON library could change it.
        let text =
            String::from_utf8_lossy(&response.body).replace(&format!("\"{MARK}\""), &receipt);
        response.with_body(text)
    });
    let proxy = Proxy::spawn(base_url, fault).await.expect("a proxy");
    let mut options = Options::default();
    let ids = [
        "get-block/responds",
        "chain/receipt-signatures",
        "chain/voter-address",
    ];
    options.select_only(ids).expect("IDs");
    caught(&check(&proxy.server.base_url(), &options).await)
}

/// The placeholder for the receipt.
const MARK: &str = "the receipt";
