//! Builds the requests of each operation.

use nodeproof_primitives::WalletAddress;
use serde_json::{Map, Value};

use crate::http::Request;

pub(crate) fn block_request(index: impl ToString) -> Request {
    Request::get("/get-block").with("block_index", index.to_string())
}

pub(crate) fn token_balance_request(wallet: &str, token: &str) -> Request {
    Request::get("/get-balances")
        .with("balance_type", "TOKEN_IN_WALLET")
        .with("token_code", token)
        .with("wallet_address", wallet)
}

pub(crate) fn wallet_balances_request(wallet: &str) -> Request {
    Request::get("/get-balances")
        .with("balance_type", "ALL_TOKENS_IN_WALLET")
        .with("wallet_address", wallet)
}

pub(crate) fn token_holders_request(token: &str) -> Request {
    Request::get("/get-balances")
        .with("balance_type", "ALL_WALLETS_FOR_TOKEN")
        .with("token_code", token)
}

pub(crate) fn contract_state_request(contract: &str, asset: &str) -> Request {
    Request::get("/sc-state")
        .with("table_name", "verification")
        .with("contract_address", contract)
        .with("unique_column", "asset_id")
        .with("unique_value", asset)
}

pub(crate) fn trust_request(from: &str, to: &str) -> Request {
    Request::get("/get-trustscore-wallets")
        .with("src_wallet_address", from)
        .with("dst_wallet_address", to)
}

/// A path that no node has.
pub(crate) const NO_PATH: &str = "/no-such-path-5a5a";

/// The path of a node's own OpenAPI document.
pub(crate) const OWN_DOCUMENT: &str = "/openapi.json";

/// Returns the index in a block request.
pub(crate) fn requested_index(request: &Request) -> Option<u64> {
    let mut query = request.query.iter();
    let (_, value) = query.find(|(name, _)| *name == "block_index")?;
    value.parse().ok()
}

/// Whether a text has the prefix and the length of a wallet's or a contract's address.
pub(crate) fn is_address(text: &str) -> bool {
    text.len() == 42 && (text.starts_with("0x") || text.starts_with("ct"))
}

/// Returns the members of an object that are the addresses of wallets.
pub(crate) fn wallet_members(members: &Map<String, Value>) -> impl Iterator<Item = (&str, &str)> {
    let texts = members
        .iter()
        .filter_map(|(name, value)| Some((&**name, value.as_str()?)));
    texts.filter(|(_, text)| text.parse::<WalletAddress>().is_ok())
}
