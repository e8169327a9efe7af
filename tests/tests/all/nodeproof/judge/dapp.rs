//! A file with the traffic of a dapp: a small client of its own, whose exchanges are recorded as other programs record them.
//! Then the node's responses are changed, one by one.

use std::{fs, time::Duration};

use integration_tests::submissions::SUBMIT;
use nodeproof_devnode::{BlockTime, Config, Handle};
use nodeproof_wallet::{KeyPair, sign_transaction};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{found, judge};
use crate::nodeproof::{node_report, ran};

/// The cases that compare a record with its claim.
const STORED: [&str; 2] = [
    "sc-state/record-matches-claim",
    "submit-transaction/claim-as-submitted",
];

/// A client that records what it sends and receives.
struct Dapp {
    node: Handle,
    keys: KeyPair,
    client: reqwest::Client,
    entries: Vec<Value>,
}

impl Dapp {
    async fn start() -> Self {
        let _installed = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
        let config = Config::for_tests().with_block_time(BlockTime::Manual);
        let node = integration_tests::restart::start(config).await;
        Self {
            keys: node.node().wallet("bob").expect("a wallet").keys().clone(),
            client: reqwest::Client::new(),
            entries: Vec::new(),
            node,
        }
    }

    /// Sends a GET, or a POST with this body, and returns the text of the response.
    async fn send(&mut self, path: &str, body: Option<String>) -> String {
        // Programs write milliseconds.
        tokio::time::sleep(Duration::from_millis(2)).await;
        let started_at = OffsetDateTime::now_utc();
        let url = format!("{}{path}", self.node.base_url());
        let request = match &body {
            None => self.client.get(&url),
            Some(body) => {
                let request = self.client.post(&url).body(body.clone());
                request.header("content-type", "application/json")
            }
        };
        let response = request.send().await.expect("a response");
        let status = response.status().as_u16();
        let text = response.text().await.expect("a text");
        let took = OffsetDateTime::now_utc() - started_at;
        let method = if body.is_some() { "POST" } else { "GET" };
        let mut request = json!({"method": method, "url": url, "headers": []});
        if let Some(body) = body {
            request["postData"] = json!({"mimeType": "application/json", "text": body});
        }
        self.entries.push(json!({
            "startedDateTime": started_at.format(&Rfc3339).expect("a time"),
            "time": took.as_seconds_f64() * 1000.0,
            "request": request,
            "response": {
                "status": status,
                "headers": [{"name": "content-type", "value": "application/json"}],
                "content": {"mimeType": "application/json", "text": text},
            },
        }));
        text
    }

    /// Returns a submission of a claim, and the same without its signature.
    async fn claim(&mut self, asset: &str) -> [String; 2] {
        let wallet = self.keys.address();
        let call = json!({
            "sc_address": self.node.node().contract_address(),
            "function_called": "add_verification",
            "signers": [wallet],
            "params": {
                "asset_type": "token",
                "asset_id": asset,
                "verifier_address": wallet,
                "doc_hash_list": ["5a".repeat(32)],
                "doc_link_list": ["https://example.com/one"],
                "outcome": 1,
                "remarks": format!("about {asset}"),
                "deletable_after": 4_000_000_000_000_u64,
            },
        });
        let built = self.send("/call-sc", Some(call.to_string())).await;
        let built: Value = serde_json::from_str(&built).expect("JSON");
        let mut transaction = built["transaction"].clone();
        transaction["fee"] = json!(1_000_000);
        transaction["currency"] = json!("DEVN");
        let text = transaction.to_string();
        let signature = sign_transaction(&self.keys, &text).expect("a signature");
        let submission =
            |signatures: Value| format!(r#"{{"transaction":{text},"signatures":{signatures}}}"#);
        [submission(json!([signature])), submission(json!([]))]
    }

    async fn read(&mut self, asset: &str) {
        let contract = self.node.node().contract_address();
        let path = format!(
            "/sc-state?table_name=verification&contract_address={contract}&unique_column=asset_id&unique_value={asset}"
        );
        self.send(&path, None).await;
        let wallet = self.keys.address();
        let path = format!(
            "/get-balances?balance_type=TOKEN_IN_WALLET&token_code=DEVN&wallet_address={wallet}"
        );
        self.send(&path, None).await;
    }

    /// Reads the blocks from this one to the end.
    async fn read_blocks(&mut self, first: u64) {
        for index in first..=self.node.node().height() + 1 {
            let path = format!("/get-block?block_index={index}");
            self.send(&path, None).await;
        }
    }

    /// Makes three claims: two one by one, and one in a batch. Something is refused before each of the first and the last.
    async fn run(&mut self) {
        self.read_blocks(1).await;
        self.read("one").await;
        let [right, unsigned] = self.claim("one").await;
        self.send(SUBMIT, Some(unsigned)).await;
        self.send(SUBMIT, Some(right.clone())).await;
        self.send(SUBMIT, Some(right)).await;
        self.make_block("one").await;
        let [right, _] = self.claim("two").await;
        self.send(SUBMIT, Some(right)).await;
        self.make_block("two").await;
        let [right, _] = self.claim("three").await;
        let [_, unsigned] = self.claim("four").await;
        let batch = format!("[{right},{unsigned}]");
        self.send("/submit-transaction-batch", Some(batch)).await;
        self.make_block("three").await;
    }

    async fn make_block(&mut self, asset: &str) {
        let height = self.node.node().make_block();
        self.read_blocks(height).await;
        self.read(asset).await;
        // The chain has no more blocks than these.
        self.read_blocks(height + 1).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_claims_of_a_dapp_are_judged_like_those_of_a_run() {
    let mut dapp = Dapp::start().await;
    dapp.run().await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("dapp.har");
    let url_of = |entry: &Value| entry["request"]["url"].as_str().expect("a URL").to_owned();
    let calls = dapp
        .entries
        .iter()
        .filter(|entry| url_of(entry).ends_with("/call-sc"));
    let code = |entry: &Value| {
        let built = entry["response"]["content"]["text"]
            .as_str()
            .expect("a text");
        let built: Value = serde_json::from_str(built).expect("JSON");
        built["transaction"]["trans_code"]
            .as_str()
            .expect("a code")
            .to_owned()
    };
    let codes: Vec<_> = calls.map(code).collect();
    // The path of a request, the number of one of them, the change of its response, and the case that finds it.
    let rows: [(&str, usize, &str, &str, &[&str]); 11] = [
        ("", 0, "", "", &[]),
        (
            SUBMIT,
            1,
            r#""SUCCESS""#,
            r#""FAILURE""#,
            &["submit-transaction/claim-status"],
        ),
        (
            SUBMIT,
            2,
            r#""new_transaction":false"#,
            r#""new_transaction":true"#,
            &["submit-transaction/resubmission-not-new"],
        ),
        (
            SUBMIT,
            0,
            r#""valid":false"#,
            r#""valid":true"#,
            &["submit-transaction/authority"],
        ),
        (
            "/submit-transaction-batch",
            0,
            "failed_transactions",
            "accepted_transactions",
            &["submit-transaction/batch"],
        ),
        ("unique_value=one", 1, "about one", "about won", &STORED),
        ("unique_value=two", 0, ",4000000000000", "", &STORED[1..]),
        (
            "/get-balances",
            1,
            r#"balance":"#,
            r#"balance":1"#,
            &["submit-transaction/fee-paid"],
        ),
        (
            "/get-balances",
            2,
            r#"balance":"#,
            r#"balance":-"#,
            &[
                "submit-transaction/fee-paid",
                "submit-transaction/nothing-created",
            ],
        ),
        (
            "/call-sc",
            0,
            r#""outcome":1"#,
            r#""outcome":2"#,
            &["call-sc/echo"],
        ),
        ("/call-sc", 1, &codes[1], &codes[0], &["call-sc/fresh"]),
    ];
    let judged = |entries: &[Value]| {
        let log = json!({"log": {"version": "1.2", "entries": entries}});
        fs::write(&file, log.to_string()).expect("a file");
        let judged = ran(judge(&file)
            .args(["--network", "devnet", "--report-dir"])
            .arg(folder.path()));
        let report = node_report(&folder.path().join("report.json"));
        (found(&report), judged)
    };
    // A program need not read each block.
    let last = dapp.node.node().height();
    for missing in (13..=last).map(|index| format!("block_index={index}")) {
        let mut entries = dapp.entries.clone();
        entries.retain(|entry| !url_of(entry).ends_with(&missing));
        assert!(entries.len() < dapp.entries.len(), "{missing}");
        assert_eq!(judged(&entries).0, [""; 0], "{missing}");
    }
    for (path, number, from, to, expected) in rows {
        let mut entries = dapp.entries.clone();
        let mut of_path = entries
            .iter_mut()
            .filter(|entry| url_of(entry).contains(path));
        let entry = of_path.nth(number).expect("an exchange");
        let text = &mut entry["response"]["content"]["text"];
        let changed = text.as_str().expect("a text").replace(from, to);
        assert_eq!(from == to, *text == changed, "{path}: {text}");
        *text = json!(changed);
        let (found, judged) = judged(&entries);
        assert_eq!(found, expected, "{path} {number}: {judged:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_part_of_a_dapps_correct_traffic_is_a_finding() {
    let mut dapp = Dapp::start().await;
    dapp.read_blocks(12).await;
    let mut submitted = Vec::new();
    for asset in ["one", "one", "lagerschein-0002"] {
        let [right, _] = dapp.claim(asset).await;
        for body in [&right, &right] {
            dapp.send(SUBMIT, Some(body.clone())).await;
            dapp.make_block(asset).await;
        }
        submitted.push(right);
    }
    let second = &submitted[1];
    // A batch has the right form of a claim, and another one with its code.
    let [right, _] = dapp.claim("two").await;
    let altered = right.replacen("about two", "about won", 1);
    let batch = format!("[{right},{altered}]");
    dapp.send("/submit-transaction-batch", Some(batch)).await;
    dapp.make_block("two").await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("dapp.har");
    // Without blocks, nothing shows that the second claim about `one` was left out, so that it may be new again.
    let needs_blocks = |entry: &Value| {
        let request = &entry["request"];
        request["url"].to_string().contains("/get-block") || request["postData"]["text"] == *second
    };
    for start in (0..dapp.entries.len()).step_by(4) {
        let part = &dapp.entries[start..];
        let without_blocks = part.iter().filter(|entry| !needs_blocks(entry));
        for entries in [json!(part), without_blocks.cloned().collect()] {
            let log = json!({"log": {"version": "1.2", "entries": entries}});
            fs::write(&file, log.to_string()).expect("a file");
            let (status, out, errors) = ran(judge(&file).args(["--network", "devnet"]));
            let is_right = status == 0 && !out.contains("warn ");
            assert!(is_right, "{start}: {status} {out}{errors}");
        }
    }
}
