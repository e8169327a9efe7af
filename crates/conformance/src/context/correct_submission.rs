//! A correct submission after a wrong one.

use std::sync::Arc;

use super::{
    draft::{REFUSED, draft},
    signatures::{in_the_name_of, sign, signer, stranger, whole},
    submitter::Submitter,
};
use crate::http::{Exchange, InconclusiveReason, Request, Step};

/// Submits a transaction with another key's signature, and then the same one correctly signed.
/// Returns both responses.
pub(crate) async fn after_wrong_signature(
    submitter: &Submitter,
) -> Result<(Arc<Exchange>, Arc<Exchange>), InconclusiveReason> {
    let signer = signer(submitter)?;
    let text = draft(submitter, &[signer.address()], REFUSED).await?;
    let wrong = in_the_name_of(signer.address(), sign(&stranger()?, &text).await?);
    let wrong = Request::post("/submit-transaction", whole(&text, &[wrong]));
    let wrong = wrong.for_step(Step::WrongAtFirst);
    let wrong = submitter.submit_serialized(wrong).await?;
    let right = whole(&text, &[sign(&signer, &text).await?]);
    let right = Request::post("/submit-transaction", right).for_step(Step::RightThen);
    Ok((wrong, submitter.submit_serialized(right).await?))
}
