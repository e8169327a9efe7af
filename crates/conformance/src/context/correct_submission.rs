//! Correct submissions that a careless node refuses for reasons other than money.

use std::sync::Arc;

use super::{
    alteration::altered,
    draft::{REFUSED, code_of, draft},
    refusal::{CURVE_ORDER, in_the_name_of, sign, signer, stranger, whole},
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

/// Replaces s by the order minus s. The wallet's signatures have the lower value.
pub(super) fn with_high_s(signature: &str) -> Option<String> {
    let (r, s) = signature.split_at_checked(64)?;
    let mut s: [u8; 32] = const_hex::decode_to_array(s).ok()?;
    let mut borrow = false;
    for (byte, order) in s.iter_mut().zip(CURVE_ORDER).rev() {
        let (difference, is_below) = order.overflowing_sub(*byte);
        let (digit, is_below_too) = difference.overflowing_sub(borrow.into());
        (*byte, borrow) = (digit, is_below || is_below_too);
    }
    Some(format!("{r}{}", const_hex::encode(s)))
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

#[cfg(test)]
mod tests {
    use nodeproof_wallet::KeyPair;

    use super::*;

    #[tokio::test]
    async fn a_signature_with_high_s_is_another_valid_one() {
        let key = KeyPair::from_bytes(&[7; 32]).unwrap();
        let signature = key.sign(b"a message").to_string();
        let high = with_high_s(&signature).unwrap();
        assert_ne!(high, signature);
        assert_eq!(high.len(), 128);
        assert_eq!(with_high_s(&high).unwrap(), signature);
    }
}
