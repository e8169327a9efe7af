//! Checks that the node has the data that the user's fixture names.

use nodeproof_report::Level;

use super::{case::Case, check::Check::Own, get_balances, get_trustscore_wallets, sc_state};
use crate::{
    api::{
        block_request, contract_state_request, held_by_wallet, is_block, stored,
        token_holders_request, trust_request, wallet_balances_request,
    },
    checks::{Checked, Finding, Findings},
    context::Context,
    http::{Exchange, Request},
};

/// What the case of a fixture has.
const BASE: Case = Case {
    matters: "Items that the node does not have were not tested.",
    ..Case::BASE
};

/// The case of a run with a fixture.
pub(crate) const FIXTURE: &[Case] = &[Case {
    id: "fixture/found",
    level: Level::Should,
    requirements: &["BLOCK-1", "BALANCE-2", "STATE-2", "TRUST-1"],
    checks: "The node has every block, wallet, token, asset and pair of wallets that the fixture names.",
    sends: &[
        get_balances::HOLDERS,
        sc_state::STATE,
        get_trustscore_wallets::SCORE,
    ],
    check: Own(|c| Box::pin(found(c))),
    ..BASE
}];

/// Whether a response shows the named data, or `None` if the response cannot decide it.
type Shows = fn(&std::sync::Arc<Exchange>) -> Option<bool>;

async fn found(context: &Context) -> Findings {
    let mut checked = Checked::default();
    for (what, request, shows) in named(context) {
        let exchange = context.node.send(request).await?;
        let Some(is_there) = shows(&exchange) else {
            continue;
        };
        checked.one();
        if !is_there {
            let what = format!("the node does not have {what}, which the fixture names");
            let expected = "a response that contains it";
            checked.push(Finding::new(&exchange, what, expected, exchange.summary()));
        }
    }
    Ok(checked)
}

/// Returns the data that the fixture names, with the requests that show it. No documented request
/// shows a contract without a record.
fn named(context: &Context) -> Vec<(String, Request, Shows)> {
    let fixture = &context.discovered.fixture;
    let mut named: Vec<(String, Request, Shows)> = Vec::new();
    for index in &fixture.blocks {
        let is_there: Shows = |exchange| Some(exchange.success_object().is_some_and(is_block));
        named.push((format!("block {index}"), block_request(*index), is_there));
    }
    let holds: Shows = |exchange| match exchange.success_object() {
        Some(_) => held_by_wallet(exchange).map(|held| !held.is_empty()),
        None => Some(false),
    };
    for wallet in &fixture.wallets {
        let request = wallet_balances_request(&wallet.to_string());
        named.push((format!("a token in wallet {wallet}"), request, holds));
    }
    for token in &fixture.tokens {
        let request = token_holders_request(token);
        named.push((format!("a holder of token {token:?}"), request, holds));
    }
    for asset in &fixture.assets {
        let (contract, id) = (asset.contract.to_string(), &asset.asset_id);
        let request = contract_state_request(&contract, id);
        named.push((
            format!("a record about asset {id:?} in contract {contract}"),
            request,
            |exchange| Some(exchange.success_object().and_then(stored).is_some()),
        ));
    }
    for (from, to) in &fixture.trust {
        let request = trust_request(&from.to_string(), &to.to_string());
        named.push((
            format!("a trust score of {from} for {to}"),
            request,
            |exchange| Some(exchange.success_object().is_some()),
        ));
    }
    named
}
