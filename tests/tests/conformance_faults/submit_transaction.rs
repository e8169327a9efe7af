//! `POST /submit-transaction`: submissions that have to be refused.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::{
    broken,
    faults::{Broken, answer_of, as_if_right, json_of, remove, set},
    proxy::{Answer, Asked, Fault},
    submissions::{SUBMIT, kind_of_submission, refusing},
};
use serde_json::json;

use crate::records::STATE;

pub(crate) fn faults() -> Vec<Broken> {
    broken! {
        "unsigned is valid", accepts("unsigned") => ["submit-transaction/unsigned"];
        "half-signed is valid", accepts("half-signed") => ["submit-transaction/half-signed"];
        "anybody may sign", accepts("unlisted-signer") => ["submit-transaction/unlisted-signer"];
        "any key will do", accepts("another-wallets-key")
            => ["submit-transaction/another-wallets-key"];
        "any signature will do", accepts("signature-altered")
            => ["submit-transaction/signature-altered"];
        "params are not signed", accepts("params-altered") => ["submit-transaction/params-altered"];
        "the fee is not signed", accepts("fee-altered") => ["submit-transaction/fee-altered"];
        "a signature is any text", accepts("signature-not-hex")
            => ["submit-transaction/signature-not-hex"];
        "a transaction without signers needs no signature", accepts("no-signers")
            => ["submit-transaction/unsigned"];
        "the second signer is enough", accepts("second-only") => ["submit-transaction/half-signed"];
        "signatures are only counted", accepts("signed-twice") => ["submit-transaction/half-signed"];
        "only the first signature is verified", accepts("first-of-two-right")
            => ["submit-transaction/another-wallets-key"];
        "only the last signature is verified", accepts("last-of-two-right")
            => ["submit-transaction/another-wallets-key"];
        "child transactions are not verified", accepts("child-transaction")
            => ["submit-transaction/another-wallets-key"];
        "the timestamp is not signed", accepts("timestamp-altered") => ["submit-transaction/transaction-altered"];
        "the trans_code is not signed", accepts("code-altered") => ["submit-transaction/transaction-altered"];
        "the type is not signed", accepts("type-altered") => ["submit-transaction/transaction-altered"];
        "the currency is not signed", accepts("currency-altered") => ["submit-transaction/transaction-altered"];
        "the descr is not signed", accepts("descr-altered") => ["submit-transaction/transaction-altered"];
        "the valid is not signed", accepts("valid-altered") => ["submit-transaction/transaction-altered"];
        "the function is not signed", accepts("function-altered") => ["submit-transaction/transaction-altered"];
        "the contract is not signed", accepts("address-altered") => ["submit-transaction/transaction-altered"];
        "the signers are not signed", accepts("signers-altered") => ["submit-transaction/transaction-altered"];
        "an empty signature will do", accepts("signature-empty")
            => ["submit-transaction/signature-not-hex"];
        "a signature may be null", accepts("signature-null")
            => ["submit-transaction/signature-not-hex"];
        "half a signature will do", accepts("signature-short")
            => ["submit-transaction/signature-not-hex"];
        "zeros are a signature", accepts("signature-zero")
            => ["submit-transaction/signature-not-hex"];
        "a transaction may be null", accepts("transaction-null")
            => ["submit-transaction/transaction-required"];
        "a transaction may be a text", accepts("transaction-text")
            => ["submit-transaction/transaction-required"];
        "signatures may be an object", accepts("signatures-object")
            => ["submit-transaction/signatures-required"];
        "nothing is valid", accepts("body-empty") => ["submit-transaction/body-not-json"];
        "signatures may be null", accepts("signatures-null")
            => ["submit-transaction/signatures-required"];
        "a fee may be a text", accepts("fee-text") => ["submit-transaction/fee-mistyped"];
        "a fee may be negative", accepts("fee-negative") => ["submit-transaction/fee-negative"];
        "a fee may be 0", accepts("fee-zero") => ["submit-transaction/fee-zero"];
        "a bad submission is accepted with status 201", {
            let accepts = accepts("unsigned");
            Arc::new(move |asked, answer| {
                let answer = accepts(asked, answer);
                match asked.path == SUBMIT && kind_of_submission(asked) == "unsigned" {
                    true => answer.with_status(StatusCode::CREATED),
                    false => answer,
                }
            })
        } => ["submit-transaction/unsigned"];
        "refusals say that they are a page", answer_of(SUBMIT, |_, answer| typed(answer, "text/html"))
            => ["submit-transaction/content-type"];
        "refusals are a list", answer_of(SUBMIT, |_, answer| {
            match answer.status {
                StatusCode::OK => answer.with_body("[\"no\"]"),
                _ => answer,
            }
        }) => ["submit-transaction/answers"];
        "signatures alone are valid", accepts("transaction-required")
            => ["submit-transaction/transaction-required"];
        "signatures may be left out", accepts("signatures-required")
            => ["submit-transaction/signatures-required"];
        "an empty object is valid", accepts("empty-object") => ["submit-transaction/empty-object"];
        "half a document is valid", accepts("body-not-json") => ["submit-transaction/body-not-json"];
        "an array is valid", accepts("body-array") => ["submit-transaction/body-array"];
        "a text is valid", accepts("body-text") => ["submit-transaction/body-text"];
        "there is no limit", accepts("oversized") => ["submit-transaction/oversized"];
        "what is refused is stored all the same", json_of(STATE, |asked, answer| {
            if asked.query.contains("unique_value=conformance-refused-") {
                answer["value"] = json!(["stored"]);
            }
        }) => ["submit-transaction/refused-not-stored"];
        "a GET submits something", as_if_right(SUBMIT, |asked, _| asked.method == "GET",
            json!({"status": "SUCCESS"})) => ["submit-transaction/wrong-method"];
        "wrong signatures crash it", answer_of(SUBMIT, |asked, answer| {
            if kind_of_submission(asked) == "signature-altered" {
                answer.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { answer }
        }) => ["submit-transaction/refusal-is-no-crash"];
        "refusals have a number for a status", refusing(|answer| answer["status"] = json!(0))
            => ["submit-transaction/status"];
        "refusals have no response", refusing(|answer| remove(answer, "", "response"))
            => ["submit-transaction/response", "submit-transaction/decodes"];
        "valid is a word", refusing(|answer| set(answer, "/response/valid", json!("false")))
            => ["submit-transaction/valid", "submit-transaction/decodes"];
        "msg is a list", refusing(|answer| set(answer, "/response/msg", json!(["no"])))
            => ["submit-transaction/msg"];
        "refusals do not say whether they are new", refusing(|answer| {
            remove(answer, "/response", "new_transaction");
        }) => ["submit-transaction/new-transaction"];
    }
}

/// Takes a bad submission for a good one.
fn accepts(kind: &'static str) -> Fault {
    let good = json!({"status": "SUCCESS",
        "response": {"valid": true, "msg": "fine", "new_transaction": true}});
    let wrong = move |asked: &Asked, _: &Answer| {
        asked.method == "POST" && kind_of_submission(asked) == kind
    };
    as_if_right(SUBMIT, wrong, good)
}

/// The same with another media type.
pub(crate) fn typed(mut answer: Answer, media: &'static str) -> Answer {
    let media = HeaderValue::from_static(media);
    answer.headers.insert(header::CONTENT_TYPE, media);
    answer
}
