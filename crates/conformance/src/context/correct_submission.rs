//! Correct submissions that a careless node refuses for reasons other than money.

use std::sync::Arc;

use super::{
    draft::{REFUSED, draft},
    edit::altered,
    signatures::{in_the_name_of, sign, signer, stranger, whole, with_high_s},
    submitter::{Response, Submitter},
};
use crate::http::{Exchange, InconclusiveReason, Request};

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

/// Submits a transaction whose fee is written with a fraction of 0. The signature covers it as
/// CPython writes it.
pub(crate) async fn fee_with_fraction(submitter: &Submitter) -> Response {
    let signer = signer(submitter)?;
    let text = draft(submitter, &[signer.address()], REFUSED).await?;
    let text = altered(&text, |transaction| {
        if let Some(fee) = transaction["fee"].as_f64() {
            transaction["fee"] = fee.into();
        }
    })?;
    let body = whole(&text, &[sign(&signer, &text).await?]);
    submitter
        .submit_serialized(Request::post("/submit-transaction", body))
        .await
}

/// Submits a transaction whose signature has the higher of the two values of s. Both are valid.
pub(crate) async fn high_s(submitter: &Submitter) -> Response {
    let signer = signer(submitter)?;
    let text = draft(submitter, &[signer.address()], REFUSED).await?;
    let mut entry = sign(&signer, &text).await?;
    let signature = entry["msgsign"].as_str().and_then(with_high_s);
    entry["msgsign"] = signature
        .ok_or_else(|| InconclusiveReason::Harness("a signature has another form".to_owned()))?
        .into();
    let request = Request::post("/submit-transaction", whole(&text, &[entry]));
    submitter.submit_serialized(request).await
}

/// Another form of the same submission.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EqualForm {
    SignaturesFirst,
    WithBlanks,
    UpperCaseSignature,
}

impl EqualForm {
    pub(crate) const ALL: [Self; 3] = [
        Self::SignaturesFirst,
        Self::WithBlanks,
        Self::UpperCaseSignature,
    ];

    /// Describes the submission.
    pub(crate) const fn what(self) -> &'static str {
        match self {
            Self::SignaturesFirst => "a correct submission with `signatures` before `transaction`",
            Self::WithBlanks => {
                "a correct submission with blanks and line breaks between its members"
            }
            Self::UpperCaseSignature => {
                "a correct submission with capital letters in its hexadecimal signature"
            }
        }
    }
}

/// Submits a transaction in this form.
pub(crate) async fn in_form(submitter: &Submitter, form: EqualForm) -> Response {
    let signer = signer(submitter)?;
    let text = draft(submitter, &[signer.address()], REFUSED).await?;
    let mut entry = sign(&signer, &text).await?;
    let body = match form {
        EqualForm::SignaturesFirst => {
            format!("{{\"signatures\":[{entry}],\"transaction\":{text}}}")
        }
        EqualForm::WithBlanks => {
            format!("\n{{ \"transaction\" :\r\n\t{text} ,\n \"signatures\" : [ {entry:#} ] }}\n")
        }
        EqualForm::UpperCaseSignature => {
            let digits = entry["msgsign"].as_str().unwrap_or_default();
            entry["msgsign"] = digits.to_ascii_uppercase().into();
            whole(&text, &[entry])
        }
    };
    submitter
        .submit_serialized(Request::post("/submit-transaction", body))
        .await
}
