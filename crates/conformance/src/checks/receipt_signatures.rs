//! Verifies the signature of a receipt with the algorithm that was observed on real nodes.
//!
//! The specification does not show the algorithm. If no receipt of a node verifies, the node may use another one.

use std::{fmt::Display, sync::LazyLock};

use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_wallet::{
    PublicKey, PublicKeyCache, PublicKeyError, ReceiptError, Signature, verify_receipt,
};

use crate::api::ReceiptMembers;

/// Maximum number of receipts in one block whose signatures are verified.
pub(crate) const MAX_RECEIPTS: usize = 2_000;

/// Returns the public key of a receipt, or `None` if it is missing or malformed.
pub(crate) fn voter_key(receipt: &ReceiptMembers) -> Option<PublicKey> {
    parse_key(receipt.public_key.as_ref().ok()?.as_str()).ok()
}

fn parse_key(text: &str) -> Result<PublicKey, PublicKeyError> {
    // The same wallets vote on many blocks.
    static VOTERS: LazyLock<PublicKeyCache> = LazyLock::new(PublicKeyCache::default);
    VOTERS.parse(text)
}

/// Verifies a receipt: what is wrong with it, and the actual value. Returns `None` if a field can't be read, or if the
/// address is that of another wallet: other cases report both.
pub(crate) fn verified(receipt: &ReceiptMembers) -> Option<Result<(), (String, String)>> {
    receipt.wallet_address.as_ref().ok()?;
    let data = receipt.data.as_ref().ok()?.as_str();
    let (key, signature) = (
        receipt.public_key.as_ref().ok()?.as_str(),
        receipt.signature.as_ref().ok()?.as_str(),
    );
    let malformed = |what: &str, text: &str, error: &dyn Display| {
        let actual = format!("{}: {error}", shown(text, 160));
        Err((format!("the {what} is malformed"), actual))
    };
    let key = match parse_key(key) {
        Ok(key) => key,
        Err(error) => return Some(malformed("public key", key, &error)),
    };
    let signature: Signature = match signature.parse() {
        Ok(signature) => signature,
        Err(error) => return Some(malformed("signature", signature, &error)),
    };
    match verify_receipt(data, &key, &signature) {
        Ok(()) => Some(Ok(())),
        Err(ReceiptError::OtherWallet { .. }) => None,
        Err(error) => {
            let what = "the signature is not the voter's over this receipt's data";
            Some(Err((what.to_owned(), error.to_string())))
        }
    }
}
