//! Submissions of the higher tiers: the fault of each, as the node sees it, and faults of a node that
//! receives them.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{collections::BTreeSet, num::NonZeroU8, sync::Arc, time::Duration};

use axum::http::StatusCode;
use nodeproof_conformance::{Options, Tier, cli::LocalNode};
use nodeproof_primitives::signed_message;
use nodeproof_wallet::{KeyPair, SignatureEntry, verify_transaction};
use serde_json::{Value, json};

use crate::{
    faults::{respond_successfully_if, stateful},
    proxy::{Fault, RecordedRequest, Response},
};

/// The path of submissions.
pub const SUBMIT: &str = "/submit-transaction";

/// Returns a wallet whose key is public. It signs in place of the right wallets.
#[must_use]
pub fn stranger() -> KeyPair {
    KeyPair::from_bytes(&[0xa5; 32]).expect("a key")
}

/// Returns the fault of a submission, or `claim` or `control` for a valid one.
#[must_use]
pub fn kind_of_submission(request: &RecordedRequest) -> &'static str {
    if request.body.is_empty() {
        return "body-empty";
    }
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return "body-not-json";
    };
    let transaction = &body["transaction"];
    let entries = body["signatures"].as_array().map_or(&[][..], Vec::as_slice);
    let signers = &transaction["specific_data"]["signers"];
    let Some(entry) = entries.first() else {
        return match &body {
            Value::Array(_) => "body-array",
            Value::String(_) => "body-text",
            Value::Object(members) if members.is_empty() => "empty-object",
            Value::Object(members) => match members.get("signatures") {
                Some(Value::Null) => "signatures-null",
                Some(Value::Object(_)) => "signatures-object",
                Some(_) if signers.as_array().is_some_and(Vec::is_empty) => "no-signers",
                Some(_) => "unsigned",
                None => "signatures-required",
            },
            _ => "signatures-required",
        };
    };
    if transaction.is_string() {
        return "transaction-text";
    }
    if transaction.is_null() {
        return match body.get("transaction") {
            Some(_) => "transaction-null",
            None => "transaction-required",
        };
    }
    if request.body.len() > 10_000 {
        return "oversized";
    }
    if let Some(kind) = malformed_part(transaction) {
        return kind;
    }
    match entry["msgsign"].as_str() {
        None => return "signature-null",
        Some("") => return "signature-empty",
        Some(zeros) if zeros.bytes().all(|digit| digit == b'0') => return "signature-zero",
        Some(order) if order.starts_with("fffffffffffffffffffffffffffffffe") => {
            return "signature-of-curve-order";
        }
        Some(short) if short.len() < 128 => return "signature-short",
        Some(long) if long.len() > 128 => return "signature-long",
        Some(_) => {}
    }
    let read: Result<Vec<SignatureEntry>, _> = serde_json::from_value(body["signatures"].clone());
    let Ok(signed) = read else {
        return "signature-not-hex";
    };
    let text = transaction.to_string();
    let message = signed_message(&text).expect("a message");
    let by_stranger = |entry: &SignatureEntry| {
        let address = stranger().address();
        let verified = entry.msgsign.verify_by_address(message.as_bytes(), address);
        verified.is_ok()
    };
    if verify_transaction(&text, &signed).is_ok() {
        return match &transaction["fee"] {
            Value::String(_) => "fee-text",
            fee if fee.as_i64().is_some_and(|fee| fee < 0) => "fee-negative",
            fee if *fee == 0 => "fee-zero",
            _ if transaction["specific_data"]["params"]["remarks"] == "to be refused" => "control",
            _ if signers[0] == stranger().address().to_string().as_str() => "known-code-signed",
            _ => "claim",
        };
    }
    if signers.as_array().is_some_and(|signers| signers.len() == 2) {
        let of_stranger = |at: usize| signed[at].wallet_address == stranger().address();
        return match signed.len() {
            1 if entry["wallet_address"] == signers[0] => "half-signed",
            1 => "second-only",
            _ if of_stranger(0) && of_stranger(1) => "signed-twice",
            _ if of_stranger(0) => "first-of-two-right",
            _ if by_stranger(&signed[1]) => "last-of-two-right",
            _ => "signers-altered",
        };
    }
    if signers[0] != entry["wallet_address"] {
        return "unlisted-signer";
    }
    if by_stranger(&signed[0]) {
        return match transaction["is_child_txn"] == true {
            true => "child-transaction",
            false => "another-wallets-key",
        };
    }
    what_was_altered(transaction, &signed[0])
}

/// Returns the part of a transaction that is missing or not in the documented form.
fn malformed_part(transaction: &Value) -> Option<&'static str> {
    let data = &transaction["specific_data"];
    let is_code = |text: &Value, prefix: &str, length: usize| {
        let text = text.as_str().and_then(|text| text.strip_prefix(prefix));
        text.is_some_and(|text| text.len() == length)
    };
    [
        ("without-timestamp", transaction["timestamp"].is_null()),
        ("without-trans-code", transaction["trans_code"].is_null()),
        ("without-type", transaction["type"].is_null()),
        ("without-currency", transaction["currency"].is_null()),
        ("without-fee", transaction["fee"].is_null()),
        ("without-specific-data", data.is_null()),
        ("timestamp-text", transaction["timestamp"].is_string()),
        ("code-short", !is_code(&transaction["trans_code"], "", 40)),
        ("type-text", transaction["type"].is_string()),
        ("params-list", data["params"].is_array()),
        ("signers-text", data["signers"].is_string()),
        ("contract-short", !is_code(&data["address"], "ct", 40)),
    ]
    .into_iter()
    .find_map(|(kind, is_malformed)| is_malformed.then_some(kind))
}

/// Returns the part of a transaction that was changed after signing.
fn what_was_altered(transaction: &Value, entry: &SignatureEntry) -> &'static str {
    let data = &transaction["specific_data"];
    let verifies = |transaction: &Value, entry: &SignatureEntry| {
        verify_transaction(&transaction.to_string(), std::slice::from_ref(entry)).is_ok()
    };
    let mut earlier = transaction.clone();
    earlier["timestamp"] = (transaction["timestamp"].as_i64().unwrap_or_default() - 1).into();
    let params = &data["params"];
    if params["asset_id"] == "to be taken" {
        "asset-id-altered"
    } else if params["asset_type"] == "to be taken" {
        "asset-type-altered"
    } else if params["verifier_address"] == format!("0x{}", "7a".repeat(20)) {
        "verifier-altered"
    } else if params["doc_hash_list"] == json!(["7a".repeat(32)]) {
        "hashes-altered"
    } else if params["doc_link_list"] == json!(["https://example.org/to-be-taken"]) {
        "links-altered"
    } else if params["deletable_after"] == 7_654_321 {
        "deletable-after-altered"
    } else if params["added"] == "to be taken" {
        "param-added"
    } else if params["remarks"] == "to be taken" {
        "params-altered"
    } else if transaction["fee"] == 2_000_000 {
        "fee-altered"
    } else if verifies(&earlier, entry) {
        "timestamp-altered"
    } else if transaction["trans_code"]
        .as_str()
        .is_some_and(|code| code.starts_with("c0dec0de"))
    {
        "code-altered"
    } else if transaction["type"] != 3 {
        "type-altered"
    } else if transaction["currency"] != "DEVN" {
        "currency-altered"
    } else if transaction["descr"] != "" {
        "descr-altered"
    } else if transaction["valid"] != 1 {
        "valid-altered"
    } else if data["function"] == "transfer" {
        "function-altered"
    } else if one_digit_off(entry).any(|entry| verifies(transaction, &entry)) {
        "signature-altered"
    } else if verifies(transaction, &halves_swapped(entry)) {
        "signature-halves-swapped"
    } else if verifies(&with_other_outcome(transaction), entry) {
        "outcome-altered"
    } else {
        "address-altered"
    }
}

fn halves_swapped(entry: &SignatureEntry) -> SignatureEntry {
    let digits = entry.msgsign.to_string();
    let (s, r) = digits.split_at(digits.len() / 2);
    SignatureEntry {
        wallet_address: entry.wallet_address,
        msgsign: format!("{r}{s}").parse().expect("a signature"),
    }
}

fn with_other_outcome(transaction: &Value) -> Value {
    let mut other = transaction.clone();
    let outcome = &mut other["specific_data"]["params"]["outcome"];
    *outcome = (1 - outcome.as_i64().unwrap_or_default()).into();
    other
}

/// Returns all signatures that differ from this one at most in the last digit.
fn one_digit_off(entry: &SignatureEntry) -> impl Iterator<Item = SignatureEntry> {
    let digits = entry.msgsign.to_string();
    let wallet_address = entry.wallet_address;
    "0123456789abcdef".chars().filter_map(move |last| {
        let digits = format!("{}{last}", &digits[..digits.len() - 1]);
        Some(SignatureEntry {
            wallet_address,
            msgsign: digits.parse().ok()?,
        })
    })
}

/// Returns the options for a run of a tier, with the wallet of a local node. Waits for blocks are short.
#[must_use]
pub fn options(node: &LocalNode, allow: Tier) -> Options {
    let mut options = Options::default();
    options.selection.probe = allow == Tier::Probe;
    if allow != Tier::Probe {
        options.selection.allow = allow;
    }
    options.submitting.wallet.clone_from(&node.wallet);
    options.submitting.public_wallet.clone_from(&node.wallet);
    options.submitting.settle_timeout = Duration::from_secs(2);
    options.submitting.claims = NonZeroU8::MIN.saturating_add(3);
    options
}

/// Changes the responses to submissions that must be refused.
pub fn refusing(change: fn(&mut Value)) -> Fault {
    Arc::new(move |request, response| {
        if request.path != SUBMIT
            || response.status != StatusCode::OK
            || matches!(kind_of_submission(request), "claim" | "control")
        {
            return response;
        }
        response.with_json(change)
    })
}

/// Whether a request is for the record of a claim of a conformance run.
#[must_use]
pub fn is_for_a_claim(request: &RecordedRequest) -> bool {
    // One asset ID has only digits.
    let names = ["conformance-", "unique_value=00"];
    request.path == "/sc-state" && names.iter().any(|name| request.query.contains(name))
}

/// Changes the transactions of each block that contains a claim of a conformance run.
pub fn in_blocks(change: fn(&mut Vec<Value>)) -> Fault {
    Arc::new(move |request, response| {
        let text = String::from_utf8_lossy(&response.body).into_owned();
        if request.path != "/get-block" || !text.contains("\"conformance-") {
            return response;
        }
        response.with_json(|block| {
            if let Some(Value::Array(list)) = block.pointer_mut("/text/transactions") {
                change(list);
            }
        })
    })
}

/// Changes the transaction of the claim when it is built.
pub fn building(change: fn(&mut Value)) -> Fault {
    Arc::new(move |request, response| {
        let body = String::from_utf8_lossy(&request.body);
        if request.path != "/call-sc" || !body.contains("made by a conformance check") {
            return response;
        }
        response.with_json(|built| change(&mut built["transaction"]))
    })
}

/// Returns the asset of a submission that must be refused without any effect. It comes just before the
/// claim.
#[must_use]
pub fn refused_asset(request: &RecordedRequest) -> Option<String> {
    let body: Value = serde_json::from_slice(&request.body).ok()?;
    let params = body.pointer("/transaction/specific_data/params")?;
    let right = request.path == SUBMIT && params["remarks"] == "must be refused without effect";
    right.then(|| params["asset_id"].as_str().map(ToOwned::to_owned))?
}

#[derive(Debug, Default)]
struct ClaimsSoFar {
    submitted: i64,
    refused: i64,
    /// The wallet that signs them.
    payer: String,
}

/// Takes more from the wallet than a good node does, in single balances and in lists: `more` base units, for the
/// numbers of submitted and of refused claims so far.
pub fn charging(more: fn(i64, i64) -> i64) -> Fault {
    stateful(ClaimsSoFar::default(), move |so_far, request, response| {
        let is_submitted = request.path == SUBMIT && kind_of_submission(request) == "claim";
        let is_refused = refused_asset(request).is_some();
        so_far.submitted += i64::from(is_submitted);
        so_far.refused += i64::from(is_refused);
        if is_submitted || is_refused {
            let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            let signer = &body["transaction"]["specific_data"]["signers"][0];
            so_far.payer = signer.as_str().unwrap_or_default().to_owned();
        }
        if request.path != "/get-balances" || so_far.payer.is_empty() {
            return response;
        }
        let taken = more(so_far.submitted, so_far.refused);
        let is_its_own = request.query.contains(&so_far.payer);
        let take = |balance: &mut Value| {
            if let Some(held) = balance.as_i64() {
                *balance = json!(held - taken);
            }
        };
        response.with_json(|response| match &mut response["balance"] {
            Value::Array(list) => list
                .iter_mut()
                .filter(|entry| entry["token_code"] == "DEVN")
                .filter(|entry| is_its_own || entry["wallet"] == so_far.payer.as_str())
                .for_each(|entry| take(&mut entry["balance"])),
            single if is_its_own => take(single),
            _ => {}
        })
    })
}

/// Recognises an accepted transaction by its code alone, whatever else is submitted with it.
pub fn knows_codes() -> Fault {
    stateful(BTreeSet::new(), |accepted, request, response| {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let code = body
            .pointer("/transaction/trans_code")
            .and_then(Value::as_str);
        let Some(code) = code.filter(|_| request.path == SUBMIT) else {
            return response;
        };
        if accepted.contains(code) {
            let known = json!({"valid": true, "msg": "Transaction exists in chain",
                "new_transaction": false});
            let known = json!({"status": "SUCCESS", "response": known});
            return response
                .with_status(StatusCode::OK)
                .with_body(known.to_string());
        }
        let said: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        if said.pointer("/response/valid") == Some(&Value::Bool(true)) {
            accepted.insert(code.to_owned());
        }
        response
    })
}

/// Accepts invalid submissions of this kind.
pub fn accepting(kind: &'static str) -> Fault {
    let good = json!({"status": "SUCCESS",
        "response": {"valid": true, "msg": "fine", "new_transaction": true}});
    let wrong = move |request: &RecordedRequest, _: &Response| {
        request.method == "POST" && kind_of_submission(request) == kind
    };
    respond_successfully_if(SUBMIT, wrong, good)
}

/// Adds the refused submissions for which `which` is true to the latest block, if it is read after them.
pub fn refused_in_blocks(which: fn(&RecordedRequest) -> bool) -> Fault {
    // The highest index so far, and the submissions.
    stateful(
        (0, Vec::new()),
        move |(latest, refused), request, response| {
            if request.path == SUBMIT && which(request) {
                refused.extend(serde_json::from_slice::<Value>(&request.body).ok());
            }
            let index = request
                .query
                .strip_prefix("block_index=")
                .map(str::parse::<u64>);
            let Some(Ok(index)) = index else {
                return response;
            };
            if response.status != StatusCode::OK || index < *latest {
                return response;
            }
            *latest = index;
            response.with_json(|block| {
                if let Some(Value::Array(list)) = block.pointer_mut("/text/transactions") {
                    list.extend(refused.clone());
                }
            })
        },
    )
}
