//! What a node may do without violating the contract, though a local node does it differently.

use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Instant,
};

use axum::{
    body::Bytes,
    http::{HeaderValue, StatusCode, header},
};
use integration_tests::{
    faults::{Behaviour, behaving, json_of},
    proxy::{Answer, Asked, Fault},
};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{
    balances::{BALANCES, asks_for, entries},
    blocks::{BLOCK, receipts},
    facts::Facts,
    records::{STATE, rows_of},
    setup::{Setup, test_name},
};

/// A test for each variant: no case may fail.
pub(crate) fn trials(setup: &Arc<Setup>) -> Vec<Trial> {
    let trial = |(name, fault): (&str, Fault)| {
        let name = format!("left_open::{}", test_name(name));
        setup.trial(name, async move |setup: Arc<Setup>| {
            setup.expect_caught(fault, &[]).await
        })
    };
    variants(&setup.facts).into_iter().map(trial).collect()
}

/// What a node may do that keeps the contract, though a local node does it otherwise.
fn variants(facts: &Facts) -> Vec<(&'static str, Fault)> {
    vec![
        (
            "holders are wallet_address",
            renamed(&[("wallet", "wallet_address")]),
        ),
        (
            "entries of lists have other names",
            renamed(&[
                ("wallet", "address"),
                ("token_code", "token"),
                ("balance", "amount"),
            ]),
        ),
        (
            "receipts' data is sorted",
            json_of(BLOCK, |_, block| {
                receipts(block)
                    .iter_mut()
                    .for_each(|r| r["data"] = sorted(&r["data"]));
            }),
        ),
        (
            "blocks are sorted",
            json_of(BLOCK, |_, block| {
                let transactions = block["text"]["transactions"].take();
                *block = sorted(block);
                block["text"]["transactions"] = transactions;
            }),
        ),
        (
            "refusals have a detail",
            refusals_with_200(r#"{"detail":"no"}"#),
        ),
        (
            "refusals are a failure",
            refusals_with_200(r#"{"status":"FAILURE","message":"no"}"#),
        ),
        (
            "long remarks are not taken",
            builds_unless(|body| body.contains("long long long")),
        ),
        (
            "long calls are not taken",
            builds_unless(|body| body.len() > 1024),
        ),
        (
            "one wallet signs",
            builds_unless(|body| {
                let call: Value = serde_json::from_str(body).unwrap_or_default();
                call["signers"]
                    .as_array()
                    .is_some_and(|signers| signers.len() > 1)
            }),
        ),
        (
            "a record is an object",
            json_of(STATE, |_, answer| {
                rows_of(answer, |row| {
                    json!([{"address": row[0], "asset_id": row[1], "asset_type": row[2],
                        "verifier_address": row[3], "outcome": row[4],
                        "doc_hash_list": row[5], "doc_link_list": row[6], "remarks": row[7],
                        "deletable_after": row[8]}])
                });
            }),
        ),
        (
            "state is JSON text",
            json_of(STATE, |_, answer| {
                for name in ["value", "data"] {
                    answer[name] = json!(answer[name].to_string());
                }
            }),
        ),
        ("balances move", behaving(BalancesThatMove::new(facts))),
        (
            "answers say how long they took",
            behaving(MembersThatVary::default()),
        ),
        (
            "few requests are taken in a second",
            behaving(BoundedRate {
                most: 2,
                accepted: Mutex::default(),
            }),
        ),
    ]
}

/// Refusals of a local node, told with status 200.
fn refusals_with_200(body: &'static str) -> Fault {
    Arc::new(move |_, answer| {
        if matches!(answer.status.as_u16(), 400 | 404 | 405 | 422) {
            let mut answer = answer.with_status(StatusCode::OK).with_body(body);
            let json = HeaderValue::from_static("application/json");
            answer.headers.insert(header::CONTENT_TYPE, json);
            answer
        } else {
            answer
        }
    })
}

/// Renames the members of the entries of balance lists.
fn renamed(names: &'static [(&'static str, &'static str)]) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path != BALANCES || !asks_for(asked, "ALL_") {
            return answer;
        }
        answer.with_json(|answer| {
            entries(answer).for_each(|entry| {
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

/// An object with its members sorted.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut names: Vec<_> = members.keys().collect();
            names.sort();
            let member = |name: &String| (name.clone(), sorted(&members[name]));
            Value::Object(names.into_iter().map(member).collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// Refuses calls whose body this is true of.
fn builds_unless(refused: fn(&str) -> bool) -> Fault {
    Arc::new(move |asked, answer| {
        let body = String::from_utf8_lossy(&asked.body);
        if asked.path == "/call-sc" && asked.method == "POST" && refused(&body) {
            answer
                .with_status(StatusCode::UNPROCESSABLE_ENTITY)
                .with_body(r#"{"detail":"more than is built"}"#)
        } else {
            answer
        }
    })
}

/// Makes a block with every third request for balances. In each block, one wallet pays another.
struct BalancesThatMove {
    payer: String,
    receiver: String,
    newest: u64,
    /// The newest block of the node. The blocks that are made look like it.
    template: OnceLock<Bytes>,
    requests: AtomicU64,
}

impl BalancesThatMove {
    fn new(facts: &Facts) -> Self {
        Self {
            payer: facts.alice.clone(),
            receiver: facts.bob.clone(),
            newest: facts.newest,
            template: OnceLock::new(),
            requests: AtomicU64::new(0),
        }
    }

    fn block(&self, asked: &Asked, answer: Answer) -> Answer {
        let index: u64 = asked.query.replace("block_index=", "").parse().unwrap_or(0);
        if index == self.newest {
            self.template.get_or_init(|| answer.body.clone());
        }
        let made = self.newest + 1..=self.newest + self.requests.load(SeqCst) / 3;
        match self.template.get() {
            Some(body) if made.contains(&index) => answer
                .with_status(StatusCode::OK)
                .with_body(body.clone())
                .with_json(|block| block["index"] = json!(index)),
            _ => answer,
        }
    }

    /// Moves what was paid until now from the payer's balance to the receiver's.
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

impl Behaviour for BalancesThatMove {
    fn answer(&self, asked: &Asked, answer: Answer) -> Answer {
        if asked.path == BLOCK {
            return self.block(asked, answer);
        }
        if asked.path != BALANCES || answer.status != StatusCode::OK {
            return answer;
        }
        let paid = (self.requests.fetch_add(1, SeqCst) + 1) / 3;
        answer.with_json(|answer| {
            let alone = [&self.payer, &self.receiver]
                .into_iter()
                .find(|wallet| asks_for(asked, wallet));
            if let (Some(wallet), true) = (alone, answer["balance"] != 0) {
                self.pay(wallet, &mut answer["balance"], paid);
            }
            entries(answer).for_each(|entry| {
                let named = entry["wallet"].as_str().map(str::to_owned);
                let wallet = named.or_else(|| alone.cloned()).unwrap_or_default();
                self.pay(&wallet, &mut entry["balance"], paid);
            });
        })
    }
}

/// Refuses requests beyond a number in a tenth of a second.
struct BoundedRate {
    most: usize,
    accepted: Mutex<Vec<Instant>>,
}

impl Behaviour for BoundedRate {
    fn answer(&self, _: &Asked, answer: Answer) -> Answer {
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        accepted.retain(|at| at.elapsed().as_millis() < 100);
        if accepted.len() >= self.most {
            return answer
                .with_status(StatusCode::TOO_MANY_REQUESTS)
                .with_body(r#"{"error":"Rate limit exceeded"}"#);
        }
        accepted.push(Instant::now());
        answer
    }
}

/// Puts members into each response that differ each time, and that nobody documents.
#[derive(Default)]
struct MembersThatVary {
    responses: AtomicU64,
}

impl Behaviour for MembersThatVary {
    fn answer(&self, asked: &Asked, answer: Answer) -> Answer {
        let number = self.responses.fetch_add(1, SeqCst);
        if asked.method != "GET" || answer.status != StatusCode::OK || asked.path == "/docs" {
            return answer;
        }
        answer.with_json(|value| {
            if let Some(members) = value.as_object_mut() {
                members.insert("took_us".to_owned(), json!(number));
                members.insert("request_id".to_owned(), json!(format!("r-{number}")));
            }
        })
    }
}
