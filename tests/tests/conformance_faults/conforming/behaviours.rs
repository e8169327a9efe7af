//! Variants that remember something or rename members.

use std::{sync::Arc, time::Instant};

use axum::{body::Bytes, http::StatusCode};
use integration_tests::{faults::stateful, proxy::Fault};
use serde_json::{Value, json};

use crate::{
    balances::{BALANCES, asks_for, entries},
    blocks::BLOCK,
    facts::Facts,
};

/// Renames the members of the entries of balance lists.
pub(super) fn renamed(names: &'static [(&'static str, &'static str)]) -> Fault {
    Arc::new(move |request, response| {
        if request.path != BALANCES || !asks_for(request, "ALL_") {
            return response;
        }
        response.with_json(|response| {
            entries(response).for_each(|entry| {
                for (from, to) in names {
                    if let Some(members) = entry.as_object_mut()
                        && let Some(value) = members.shift_remove(*from)
                    {
                        members.insert((*to).to_owned(), value);
                    }
                }
            });
        })
    })
}

/// Adds a block at every third request for balances. In each block, one wallet pays another.
pub(super) fn balances_that_move(facts: &Facts) -> Fault {
    let (payer, receiver, latest) = (facts.alice.clone(), facts.bob.clone(), facts.latest);
    // The latest block of the node, which is the template of the added blocks, and the number of requests.
    let state = (None::<Bytes>, 0);
    stateful(state, move |(template, requests), request, response| {
        if request.path == BLOCK {
            let index = request.query.replace("block_index=", "");
            let index: u64 = index.parse().unwrap_or(0);
            if index == latest {
                template.get_or_insert_with(|| response.body.clone());
            }
            let made = latest + 1..=latest + *requests / 3;
            return match template {
                Some(body) if made.contains(&index) => response
                    .with_status(StatusCode::OK)
                    .with_body(body.clone())
                    .with_json(|block| block["index"] = json!(index)),
                _ => response,
            };
        }
        if request.path != BALANCES || response.status != StatusCode::OK {
            return response;
        }
        *requests += 1;
        let paid = *requests / 3;
        let pay = |wallet: &str, held: &mut Value| match held.as_u64() {
            Some(had) if wallet == payer => *held = json!(had - paid),
            Some(had) if wallet == receiver => *held = json!(had + paid),
            _ => {}
        };
        response.with_json(|response| {
            let alone = [&payer, &receiver]
                .into_iter()
                .find(|wallet| asks_for(request, wallet));
            if let (Some(wallet), true) = (alone, response["balance"] != 0) {
                pay(wallet, &mut response["balance"]);
            }
            entries(response).for_each(|entry| {
                let named = entry["wallet"].as_str().map(str::to_owned);
                let wallet = named.or_else(|| alone.cloned()).unwrap_or_default();
                pay(&wallet, &mut entry["balance"]);
            });
        })
    })
}

/// Refuses requests beyond a maximum number in a tenth of a second.
pub(super) fn bounded_rate(most: usize) -> Fault {
    stateful(Vec::<Instant>::new(), move |accepted, _, response| {
        accepted.retain(|at| at.elapsed().as_millis() < 100);
        if accepted.len() >= most {
            return response
                .with_status(StatusCode::TOO_MANY_REQUESTS)
                .with_body(r#"{"error":"Rate limit exceeded"}"#);
        }
        accepted.push(Instant::now());
        response
    })
}

/// Adds undocumented members to each response. They differ each time.
pub(super) fn members_that_vary() -> Fault {
    stateful(0, |number: &mut u64, request, response| {
        *number += 1;
        if request.method != "GET" || response.status != StatusCode::OK || request.path == "/docs" {
            return response;
        }
        response.with_json(|value| {
            if let Some(members) = value.as_object_mut() {
                members.insert("took_us".to_owned(), json!(number));
                members.insert("request_id".to_owned(), json!(format!("r-{number}")));
            }
        })
    })
}
