//! `GET /get-trustscore-wallets`.

use std::sync::Arc;

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use nodeproof_primitives::WalletAddress;

use super::{
    query::Query,
    response::{Faults, detail, json_text},
};
use crate::Node;

/// Returns the trust score from one wallet to another.
pub(super) async fn get_trustscore_wallets(
    State(node): State<Arc<Node>>,
    query: Query,
) -> Response {
    let mut faults = Faults::default();
    let from = faults.note(query.read::<WalletAddress>("src_wallet_address"));
    let to = faults.note(query.read::<WalletAddress>("dst_wallet_address"));
    let (Some(from), Some(to)) = (from, to) else {
        return faults.into_response();
    };
    match node.trust().score(from, to) {
        Some(score) => json_text(
            StatusCode::OK,
            format!("{{\"status\":\"SUCCESS\",\"trust_score\":{score}}}"),
        ),
        None => detail(StatusCode::BAD_REQUEST, "Trust score not available"),
    }
}
