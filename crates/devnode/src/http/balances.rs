//! `GET /get-balances`.

use std::sync::Arc;

use axum::{extract::State, http::StatusCode, response::Response};
use nodeproof_primitives::HolderAddress;
use serde_json::Value;

use super::{
    query::Query,
    response::{Fault, Faults, json_text},
};
use crate::Node;

/// Returns balances, depending on `balance_type`. A holder is a wallet or a contract.
///
/// The parameters of that type are required. An unknown token, or a token that the holder never had,
/// has the balance 0.
pub(super) async fn get_balances(
    State(node): State<Arc<Node>>,
    query: Query,
) -> Result<Response, Faults> {
    let body = match query.text("balance_type")? {
        "TOKEN_IN_WALLET" => {
            let (token, holder) = (token(&query), query.read::<HolderAddress>("wallet_address"));
            let mut faults = Faults::default();
            match (faults.note(token), faults.note(holder)) {
                (Some(token), Some(holder)) => {
                    let balance = node.chain().ledger().balance(token, holder);
                    format!("{{\"balance\":{balance}}}")
                }
                _ => return Err(faults),
            }
        }
        "ALL_TOKENS_IN_WALLET" => {
            let holder = query.read("wallet_address")?;
            let chain = node.chain();
            let balances = chain.ledger().holdings(holder).map(|(token, balance)| {
                let token = Value::from(token);
                format!("{{\"token_code\":{token},\"balance\":{balance}}}")
            });
            list(balances)
        }
        "ALL_WALLETS_FOR_TOKEN" => {
            let token = token(&query)?;
            let code = Value::from(token);
            let chain = node.chain();
            let balances = chain.ledger().holders(token).map(|(holder, balance)| {
                format!("{{\"wallet\":\"{holder}\",\"token_code\":{code},\"balance\":{balance}}}")
            });
            list(balances)
        }
        _ => {
            let place = vec!["query".into(), "balance_type".into()];
            let permitted = "value is not a valid enumeration member; permitted: 'TOKEN_IN_WALLET', \
                             'ALL_TOKENS_IN_WALLET', 'ALL_WALLETS_FOR_TOKEN'";
            return Err(Fault::value(place, permitted).into());
        }
    };
    Ok(json_text(StatusCode::OK, body))
}

fn token(query: &Query) -> Result<&str, Fault> {
    match query.text("token_code")? {
        "" => Err(Fault::value(
            vec!["query".into(), "token_code".into()],
            "a token code is not empty",
        )),
        token => Ok(token),
    }
}

fn list(balances: impl Iterator<Item = String>) -> String {
    let balances: Vec<String> = balances.collect();
    format!("{{\"balance\":[{}]}}", balances.join(","))
}
