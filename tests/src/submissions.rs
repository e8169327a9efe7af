//! Submissions of the higher tiers: the fault of each, as it is in the request, and faults of a node that
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
    kind_of_body(&request.body)
}

/// Returns the kind of a submission by its body.
pub fn kind_of_body(whole: &[u8]) -> &'static str {
    if whole.is_empty() {
        return "body-empty";
    }
    let Ok(body) = serde_json::from_slice::<Value>(whole) else {
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
    if whole.len() > 10_000 {
        return "oversized";
    }
    let text = transaction.to_string();
    let is_right = !entries.is_empty() && entries.iter().all(|entry| is_own(entry, &text));
    if is_right && let Some(kind) = malformed_part(transaction) {
        return kind;
    }
    if let Some(kind) = misnamed(whole, entries) {
        return kind;
    }
    let digits = |entry: &Value| entry["msgsign"].as_str().unwrap_or_default().to_owned();
    let is_digits = |text: &str| {
        text.len() == 128
            && text.bytes().all(|digit| digit.is_ascii_hexdigit())
            && !text.starts_with("ffffffff")
    };
    let is_malformed =
        |entry: &Value| !is_digits(&digits(entry)) || digits(entry).starts_with("00000000");
    if entries.len() == 2 && entries.iter().any(is_malformed) {
        return "malformed-of-two";
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
        Some(text) if !is_digits(text) => return "signature-not-hex",
        Some(half) if half.split_at(64).0.bytes().all(|digit| digit == b'0') => return "half-zero",
        Some(half) if half.split_at(64).1.bytes().all(|digit| digit == b'0') => return "half-zero",
        Some(_) => {}
    }
    let read: Result<Vec<SignatureEntry>, _> = serde_json::from_value(body["signatures"].clone());
    let Ok(signed) = read else {
        return "signature-not-hex";
    };
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
    let of_stranger = |at: usize| signed[at].wallet_address == stranger().address();
    match signers.as_array().map(Vec::len) {
        Some(2) if signers[0] == signers[1] => return "signer-twice",
        Some(2) => {
            return match signed.len() {
                1 if entry["wallet_address"] == signers[0] => "half-signed",
                1 => "second-only",
                _ if of_stranger(0) && of_stranger(1) => "signed-twice",
                _ if of_stranger(0) && by_stranger(&signed[1]) && !by_stranger(&signed[0]) => {
                    "names-swapped"
                }
                _ if of_stranger(0) && by_stranger(&signed[0]) => "first-of-two-right",
                _ if by_stranger(&signed[1]) => "last-of-two-right",
                _ => "signers-altered",
            };
        }
        _ if signers[0] == entry["wallet_address"] => {}
        _ if of_stranger(0) => return "unlisted-signer",
        _ if signers.as_array().is_some_and(Vec::is_empty) => return "signers-emptied",
        _ => return "signer-changed",
    }
    if by_stranger(&signed[0]) {
        return match transaction["is_child_txn"] == true {
            true => "child-transaction",
            false => "another-wallets-key",
        };
    }
    what_was_altered(transaction, &signed[0])
}

/// Whether the wallet of an entry signed a transaction's text.
fn is_own(entry: &Value, text: &str) -> bool {
    let entry: Result<SignatureEntry, _> = serde_json::from_value(entry.clone());
    let message = signed_message(text).expect("a message");
    entry.is_ok_and(|entry| {
        let verified = entry
            .msgsign
            .verify_by_address(message.as_bytes(), entry.wallet_address);
        verified.is_ok()
    })
}

/// Returns what is unusual about the names in the signatures.
fn misnamed(body: &[u8], entries: &[Value]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(body);
    let is_usual = |entry: &Value| {
        let name = entry["wallet_address"].as_str().unwrap_or_default();
        name.trim().to_lowercase() == name
    };
    [
        (
            "wallet-named-twice",
            text.matches("\"wallet_address\"").count() > entries.len(),
        ),
        ("wallet-misspelt", !entries.iter().all(is_usual)),
        (
            "key-beside",
            entries
                .iter()
                .any(|entry| entry.as_object().is_some_and(|entry| entry.len() > 2)),
        ),
    ]
    .into_iter()
    .find_map(|(kind, is_unusual)| is_unusual.then_some(kind))
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

/// Whether the signature is that of a wallet whose address differs in its first or last digit.
fn is_of_a_lookalike(transaction: &Value, entry: &SignatureEntry) -> bool {
    let message = signed_message(&transaction.to_string()).expect("a message");
    let address = entry.wallet_address.to_string();
    let mut keys = entry.msgsign.recover_public_keys(message.as_bytes());
    keys.any(|key| {
        let signer = key.address().to_string();
        signer[..41] == address[..41] || signer[3..] == address[3..]
    })
}

/// Returns the part of a transaction that was changed after signing, or of its signature.
fn what_was_altered(transaction: &Value, entry: &SignatureEntry) -> &'static str {
    let verifies = |change: &dyn Fn(&mut Value)| {
        let mut changed = transaction.clone();
        change(&mut changed);
        verify_transaction(&changed.to_string(), std::slice::from_ref(entry)).is_ok()
    };
    let has = |pointer: &str, known: &str| {
        let value = transaction.pointer(pointer).cloned();
        value.unwrap_or_default() == serde_json::from_str::<Value>(known).expect("JSON")
    };
    // The members that have the same value in all drafts.
    let known = [
        (
            "asset-type-altered",
            "/specific_data/params/asset_type",
            "\"token\"",
        ),
        ("outcome-altered", "/specific_data/params/outcome", "1"),
        (
            "params-altered",
            "/specific_data/params/remarks",
            "\"to be refused\"",
        ),
        (
            "deletable-after-altered",
            "/specific_data/params/deletable_after",
            "1347345",
        ),
        ("param-added", "/specific_data/params/fee_payer", "null"),
        ("member-added", "/specific_data/fee_payer", "null"),
        ("member-added", "/fee_payer", "null"),
        ("fee-altered", "/fee", "1000000"),
        ("type-altered", "/type", "3"),
        ("currency-altered", "/currency", "\"DEVN\""),
        ("descr-altered", "/descr", "\"\""),
        ("valid-altered", "/valid", "1"),
        ("child-altered", "/is_child_txn", "false"),
        (
            "function-altered",
            "/specific_data/function",
            "\"add_verification\"",
        ),
    ];
    if let Some((kind, ..)) = known
        .iter()
        .find(|(_, pointer, known)| !has(pointer, known))
    {
        return kind;
    }
    let data = &transaction["specific_data"];
    let params = &data["params"];
    let asset = params["asset_id"].as_str().unwrap_or_default();
    let code = transaction["trans_code"].as_str().unwrap_or_default();
    let links = [
        "https://example.org/a-document",
        "https://example.org/another",
    ];
    let time = transaction["timestamp"].as_i64();
    let one_digit_off = |text: &str, is_right: &dyn Fn(String) -> bool| {
        let start = text
            .get(..text.len().saturating_sub(1))
            .unwrap_or_default()
            .to_owned();
        "0123456789abcdef"
            .chars()
            .any(|last| is_right(format!("{start}{last}")))
    };
    let signature = entry.msgsign.to_string();
    let (r, s) = signature.split_at(signature.len() / 2);
    let is_of = |signature: String| {
        let entry = SignatureEntry {
            wallet_address: entry.wallet_address,
            msgsign: signature.parse().expect("a signature"),
        };
        verify_transaction(&transaction.to_string(), &[entry]).is_ok()
    };
    if is_of_a_lookalike(transaction, entry) {
        "lookalike"
    } else if params["verifier_address"] != data["signers"][0] {
        "verifier-altered"
    } else if params["doc_hash_list"] != json!(["5a".repeat(32), "a5".repeat(32)]) {
        "hashes-altered"
    } else if params["doc_link_list"] != json!(links) {
        "links-altered"
    } else if asset.ends_with(' ') {
        "asset-id-altered"
    } else if time.is_none_or(|time| verifies(&|t| t["timestamp"] = (time - 1).into())) {
        "timestamp-altered"
    } else if code.contains(|digit: char| digit.is_ascii_uppercase())
        || one_digit_off(code, &|code| {
            verifies(&|t| t["trans_code"] = code.as_str().into())
        })
    {
        "code-altered"
    } else if one_digit_off(s, &|s| is_of(format!("{r}{s}"))) {
        "signature-altered"
    } else if is_of(format!("{s}{r}")) {
        "signature-halves-swapped"
    } else if verifies(&|t| t["specific_data"]["params"]["remarks"] = "to be refused ".into()) {
        "signed-with-a-blank"
    } else if verifies(&|t| t["fee"] = 0.0.into()) {
        "signed-without-fee"
    } else if s >= "8" {
        "another-r"
    } else {
        "address-altered"
    }
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
        let said: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        // Of two that arrive together, the node may respond to the second one first.
        if said.pointer("/response/valid") == Some(&Value::Bool(true)) {
            accepted.insert(code.to_owned());
        } else if accepted.contains(code) {
            let known = json!({"valid": true, "msg": "Transaction exists in chain",
                "new_transaction": false});
            let known = json!({"status": "SUCCESS", "response": known});
            return response
                .with_status(StatusCode::OK)
                .with_body(known.to_string());
        }
        response
    })
}

/// Accepts invalid submissions of this kind.
pub fn accepting(kind: &'static str) -> Fault {
    accepting_if(move |found| found == kind)
}

/// Accepts invalid submissions of these kinds.
pub fn accepting_any(kinds: &'static [&'static str]) -> Fault {
    accepting_if(move |found| kinds.contains(&found))
}

fn accepting_if(is_accepted: impl Fn(&str) -> bool + Send + Sync + 'static) -> Fault {
    let good = json!({"status": "SUCCESS",
        "response": {"valid": true, "msg": "fine", "new_transaction": true}});
    let wrong = move |request: &RecordedRequest, _: &Response| {
        request.method == "POST" && is_accepted(kind_of_submission(request))
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
