//! Variants that remember something or rename members.

use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Instant,
};

use axum::{body::Bytes, http::StatusCode};
use integration_tests::{
    faults::StatefulFault,
    proxy::{Fault, RecordedRequest, Response},
};
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
pub(super) struct BalancesThatMove {
    payer: String,
    receiver: String,
    latest: u64,
    /// The latest block of the node. It is the template of the added blocks.
    template: OnceLock<Bytes>,
    requests: AtomicU64,
}

impl BalancesThatMove {
    pub(super) fn new(facts: &Facts) -> Self {
        Self {
            payer: facts.alice.clone(),
            receiver: facts.bob.clone(),
            latest: facts.latest,
            template: OnceLock::new(),
            requests: AtomicU64::new(0),
        }
    }

    fn block(&self, request: &RecordedRequest, response: Response) -> Response {
        let index: u64 = request
            .query
            .replace("block_index=", "")
            .parse()
            .unwrap_or(0);
        if index == self.latest {
            self.template.get_or_init(|| response.body.clone());
        }
        let made = self.latest + 1..=self.latest + self.requests.load(SeqCst) / 3;
        match self.template.get() {
            Some(body) if made.contains(&index) => response
                .with_status(StatusCode::OK)
                .with_body(body.clone())
                .with_json(|block| block["index"] = json!(index)),
            _ => response,
        }
    }

    /// Moves the amounts paid so far from the payer's balance to the receiver's.
    fn pay(&self, wallet: &str, held: &mut Value, paid: u64) {
        if let Some(had) = held.as_u64() {
            if wallet == self.payer {
                *held = json!(had - paid);
            } else if wallet == self.receiver {
                *held = json!(had + paid);
            }
        }
    }
}

impl StatefulFault for BalancesThatMove {
    fn response(&self, request: &RecordedRequest, response: Response) -> Response {
        if request.path == BLOCK {
            return self.block(request, response);
        }
        if request.path != BALANCES || response.status != StatusCode::OK {
            return response;
        }
        let paid = (self.requests.fetch_add(1, SeqCst) + 1) / 3;
        response.with_json(|response| {
            let alone = [&self.payer, &self.receiver]
                .into_iter()
                .find(|wallet| asks_for(request, wallet));
            if let (Some(wallet), true) = (alone, response["balance"] != 0) {
                self.pay(wallet, &mut response["balance"], paid);
            }
            entries(response).for_each(|entry| {
                let named = entry["wallet"].as_str().map(str::to_owned);
                let wallet = named.or_else(|| alone.cloned()).unwrap_or_default();
                self.pay(&wallet, &mut entry["balance"], paid);
            });
        })
    }
}

/// Refuses requests beyond a maximum number in a tenth of a second.
pub(super) struct BoundedRate {
    most: usize,
    accepted: Mutex<Vec<Instant>>,
}

impl BoundedRate {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            accepted: Mutex::default(),
        }
    }
}

impl StatefulFault for BoundedRate {
    fn response(&self, _: &RecordedRequest, response: Response) -> Response {
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        accepted.retain(|at| at.elapsed().as_millis() < 100);
        if accepted.len() >= self.most {
            return response
                .with_status(StatusCode::TOO_MANY_REQUESTS)
                .with_body(r#"{"error":"Rate limit exceeded"}"#);
        }
        accepted.push(Instant::now());
        response
    }
}

/// Adds undocumented members to each response. They differ each time.
#[derive(Default)]
pub(super) struct MembersThatVary {
    responses: AtomicU64,
}

impl StatefulFault for MembersThatVary {
    fn response(&self, request: &RecordedRequest, response: Response) -> Response {
        let number = self.responses.fetch_add(1, SeqCst);
        if request.method != "GET" || response.status != StatusCode::OK || request.path == "/docs" {
            return response;
        }
        response.with_json(|value| {
            if let Some(members) = value.as_object_mut() {
                members.insert("took_us".to_owned(), json!(number));
                members.insert("request_id".to_owned(), json!(format!("r-{number}")));
            }
        })
    }
}
