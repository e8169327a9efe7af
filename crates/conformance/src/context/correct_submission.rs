//! Correct submissions that a careless node refuses for reasons other than money.

use std::sync::Arc;

use super::{
    draft::{REFUSED, code_of, draft},
    refusal::{in_the_name_of, sign, signer, stranger, whole},
    submitter::{Response, Submitter},
};
use crate::http::{Exchange, InconclusiveReason, Request};

/// The path of the second endpoint for submissions, observed on real nodes.
const BATCH: &str = "/submit-transaction-batch";

/// Submits a transaction with another key's signature, and then the same one correctly signed.
/// Returns both responses.
pub(crate) async fn after_wrong_signature(
    submitter: &Submitter,
) -> Result<(Arc<Exchange>, Arc<Exchange>), InconclusiveReason> {
    let signer = signer(submitter)?;
    let text = draft(submitter, &[signer.address()], REFUSED).await?;
    let wrong = in_the_name_of(signer.address(), sign(&stranger()?, &text).await?);
    let wrong = Request::post("/submit-transaction", whole(&text, &[wrong]));
    let wrong = submitter.submit_serialized(wrong).await?;
    let right = whole(&text, &[sign(&signer, &text).await?]);
    let right = Request::post("/submit-transaction", right);
    Ok((wrong, submitter.submit_serialized(right).await?))
}

/// Submits a transaction of two signers, with their signatures in the order of the signers or reversed.
pub(crate) async fn of_two(submitter: &Submitter, reversed: bool) -> Response {
    let (first, second) = (signer(submitter)?, stranger()?);
    let signers = [first.address(), second.address()];
    let text = draft(submitter, &signers, REFUSED).await?;
    let mut entries = [sign(&first, &text).await?, sign(&second, &text).await?];
    if reversed {
        entries.reverse();
    }
    let request = Request::post("/submit-transaction", whole(&text, &entries));
    submitter.submit_serialized(request).await
}

/// Submits a batch of two transactions: one without a signature and one signed with another key.
/// Returns their codes and the response.
pub(crate) async fn bad_batch(
    submitter: &Submitter,
) -> Result<(Vec<String>, Arc<Exchange>), InconclusiveReason> {
    let (signer, stranger) = (signer(submitter)?.address(), stranger()?);
    let unsigned = draft(submitter, &[signer], REFUSED).await?;
    let other = draft(submitter, &[signer], REFUSED).await?;
    let entry = in_the_name_of(signer, sign(&stranger, &other).await?);
    let body = format!("[{},{}]", whole(&unsigned, &[]), whole(&other, &[entry]));
    let codes = [&unsigned, &other].map(|text| code_of(text));
    let response = submitter
        .submit_serialized(Request::post(BATCH, body))
        .await?;
    Ok((codes.to_vec(), response))
}
