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
    checks::PinKind,
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

const STATE: [&str; 4] = [
    "verification",
    "asset_id",
    "no_such_table",
    "no_such_column",
];

/// The cases of a run with a baseline.
pub(crate) const BASELINE: &[Case] = &[
    Case {
        id: "baseline/block-first",
        check: Pinned(PinKind::Exactly, |c| oldest(c, 0)),
        ..BASE
    },
    Case {
        id: "baseline/block-second",
        check: Pinned(PinKind::Exactly, |c| oldest(c, 1)),
        ..BASE
    },
    Case {
        id: "baseline/block-latest",
        check: Pinned(PinKind::ByShape, |c| {
            Some(c.discovered.blocks.last()?.1.request.clone())
        }),
        ..BASE
    },
    Case {
        id: "baseline/block-unknown",
        check: Pinned(PinKind::Exactly, |_| Some(block_request(1_u64 << 40))),
        ..BASE
    },
    Case {
        id: "baseline/block-index-missing",
        sends: &[get_block::WITHOUT_INDEX],
        check: Pinned(PinKind::Exactly, |_| Some(Request::get("/get-block"))),
        ..BASE
    },
    Case {
        id: "baseline/block-index-malformed",
        check: Pinned(PinKind::Exactly, |_| Some(block_request(NO_INDEX))),
        ..BASE
    },
    Case {
        id: "baseline/token-in-wallet",
        sends: &[get_balances::BALANCE],
        check: Pinned(PinKind::ByShape, |c| {
            let (wallet, token) = c.discovered.holdings.first()?;
            Some(token_balance_request(wallet, token))
        }),
        ..BASE
    },
    Case {
        id: "baseline/nothing-held",
        sends: &[get_balances::BALANCE],
        check: Pinned(PinKind::Exactly, |_| {
            Some(token_balance_request(&nobody(), "NOSUCHTOKEN"))
        }),
        ..BASE
    },
    Case {
        id: "baseline/all-tokens-in-wallet",
        check: Pinned(PinKind::ByShape, |c| {
            Some(wallet_balances_request(c.discovered.wallets.first()?))
        }),
        ..BASE
    },
    Case {
        id: "baseline/all-wallets-for-token",
        sends: &[get_balances::HOLDERS],
        check: Pinned(PinKind::ByShape, |c| {
            Some(token_holders_request(c.discovered.tokens.first()?))
        }),
        ..BASE
    },
    Case {
        id: "baseline/balance-type-missing",
        sends: &[RequestKind::get("/get-balances", &[])],
        check: Pinned(PinKind::Exactly, |_| Some(Request::get("/get-balances"))),
        ..BASE
    },
    Case {
        id: "baseline/state",
        sends: &[sc_state::STATE],
        check: Pinned(PinKind::ByShape, |c| {
            let (contract, asset) = c.discovered.assets.first()?;
            Some(contract_state_request(contract, asset))
        }),
        ..BASE
    },
    Case {
        id: "baseline/state-unknown-value",
        sends: &[sc_state::STATE],
        check: Pinned(PinKind::Exactly, |c| state(c, STATE[0], STATE[1])),
        ..BASE
    },
    Case {
        id: "baseline/state-unknown-table",
        sends: &[sc_state::STATE],
        check: Pinned(PinKind::Exactly, |c| state(c, STATE[2], STATE[1])),
        ..BASE
    },
    Case {
        id: "baseline/state-unknown-column",
        sends: &[sc_state::STATE],
        check: Pinned(PinKind::Exactly, |c| state(c, STATE[0], STATE[3])),
        ..BASE
    },
    Case {
        id: "baseline/state-parameters-missing",
        sends: &[RequestKind::get("/sc-state", &[])],
        check: Pinned(PinKind::Exactly, |_| Some(Request::get("/sc-state"))),
        ..BASE
    },
    Case {
        id: "baseline/trust-score",
        sends: &[get_trustscore_wallets::SCORE],
        check: Pinned(PinKind::ByShape, |c| {
            let (from, to) = c.discovered.trust.first()?;
            Some(trust_request(from, to))
        }),
        ..BASE
    },
    Case {
        id: "baseline/trust-unknown",
        sends: &[get_trustscore_wallets::SCORE],
        check: Pinned(PinKind::Exactly, |_| {
            Some(trust_request(&nobody(), &nobody()))
        }),
        ..BASE
    },
    Case {
        id: "baseline/trust-parameters-missing",
        sends: &[RequestKind::get("/get-trustscore-wallets", &[])],
        check: Pinned(PinKind::Exactly, |_| {
            Some(Request::get("/get-trustscore-wallets"))
        }),
        ..BASE
    },
    Case {
        id: "baseline/call",
        sends: &[call_sc::BUILD],
        check: Pinned(PinKind::ByShape, |c| Some(c.call_request())),
        ..BASE
    },
    Case {
        id: "baseline/call-empty",
        sends: &[call_sc::BUILD],
        check: Pinned(PinKind::Exactly, |_| {
            Some(Request::post("/call-sc", "{}".to_owned()))
        }),
        ..BASE
    },
    Case {
        id: "baseline/call-not-json",
        sends: &[call_sc::BUILD],
        check: Pinned(PinKind::Exactly, |_| {
            Some(Request::post("/call-sc", "{".to_owned()))
        }),
        ..BASE
    },
    Case {
        id: "baseline/docs",
        sends: &[docs::PAGE],
        check: Pinned(PinKind::ByHead, |_| Some(Request::get("/docs"))),
        ..BASE
    },
];

/// Returns the request for one of the oldest blocks, which no longer change.
fn oldest(context: &Samples, place: usize) -> Option<Request> {
    // The latest block may still change.
    let settled = context.discovered.blocks.len().saturating_sub(1);
    let blocks = context.discovered.blocks.get(..settled)?;
    Some(blocks.get(place)?.1.request.clone())
}

fn state(context: &Samples, table: &str, column: &str) -> Option<Request> {
    let contract = context.contract();
    Some(
        Request::get("/sc-state")
            .with("table_name", table)
            .with("contract_address", contract)
            .with("unique_column", column)
            .with("unique_value", "no-such-value-5a5a"),
    )
}
