//! Whole transactions and receipts, signed by an independent implementation.
//!
//! `vectors.py` in the same folder made `signed.json` and `vectors.json`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use nodeproof_primitives::WalletAddress;
use nodeproof_wallet::{
    KeyPair, PublicKey, ReceiptError, Signature, SignatureEntry, TransactionError,
    required_signers, sign_transaction, sign_with, verify_receipt, verify_transaction,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Signed {
    transactions: Vec<Transaction>,
    receipts: Vec<Receipt>,
}

#[derive(Deserialize)]
struct Transaction {
    transaction: String,
    signers: Vec<Signer>,
}

#[derive(Deserialize)]
struct Signer {
    private: String,
    wallet_address: WalletAddress,
    /// Made with the nonce of RFC 6979. `s` is the lower value.
    deterministic: Signature,
    /// Made with any nonce. `s` can be either value.
    other: Signature,
}

#[derive(Deserialize)]
struct Receipt {
    data: String,
    public_key: PublicKey,
    signature: Signature,
}

fn signed() -> Signed {
    serde_json::from_str(include_str!("signed.json")).unwrap()
}

impl Transaction {
    fn entries(&self, signature: impl Fn(&Signer) -> Signature) -> Vec<SignatureEntry> {
        self.signers
            .iter()
            .map(|signer| SignatureEntry {
                wallet_address: signer.wallet_address,
                msgsign: signature(signer),
            })
            .collect()
    }

    fn lists_its_signers(&self) -> bool {
        required_signers(&self.transaction) != Err(TransactionError::NoSigners)
    }
}

#[test]
fn transactions_of_several_signers_verify_as_a_whole() {
    let mut signers = 0;
    for vector in signed().transactions {
        let text = &vector.transaction;
        for entries in [
            vector.entries(|signer| signer.deterministic),
            vector.entries(|signer| signer.other),
        ] {
            if !vector.lists_its_signers() {
                assert_eq!(
                    verify_transaction(text, &entries),
                    Err(TransactionError::NoSigners)
                );
                assert!(entries.iter().all(|entry| entry.verify(text).is_ok()));
                continue;
            }
            assert_eq!(verify_transaction(text, &entries), Ok(()));
            for place in 0..entries.len() {
                let mut fewer = entries.clone();
                let missing = fewer.remove(place).wallet_address;
                assert_eq!(
                    verify_transaction(text, &fewer),
                    Err(TransactionError::Missing(missing))
                );
            }
            let changed = text.replacen("add_verification", "add_verificatiom", 1);
            assert!(matches!(
                verify_transaction(&changed, &entries),
                Err(TransactionError::Wrong(_))
            ));
            signers += entries.len();
        }
    }
    assert!(signers > 30);
}

#[tokio::test]
async fn wallets_sign_as_the_independent_ones_do_one_after_another() {
    for vector in signed().transactions {
        let mut signatures = Vec::new();
        for signer in &vector.signers {
            let wallet = KeyPair::from_hex(&signer.private).unwrap();
            let entry = sign_with(&wallet, &vector.transaction).await.unwrap();
            assert_eq!(
                entry,
                sign_transaction(&wallet, &vector.transaction).unwrap()
            );
            // The signatures so far are written as text and read again for the next signer.
            signatures.push(entry);
            let kept = serde_json::to_string(&signatures).unwrap();
            signatures = serde_json::from_str(&kept).unwrap();
        }
        assert_eq!(signatures, vector.entries(|signer| signer.deterministic));
    }
}

#[test]
fn receipts_verify_and_altered_ones_do_not() {
    let receipts = signed().receipts;
    for (index, receipt) in receipts.iter().enumerate() {
        let Receipt {
            data,
            public_key,
            signature,
        } = receipt;
        assert_eq!(verify_receipt(data, public_key, signature), Ok(()));
        let later = data.replacen("179520752", "179520753", 1);
        assert_ne!(&later, data);
        assert!(matches!(
            verify_receipt(&later, public_key, signature),
            Err(ReceiptError::Wrong(_))
        ));
        let other = &receipts[(index + 1) % receipts.len()];
        assert!(matches!(
            verify_receipt(data, &other.public_key, signature),
            Err(ReceiptError::OtherWallet { .. })
        ));
        assert!(matches!(
            verify_receipt(data, public_key, &other.signature),
            Err(ReceiptError::Wrong(_))
        ));
    }
}
