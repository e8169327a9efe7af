//! `POST /submit-transaction`, and its variant for batches that was observed on a real node.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use nodeproof_primitives::{TransactionCode, signed_message};
use serde_json::{Value, json};

use super::{
    body::read_json,
    fields::{Fields, elements},
    response::{Fault, Faults, Place, json_text},
};
use crate::{
    InjectedFault, Node,
    chain::{Submission, Verdict},
};

/// The path of a submission.
pub(super) const PATH: &str = "/submit-transaction";
/// The number of transactions that one batch can have, as on a real node.
const MAX_BATCH: usize = 50;

/// The path of a batch of submissions.
pub(super) const BATCH_PATH: &str = "/submit-transaction-batch";

/// Counts a submission, and reads its body. Returns a refusal if there are too many, or if it can't be read.
async fn read_submission(node: &Node, headers: &HeaderMap, body: Body) -> Result<String, Response> {
    node.count_submission();
    if let Some(refused) = rate_limited(node) {
        return Err(refused);
    }
    let text = read_json(node, headers, body).await;
    text.map_err(IntoResponse::into_response)
}

/// Accepts or refuses a signed transaction.
///
/// If its fields do not have the documented types, the status is 422. Otherwise it is 200, with a verdict.
pub(super) async fn submit_transaction(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let text = match read_submission(&node, &headers, body).await {
        Ok(text) => text,
        Err(refused) => return refused,
    };
    match submission(&text, vec!["body".into()]) {
        Ok(submission) => {
            let verdict = match node.has(InjectedFault::OverlapLost) {
                true => submit_over_others(&node, &submission).await,
                false => node.submit(&submission),
            };
            if node.has(InjectedFault::LeftCosts) && verdict.new_transaction && verdict.valid {
                let mut left = Left(&node, submission.code);
                tokio::time::sleep(Duration::from_millis(20)).await;
                left.1 = None;
            }
            let message = Value::from(verdict.message);
            json_text(
                StatusCode::OK,
                format!(
                    "{{\"status\":\"SUCCESS\",\"response\":{{\"valid\":{},\"msg\":{message},\
                     \"new_transaction\":{}}}}}",
                    verdict.valid, verdict.new_transaction
                ),
            )
        }
        Err(faults) => faults.into_response(),
    }
}

/// If the client leaves before the response, its pending transaction costs its fee and is forgotten.
struct Left<'n>(&'n Node, Option<TransactionCode>);

impl Drop for Left<'_> {
    fn drop(&mut self) {
        if let Some(code) = self.1 {
            self.0.charge_and_forget(code);
        }
    }
}

/// Submits a transaction as a node does that reads its pending transactions, and writes them back later: those that
/// came in between are lost.
async fn submit_over_others(node: &Node, submission: &Submission<'_>) -> Verdict {
    let before = node.pending();
    tokio::time::sleep(Duration::from_millis(20)).await;
    let verdict = node.submit(submission);
    if verdict.valid && verdict.new_transaction {
        node.drop_between(before);
    }
    verdict
}

/// Accepts or refuses several signed transactions. One that is already known counts as accepted.
pub(super) async fn submit_transaction_batch(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let text = match read_submission(&node, &headers, body).await {
        Ok(text) => text,
        Err(refused) => return refused,
    };
    let submissions = match batch(&text) {
        Ok(submissions) => submissions,
        Err(faults) => return faults.into_response(),
    };
    if submissions.len() > MAX_BATCH {
        let detail = format!(
            "A batch has at most {MAX_BATCH} transactions, and this one has {}",
            submissions.len()
        );
        let detail = json!({ "detail": detail }).to_string();
        return json_text(StatusCode::BAD_REQUEST, detail);
    }
    let (mut accepted, mut failed) = (Vec::new(), Vec::new());
    for (code, submission) in submissions {
        // Verifying the signatures of a batch takes long, so other tasks get a turn after each submission.
        tokio::task::yield_now().await;
        let is_dropped = !failed.is_empty() && node.has(InjectedFault::BatchDrops);
        let refusal = match is_dropped {
            true => (!node.is_valid_alone(&submission)).then(String::new),
            false => {
                let verdict = node.submit(&submission);
                (!verdict.valid).then_some(verdict.message)
            }
        };
        if let Some(msg) = refusal {
            failed.push(json!({ "transaction_code": code, "msg": msg }));
        } else {
            if node.has(InjectedFault::BatchPaysOnce)
                && !accepted.is_empty()
                && let Some(code) = submission.code
            {
                node.exempt(code);
            }
            accepted.push(code);
        }
    }
    let response = json!({ "accepted_transactions": accepted, "failed_transactions": failed });
    json_text(
        StatusCode::OK,
        format!("{{\"status\":\"SUCCESS\",\"response\":{response}}}"),
    )
}

fn rate_limited(node: &Node) -> Option<Response> {
    let limit = node.rate_limit()?;
    (!limit.admits(Instant::now())).then(|| {
        let error = format!("Rate limit exceeded: {} per 1 second", limit.per_second());
        json_text(
            StatusCode::TOO_MANY_REQUESTS,
            json!({ "error": error }).to_string(),
        )
    })
}

fn batch(text: &str) -> Result<Vec<(String, Submission<'_>)>, Faults> {
    elements(text, &["body".into()])?
        .into_iter()
        .map(|(place, element)| {
            let submission = submission(element, place.clone())?;
            let code = Fields::read(element, place)?
                .fields("transaction")?
                .string("trans_code")?;
            Ok((code, submission))
        })
        .collect()
}

/// Parses a submission. Its fields must have the documented types.
fn submission(text: &str, place: Vec<Place>) -> Result<Submission<'_>, Faults> {
    let fields = Fields::read(text, place)?;
    let mut faults = Faults::default();
    let transaction = faults.note(fields.fields("transaction"));
    let mut code = None;
    if let Some(transaction) = transaction {
        for name in ["timestamp", "type", "valid"] {
            faults.note(transaction.integer(name));
        }
        for name in ["currency", "descr"] {
            faults.note(transaction.string(name));
        }
        faults.note(transaction.number("fee"));
        faults.note(transaction.object("specific_data"));
        code = faults.note(transaction.string("trans_code"));
    }
    let signatures = signatures(&fields, &mut faults);
    match (fields.raw("transaction"), code, signatures) {
        (Ok(transaction), Some(code), Some(signatures)) if faults.is_empty() => Ok(Submission {
            transaction,
            code: code.parse().ok(),
            signatures,
            // As a real node writes it: in ASCII, with one blank after each comma and colon.
            size: signed_message(text).map_or(text.len(), |written| written.len()),
        }),
        _ => Err(faults),
    }
}

fn signatures(fields: &Fields<'_>, faults: &mut Faults) -> Option<Vec<(String, String)>> {
    faults
        .note(fields.elements("signatures"))?
        .into_iter()
        .map(|(place, element)| {
            let entry = faults.note(Fields::read(element, place))?;
            let read = |name| -> Result<String, Fault> { entry.string(name) };
            let wallet = faults.note(read("wallet_address"));
            let signature = faults.note(read("msgsign"));
            wallet.zip(signature)
        })
        .collect()
}
