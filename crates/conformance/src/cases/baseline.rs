//! The cases of a run with a baseline.

use nodeproof_report::Aspect;

use super::{
    call_sc, case::Case, check::Check::Pinned, docs, get_balances, get_block,
    get_trustscore_wallets, request_kind::RequestKind, sc_state,
};
use crate::{
    api::{
        NO_INDEX, block_request, contract_state_request, nobody, token_balance_request,
        token_holders_request, trust_request, wallet_balances_request,
    },
    checks::PinKind::{self, ByHead, ByShape, Exactly},
    context::Samples,
    http::Request,
};

/// What these cases share. A baseline is about one node, so no requirement of the specification
/// applies.
const BASE: Case = Case {
    checks: "The response is the one that the baseline has.",
    matters: "A change between two versions of a node can be intended. Users of the node should know of it.",
    aspect: Aspect::Consistency,
    ..Case::BASE
};

/// The cases of a run with a baseline.
pub(crate) const BASELINE: [Case; ROWS.len()] = {
    let mut cases = [BASE; ROWS.len()];
    let mut at = 0;
    while at < ROWS.len() {
        let (id, sends, pin, request) = ROWS[at];
        cases[at].id = id;
        cases[at].sends = sends;
        cases[at].check = Pinned(pin, request);
        at += 1;
    }
    cases
};

/// A case: its ID, the kinds of requests that other cases do not send, what has to stay, and its request.
type Row = (
    &'static str,
    &'static [RequestKind],
    PinKind,
    fn(&Samples) -> Option<Request>,
);

#[rustfmt::skip]
const ROWS: [Row; 23] = [
    ("baseline/block-first", &[], Exactly, |c| oldest(c, 0)),
    ("baseline/block-second", &[], Exactly, |c| oldest(c, 1)),
    ("baseline/block-latest", &[], ByShape, |c| Some(c.discovered.blocks.last()?.1.request.clone())),
    ("baseline/block-unknown", &[], Exactly, |_| Some(block_request(1_u64 << 40))),
    ("baseline/block-index-missing", &[get_block::WITHOUT_INDEX], Exactly, |_| Some(Request::get("/get-block"))),
    ("baseline/block-index-malformed", &[], Exactly, |_| Some(block_request(NO_INDEX))),
    ("baseline/token-in-wallet", &[get_balances::BALANCE], ByShape, |c| {
        let (wallet, token) = c.discovered.holdings.first()?;
        Some(token_balance_request(wallet, token))
    }),
    ("baseline/nothing-held", &[get_balances::BALANCE], Exactly, |_| Some(token_balance_request(&nobody(), "NOSUCHTOKEN"))),
    ("baseline/all-tokens-in-wallet", &[], ByShape, |c| Some(wallet_balances_request(c.discovered.wallets.first()?))),
    ("baseline/all-wallets-for-token", &[get_balances::HOLDERS], ByShape, |c| Some(token_holders_request(c.discovered.tokens.first()?))),
    ("baseline/balance-type-missing", &[RequestKind::get("/get-balances", &[])], Exactly, |_| Some(Request::get("/get-balances"))),
    ("baseline/state", &[sc_state::STATE], ByShape, |c| {
        let (contract, asset) = c.discovered.assets.first()?;
        Some(contract_state_request(contract, asset))
    }),
    ("baseline/state-unknown-value", &[sc_state::STATE], Exactly, |c| state(c, "verification", "asset_id")),
    ("baseline/state-unknown-table", &[sc_state::STATE], Exactly, |c| state(c, "no_such_table", "asset_id")),
    ("baseline/state-unknown-column", &[sc_state::STATE], Exactly, |c| state(c, "verification", "no_such_column")),
    ("baseline/state-parameters-missing", &[RequestKind::get("/sc-state", &[])], Exactly, |_| Some(Request::get("/sc-state"))),
    ("baseline/trust-score", &[get_trustscore_wallets::SCORE], ByShape, |c| {
        let (from, to) = c.discovered.trust.first()?;
        Some(trust_request(from, to))
    }),
    ("baseline/trust-unknown", &[get_trustscore_wallets::SCORE], Exactly, |_| Some(trust_request(&nobody(), &nobody()))),
    ("baseline/trust-parameters-missing", &[RequestKind::get("/get-trustscore-wallets", &[])], Exactly, |_| Some(Request::get("/get-trustscore-wallets"))),
    ("baseline/call", &[call_sc::BUILD], ByShape, |c| Some(c.call_request())),
    ("baseline/call-empty", &[call_sc::BUILD], Exactly, |_| Some(Request::post("/call-sc", "{}".to_owned()))),
    ("baseline/call-not-json", &[call_sc::BUILD], Exactly, |_| Some(Request::post("/call-sc", "{".to_owned()))),
    ("baseline/docs", &[docs::PAGE], ByHead, |_| Some(Request::get("/docs"))),
];

/// Returns the request for one of the oldest blocks, which no longer change.
fn oldest(context: &Samples, place: usize) -> Option<Request> {
    // The latest block may still change.
    let settled = context.discovered.blocks.len().saturating_sub(1);
    let blocks = context.discovered.blocks.get(..settled)?;
    Some(blocks.get(place)?.1.request.clone())
}

fn state(context: &Samples, table: &str, column: &str) -> Option<Request> {
    let request = contract_state_request(&context.contract(), "no-such-value-5a5a");
    let request = request.setting("table_name", table.to_owned());
    Some(request.setting("unique_column", column.to_owned()))
}
