//! Batches of submissions that a node must refuse, each with a right one among them.

use std::sync::Arc;

use nodeproof_client::{SignatureEntry, Transaction};
use serde::Deserialize;
use serde_json::Value;

use super::{
    draft::code_of,
    settling::wait_for_text,
    submitter::Submitter,
    variant::{Variant, control},
};
use crate::{
    api::{is_valid, submitted_code, times_in_batch},
    http::{Exchange, InconclusiveReason, Request},
};

/// The path of the second endpoint for submissions, observed on real nodes.
pub(super) const BATCH: &str = "/submit-transaction-batch";

/// A batch, and the response to it.
pub(crate) struct Batch {
    /// The code of the right submission.
    pub(crate) control: String,
    /// The codes of the wrong ones, and their descriptions.
    pub(crate) wrong: Vec<(String, &'static str)>,
    pub(crate) response: Arc<Exchange>,
}

/// An element of a batch: its text, its code and its description.
pub(super) type Element = (String, String, &'static str);

impl Batch {
    /// Submits transactions of the user's wallet that were refused alone.
    pub(super) async fn of_refused(
        submitter: &Submitter,
        wrong: &[Element],
    ) -> Result<Self, InconclusiveReason> {
        let texts: Vec<_> = wrong.iter().map(|(text, ..)| text.as_str()).collect();
        let request = Request::post(BATCH, format!("[{}]", texts.join(",")));
        let response = submitter.submit_serialized(request.carrying_signature());
        Ok(Self::with(String::new(), wrong, response.await?))
    }

    fn with(control: String, wrong: &[Element], response: Arc<Exchange>) -> Self {
        let wrong = wrong.iter().map(|(_, code, what)| (code.clone(), *what));
        Self {
            control,
            wrong: wrong.collect(),
            response,
        }
    }

    /// Submits wrong elements after a right one, or before it. Waits until an accepted one can be read, so that a
    /// claim of the run may follow.
    pub(super) async fn submit(
        submitter: &Submitter,
        wrong: &[Element],
        right_is_first: bool,
    ) -> Result<Self, InconclusiveReason> {
        let right = control(submitter).await?;
        let mut texts: Vec<_> = wrong.iter().map(|(text, ..)| text.as_str()).collect();
        let place = if right_is_first { 0 } else { texts.len() };
        texts.insert(place, &right);
        let request = Request::post(BATCH, format!("[{}]", texts.join(",")));
        let response = submitter.submit_serialized(request).await?;
        let submission: Value = serde_json::from_str(&right).unwrap_or_default();
        let control = code_of(&submission["transaction"].to_string());
        let batch = Self::with(control, wrong, response);
        if submitter.with.makes_a_claim
            && times_in_batch(&batch.response, "accepted_transactions", &batch.control) > 0
        {
            wait_for_text(submitter, &right).await;
        }
        Ok(batch)
    }
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
