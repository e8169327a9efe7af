//! `POST /submit-transaction`: submissions that must be refused.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::{
    broken,
    faults::{Behaviour, Broken, as_if_right, behaving, json_of, remove, response_of, set},
    proxy::{Asked, Response},
    submissions::{SUBMIT, accepting, kind_of_submission, refusing},
};
use serde_json::{Value, json};

use crate::records::STATE;

pub(crate) fn faults() -> Vec<Broken> {
    broken! {
        "unsigned is valid", accepting("unsigned") => ["submit-transaction/unsigned"];
        "half-signed is valid", accepting("half-signed") => ["submit-transaction/half-signed"];
        "anybody may sign", accepting("unlisted-signer") => ["submit-transaction/unlisted-signer"];
        "any key will do", accepting("another-wallets-key")
            => ["submit-transaction/another-wallets-key"];
        "any signature will do", accepting("signature-altered")
            => ["submit-transaction/signature-altered"];
        "params are not signed", accepting("params-altered") => ["submit-transaction/params-altered"];
        "the fee is not signed", accepting("fee-altered") => ["submit-transaction/fee-altered"];
        "a signature is any text", accepting("signature-not-hex")
            => ["submit-transaction/signature-not-hex"];
        "a transaction without signers needs no signature", accepting("no-signers")
            => ["submit-transaction/unsigned"];
        "the second signer is enough", accepting("second-only") => ["submit-transaction/half-signed"];
        "signatures are only counted", accepting("signed-twice") => ["submit-transaction/half-signed"];
        "only the first signature is verified", accepting("first-of-two-right")
            => ["submit-transaction/another-wallets-key"];
        "only the last signature is verified", accepting("last-of-two-right")
            => ["submit-transaction/another-wallets-key"];
        "child transactions are not verified", accepting("child-transaction")
            => ["submit-transaction/another-wallets-key"];
        "the timestamp is not signed", accepting("timestamp-altered") => ["submit-transaction/transaction-altered"];
        "the trans_code is not signed", accepting("code-altered") => ["submit-transaction/transaction-altered"];
        "the type is not signed", accepting("type-altered") => ["submit-transaction/transaction-altered"];
        "the currency is not signed", accepting("currency-altered") => ["submit-transaction/transaction-altered"];
        "the descr is not signed", accepting("descr-altered") => ["submit-transaction/transaction-altered"];
        "the valid is not signed", accepting("valid-altered") => ["submit-transaction/transaction-altered"];
        "the function is not signed", accepting("function-altered") => ["submit-transaction/transaction-altered"];
        "the contract is not signed", accepting("address-altered") => ["submit-transaction/transaction-altered"];
        "the signers are not signed", accepting("signers-altered") => ["submit-transaction/transaction-altered"];
        "an empty signature will do", accepting("signature-empty")
            => ["submit-transaction/signature-not-hex"];
        "a signature may be null", accepting("signature-null")
            => ["submit-transaction/signature-not-hex"];
        "half a signature will do", accepting("signature-short")
            => ["submit-transaction/signature-not-hex"];
        "zeros are a signature", accepting("signature-zero")
            => ["submit-transaction/signature-not-hex"];
        "a transaction may be null", accepting("transaction-null")
            => ["submit-transaction/transaction-required"];
        "a transaction may be a text", accepting("transaction-text")
            => ["submit-transaction/transaction-required"];
        "signatures may be an object", accepting("signatures-object")
            => ["submit-transaction/signatures-required"];
        "nothing is valid", accepting("body-empty") => ["submit-transaction/body-not-json"];
        "signatures may be null", accepting("signatures-null")
            => ["submit-transaction/signatures-required"];
        "a fee may be a text", accepting("fee-text") => ["submit-transaction/fee-mistyped"];
        "a fee may be negative", accepting("fee-negative") => ["submit-transaction/fee-negative"];
        "a fee may be 0", accepting("fee-zero") => ["submit-transaction/fee-zero"];
        "a bad submission is accepted with status 201", {
            let accepts = accepting("unsigned");
            Arc::new(move |asked, response| {
                let response = accepts(asked, response);
                match asked.path == SUBMIT && kind_of_submission(asked) == "unsigned" {
                    true => response.with_status(StatusCode::CREATED),
                    false => response,
                }
            })
        } => ["submit-transaction/unsigned"];
        "refusals say that they are a page", response_of(SUBMIT, |_, response| typed(response, "text/html"))
            => ["submit-transaction/content-type"];
        "refusals are a list", response_of(SUBMIT, |_, response| {
            match response.status {
                StatusCode::OK => response.with_body("[\"no\"]"),
                _ => response,
            }
        }) => ["submit-transaction/responds"];
        "a bad signature is remembered with its code", behaving(RemembersRefusals::default())
            => ["submit-transaction/right-after-wrong-signature"];
        "signatures have to be in the order of the signers", response_of(SUBMIT, |asked, response| {
            let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
            let signers = &body["transaction"]["specific_data"]["signers"];
            let right = json!([body["signatures"][0]["wallet_address"],
                body["signatures"][1]["wallet_address"]]);
            match kind_of_submission(asked) == "control" && right[1].is_string() && right != *signers {
                true => response.with_body(NOT_VALID),
                false => response,
            }
        }) => ["submit-transaction/signature-order"];
        "a batch takes what nobody signed", response_of("/submit-transaction-batch", |asked, response| {
            let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
            let code = &body[0]["transaction"]["trans_code"];
            response.with_json(|said| set(said, "/response/accepted_transactions", json!([code])))
        }) => ["submit-transaction/batch"];
        "signatures alone are valid", accepting("transaction-required")
            => ["submit-transaction/transaction-required"];
        "signatures may be left out", accepting("signatures-required")
            => ["submit-transaction/signatures-required"];
        "an empty object is valid", accepting("empty-object") => ["submit-transaction/empty-object"];
        "half a document is valid", accepting("body-not-json") => ["submit-transaction/body-not-json"];
        "an array is valid", accepting("body-array") => ["submit-transaction/body-array"];
        "a text is valid", accepting("body-text") => ["submit-transaction/body-text"];
        "there is no limit", accepting("oversized") => ["submit-transaction/oversized"];
        "what is refused is stored anyway", json_of(STATE, |asked, response| {
            if asked.query.contains("unique_value=conformance-refused-") {
                response["value"] = json!(["stored"]);
            }
        }) => ["submit-transaction/refused-not-stored"];
        "a GET submits something", as_if_right(SUBMIT, |asked, _| asked.method == "GET",
            json!({"status": "SUCCESS"})) => ["submit-transaction/wrong-method"];
        "wrong signatures crash it", response_of(SUBMIT, |asked, response| {
            if kind_of_submission(asked) == "signature-altered" {
                response.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { response }
        }) => ["submit-transaction/refusal-is-no-crash"];
        "refusals have a number for a status", refusing(|response| response["status"] = json!(0))
            => ["submit-transaction/status"];
        "refusals have no response", refusing(|response| remove(response, "", "response"))
            => ["submit-transaction/response", "submit-transaction/decodes"];
        "valid is a word", refusing(|response| set(response, "/response/valid", json!("false")))
            => ["submit-transaction/valid", "submit-transaction/decodes"];
        "msg is a list", refusing(|response| set(response, "/response/msg", json!(["no"])))
            => ["submit-transaction/msg"];
        "refusals do not say whether they are new", refusing(|response| {
            remove(response, "/response", "new_transaction");
        }) => ["submit-transaction/new-transaction"];
    }
}

/// A node's response to a signature that does not verify.
const NOT_VALID: &str = r#"{"status":"SUCCESS","response":{"valid":false,"msg":"Transaction has invalid signatures","new_transaction":true}}"#;

/// Refuses each transaction whose code it has refused before.
#[derive(Default)]
struct RemembersRefusals {
    refused: Mutex<BTreeSet<String>>,
}

impl Behaviour for RemembersRefusals {
    fn response(&self, asked: &Asked, response: Response) -> Response {
        let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
        let code = body["transaction"]["trans_code"].as_str();
        let (Some(code), Ok(mut refused)) = (code, self.refused.lock()) else {
            return response;
        };
        if asked.path != SUBMIT {
            return response;
        }
        match kind_of_submission(asked) {
            "control" if refused.contains(code) => response.with_body(NOT_VALID),
            "another-wallets-key" => {
                refused.insert(code.to_owned());
                response
            }
            _ => response,
        }
    }
}

/// Returns the response with another media type.
pub(crate) fn typed(mut response: Response, media: &'static str) -> Response {
    let media = HeaderValue::from_static(media);
    response.headers.insert(header::CONTENT_TYPE, media);
    response
}
