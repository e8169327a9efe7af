//! Verifies the signatures of a block's receipts with the algorithm that was observed on real nodes.
//!
//! The specification does not show the algorithm. A node that uses it for one receipt must use it
//! for all. If no receipt of a node verifies, the node may use another algorithm.

use std::{fmt::Display, sync::LazyLock};

use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::SignedReport;
use nodeproof_wallet::{
    PublicKey, PublicKeyCache, PublicKeyError, ReceiptError, Signature, verify_receipt,
};
use serde::{Deserialize, Serialize};

use super::{evidence::Evidence, signed::signed_receipt};
use crate::api::{BlockResponse, ReceiptMembers};

/// A description of the algorithm.
pub(crate) const ALGORITHM: &str =
    "ECDSA on secp256k1 over the SHA-1 digest of `data` as CPython's json.dumps writes it";

/// Maximum number of receipts in one block whose signatures are verified.
pub(crate) const MAX_RECEIPTS: usize = 2_000;

/// Maximum number of wrong receipts to keep until one verifies.
const MAX_SAMPLES: usize = 5;

/// The results of verifying a block's receipts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verified {
    /// Number of receipts that verify.
    pub(crate) right: u64,
    /// The receipts that do not verify, each with its position in the block.
    pub(crate) wrong: Vec<(usize, Wrong)>,
}

/// The reason why a receipt does not verify.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wrong {
    pub(crate) what: String,
    pub(crate) actual: String,
    /// The signed message. Only the first wrong receipts of a block have it.
    #[serde(default)]
    pub(crate) signed: Option<Box<SignedReport>>,
}

/// A receipt that does not verify, with its block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WrongReceipt {
    pub(crate) block: u64,
    pub(crate) place: usize,
    pub(crate) wrong: Wrong,
    pub(crate) evidence: Evidence,
    /// Number of later wrong receipts that are not kept.
    #[serde(default)]
    pub(crate) more: u64,
}

/// The results for the receipts of earlier blocks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Signatures {
    /// Whether a receipt has verified.
    pub(crate) in_use: bool,
    /// The first receipts that did not verify. Empty once one has verified.
    pub(crate) kept: Vec<WrongReceipt>,
}

impl Signatures {
    /// Adds the receipts of the next block. Returns the receipts that are now known to be wrong.
    pub(crate) fn follow(
        &mut self,
        block: u64,
        verified: &Verified,
        evidence: &Evidence,
    ) -> Vec<WrongReceipt> {
        self.in_use |= verified.right > 0;
        let wrong = verified.wrong.iter().map(|(place, wrong)| WrongReceipt {
            block,
            place: *place,
            wrong: wrong.clone(),
            evidence: evidence.clone(),
            more: 0,
        });
        if self.in_use {
            return self.kept.drain(..).chain(wrong).collect();
        }
        for wrong in wrong {
            match self.kept.get_mut(MAX_SAMPLES - 1) {
                Some(last) => last.more += 1,
                None => self.kept.push(wrong),
            }
        }
        Vec::new()
    }
}

/// Verifies the receipts of a block.
pub(crate) fn verify_receipts(seen: &BlockResponse) -> Verified {
    let mut all = Verified::default();
    let Some(Ok(receipts)) = seen.block().map(|block| &block.receipts) else {
        return all;
    };
    for (place, receipt) in receipts.iter().enumerate().take(MAX_RECEIPTS) {
        match verify(receipt) {
            Some(Ok(())) => all.right += 1,
            Some(Err(mut wrong)) => {
                if all.wrong.len() < MAX_SAMPLES {
                    wrong.signed = signed_receipt(receipt);
                }
                all.wrong.push((place, wrong));
            }
            None => {}
        }
    }
    all
}

/// Returns the public key of a receipt, or `None` if it is missing or malformed.
pub(crate) fn voter_key(receipt: &ReceiptMembers) -> Option<PublicKey> {
    parse_key(receipt.public_key.as_ref().ok()?.as_str()).ok()
}

fn parse_key(text: &str) -> Result<PublicKey, PublicKeyError> {
    // The same wallets vote on many blocks.
    static VOTERS: LazyLock<PublicKeyCache> = LazyLock::new(PublicKeyCache::default);
    VOTERS.parse(text)
}

/// Verifies a receipt. Returns `None` if a field can't be read, or if the address is that of
/// another wallet: other cases report both.
fn verify(receipt: &ReceiptMembers) -> Option<Result<(), Wrong>> {
    receipt.wallet_address.as_ref().ok()?;
    let data = receipt.data.as_ref().ok()?.as_str();
    let (key, signature) = (
        receipt.public_key.as_ref().ok()?.as_str(),
        receipt.signature.as_ref().ok()?.as_str(),
    );
    let malformed = |what: &str, text: &str, error: &dyn Display| {
        Err(Wrong {
            what: format!("the {what} is malformed"),
            actual: format!("{}: {error}", shown(text, 160)),
            signed: None,
        })
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
        Err(error) => Some(Err(Wrong {
            what: "the signature is not the voter's over this receipt's data".to_owned(),
            actual: error.to_string(),
            signed: None,
        })),
    }
}
