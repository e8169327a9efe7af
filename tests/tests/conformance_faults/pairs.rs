//! Two faults at a time: both are found, and no other case fails.
//!
//! The tests compare only the causes, because one fault may show in several cases.

use std::sync::Arc;

use axum::http::StatusCode;
use integration_tests::{
    careless::{Careless, careless},
    faults::{
        change_json, change_response, changing_value, remove, respond_successfully_if, set, text_of,
    },
    proxy::{Fault, RecordedRequest, Response},
    submissions::{
        SUBMIT, accepting, accepting_any, building, charging, in_blocks, knows_codes, refusing,
    },
    watch::causes,
};
use libtest_mimic::{Failed, Trial};
use nodeproof_conformance::Tier;
use serde_json::json;

use crate::{
    blocks::{BLOCK, receipts},
    claim,
    setup::{Setup, expect_cases, test_name},
};

/// Two faults, and the cases that must be reported as their causes.
struct Pair {
    name: &'static str,
    tier: Tier,
    faults: [Fault; 2],
    causes: &'static [&'static str],
}

macro_rules! pairs {
    ($($tier:ident, $name:literal, $one:expr, $other:expr => [$($cause:literal),*];)*) => {
        vec![$(Pair {
            name: $name, tier: Tier::$tier, faults: [$one, $other], causes: &[$($cause),*],
        }),*]
    };
}

fn pairs() -> Vec<Pair> {
    pairs! {
        Read, "blocks are in row form, and /docs returns status 404", rows(), gone("/docs")
            => ["get-block/shape", "docs/responds"];
        Read, "returns a block for an unknown index, and closes the connection for a negative one",
            any_unknown(), careless(|path, text| path == BLOCK && text.has("block_index", "-1"), Careless::Dies)
            => ["get-block/unknown-index", "http/responds"];
        Read, "proof is null, and block timestamps are in seconds", null_proof(), seconds()
            => ["get-block/proof", "get-block/timestamp-unit"];
        Read, "votes are strings, and a receipt has the signature of another receipt", string_votes(), swapped_signatures()
            => ["chain/receipt-signatures", "get-block/receipt-vote"];
        Read, "/call-sc and /get-trustscore-wallets return status 404", gone("/call-sc"), gone("/get-trustscore-wallets")
            => ["call-sc/responds", "get-trustscore-wallets/responds"];
        Read, "balances are strings, and blocks are in row form", string_balances(), rows()
            => ["get-balances/balance", "get-block/shape"];
        Read, "a built call has no trans_code and changed remarks", no_code(), other_remarks()
            => ["call-sc/submittable", "call-sc/echo"];
        Read, "a score has no status and changes with every request", no_status(), changing_score()
            => ["get-trustscore-wallets/status", "get-trustscore-wallets/repeat-read"];
        Read, "builds a call without params, and built calls have the type of a transfer", builds_without_params(), transfer()
            => ["call-sc/echo"];
        Read, "some blocks have no proof, and a wallet votes twice", some_without_proof(), double_votes()
            => ["get-block/receipts-of-preceding-block", "get-block/proof"];
        Reject, "accepts transactions without signers, and recognises a transaction by its trans_code alone", accepting("no-signers"), knows_codes()
            => ["submit-transaction/unsigned"];
        Reject, "signatures do not cover the fee, and one of two signatures is enough", accepting("fee-altered"),
            accepting("half-signed")
            => ["submit-transaction/fee-altered", "submit-transaction/half-signed"];
        Reject, "accepts unsigned transactions, and the msg of refusals is a list", accepting("unsigned"),
            refusing(|response| set(response, "/response/msg", json!(["no"])))
            => ["submit-transaction/unsigned", "submit-transaction/msg"];
        Reject, "verifies no signature, and accepts an array", accepts_all(), accepting("body-array")
            => ["submit-transaction/signature-altered", "submit-transaction/body-malformed"];
        Reject, "/submit-transaction and /docs return status 404", gone(SUBMIT), gone("/docs")
            => ["submit-transaction/responds", "docs/responds"];
        Write, "accepts transactions without signers, and treats altered params with a known trans_code as known", accepting("no-signers"), knows_codes()
            => ["submit-transaction/unsigned", "submit-transaction/known-code-altered"];
        Write, "charges more than the fee, and accepts altered params with a known trans_code",
            charging(|submitted, _| submitted.min(1) * 7), knows_codes()
            => ["submit-transaction/fee-paid", "submit-transaction/known-code-altered"];
        Write, "a built claim has valid 0, and an empty object is accepted",
            building(|built| built["valid"] = json!(0)), accepting("empty-object")
            => ["submit-transaction/claim-built", "submit-transaction/body-malformed"];
        Write, "the block of the claim lists no transactions, and a fee of 0 is accepted", in_blocks(Vec::clear), accepting("fee-zero")
            => ["submit-transaction/claim-in-block", "submit-transaction/fee-zero"];
    }
}

pub(crate) fn trials(setup: &Arc<Setup>) -> Vec<Trial> {
    let trial = |pair: Pair| {
        let name = format!("pairs::{}", test_name(pair.name));
        setup.trial(name, async move |setup: Arc<Setup>| {
            check(&setup, pair).await
        })
    };
    pairs().into_iter().map(trial).collect()
}

async fn check(setup: &Setup, pair: Pair) -> Result<(), Failed> {
    let [one, other] = pair.faults;
    let both: Fault = Arc::new(move |request, response| other(request, one(request, response)));
    let report = match pair.tier {
        Tier::Read => setup.report(both).await,
        tier => claim::run(both, tier).await,
    };
    expect_cases(&causes(&report), pair.causes)
}

/// Returns a block for every index beyond 32 bits.
fn any_unknown() -> Fault {
    let is_far = |request: &RecordedRequest, _: &Response| {
        let index = request.query.strip_prefix("block_index=");
        let index = index.and_then(|index| index.parse::<u64>().ok());
        index.is_some_and(|index| (1 << 32..1 << 40).contains(&index))
    };
    respond_successfully_if(BLOCK, is_far, json!({"index": 1, "previous_hash": "0"}))
}

fn gone(path: &'static str) -> Fault {
    change_response(path, |_, response| {
        let body = json!({"detail": "Not Found"}).to_string();
        response.with_status(StatusCode::NOT_FOUND).with_body(body)
    })
}

fn rows() -> Fault {
    change_json(BLOCK, |_, block| {
        block["block_index"] = block["index"].take();
        remove(block, "", "index");
        remove(block, "", "text");
        block["status"] = json!(null);
        block["creator_wallet"] = json!(null);
        block["committee"] = json!(block["committee"].to_string());
    })
}

fn null_proof() -> Fault {
    change_json(BLOCK, |_, block| block["proof"] = json!(null))
}

fn seconds() -> Fault {
    change_json(BLOCK, |_, block| {
        let time = block["timestamp"].as_i64().unwrap_or_default();
        block["timestamp"] = json!(time / 1000);
    })
}

fn string_votes() -> Fault {
    change_json(BLOCK, |request, block| {
        if !request.query.ends_with('3') {
            return;
        }
        for receipt in receipts(block) {
            set(receipt, "/data/vote", json!("yes"));
        }
    })
}

fn swapped_signatures() -> Fault {
    change_json(BLOCK, |request, block| {
        if request.query.ends_with('3') {
            return;
        }
        if let [first, second, ..] = receipts(block) {
            first["signature"] = second["signature"].clone();
        }
    })
}

fn double_votes() -> Fault {
    change_json(BLOCK, |_, block| {
        let list = block.pointer_mut("/text/previous_block_receipts");
        if let Some(list) = list.and_then(|list| list.as_array_mut()) {
            list.extend(list.first().cloned());
        }
    })
}

fn string_balances() -> Fault {
    change_json("/get-balances", |_, response| {
        if response["balance"].is_number() {
            response["balance"] = json!(response["balance"].to_string());
        }
    })
}

fn no_code() -> Fault {
    change_json("/call-sc", |_, response| {
        remove(response, "/transaction", "trans_code")
    })
}

fn other_remarks() -> Fault {
    text_of("/call-sc", "never submitted", "never  submitted")
}

fn transfer() -> Fault {
    change_json("/call-sc", |_, response| {
        set(response, "/transaction/type", json!(5))
    })
}

fn builds_without_params() -> Fault {
    let wrong = |request: &RecordedRequest, response: &Response| {
        let body = String::from_utf8_lossy(&request.body);
        response.status != StatusCode::OK && body.contains("signers") && !body.contains("params")
    };
    respond_successfully_if("/call-sc", wrong, json!({"transaction": {"type": 5}}))
}

fn no_status() -> Fault {
    change_json("/get-trustscore-wallets", |_, response| {
        remove(response, "", "status")
    })
}

fn changing_score() -> Fault {
    changing_value("/get-trustscore-wallets", "trust_score", |throw| {
        json!(throw)
    })
}

/// Accepts every submission that has a signature of the right length, and every other submission that
/// has a transaction.
fn accepts_all() -> Fault {
    let kinds = "unsigned no-signers half-signed second-only signed-twice unlisted-signer \
        another-wallets-key first-of-two-right last-of-two-right child-transaction signature-altered \
        params-altered fee-altered timestamp-altered code-altered type-altered currency-altered \
        descr-altered valid-altered function-altered address-altered signers-altered \
        signature-not-hex signature-empty signature-null signature-short signature-zero";
    accepting_any(kinds.split(' ').collect::<Vec<_>>().leak())
}

/// Removes the proof from some blocks.
fn some_without_proof() -> Fault {
    change_json(BLOCK, |request, block| {
        if request.query.ends_with('3') {
            remove(block, "", "proof");
        }
    })
}
