//! The cases of a run with a baseline.

use super::case::Case;
use crate::{
    api::{
        NO_INDEX, block_request, contract_state_request, nobody, token_balance_request,
        token_holders_request, trust_request, wallet_balances_request,
    },
    checks::{PinKind, check_pinned},
    context::Context,
    http::Request,
};

macro_rules! pinned {
    ($id:literal, $pin:ident, $request:expr) => {
        // A baseline is about one node. No requirement of the contract applies.
        Case::must($id, &[], |context| {
            Box::pin(check_pinned(context, $id, PinKind::$pin, $request))
        })
    };
}

const STATE: [&str; 4] = [
    "verification",
    "asset_id",
    "no_such_table",
    "no_such_column",
];

/// The cases of a run with a baseline.
pub(crate) const BASELINE: &[Case] = &[
    pinned!("baseline/block-first", Exactly, |c| oldest(c, 0)),
    pinned!("baseline/block-second", Exactly, |c| oldest(c, 1)),
    pinned!("baseline/block-latest", ByShape, |c| Some(
        c.discovered.blocks.last()?.1.request.clone()
    )),
    pinned!("baseline/block-unknown", Exactly, |_| Some(block_request(
        1_u64 << 40
    ))),
    pinned!("baseline/block-index-missing", Exactly, |_| Some(
        Request::get("/get-block")
    )),
    pinned!("baseline/block-index-malformed", Exactly, |_| {
        Some(block_request(NO_INDEX))
    }),
    pinned!("baseline/token-in-wallet", ByShape, |c| {
        let (wallet, token) = c.discovered.holdings.first()?;
        Some(token_balance_request(wallet, token))
    }),
    pinned!("baseline/nothing-held", Exactly, |_| Some(
        token_balance_request(&nobody(), "NOSUCHTOKEN")
    )),
    pinned!("baseline/all-tokens-in-wallet", ByShape, |c| {
        Some(wallet_balances_request(c.discovered.wallets.first()?))
    }),
    pinned!("baseline/all-wallets-for-token", ByShape, |c| {
        Some(token_holders_request(c.discovered.tokens.first()?))
    }),
    pinned!("baseline/balance-type-missing", Exactly, |_| Some(
        Request::get("/get-balances")
    )),
    pinned!("baseline/state", ByShape, |c| {
        let (contract, asset) = c.discovered.assets.first()?;
        Some(contract_state_request(contract, asset))
    }),
    pinned!("baseline/state-unknown-value", Exactly, |c| state(
        c, STATE[0], STATE[1]
    )),
    pinned!("baseline/state-unknown-table", Exactly, |c| state(
        c, STATE[2], STATE[1]
    )),
    pinned!("baseline/state-unknown-column", Exactly, |c| state(
        c, STATE[0], STATE[3]
    )),
    pinned!("baseline/state-parameters-missing", Exactly, |_| Some(
        Request::get("/sc-state")
    )),
    pinned!("baseline/trust-score", ByShape, |c| {
        let (from, to) = c.discovered.trust.first()?;
        Some(trust_request(from, to))
    }),
    pinned!("baseline/trust-unknown", Exactly, |_| Some(trust_request(
        &nobody(),
        &nobody()
    ))),
    pinned!("baseline/trust-parameters-missing", Exactly, |_| {
        Some(Request::get("/get-trustscore-wallets"))
    }),
    pinned!("baseline/call", ByShape, |c| Some(c.call_request())),
    pinned!("baseline/call-empty", Exactly, |_| Some(Request::post(
        "/call-sc",
        "{}".to_owned()
    ))),
    pinned!("baseline/call-not-json", Exactly, |_| Some(Request::post(
        "/call-sc",
        "{".to_owned()
    ))),
    pinned!("baseline/docs", ByHead, |_| Some(Request::get("/docs"))),
];

/// Returns the request for one of the oldest blocks, which no longer change.
fn oldest(context: &Context, place: usize) -> Option<Request> {
    // The latest block may still change.
    let settled = context.discovered.blocks.len().saturating_sub(1);
    let blocks = context.discovered.blocks.get(..settled)?;
    Some(blocks.get(place)?.1.request.clone())
}

fn state(context: &Context, table: &str, column: &str) -> Option<Request> {
    let contract = context.contract();
    Some(
        Request::get("/sc-state")
            .with("table_name", table)
            .with("contract_address", contract)
            .with("unique_column", column)
            .with("unique_value", "no-such-value-5a5a"),
    )
}
