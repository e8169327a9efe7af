//! `GET /get-balances`.

use std::{str::FromStr, sync::Arc};

use axum::{extract::State, http::StatusCode, response::Response};
use nodeproof_primitives::HolderAddress;
use serde_json::Value;

use super::{
    query::Query,
    response::{Fault, Faults, json_text},
};
use crate::{Forms, Node};

enum BalanceType {
    TokenInWallet,
    AllTokensInWallet,
    AllWalletsForToken,
}

struct UnknownBalanceType;

impl std::fmt::Display for UnknownBalanceType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "value is not a valid enumeration member; permitted: 'TOKEN_IN_WALLET', \
             'ALL_TOKENS_IN_WALLET', 'ALL_WALLETS_FOR_TOKEN'",
        )
    }
}

impl FromStr for BalanceType {
    type Err = UnknownBalanceType;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "TOKEN_IN_WALLET" => Ok(Self::TokenInWallet),
            "ALL_TOKENS_IN_WALLET" => Ok(Self::AllTokensInWallet),
            "ALL_WALLETS_FOR_TOKEN" => Ok(Self::AllWalletsForToken),
            _ => Err(UnknownBalanceType),
        }
    }
}

/// Returns balances, depending on `balance_type`. A holder is a wallet or a contract.
///
/// The parameters of that type are required. An unknown token, or a token that the holder never had,
/// has the balance 0, or null in the form `rows`.
pub(super) async fn get_balances(
    State(node): State<Arc<Node>>,
    query: Query,
) -> Result<Response, Faults> {
    let body = match query.read("balance_type")? {
        BalanceType::TokenInWallet => {
            let (token, holder) = (token(&query), query.read::<HolderAddress>("wallet_address"));
            let mut faults = Faults::default();
            match (faults.note(token), faults.note(holder)) {
                (Some(token), Some(holder)) => match node.chain().ledger().held(token, holder) {
                    None if node.forms() == Forms::Rows => "{\"balance\":null}".to_owned(),
                    held => format!("{{\"balance\":{}}}", held.unwrap_or(0)),
                },
                _ => return Err(faults),
            }
        }
        BalanceType::AllTokensInWallet => {
            let holder = query.read("wallet_address")?;
            let chain = node.chain();
            let balances = chain.ledger().holdings(holder).map(|(token, balance)| {
                let token = Value::from(token);
                format!("{{\"token_code\":{token},\"balance\":{balance}}}")
            });
            list(balances)
        }
        BalanceType::AllWalletsForToken => {
            let token = token(&query)?;
            let code = Value::from(token);
            let chain = node.chain();
            let balances = chain.ledger().holders(token).map(|(holder, balance)| {
                format!("{{\"wallet\":\"{holder}\",\"token_code\":{code},\"balance\":{balance}}}")
            });
            list(balances)
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
