//! Verifies the signatures of a block's receipts with the algorithm that real nodes were seen to use.
//!
//! The contract does not show the algorithm. A node that uses it for one receipt has to use it for
//! all. A node of which no receipt verifies may use another one.

use std::sync::LazyLock;

use nodeproof_client::Receipt;
use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::SignedReport;
use nodeproof_wallet::{KnownKeys, PublicKey, ReceiptError, Signature, verify_receipt};
use serde::{Deserialize, Serialize};

use super::{evidence::Evidence, signed::signed_receipt};
use crate::api::BlockResponse;

/// The algorithm, in words.
pub(crate) const ALGORITHM: &str =
    "ECDSA on secp256k1 over the SHA-1 digest of `data` as CPython's json.dumps writes it";

/// The most receipts of one block whose signatures are verified.
pub(crate) const MOST_RECEIPTS: usize = 2_000;

/// The most wrong receipts that are kept until one verifies.
const MOST_KEPT: usize = 5;

/// What verifying a block's receipts showed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verified {
    /// How many verify.
    pub(crate) right: u64,
    /// The others, each with its place in the block.
    pub(crate) wrong: Vec<(usize, Wrong)>,
}

/// Why a receipt does not verify.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wrong {
    pub(crate) what: String,
    pub(crate) actual: String,
    /// What the signature is about. Only the first wrong receipts of a block have it.
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
}

/// What the receipts of the blocks before showed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Signatures {
    /// Whether one verified.
    pub(crate) in_use: bool,
    /// The first ones that did not, as long as none verified.
    pub(crate) kept: Vec<WrongReceipt>,
}

impl Signatures {
    /// Adds the receipts of the next block, and returns those that are known to be wrong by now.
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
        });
        if self.in_use {
            return self.kept.drain(..).chain(wrong).collect();
        }
        let free = MOST_KEPT - self.kept.len().min(MOST_KEPT);
        self.kept.extend(wrong.take(free));
        Vec::new()
    }
}

/// Verifies the receipts of a block.
pub(crate) fn verify_receipts(seen: &BlockResponse) -> Verified {
    let mut all = Verified::default();
    let Some(Ok(receipts)) = seen.block().map(|block| block.receipts()) else {
        return all;
    };
    for (place, receipt) in receipts.iter().enumerate().take(MOST_RECEIPTS) {
        match verify(receipt) {
            Some(Ok(())) => all.right += 1,
            Some(Err(mut wrong)) => {
                if all.wrong.len() < MOST_KEPT {
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
pub(crate) fn voter_key(receipt: &Receipt) -> Option<PublicKey> {
    // The same wallets vote on block after block.
    static VOTERS: LazyLock<KnownKeys> = LazyLock::new(KnownKeys::default);
    VOTERS.parse(&receipt.public_key().ok()?.text()).ok()
}

/// Verifies a receipt. Fields of their own cases can leave nothing to verify, and so does the address
/// of another wallet.
fn verify(receipt: &Receipt) -> Option<Result<(), Wrong>> {
    receipt.wallet_address().ok()?;
    let data = receipt.data_text().ok()?;
    let (key, text) = (receipt.public_key().ok()?, receipt.signature().ok()?.text());
    let (Some(key), Ok(signature)) = (voter_key(receipt), text.parse::<Signature>()) else {
        let of = |name: &str, text: &str| format!("{name} {}", shown(text, 160));
        return Some(Err(Wrong {
            what: "the public key or the signature does not have 64 bytes".to_owned(),
            actual: format!(
                "{}, {}",
                of("public_key", &key.text()),
                of("signature", &text)
            ),
            signed: None,
        }));
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
