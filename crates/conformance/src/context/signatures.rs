//! The wallets that sign what a run submits in addition to its own claims, and their signatures.

use nodeproof_primitives::{WalletAddress, signed_message};
use nodeproof_wallet::KeyPair;
use serde_json::{Value, json};

use super::{signing::SigningWallet, submitter::Submitter};
use crate::{
    api::FirstDifference,
    http::{InconclusiveReason, Request},
};

/// The order of secp256k1.
pub(super) const CURVE_ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
    0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
];

/// Returns the wallet that signs submissions that a node must refuse.
///
/// It is never the user's wallet. With a genuine signature, a node could restore the transaction
/// and submit it.
pub(crate) fn signer(submitter: &Submitter) -> Result<SigningWallet, InconclusiveReason> {
    match &submitter.with.public_wallet {
        Some(wallet) => Ok(wallet.clone()),
        None => throw_away(0x5a).map(SigningWallet::from),
    }
}

/// Returns the wallet to name where its signature is not sent. If it can pay, a node cannot
/// refuse for lack of money.
pub(super) fn payer(submitter: &Submitter) -> Result<WalletAddress, InconclusiveReason> {
    match (&submitter.with.public_wallet, &submitter.with.wallet) {
        (None, Some(wallet)) => Ok(wallet.address()),
        _ => signer(submitter).map(|wallet| wallet.address()),
    }
}

/// Returns the wallet that signs in place of another wallet.
pub(crate) fn stranger() -> Result<SigningWallet, InconclusiveReason> {
    stranger_keys().map(SigningWallet::from)
}

/// Returns the keys of [`stranger`], which are publicly known.
pub(super) fn stranger_keys() -> Result<KeyPair, InconclusiveReason> {
    throw_away(0xa5)
}

/// Returns the keys of a third wallet, which signs in place of one of two signers.
pub(super) fn third_keys() -> Result<KeyPair, InconclusiveReason> {
    throw_away(0x3c)
}

/// Returns a publicly known key. Its wallet holds nothing.
fn throw_away(byte: u8) -> Result<KeyPair, InconclusiveReason> {
    KeyPair::from_bytes(&[byte; 32]).map_err(harness)
}

/// Signs a text, even if the wallet is not one of its signers.
pub(super) async fn sign(wallet: &SigningWallet, text: &str) -> Result<Value, InconclusiveReason> {
    let message = signed_message(text).map_err(harness)?;
    let signing = wallet.signer().sign_message(message.as_bytes());
    let signature = signing.await.map_err(|error| {
        InconclusiveReason::NoSample(format!("the invalid submission was not signed: {error}"))
    })?;
    Ok(json!({"wallet_address": wallet.address(), "msgsign": signature}))
}

/// Returns a request that submits a transaction with these entries, and where it differs from the signed one.
pub(super) fn signed_over(signed: &str, transaction: &str, entries: &[Value]) -> Request {
    submission(signed, transaction, whole(transaction, entries))
}

/// Returns a request with this body, which has a transaction, and where that differs from the signed one.
pub(super) fn submission(signed: &str, transaction: &str, body: String) -> Request {
    let [signed, sent] =
        [signed, transaction].map(|text| serde_json::from_str::<Value>(text).unwrap_or_default());
    let difference = FirstDifference::between(&signed, &sent);
    Request {
        unlike_signed: difference.map(|one| {
            let FirstDifference {
                pointer,
                expected,
                actual,
            } = one;
            format!("{pointer} was signed as {expected}, and sent as {actual}")
        }),
        ..Request::post("/submit-transaction", body)
    }
}

/// Returns a signature entry that names another wallet.
pub(super) fn in_the_name_of(wallet: WalletAddress, mut entry: Value) -> Value {
    entry["wallet_address"] = Value::from(wallet.to_string());
    entry
}

/// Returns the text of a submission.
pub(super) fn whole(transaction: &str, entries: &[Value]) -> String {
    let entries: Vec<_> = entries.iter().map(Value::to_string).collect();
    format!(
        "{{\"transaction\":{transaction},\"signatures\":[{}]}}",
        entries.join(",")
    )
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

pub(super) fn harness(error: impl ToString) -> InconclusiveReason {
    InconclusiveReason::Harness(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_with_high_s_is_another_valid_one() {
        let key = KeyPair::from_bytes(&[7; 32]).unwrap();
        let signature = key.sign(b"a message").to_string();
        let high = with_high_s(&signature).unwrap();
        assert_ne!(high, signature);
        assert_eq!(high.len(), 128);
        assert_eq!(with_high_s(&high).unwrap(), signature);
    }

    #[test]
    fn a_request_says_where_it_differs_from_what_was_signed() {
        for (sent, expected) in [
            (r#"{"fee":7,"currency":"DEVN"}"#, None),
            (r#"{"currency": "DEVN", "fee": 7}"#, None),
            (
                r#"{"fee":8,"currency":"DEVN"}"#,
                Some("/fee was signed as 7, and sent as 8"),
            ),
            (
                r#"{"fee":7}"#,
                Some(r#"/currency was signed as "DEVN", and sent as nothing"#),
            ),
        ] {
            let request = signed_over(r#"{"fee":7,"currency":"DEVN"}"#, sent, &[]);
            assert_eq!(request.unlike_signed.as_deref(), expected);
            let refusal = request.expected_refusal();
            assert_eq!(refusal.strip_prefix("a refusal: "), expected);
        }
    }
}
