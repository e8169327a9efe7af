//! Batches of submissions that a node must refuse, each with a right one among them.

use nodeproof_client::{SignatureEntry, Transaction};
use serde::Deserialize;
use serde_json::Value;

use super::{
    draft::code_of,
    submitter::{Response, Submitter},
    variant::{Variant, control},
    waiting::wait_for_text,
};
use crate::{
    api::{is_valid, submitted_code, times_in_batch},
    http::{BatchStep, Exchange, InconclusiveReason, Request, Step},
};

/// The path of the second endpoint for submissions, observed on real nodes.
pub(super) const BATCH: &str = "/submit-transaction-batch";

/// An element of a batch: its text, its code and its description.
pub(super) type Element = (String, String, &'static str);

/// Submits a batch of these texts.
async fn submit(
    submitter: &Submitter,
    texts: Vec<&str>,
    control: Option<String>,
    wrong: &[Element],
) -> Response {
    let wrong = wrong
        .iter()
        .map(|(_, code, what)| (code.clone(), (*what).to_owned()))
        .collect();
    let request = Request::post(BATCH, format!("[{}]", texts.join(",")));
    let step = Step::Batch(BatchStep { control, wrong });
    submitter.submit_serialized(request.for_step(step)).await
}

/// Submits transactions of the user's wallet that were refused alone.
pub(super) async fn submit_refused(submitter: &Submitter, wrong: &[Element]) -> Response {
    let texts = wrong.iter().map(|(text, ..)| text.as_str());
    submit(submitter, texts.collect(), None, wrong).await
}

/// Submits wrong elements after a right one, or before it. Waits until an accepted one can be read. Then a claim
/// of the run may follow.
pub(super) async fn submit_with_right(
    submitter: &Submitter,
    wrong: &[Element],
    right_is_first: bool,
) -> Result<(), InconclusiveReason> {
    let right = control(submitter).await?;
    let mut texts: Vec<_> = wrong.iter().map(|(text, ..)| text.as_str()).collect();
    let place = if right_is_first { 0 } else { texts.len() };
    texts.insert(place, &right);
    let submission: Value = serde_json::from_str(&right).unwrap_or_default();
    let control = code_of(&submission["transaction"].to_string());
    let response = submit(submitter, texts, Some(control.clone()), wrong).await?;
    if submitter.with.makes_a_claim
        && times_in_batch(&response, "accepted_transactions", &control) > 0
    {
        wait_for_text(submitter, &right).await;
    }
    Ok(())
}

/// Returns the element of a batch that a refused submission can be. A node may refuse a whole batch for an element
/// in another form.
pub(super) fn element(wrong: &'static Variant, response: &Exchange) -> Option<Element> {
    #[derive(Deserialize)]
    struct Submission {
        #[serde(rename = "transaction")]
        _transaction: Transaction,
        #[serde(rename = "signatures")]
        _signatures: Vec<SignatureEntry>,
    }
    let text = response.request.body.as_deref()?;
    serde_json::from_str::<Submission>(text).ok()?;
    let code = submitted_code(response)?;
    (!is_valid(response)).then(|| (text.to_owned(), code, &*wrong.what))
}
