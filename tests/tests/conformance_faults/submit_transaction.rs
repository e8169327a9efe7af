//! `POST /submit-transaction`: submissions that must be refused.

use std::{collections::BTreeSet, sync::Arc, time::SystemTime};

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::{
    faults::{SeededFault, change_json, change_response, respond_successfully_if, stateful},
    proxy::{Fault, RecordedRequest, Response},
    seeded_faults,
    submissions::{SUBMIT, accepting, accepting_any, kind_of_submission, refused_in_blocks},
    verifiers::{
        Submission, accepts_zero, as_one, believes_keys, counts_signatures, flat, forgets_a_signer,
        in_small_letters, knows_signatures, needs_no_signer, reading, reads_either_name,
        skips_malformed, skips_unknown_names, sorted, treats_signers_as_a_set, trimmed, unquoted,
        verifies_the_first, verifying, without_unknown_members,
    },
};
use serde_json::{Value, json};

use crate::records::STATE;

/// Nodes that each accept several kinds of submissions: the names of the cases that find it, and the kinds. The run has to
/// find each kind. A report lists at most five findings of a case, and a kind may have several, so there are few in a row.
const ACCEPTED: &str = "\
unsigned: unsigned no-signers
half-signed: half-signed second-only signed-twice
another-wallets-key: another-wallets-key
another-wallets-key unlisted-signer: first-of-two-right last-of-two-right
another-wallets-key: child-transaction lookalike
signature-altered: signature-altered signature-halves-swapped another-r
params-altered: asset-id-altered asset-type-altered
params-altered: verifier-altered outcome-altered hashes-altered
params-altered: links-altered
params-altered: params-altered deletable-after-altered param-added
signature-not-hex: signature-long signature-short
signature-not-hex: signature-not-hex signature-of-curve-order
signature-not-hex: signature-empty signature-null signature-zero
transaction-malformed: without-timestamp without-trans-code without-type without-currency
transaction-malformed: without-fee without-specific-data code-short contract-short
transaction-malformed: timestamp-text type-text params-list signers-text
transaction-altered: timestamp-altered code-altered
transaction-altered: type-altered currency-altered descr-altered
transaction-altered: valid-altered child-altered
transaction-altered: function-altered address-altered
transaction-altered: signers-altered
body-malformed: transaction-null transaction-text transaction-required body-empty
body-malformed: signatures-object signatures-null signatures-required body-not-json";

fn accepted() -> impl Iterator<Item = SeededFault> {
    ACCEPTED.lines().filter_map(|row| {
        let (cases, kinds) = row.split_once(": ")?;
        let cases = cases
            .split(' ')
            .map(|case| &*format!("submit-transaction/{case}").leak());
        let names: &[&str] = kinds.split(' ').collect::<Vec<_>>().leak();
        Some(SeededFault {
            name: format!("accepts what is {}", names.join(", or ")).leak(),
            fault: accepting_any(names),
            failing_cases: cases.collect::<Vec<_>>().leak(),
            kinds: names,
        })
    })
}

pub(crate) fn faults() -> Vec<SeededFault> {
    let mut all: Vec<_> = accepted().collect();
    all.extend(others());
    all
}

fn others() -> Vec<SeededFault> {
    seeded_faults! {
        "accepts the signature of a wallet that is not a signer", accepting("unlisted-signer") => ["submit-transaction/unlisted-signer"];
        "signatures do not cover the fee", accepting("fee-altered") => ["submit-transaction/fee-altered"];
        "does not verify transactions of an hour ago", verifying(|s| s.is_right() || is_old(&s.transaction))
            => ["submit-transaction/another-wallets-key", "submit-transaction/unsigned"];
        "does not verify transactions of type 1", verifying(|s| s.is_right() || s.transaction["type"] == 1)
            => ["submit-transaction/another-wallets-key", "submit-transaction/unsigned"];
        "ignores whose wallet a signature names", verifying(|s| match &s.signers()[..] {
            [signer] => s.entries.iter().any(|entry| s.is_by(entry, signer)),
            _ => s.is_right(),
        }) => ["submit-transaction/unlisted-signer"];
        "needs no signature of a contract that is a signer", verifying(|s| match &s.signers()[..] {
            [wallet, contract] if contract.starts_with("ct") => s.is_by(&s.entries[0], wallet),
            _ => s.is_right(),
        }) => ["submit-transaction/half-signed"];
        "accepts a fee that is a string", accepting("fee-text") => ["submit-transaction/transaction-malformed"];
        "accepts a negative fee", accepting("fee-negative") => ["submit-transaction/fee-negative"];
        "accepts a fee in a currency that does not exist", accepting_right(|t| t["currency"] == "NO-SUCH-TOKEN-5A5A")
            => ["submit-transaction/fee-negative"];
        "accepts a fee that is more than there is", accepting_right(|t| t["fee"].as_i64() > Some(1 << 60))
            => ["submit-transaction/fee-negative"];
        "accepts a claim without one of its params", accepting_right(|t| params(t)["asset_id"].is_null())
            => ["submit-transaction/transaction-malformed"];
        "accepts an outcome that is a string", accepting_right(|t| params(t)["outcome"].is_string())
            => ["submit-transaction/transaction-malformed"];
        "accepts a list that is a number", accepting_right(|t| params(t)["doc_hash_list"].is_number())
            => ["submit-transaction/transaction-malformed"];
        "accepts a signer in capitals", verifying(|s| match (&s.signers()[..], &s.names()[..]) {
            ([signer], [name]) => signer.to_lowercase() == **name && s.is_by(&s.entries[0], name),
            _ => false,
        }) => ["submit-transaction/transaction-malformed"];
        "accepts a fee of 0", accepting("fee-zero") => ["submit-transaction/fee-zero"];
        "accepts an unsigned transaction with status 201", {
            let accepts = accepting("unsigned");
            Arc::new(move |request, response| {
                let response = accepts(request, response);
                match request.path == SUBMIT && kind_of_submission(request) == "unsigned" {
                    true => response.with_status(StatusCode::CREATED),
                    false => response,
                }
            })
        } => ["submit-transaction/unsigned"];
        "refusals have Content-Type text/html", change_response(SUBMIT, |_, response| typed(response, "text/html"))
            => ["http/content-type"];
        "refusals are a JSON array", change_response(SUBMIT, |_, response| {
            match response.status {
                StatusCode::OK => response.with_body("[\"no\"]"),
                _ => response,
            }
        }) => ["submit-transaction/responds"];
        "refuses a valid transaction if it refused the same trans_code before", remembers_refusals()
            => ["submit-transaction/right-after-wrong-signature"];
        "refuses signatures in a different order from the signers", change_response(SUBMIT, |request, response| {
            let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            let signers = &body["transaction"]["specific_data"]["signers"];
            let right = json!([body["signatures"][0]["wallet_address"],
                body["signatures"][1]["wallet_address"]]);
            match kind_of_submission(request) == "control" && right[1].is_string() && right != *signers {
                true => response.with_body(NOT_VALID),
                false => response,
            }
        }) => ["submit-transaction/signature-order"];
        "refuses every transaction of two signers", change_response(SUBMIT, |request, response| {
            let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            match kind_of_submission(request) == "control" && body["signatures"][1].is_object() {
                true => response.with_body(NOT_VALID),
                false => response,
            }
        }) => ["submit-transaction/two-signers"];
        "refuses a submission with its signatures first", refusing_text("{\"signatures\"")
            => ["submit-transaction/equal-forms"];
        "refuses a submission with line breaks", refusing_text("\n{ \"transaction\"")
            => ["submit-transaction/equal-forms"];
        "refuses capital letters in a signature", change_response(SUBMIT, |request, response| {
            let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            let signature = body["signatures"][0]["msgsign"].as_str().unwrap_or_default();
            match signature.contains(|digit: char| digit.is_ascii_uppercase()) {
                true => response.with_body(NOT_VALID),
                false => response,
            }
        }) => ["submit-transaction/equal-forms"];
        "escapes & and < in what it verifies", refusing_params(|p| text(p).contains(['&', '<'])) => ["submit-transaction/signed-values"];
        "does not escape quotes and backslashes in what it verifies", refusing_params(|p| text(p).contains('\\')) => ["submit-transaction/signed-values"];
        "trims the texts that it verifies", refusing_params(|p| text(p).trim() != text(p)) => ["submit-transaction/signed-values"];
        "does not escape U+007F in what it verifies", refusing_params(|p| text(p).contains('\u{7f}')) => ["submit-transaction/signed-values"];
        "normalises the letters that it verifies", refusing_params(|p| text(p).contains('\u{301}')) => ["submit-transaction/signed-values"];
        "escapes letters beyond the basic plane with five digits", refusing_params(|p| text(p).contains('\u{1f600}')) => ["submit-transaction/signed-values"];
        "reads JSON in the texts that it verifies", refusing_params(|p| text(p).starts_with('{')) => ["submit-transaction/signed-values"];
        "leaves out empty texts in what it verifies", refusing_params(|p| text(p).is_empty()) => ["submit-transaction/signed-values"];
        "leaves out empty lists in what it verifies", refusing_params(|p| p["doc_hash_list"] == json!([])) => ["submit-transaction/signed-values"];
        "verifies integers of 32 bits", refusing_params(|p| number(p) == 1 << 32 | 1) => ["submit-transaction/signed-values"];
        "verifies integers as floats", refusing_params(|p| number(p) == (1 << 53) + 1) => ["submit-transaction/signed-values"];
        "verifies integers of 63 bits", refusing_params(|p| number(p) == i64::MAX) => ["submit-transaction/signed-values"];
        "verifies negative integers as 0", refusing_params(|p| p["outcome"].as_i64() < Some(0)) => ["submit-transaction/signed-values"];
        "verifies only one level of a param", refusing_params(|p| p["nested"].is_object()) => ["submit-transaction/signed-values"];
        "drops a zero byte at the beginning of r", refusing_signatures(|signature| signature.starts_with("00"))
            => ["submit-transaction/signed-values"];
        "drops a zero byte at the beginning of s", refusing_signatures(|signature| signature.get(64..66) == Some("00"))
            => ["submit-transaction/signed-values"];
        "refuses a fee with a fraction of 0", change_response(SUBMIT, |request, response| {
            match String::from_utf8_lossy(&request.body).contains("1000000.0") {
                true => response.with_body(NOT_VALID),
                false => response,
            }
        }) => ["submit-transaction/fee-with-fraction"];
        "refuses signatures with the higher value of s", change_response(SUBMIT, |request, response| {
            let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            let signature = body["signatures"][0]["msgsign"].as_str().unwrap_or_default();
            match kind_of_submission(request) == "control" && signature.get(64..65) >= Some("8") {
                true => response.with_body(NOT_VALID),
                false => response,
            }
        }) => ["submit-transaction/high-s"];
        "believes the public key beside a signature", verifying(believes_keys) => ["submit-transaction/another-wallets-key"];
        "skips signatures of wallets in another spelling", verifying(skips_unknown_names) => ["submit-transaction/another-wallets-key"];
        "reads the first or the last of two names in a signature", verifying(reads_either_name) => ["submit-transaction/another-wallets-key"];
        "counts the signatures of any signers", verifying(counts_signatures)
            => ["submit-transaction/half-signed", "submit-transaction/another-wallets-key"];
        "verifies only the first of two signatures", verifying(verifies_the_first)
            => ["submit-transaction/another-wallets-key", "submit-transaction/signature-not-hex"];
        "skips malformed signatures beside a right one", verifying(skips_malformed) => ["submit-transaction/signature-not-hex"];
        "accepts a signature whose r or s is 0", verifying(accepts_zero)
            => ["submit-transaction/signature-altered", "submit-transaction/signature-not-hex"];
        "needs no signature without signers", verifying(needs_no_signer)
            => ["submit-transaction/unsigned"];
        "treats the signers as a set", verifying(treats_signers_as_a_set) => ["submit-transaction/transaction-altered"];
        "verifies the signature of fewer signers", verifying(forgets_a_signer) => ["submit-transaction/transaction-altered"];
        "does not verify unknown members", verifying(reading(without_unknown_members))
            => ["submit-transaction/params-altered", "submit-transaction/transaction-altered"];
        "verifies texts without blanks at their end", verifying(reading(trimmed))
            => ["submit-transaction/params-altered", "submit-transaction/transaction-altered"];
        "verifies numbers in strings as numbers", verifying(reading(unquoted))
            => ["submit-transaction/params-altered", "submit-transaction/fee-altered", "submit-transaction/transaction-altered"];
        "verifies codes in small letters", verifying(reading(in_small_letters)) => ["submit-transaction/transaction-altered"];
        "verifies true as 1", verifying(reading(as_one)) => ["submit-transaction/transaction-altered"];
        "verifies lists in any order", verifying(reading(sorted)) => ["submit-transaction/params-altered"];
        "verifies two entries of each list", verifying(reading(flat)) => ["submit-transaction/params-altered"];
        "verifies a transaction without its fee", verifying(|s| s.is_right_with(|t| t["fee"] = json!(0.0)))
            => ["submit-transaction/signature-altered"];
        "verifies a text with one more blank", verifying(|s| {
            s.is_right_with(|t| t["specific_data"]["params"]["remarks"] = json!("to be refused "))
        }) => ["submit-transaction/signature-altered"];
        "verifies null remarks as the usual ones", verifying(|s| {
            s.transaction["specific_data"]["params"]["remarks"].is_null()
                && s.is_right_with(|t| t["specific_data"]["params"]["remarks"] = json!("to be refused"))
        }) => ["submit-transaction/params-altered"];
        "recognises a signature that it has accepted before", knows_signatures() => ["submit-transaction/transaction-altered"];
        "signatures do not cover a signer's address", accepting("signer-changed")
            => ["submit-transaction/transaction-altered", "submit-transaction/transaction-malformed"];
        "a batch accepts an unsigned transaction", in_batches(|elements| {
            elements.iter().filter(|element| element["signatures"] == json!([])).collect()
        }) => ["submit-transaction/batch"];
        "only the first element of a batch is verified", in_batches(|elements| elements.iter().skip(1).collect())
            => ["submit-transaction/batch"];
        "only the last element of a batch is verified", in_batches(|elements| elements.iter().rev().skip(1).collect())
            => ["submit-transaction/batch"];
        "a batch lists a transaction as accepted and failed", change_response(BATCH, |_, response| {
            response.with_json(|said| {
                let lists = &mut said["response"];
                let failed = lists["failed_transactions"].clone();
                let accepted = lists["accepted_transactions"].clone();
                lists["failed_transactions"] = [accepted.as_array(), failed.as_array()].into_iter().flatten().flatten().cloned().collect();
            })
        }) => ["submit-transaction/batch"];
        "accepts an empty object", accepting("empty-object") => ["submit-transaction/body-malformed"];
        "accepts an array", accepting("body-array") => ["submit-transaction/body-malformed"];
        "accepts a JSON string", accepting("body-text") => ["submit-transaction/body-malformed"];
        "has no size limit", accepting("oversized") => ["submit-transaction/oversized"];
        "stores refused claims", change_json(STATE, |request, response| {
            if request.query.contains("unique_value=conformance-refused-") {
                response["value"] = json!(["stored"]);
            }
        }) => ["submit-transaction/refused-not-stored"];
        "puts a transaction with an altered signature into the latest block", refused_in_blocks(|request| {
            kind_of_submission(request) == "signature-altered"
        }) => ["submit-transaction/refused-not-stored"];
        "GET /submit-transaction returns the result of a submission", respond_successfully_if(SUBMIT, |request, _| request.method == "GET",
            json!({"status": "SUCCESS"})) => ["submit-transaction/wrong-method"];
        "returns status 500 for an altered signature", change_response(SUBMIT, |request, response| {
            if kind_of_submission(request) == "signature-altered" {
                response.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { response }
        }) => ["http/server-errors"];
    }
}

const BATCH: &str = "/submit-transaction-batch";

/// Accepts these elements of each batch, too.
fn in_batches(accepted: fn(&[Value]) -> Vec<&Value>) -> Fault {
    change_response(BATCH, move |request, response| {
        let elements: Vec<Value> = serde_json::from_slice(&request.body).unwrap_or_default();
        let code = |element: &&Value| element["transaction"]["trans_code"].clone();
        let codes: Vec<Value> = accepted(&elements).iter().map(code).collect();
        response.with_json(|said| {
            let lists = &mut said["response"];
            if let Value::Array(failed) = &mut lists["failed_transactions"] {
                failed.retain(|code| !codes.contains(code));
            }
            if let Value::Array(list) = &mut lists["accepted_transactions"] {
                list.retain(|code| !codes.contains(code));
                list.extend(codes);
            }
        })
    })
}

/// A node's response to a signature that does not verify.
const NOT_VALID: &str = r#"{"status":"SUCCESS","response":{"valid":false,"msg":"Transaction has invalid signatures","new_transaction":true}}"#;

fn params(transaction: &Value) -> &Value {
    &transaction["specific_data"]["params"]
}

fn text(params: &Value) -> &str {
    params["asset_type"].as_str().unwrap_or("token")
}

fn number(params: &Value) -> i64 {
    params["deletable_after"].as_i64().unwrap_or_default()
}

/// Refuses correct submissions with these params.
fn refusing_params(is_refused: fn(&Value) -> bool) -> Fault {
    change_response(SUBMIT, move |request, response| {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let is_control = kind_of_submission(request) == "control";
        match is_control && is_refused(params(&body["transaction"])) {
            true => response.with_body(NOT_VALID),
            false => response,
        }
    })
}

/// Whether a transaction is older than half an hour.
fn is_old(transaction: &Value) -> bool {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = i64::try_from(now.expect("a time").as_millis()).expect("a time");
    let time = transaction["timestamp"].as_i64();
    time.is_some_and(|time| time < now - 1_800_000)
}

/// Refuses correct submissions with these signatures.
fn refusing_signatures(is_refused: fn(&str) -> bool) -> Fault {
    change_response(SUBMIT, move |request, response| {
        let submission = Submission::of(request).filter(Submission::is_right);
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        // One of 256 signatures begins like that by chance, also that of a control. A run that looks for one tries
        // numbers as the type of the asset.
        let asset_type = body["transaction"]["specific_data"]["params"]["asset_type"].as_str();
        let is_sought = asset_type.is_some_and(|text| text.parse::<u16>().is_ok());
        let signature = body["signatures"][0]["msgsign"].as_str();
        match submission.is_some() && is_sought && signature.is_some_and(is_refused) {
            true => response.with_body(NOT_VALID),
            false => response,
        }
    })
}

/// Accepts rightly signed submissions with these transactions.
pub(crate) fn accepting_right(is_accepted: fn(&Value) -> bool) -> Fault {
    let good = json!({"status": "SUCCESS",
        "response": {"valid": true, "msg": "fine", "new_transaction": true}});
    let is_taken = move |request: &RecordedRequest, _: &_| {
        let submission = Submission::of(request);
        submission.is_some_and(|s| s.is_right() && is_accepted(&s.transaction))
    };
    respond_successfully_if(SUBMIT, is_taken, good)
}

/// Refuses each transaction whose code it has refused before.
fn remembers_refusals() -> Fault {
    stateful(BTreeSet::new(), |refused, request, response| {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let code = body["transaction"]["trans_code"].as_str();
        let Some(code) = code.filter(|_| request.path == SUBMIT) else {
            return response;
        };
        match kind_of_submission(request) {
            "control" if refused.contains(code) => response.with_body(NOT_VALID),
            "another-wallets-key" => {
                refused.insert(code.to_owned());
                response
            }
            _ => response,
        }
    })
}

/// Returns the response with another media type.
pub(crate) fn typed(mut response: Response, media: &'static str) -> Response {
    let media = HeaderValue::from_static(media);
    response.headers.insert(header::CONTENT_TYPE, media);
    response
}

/// Refuses correct submissions whose body begins with this text.
fn refusing_text(start: &'static str) -> Fault {
    change_response(SUBMIT, move |request, response| {
        let begins = request.body.starts_with(start.as_bytes());
        match begins && kind_of_submission(request) == "control" {
            true => response.with_body(NOT_VALID),
            false => response,
        }
    })
}
