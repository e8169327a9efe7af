//! Checks that the node has the data that the user's fixture names.

use std::sync::Arc;

use nodeproof_openapi::pointer;
use nodeproof_primitives::{Integer, escape::escaped_up_to as shown};
use nodeproof_report::Level;
use serde_json::{Map, Value};

use super::{case::Case, check::Check::Read, get_balances, get_trustscore_wallets, sc_state};
use crate::{
    api::{
        FirstDifference, Members, Row, block_request, contract_state_request, has_record, held,
        held_by_wallet, is_block, known_rows, stored, token_balance_request, token_holders_request,
        trust_request, wallet_balances_request,
    },
    checks::{Examination, Finding, Findings},
    context::Samples,
    discovery::{KnownBlock, Trust},
    http::{Exchange, Request, unknown},
};

/// What the cases of a fixture share.
const BASE: Case = Case {
    matters: "Items that the node does not have were not tested.",
    ..Case::BASE
};

/// The cases of a run with a fixture.
pub(crate) const FIXTURE: &[Case] = &[
    Case {
        id: "fixture/found",
        level: Level::Should,
        requirements: &["BLOCK-1", "BALANCE-2", "STATE-2", "TRUST-1"],
        checks: "The node has every block, wallet, token, asset and pair of wallets that the fixture names.",
        sends: &[
            get_balances::HOLDERS,
            sc_state::STATE,
            get_trustscore_wallets::SCORE,
        ],
        check: Read(|c| Box::pin(check_presence(c))),
        ..BASE
    },
    Case {
        id: "fixture/values",
        requirements: &["BLOCK-1", "BALANCE-2", "STATE-2", "TRUST-1"],
        checks: "The values that the fixture states are those that the node returns: members and hashes of blocks, balances, fields of records, and trust scores.",
        matters: "A value that is known to be right shows a fault that no rule can show.",
        sends: &[
            get_balances::BALANCE,
            sc_state::STATE,
            get_trustscore_wallets::SCORE,
        ],
        check: Read(|c| Box::pin(values(c))),
        ..BASE
    },
];

/// Compares the node's responses with the values that the fixture states.
async fn values(context: &Samples) -> Findings {
    let mut checked = Examination::default();
    compare_blocks(context, &mut checked).await;
    compare_balances(context, &mut checked).await;
    compare_records(context, &mut checked).await;
    compare_trust_scores(context, &mut checked).await;
    if checked.examined == 0 {
        checked.end()?;
        return unknown("the fixture states no values");
    }
    Ok(checked)
}

/// Compares the blocks' members, and their hashes, which the next blocks carry.
async fn compare_blocks(context: &Samples, checked: &mut Examination) {
    for block in &context.discovered.fixture.blocks {
        let KnownBlock::Values(known) = block else {
            continue;
        };
        let response = context.node.send(block_request(known.index)).await;
        let Some(exchange) = checked.received(response) else {
            break;
        };
        for (name, wanted) in &known.members {
            compare_member(checked, &exchange, name, wanted);
        }
        if let Some(hash) = &known.hash {
            let next = context
                .node
                .send(block_request(known.index.saturating_add(1)))
                .await;
            let Some(next) = checked.received(next) else {
                break;
            };
            if !next.success_object().is_some_and(is_block) {
                let reason = format!(
                    "the hash of block {} is not shown without a next block",
                    known.index
                );
                checked.add(unknown(reason));
                continue;
            }
            let wanted = Value::from(hash.to_string());
            compare_member(checked, &next, "previous_hash", &wanted);
        }
    }
}

async fn compare_balances(context: &Samples, checked: &mut Examination) {
    for known in &context.discovered.fixture.balances {
        let Some(wanted) = &known.balance else {
            continue;
        };
        let request = token_balance_request(&known.wallet.to_string(), &known.token);
        let Some(exchange) = checked.received(context.node.send(request).await) else {
            break;
        };
        let found = held(&exchange);
        let found = found.map_or_else(|| exchange.summary(), |found| found.to_string());
        let wanted = wanted.to_string();
        compare(checked, &exchange, "the balance", &wanted, &found, None);
    }
}

async fn compare_records(context: &Samples, checked: &mut Examination) {
    let assets = &context.discovered.fixture.assets;
    for asset in assets.iter().filter(|asset| !asset.record.is_empty()) {
        let contract = asset.contract.to_string();
        let request = contract_state_request(&contract, &asset.asset_id);
        let Some(exchange) = checked.received(context.node.send(request).await) else {
            break;
        };
        compare_record(checked, &exchange, &asset.record);
    }
}

async fn compare_trust_scores(context: &Samples, checked: &mut Examination) {
    for trust in &context.discovered.fixture.trust {
        let Trust::Score(known) = trust else { continue };
        let request = trust_request(&known.source.to_string(), &known.destination.to_string());
        let Some(exchange) = checked.received(context.node.send(request).await) else {
            break;
        };
        let members = Members::of(std::str::from_utf8(&exchange.body).unwrap_or_default());
        let found = members.and_then(|members| members.read::<Integer>("trust_score").ok());
        let found = found.map_or_else(|| exchange.summary(), |found| found.to_string());
        let wanted = known.trust_score.to_string();
        let place = Some("/trust_score".to_owned());
        compare(
            checked,
            &exchange,
            "the trust score",
            &wanted,
            &found,
            place,
        );
    }
}

/// Compares a value with the one that the fixture states.
fn compare(
    checked: &mut Examination,
    exchange: &Arc<Exchange>,
    what: &str,
    wanted: &str,
    found: &str,
    at: Option<String>,
) {
    checked.count_item();
    if wanted != found {
        let what = format!("{what} is not the one that the fixture states");
        let mut finding = Finding::new(exchange, what, shown(wanted, 200), shown(found, 200));
        finding.pointer = at;
        checked.push(finding);
    }
}

fn compare_member(checked: &mut Examination, exchange: &Arc<Exchange>, name: &str, wanted: &Value) {
    let found = exchange.success_object().and_then(|body| body.get(name));
    let found = found.map_or_else(|| "no such member".to_owned(), Value::to_string);
    let at = pointer::join("", name);
    compare(
        checked,
        exchange,
        name,
        &wanted.to_string(),
        &found,
        Some(at),
    );
}

/// Checks that one of the stored records has these fields.
fn compare_record(
    checked: &mut Examination,
    exchange: &Arc<Exchange>,
    wanted: &Map<String, Value>,
) {
    checked.count_item();
    let stored = exchange.success_object().and_then(stored);
    let rows = stored.map(known_rows).unwrap_or_default();
    // The first difference of each record. Without one, the record is right.
    let differences: Option<Vec<_>> = rows.iter().map(|row| difference(*row, wanted)).collect();
    let Some(differences) = differences else {
        return;
    };
    let (what, expected, actual) = match differences.into_iter().next() {
        Some((name, expected, actual)) => (
            format!("{name} of the record is not the one that the fixture states"),
            expected,
            actual,
        ),
        None => (
            "no record in a known form was found".to_owned(),
            "a record with the fields that the fixture states".to_owned(),
            exchange.summary(),
        ),
    };
    checked.push(Finding::new(exchange, what, expected, actual));
}

/// Returns the first field of a record that differs from the stated one, with both values.
fn difference(row: Row<'_>, wanted: &Map<String, Value>) -> Option<(String, String, String)> {
    wanted.iter().find_map(|(name, wanted)| {
        let Some(found) = row.column(name) else {
            let wanted = shown(&wanted.to_string(), 200);
            return Some((name.clone(), wanted, "no such field".to_owned()));
        };
        let first = FirstDifference::of_stored(wanted, found)?;
        Some((name.clone(), first.expected, first.actual))
    })
}

/// Whether a response shows the named data, or `None` if the response cannot decide it.
type PresenceTest = fn(&Arc<Exchange>) -> Option<bool>;

async fn check_presence(context: &Samples) -> Findings {
    let mut checked = Examination::default();
    for (what, request, is_present) in named_data(context) {
        let Some(exchange) = checked.received(context.node.send(request).await) else {
            break;
        };
        let Some(is_there) = is_present(&exchange) else {
            continue;
        };
        checked.count_item();
        if !is_there {
            let what = format!("the node does not have {what}, which the fixture names");
            let expected = "a response that contains it";
            checked.push(Finding::of_response(&exchange, what, expected));
        }
    }
    Ok(checked)
}

/// Returns the data that the fixture names, with the requests that show it. No documented request
/// shows a contract without a record.
fn named_data(context: &Samples) -> Vec<(String, Request, PresenceTest)> {
    let fixture = &context.discovered.fixture;
    let mut named: Vec<(String, Request, PresenceTest)> = Vec::new();
    for index in fixture.blocks.iter().map(KnownBlock::index) {
        let has_block: PresenceTest =
            |exchange| Some(exchange.success_object().is_some_and(is_block));
        named.push((format!("block {index}"), block_request(index), has_block));
    }
    let holds: PresenceTest = |exchange| match exchange.success_object() {
        Some(_) => held_by_wallet(exchange).map(|held| !held.is_empty()),
        None => Some(false),
    };
    for balance in &fixture.balances {
        let (wallet, token) = (balance.wallet.to_string(), &balance.token);
        let request = token_balance_request(&wallet, token);
        let what = format!("a balance of token {token:?} in wallet {wallet}");
        named.push((what, request, |exchange| Some(held(exchange).is_some())));
    }
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
            |exchange| Some(has_record(exchange)),
        ));
    }
    for (from, to) in fixture.trust.iter().map(Trust::pair) {
        let request = trust_request(&from.to_string(), &to.to_string());
        named.push((
            format!("a trust score of {from} for {to}"),
            request,
            |exchange| Some(exchange.success_object().is_some()),
        ));
    }
    named
}
