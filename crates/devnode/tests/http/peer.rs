//! A node under test, and its client.

use nodeproof_devnode::{ChainTime, Config, Handle};
use nodeproof_primitives::{RawJson, WalletAddress};
use nodeproof_wallet::{KeyPair, SignatureEntry, sign_transaction};
use serde_json::{Value, json};

pub(crate) struct Peer {
    pub(crate) node: Handle,
    pub(crate) http: reqwest::Client,
}

/// The status and the text of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) text: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    /// Returns validity, message and novelty from `response` of a submission.
    #[track_caller]
    pub(crate) fn verdict(&self) -> (bool, String, bool) {
        assert_eq!(self.status, 200, "{}", self.text);
        let body = self.json();
        assert_eq!(body["status"], "SUCCESS");
        let response = &body["response"];
        (
            response["valid"].as_bool().unwrap(),
            response["msg"].as_str().unwrap().to_owned(),
            response["new_transaction"].as_bool().unwrap(),
        )
    }

    /// Asserts status 422, with a list in `detail`.
    #[track_caller]
    pub(crate) fn assert_faulted(&self) {
        assert_eq!(self.status, 422, "{}", self.text);
        let faults = self.json()["detail"].as_array().unwrap().clone();
        assert!(!faults.is_empty());
        for fault in faults {
            assert!(
                fault["loc"].is_array() && fault["msg"].is_string(),
                "{fault}"
            );
        }
    }
}

impl Peer {
    pub(crate) async fn new() -> Self {
        Self::with(Config::for_tests().with_time(ChainTime::FIXED)).await
    }

    pub(crate) async fn with(config: Config) -> Self {
        // Fails if another test in the same process has already installed it.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        Self {
            node: nodeproof_devnode::spawn(config).await.unwrap(),
            http: reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .unwrap(),
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.node.base_url())
    }

    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Response {
        let response = request.send().await.unwrap();
        let content_type = response.headers()["content-type"].to_str().unwrap();
        assert_eq!(content_type, "application/json");
        Response {
            status: response.status().as_u16(),
            text: response.text().await.unwrap(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.send(self.http.get(self.url(path))).await
    }

    pub(crate) async fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> Response {
        let request = self.http.post(self.url(path));
        let request = request.header("content-type", "application/json");
        self.send(request.body(body)).await
    }

    pub(crate) fn keys(&self, name: &str) -> &KeyPair {
        self.node.wallet(name).unwrap().keys()
    }

    pub(crate) async fn block(&self, index: u64) -> Value {
        let response = self.get(&format!("/get-block?block_index={index}")).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()
    }

    pub(crate) async fn balance(&self, wallet: WalletAddress, token: &str) -> u128 {
        let path = format!(
            "/get-balances?balance_type=TOKEN_IN_WALLET&wallet_address={wallet}&token_code={token}"
        );
        self.get(&path).await.json()["balance"]
            .to_string()
            .parse()
            .unwrap()
    }

    pub(crate) async fn record(&self, asset: &str) -> Response {
        let path = format!(
            "/sc-state?table_name=verification&contract_address={}&unique_column=asset_id\
             &unique_value={asset}",
            self.node.contract_address()
        );
        self.get(&path).await
    }

    /// Returns the text of the transaction that `/call-sc` builds, with a fee of 1000000.
    pub(crate) async fn raw(&self, request: &Value) -> String {
        #[derive(serde::Deserialize)]
        struct Raw {
            transaction: RawJson,
        }
        let response = self.post("/call-sc", request.to_string()).await;
        assert_eq!(response.status, 200, "{}", response.text);
        let raw: Raw = serde_json::from_str(&response.text).unwrap();
        raw.transaction
            .as_str()
            .replace("\"fee\":0.0", "\"fee\":1000000")
    }

    pub(crate) fn claim_request(&self, signers: &[&str], asset: &str) -> Value {
        let signers: Vec<_> = signers
            .iter()
            .map(|name| self.keys(name).address())
            .collect();
        json!({
            "sc_address": self.node.contract_address(),
            "function_called": "add_verification",
            "signers": signers,
            "params": {
                "asset_id": asset,
                "asset_type": "token",
                "verifier_address": signers[0],
                "outcome": 1,
                "doc_hash_list": ["ab".repeat(32), "cd".repeat(32)],
                "doc_link_list": ["https://example.org/é"],
                "remarks": "a \"remark\" — ✓",
                "deletable_after": 1347344,
            }
        })
    }

    pub(crate) fn transfer_request(
        &self,
        from: &str,
        to: &str,
        token: &str,
        amount: &Value,
    ) -> Value {
        json!({
            "sc_address": self.node.token_contract_address(),
            "function_called": "transfer",
            "signers": [self.keys(from).address()],
            "params": {
                "amount_to_send": amount,
                "receiver": self.keys(to).address(),
                "asset_code": token,
            }
        })
    }

    /// Returns a claim of one wallet, signed and ready for submission.
    pub(crate) async fn signed_claim(&self, signer: &str, asset: &str) -> String {
        let transaction = self.raw(&self.claim_request(&[signer], asset)).await;
        self.signed(&transaction, &[signer])
    }

    pub(crate) fn signed(&self, transaction: &str, signers: &[&str]) -> String {
        let entries: Vec<_> = signers
            .iter()
            .map(|name| sign_transaction(self.keys(name), transaction).unwrap())
            .collect();
        with_signatures(transaction, &entries)
    }

    /// Submits a transaction with the signatures of these wallets. Returns the verdict of the node.
    pub(crate) async fn verdict(
        &self,
        transaction: &str,
        signers: &[&str],
    ) -> (bool, String, bool) {
        let signed = self.signed(transaction, signers);
        self.submit(signed).await.verdict()
    }

    pub(crate) async fn submit(&self, signed: impl Into<reqwest::Body>) -> Response {
        self.post("/submit-transaction", signed).await
    }
}

pub(crate) fn with_signatures(transaction: &str, entries: &[SignatureEntry]) -> String {
    let entries = serde_json::to_string(entries).unwrap();
    format!("{{\"transaction\":{transaction},\"signatures\":{entries}}}")
}
