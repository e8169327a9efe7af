//! Verifying a receipt of a committee member.

use nodeproof_primitives::{MessageError, RawJson, ReceiptText, WalletAddress, signed_message};
use serde::{Deserialize, Serialize};

use crate::{
    message::members_of,
    public_key::{PublicKey, PublicKeyError},
    public_key_cache::PublicKeyCache,
    signature::{Signature, SignatureError, SignatureParseError},
};

/// The reason why a receipt is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReceiptError {
    /// Nodes could not parse the text of `data`.
    #[error("the receipt has no signed message: {0}")]
    Message(#[from] MessageError),
    /// `data` does not name the voting wallet.
    #[error("the receipt does not name its voter: {0}")]
    Voter(String),
    /// The public key belongs to a different wallet from the one that `data` names.
    #[error("the receipt names {claimed}, but its public key belongs to {actual}")]
    OtherWallet {
        /// The wallet that `data` names.
        claimed: WalletAddress,
        /// The wallet of the public key.
        actual: WalletAddress,
    },
    /// The text of the public key does not have the observed form.
    #[error(transparent)]
    PublicKey(#[from] PublicKeyError),
    /// The text of the signature does not have the observed form.
    #[error(transparent)]
    Signature(#[from] SignatureParseError),
    /// The signature was not made with this key over this text.
    #[error(transparent)]
    Wrong(#[from] SignatureError),
}

/// Verifies a receipt.
///
/// The address in `data` must be that of the public key. The signature must be made with this
/// key over the text of `data`. The order of members has no meaning in JSON, so a node may return
/// them in a different order from the one that was signed. The specification's order is therefore
/// tried too, but no other order.
///
/// # Errors
/// Returns the first mismatch.
pub fn verify_receipt(
    data: &str,
    public_key: &PublicKey,
    signature: &Signature,
) -> Result<(), ReceiptError> {
    let message = signed_message(data)?;
    let claimed = voter(&message)?;
    let actual = public_key.address();
    if claimed != actual {
        return Err(ReceiptError::OtherWallet { claimed, actual });
    }
    let verified = public_key.verify(message.as_bytes(), signature);
    if verified.is_err()
        && let Some(listed) = in_listed_order(data)
    {
        let message = signed_message(&listed)?;
        if public_key.verify(message.as_bytes(), signature).is_ok() {
            return Ok(());
        }
    }
    Ok(verified?)
}

/// Verifies the receipts of a block, as a node returned them. Returns one result for each, in their
/// order.
///
/// It does not check whether the voters belong to the committee, or which block they voted on.
///
/// ```
/// use nodeproof_wallet::{
///     KeyPair, PublicKeyCache, ReceiptText, verify_receipts,
/// };
///
/// let voter = KeyPair::from_bytes(&[1; 32])?;
/// let data = format!(r#"{{"vote": 1, "wallet_address": "{}"}}"#, voter.address());
/// let (public_key, signature) = (voter.public_key(), voter.sign(data.as_bytes()));
/// let (public_key, signature) = (public_key.to_string(), signature.to_string());
/// let receipt = ReceiptText { data: &data, public_key: &public_key, signature: &signature };
/// let changed = ReceiptText { data: &data.replace('1', "5"), ..receipt };
///
/// let voters = PublicKeyCache::default();
/// let results = verify_receipts([receipt, changed], &voters);
/// assert!(results[0].is_ok() && results[1].is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With the crate `nodeproof-client`, the call is `verify_receipts(block.receipts()?, &voters)`.
pub fn verify_receipts<'r, R: Into<ReceiptText<'r>>>(
    receipts: impl IntoIterator<Item = R>,
    voters: &PublicKeyCache,
) -> Vec<Result<(), ReceiptError>> {
    let receipts = receipts.into_iter().map(Into::into);
    let results = receipts.map(|receipt: ReceiptText<'r>| {
        let public_key = voters.parse(receipt.public_key)?;
        verify_receipt(receipt.data, &public_key, &receipt.signature.parse()?)
    });
    results.collect()
}

/// Returns the same data with its members in the specification's order, or `None` if it has other
/// members or a member twice.
fn in_listed_order(data: &str) -> Option<String> {
    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Listed {
        block_index: RawJson,
        block_hash: RawJson,
        vote: RawJson,
        timestamp: RawJson,
        wallet_address: RawJson,
    }
    let listed: Listed = serde_json::from_str(data).ok()?;
    serde_json::to_string(&listed).ok()
}

/// Reads the voter from the signed message.
fn voter(message: &str) -> Result<WalletAddress, ReceiptError> {
    #[derive(serde::Deserialize)]
    struct Data {
        wallet_address: WalletAddress,
    }
    members_of::<Data>(message)
        .map(|data| data.wallet_address)
        .map_err(ReceiptError::Voter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private_key::KeyPair;

    fn receipt(voter: &KeyPair) -> (String, Signature) {
        let data = format!(
            r#"{{"block_index": 7, "vote": 1, "wallet_address": "{}"}}"#,
            voter.address()
        );
        let signature = voter.sign(data.as_bytes());
        (data, signature)
    }

    #[test]
    fn a_receipt_verifies_however_its_text_is_spaced() {
        let voter = KeyPair::from_bytes(&[5; 32]).unwrap();
        let (data, signature) = receipt(&voter);
        assert_eq!(
            verify_receipt(&data, voter.public_key(), &signature),
            Ok(())
        );
        let dense = data.replace(' ', "");
        assert_eq!(
            verify_receipt(&dense, voter.public_key(), &signature),
            Ok(())
        );
    }

    #[test]
    fn rejects_a_receipt_signed_by_another_wallet() {
        let (voter, other) = (
            KeyPair::from_bytes(&[5; 32]).unwrap(),
            KeyPair::from_bytes(&[6; 32]).unwrap(),
        );
        let (data, signature) = receipt(&voter);
        assert_eq!(
            verify_receipt(&data, other.public_key(), &signature),
            Err(ReceiptError::OtherWallet {
                claimed: voter.address(),
                actual: other.address()
            })
        );
        let forged = other.sign(data.as_bytes());
        assert!(matches!(
            verify_receipt(&data, voter.public_key(), &forged),
            Err(ReceiptError::Wrong(_))
        ));
    }

    #[test]
    fn a_receipt_may_be_returned_in_another_order_than_the_specification_lists() {
        let voter = KeyPair::from_bytes(&[5; 32]).unwrap();
        let members = [
            r#""block_index": 7"#.to_owned(),
            format!(r#""block_hash": "{}""#, "ab".repeat(32)),
            r#""vote": 1"#.to_owned(),
            r#""timestamp": 1700000000000"#.to_owned(),
            format!(r#""wallet_address": "{}""#, voter.address()),
        ];
        let text = |members: &[String]| format!("{{{}}}", members.join(", "));
        let listed = text(&members);
        let sorted = text(&[1, 0, 3, 2, 4].map(|at: usize| members[at].clone()));
        let verify = |returned: &str, signed: &str| {
            let signature = voter.sign(signed.as_bytes());
            verify_receipt(returned, voter.public_key(), &signature).is_ok()
        };
        for (returned, signed, right) in [
            (&listed, &listed, true),
            (&sorted, &listed, true),
            (&sorted, &sorted, true),
            (&listed, &sorted, false),
        ] {
            assert_eq!(verify(returned, signed), right, "{returned} for {signed}");
        }
        let more = listed.replace(r#""vote": 1"#, r#""vote": 1, "weight": 1"#);
        assert!(!verify(&more, &listed));
    }

    #[test]
    fn each_receipt_of_a_block_has_its_own_result() {
        let voter = KeyPair::from_bytes(&[5; 32]).unwrap();
        let (data, signature) = receipt(&voter);
        let changed = data.replace(r#""vote": 1"#, r#""vote": 5"#);
        let (public_key, signature) = (voter.public_key().to_string(), signature.to_string());
        let valid = ReceiptText {
            data: &data,
            public_key: &public_key,
            signature: &signature,
        };
        let results = verify_receipts(
            [
                ReceiptText {
                    data: &changed,
                    ..valid
                },
                ReceiptText {
                    public_key: "02ab",
                    ..valid
                },
                ReceiptText {
                    signature: "30c4",
                    ..valid
                },
                valid,
            ],
            &PublicKeyCache::default(),
        );
        let [
            Err(ReceiptError::Wrong(_)),
            Err(ReceiptError::PublicKey(_)),
            Err(ReceiptError::Signature(_)),
            Ok(()),
        ] = results.as_slice()
        else {
            panic!("{results:?}")
        };
    }

    #[test]
    fn rejects_what_was_signed_or_written_otherwise() {
        let voter = KeyPair::from_bytes(&[5; 32]).unwrap();
        let (data, signature) = receipt(&voter);
        let verify = |data: &str, signature: &Signature| {
            verify_receipt(data, voter.public_key(), signature).is_ok()
        };
        for signed in [
            data.replace(' ', ""),
            data.replace('{', "{ ").replace('}', " }"),
            format!("{data}\n"),
        ] {
            assert!(!verify(&data, &voter.sign(signed.as_bytes())), "{signed}");
        }
        for changed in [
            data.replace(r#""vote": 1"#, r#""vote": 5"#),
            data.replace(r#""block_index": 7"#, r#""block_index": 8"#),
        ] {
            assert!(!verify(&changed, &signature), "{changed}");
        }
        let signature = signature.to_string();
        let (r, s) = signature.split_at(64);
        for wrong in [format!("{s}{r}"), "0".repeat(128)] {
            let is_right = wrong.parse().is_ok_and(|wrong| verify(&data, &wrong));
            assert!(!is_right, "{wrong}");
        }
    }
}
