//! Facts about the chain of the local node that faults refer to. All of them are read from the node.

use nodeproof_client::transport::{self, TransportOptions};
use nodeproof_devnode::Handle;
use serde_json::{Value, json};

/// The facts about the node that the tables use.
pub(crate) struct Facts {
    /// The index of the latest block.
    pub(crate) latest: u64,
    /// The index of a block without transactions in the upper half of the chain.
    pub(crate) middle: u64,
    /// The address of the verification contract.
    pub(crate) verification: String,
    /// The asset of the chain's first claim.
    pub(crate) asset: String,
    /// The code of the token in which fees are paid.
    pub(crate) token: String,
    /// Wallets that hold tokens.
    pub(crate) alice: String,
    pub(crate) bob: String,
    /// A wallet that signs nothing at first.
    pub(crate) carol: String,
}

impl Facts {
    pub(crate) async fn of(node: &Handle) -> Self {
        let wallet = |name| {
            let wallet = node.wallet(name).expect("a wallet of this name");
            wallet.address().to_string()
        };
        let latest = node.height();
        Self {
            latest,
            middle: latest - 2,
            verification: node.contract_address().to_string(),
            asset: first_asset(node).await,
            token: node.native_token().to_owned(),
            alice: wallet("alice"),
            bob: wallet("bob"),
            carol: wallet("carol"),
        }
    }

    /// Returns the part of a query that names the verification contract.
    pub(crate) fn verification_query(&self) -> String {
        format!("contract_address={}", self.verification)
    }

    /// Returns the first word of the asset's name.
    pub(crate) fn asset_word(&self) -> &str {
        self.asset.split('-').next().unwrap_or_default()
    }

    /// Returns the start of a record of the asset. The other columns are empty.
    pub(crate) fn record(&self) -> Value {
        json!([self.verification, self.asset, "", "", "", "", "", "", ""])
    }
}

/// Returns the asset of the first claim on the chain.
async fn first_asset(node: &Handle) -> String {
    let base = node.base_url().parse().expect("a base URL");
    let http = transport::http_client(&base, &TransportOptions::default()).expect("a client");
    for index in 1..=node.height() {
        let url = format!("{}/get-block?block_index={index}", node.base_url());
        let response = http.get(url).send().await.expect("a block");
        let block: Value = response.json().await.expect("a block");
        let transactions = block["text"]["transactions"]
            .as_array()
            .into_iter()
            .flatten();
        for entry in transactions {
            let params = &entry["transaction"]["specific_data"]["params"];
            if let Some(asset) = params["asset_id"].as_str() {
                return asset.to_owned();
            }
        }
    }
    panic!("the chain has no claim")
}
