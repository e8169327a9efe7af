//! Two faults at a time: both are found, and no other case fails.
//!
//! The tests compare only the causes, because one fault may show in several cases.

use std::{collections::BTreeSet, sync::Arc};

use axum::http::StatusCode;
use integration_tests::{
    faults::{Dice, as_if_right, behaving, json_of, remove, response_of, set, text_of},
    proxy::{Asked, Fault, Response},
    submissions::{Charging, KnowsCodes, SUBMIT, accepting, building, in_blocks, refusing},
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
        Read, "blocks are rows, and the listing is gone", rows(), gone("/docs")
            => ["get-block/shape", "docs/responds"];
        Read, "blocks are rows with a short previous hash", rows(), short_hash()
            => ["get-block/shape", "get-block/previous-hash"];
        Read, "a proof is null, and the time is in seconds", null_proof(), seconds()
            => ["get-block/proof", "get-block/timestamp-unit"];
        Read, "votes are words, and a signature is another receipt's", word_votes(), swapped_signatures()
            => ["get-block/receipt-vote", "chain/receipt-signatures"];
        Read, "there is no call-sc and no trust score", gone("/call-sc"), gone("/get-trustscore-wallets")
            => ["call-sc/responds", "get-trustscore-wallets/responds"];
        Read, "balances are text, and blocks are rows", text_balances(), rows()
            => ["get-balances/balance", "get-block/shape"];
        Read, "a call has no code, and its remarks are changed", no_code(), other_remarks()
            => ["call-sc/submittable", "call-sc/params"];
        Read, "a score has no status, and changes each time", no_status(), dicing_score()
            => ["get-trustscore-wallets/status", "get-trustscore-wallets/repeat-read"];
        Read, "a call without params is built, and a call is a transfer", builds_without_params(), transfer()
            => ["call-sc/params-required", "call-sc/type"];
        Read, "some blocks have no proof, and a wallet votes twice", some_without_proof(), double_votes()
            => ["get-block/proof", "chain/one-vote-a-voter"];
        Reject, "no signers are needed, and codes are remembered", accepting("no-signers"), knows_codes()
            => ["submit-transaction/unsigned"];
        Reject, "the fee is not signed, and half the signers are enough", accepting("fee-altered"),
            accepting("half-signed")
            => ["submit-transaction/fee-altered", "submit-transaction/half-signed"];
        Reject, "unsigned is valid, and refusals have a list of messages", accepting("unsigned"),
            refusing(|response| set(response, "/response/msg", json!(["no"])))
            => ["submit-transaction/unsigned", "submit-transaction/msg"];
        Reject, "no signature is verified, and an array is valid", accepts_all(), accepting("body-array")
            => ["submit-transaction/signature-altered", "submit-transaction/body-array"];
        Reject, "there is no submit-transaction and no listing", gone(SUBMIT), gone("/docs")
            => ["submit-transaction/responds", "docs/responds"];
        Write, "no signers are needed, and the code alone decides", accepting("no-signers"), knows_codes()
            => ["submit-transaction/unsigned", "submit-transaction/known-code-altered"];
        Write, "a claim costs more than its fee, and a known code is valid",
            behaving(Charging::new(|submitted, _| submitted.min(1) * 7)), knows_codes()
            => ["submit-transaction/fee-paid", "submit-transaction/known-code-altered"];
        Write, "a claim is built with another validity, and an empty object is valid",
            building(|built| built["valid"] = json!(0)), accepting("empty-object")
            => ["submit-transaction/claim-built", "submit-transaction/empty-object"];
        Write, "blocks lose the claim, and fees may be 0", in_blocks(Vec::clear), accepting("fee-zero")
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
    let both: Fault = Arc::new(move |asked, response| other(asked, one(asked, response)));
    let report = match pair.tier {
        Tier::Read => setup.report(both).await,
        tier => claim::run(both, tier).await,
    };
    expect_cases(&causes(&report), pair.causes)
}

fn gone(path: &'static str) -> Fault {
    response_of(path, |_, response| {
        let body = json!({"detail": "Not Found"}).to_string();
        response.with_status(StatusCode::NOT_FOUND).with_body(body)
    })
}

fn rows() -> Fault {
    json_of(BLOCK, |_, block| {
        block["block_index"] = block["index"].take();
        remove(block, "", "index");
        remove(block, "", "text");
        block["status"] = json!(null);
        block["creator_wallet"] = json!(null);
        block["committee"] = json!(block["committee"].to_string());
    })
}

fn short_hash() -> Fault {
    json_of(BLOCK, |_, block| {
        let hash = block["previous_hash"].as_str().unwrap_or_default();
        block["previous_hash"] = json!(hash.get(..60).unwrap_or_default());
    })
}

fn null_proof() -> Fault {
    json_of(BLOCK, |_, block| block["proof"] = json!(null))
}

fn seconds() -> Fault {
    json_of(BLOCK, |_, block| {
        let time = block["timestamp"].as_i64().unwrap_or_default();
        block["timestamp"] = json!(time / 1000);
    })
}

fn word_votes() -> Fault {
    json_of(BLOCK, |asked, block| {
        if !asked.query.ends_with('3') {
            return;
        }
        for receipt in receipts(block) {
            set(receipt, "/data/vote", json!("yes"));
        }
    })
}

fn swapped_signatures() -> Fault {
    json_of(BLOCK, |asked, block| {
        if asked.query.ends_with('3') {
            return;
        }
        if let [first, second, ..] = receipts(block) {
            first["signature"] = second["signature"].clone();
        }
    })
}

fn double_votes() -> Fault {
    json_of(BLOCK, |_, block| {
        let list = block.pointer_mut("/text/previous_block_receipts");
        if let Some(list) = list.and_then(|list| list.as_array_mut()) {
            list.extend(list.first().cloned());
        }
    })
}

fn text_balances() -> Fault {
    json_of("/get-balances", |_, response| {
        if response["balance"].is_number() {
            response["balance"] = json!(response["balance"].to_string());
        }
    })
}

fn no_code() -> Fault {
    json_of("/call-sc", |_, response| {
        remove(response, "/transaction", "trans_code")
    })
}

fn other_remarks() -> Fault {
    text_of("/call-sc", "never submitted", "never  submitted")
}

fn transfer() -> Fault {
    json_of("/call-sc", |_, response| {
        set(response, "/transaction/type", json!(5))
    })
}

fn builds_without_params() -> Fault {
    let wrong = |asked: &Asked, response: &Response| {
        let body = String::from_utf8_lossy(&asked.body);
        response.status != StatusCode::OK && body.contains("signers") && !body.contains("params")
    };
    as_if_right("/call-sc", wrong, json!({"transaction": {"type": 5}}))
}

fn no_status() -> Fault {
    json_of("/get-trustscore-wallets", |_, response| {
        remove(response, "", "status")
    })
}

fn dicing_score() -> Fault {
    behaving(Dice::new(
        "/get-trustscore-wallets",
        "trust_score",
        |throw| json!(throw),
    ))
}

fn knows_codes() -> Fault {
    behaving(KnowsCodes::default())
}

/// Accepts every submission that has a signature of the right length, and every other submission that
/// has a transaction.
fn accepts_all() -> Fault {
    let kinds: BTreeSet<&str> = [
        "unsigned",
        "no-signers",
        "half-signed",
        "second-only",
        "signed-twice",
        "unlisted-signer",
        "another-wallets-key",
        "first-of-two-right",
        "last-of-two-right",
        "child-transaction",
        "signature-altered",
        "params-altered",
        "fee-altered",
        "timestamp-altered",
        "code-altered",
        "type-altered",
        "currency-altered",
        "descr-altered",
        "valid-altered",
        "function-altered",
        "address-altered",
        "signers-altered",
        "signature-not-hex",
        "signature-empty",
        "signature-null",
        "signature-short",
        "signature-zero",
    ]
    .into();
    let accepting: Vec<Fault> = kinds.into_iter().map(accepting).collect();
    Arc::new(move |asked, response| {
        let accept = |response, fault: &Fault| fault(asked, response);
        accepting.iter().fold(response, accept)
    })
}

/// Removes the proof from some blocks.
fn some_without_proof() -> Fault {
    json_of(BLOCK, |asked, block| {
        if asked.query.ends_with('3') {
            remove(block, "", "proof");
        }
    })
}
