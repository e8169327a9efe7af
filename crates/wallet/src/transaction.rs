//! Signing a transaction, and verifying a signed one.

use node_primitives::{MessageError, WalletAddress, signed_message};
use serde::{Deserialize, Serialize};

use crate::{KeyPair, Signature, SignatureError};

/// One element of a submission's `signatures`.
///
/// Source: the contract, "every wallet listed in `specific_data.signers` to provide an
/// entry in `signatures`, with that wallet's address and a hexadecimal signature in `msgsign`".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureEntry {
    /// The wallet that signed.
    pub wallet_address: WalletAddress,
    /// Its signature over the transaction.
    pub msgsign: Signature,
}

/// Why a transaction can't be signed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignTransactionError {
    /// The text is no document that nodes could read.
    #[error("the transaction has no signed message: {0}")]
    Message(#[from] MessageError),
}

/// Why a signed transaction is not right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransactionError {
    /// The text is no document that nodes could read.
    #[error("the transaction has no signed message: {0}")]
    Message(#[from] MessageError),
    /// `specific_data.signers` is not a list of wallet addresses.
    #[error("the transaction does not say who has to sign it: {0}")]
    Signers(String),
    /// `specific_data.signers` is empty, so nobody vouches for the transaction.
    #[error("the transaction names no signers in specific_data.signers")]
    NoSigners,
    /// A signer has not signed.
    #[error("the signature of {0} is missing")]
    Missing(WalletAddress),
    /// Somebody signed who is no signer.
    #[error("{0} signed, but is not listed in specific_data.signers")]
    Unlisted(WalletAddress),
    /// A signature is not one of the wallet that it is said to be of.
    #[error(transparent)]
    Wrong(#[from] SignatureError),
}

/// Signs the very text of a transaction that will be submitted.
///
/// What is signed is that text's [signed message](signed_message), so a text that
/// is reordered or whose numbers are written otherwise afterwards needs a new signature.
///
/// # Errors
/// When the text is not a document that a node would read.
pub fn sign_transaction(
    wallet: &KeyPair,
    transaction: &str,
) -> Result<SignatureEntry, SignTransactionError> {
    let message = signed_message(transaction)?;
    Ok(SignatureEntry {
        wallet_address: wallet.address(),
        msgsign: wallet.sign(message.as_bytes()),
    })
}

/// The wallets that have to sign a transaction, from its `specific_data.signers`.
///
/// # Errors
/// When the transaction does not name any, or not in that form.
pub fn required_signers(transaction: &str) -> Result<Vec<WalletAddress>, TransactionError> {
    signers_of_message(&signed_message(transaction)?)
}

/// Reads the signers from the message rather than from the document, so that they
/// are those of the text that was signed where a document has a member twice.
fn signers_of_message(message: &str) -> Result<Vec<WalletAddress>, TransactionError> {
    #[derive(Deserialize)]
    struct Transaction {
        specific_data: SpecificData,
    }
    #[derive(Deserialize)]
    struct SpecificData {
        signers: Vec<WalletAddress>,
    }
    let transaction: Transaction = serde_json::from_str(message)
        .map_err(|error| TransactionError::Signers(error.to_string()))?;
    match transaction.specific_data.signers {
        signers if signers.is_empty() => Err(TransactionError::NoSigners),
        signers => Ok(signers),
    }
}

/// Verifies a signed transaction: every signer in `specific_data.signers` has
/// signed it, every signature is right, and nobody else signed.
///
/// # Errors
/// With the first thing that is not so.
pub fn verify_transaction(
    transaction: &str,
    signatures: &[SignatureEntry],
) -> Result<(), TransactionError> {
    let message = signed_message(transaction)?;
    let signers = signers_of_message(&message)?;
    for entry in signatures {
        if !signers.contains(&entry.wallet_address) {
            return Err(TransactionError::Unlisted(entry.wallet_address));
        }
    }
    for signer in signers {
        let mut signed = false;
        for entry in signatures
            .iter()
            .filter(|entry| entry.wallet_address == signer)
        {
            entry
                .msgsign
                .verify_by_address(message.as_bytes(), signer)?;
            signed = true;
        }
        if !signed {
            return Err(TransactionError::Missing(signer));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wallet(seed: u8) -> KeyPair {
        KeyPair::from_bytes(&[seed; 32]).unwrap()
    }

    fn transaction(signers: &[&KeyPair]) -> String {
        let signers: Vec<_> = signers.iter().map(|wallet| wallet.address()).collect();
        format!(
            r#"{{"fee":1e6,"descr":"é","specific_data":{{"signers":{}}}}}"#,
            serde_json::to_string(&signers).unwrap()
        )
    }

    #[test]
    fn every_signer_has_to_sign() {
        let (first, second) = (wallet(1), wallet(2));
        let text = transaction(&[&first, &second]);
        let entries = [&first, &second].map(|wallet| sign_transaction(wallet, &text).unwrap());
        assert_eq!(verify_transaction(&text, &entries), Ok(()));
        assert_eq!(
            verify_transaction(&text, &entries[..1]),
            Err(TransactionError::Missing(second.address()))
        );
    }

    #[test]
    fn rejects_a_transaction_changed_after_signing() {
        let signer = wallet(1);
        let text = transaction(&[&signer]);
        let entry = sign_transaction(&signer, &text).unwrap();
        let changed = text.replace("1e6", "2e6");
        assert!(matches!(
            verify_transaction(&changed, &[entry]),
            Err(TransactionError::Wrong(_))
        ));
        let respelt = text.replace("1e6", "1000000.0");
        assert_eq!(verify_transaction(&respelt, &[entry]), Ok(()));
    }

    #[test]
    fn rejects_another_wallets_signature_under_the_signers_name() {
        let (signer, other) = (wallet(1), wallet(2));
        let text = transaction(&[&signer]);
        let mut entry = sign_transaction(&other, &text).unwrap();
        assert_eq!(
            verify_transaction(&text, &[entry]),
            Err(TransactionError::Unlisted(other.address()))
        );
        entry.wallet_address = signer.address();
        assert!(matches!(
            verify_transaction(&text, &[entry]),
            Err(TransactionError::Wrong(_))
        ));
    }

    #[test]
    fn rejects_a_transaction_that_nobody_has_to_sign() {
        assert_eq!(
            verify_transaction(r#"{"specific_data":{"signers":[]}}"#, &[]),
            Err(TransactionError::NoSigners)
        );
        assert!(matches!(
            required_signers(r#"{"specific_data":{}}"#),
            Err(TransactionError::Signers(_))
        ));
    }

    #[test]
    fn of_signers_that_stand_twice_those_count_that_were_signed() {
        let (signer, other) = (wallet(1), wallet(2));
        let text = format!(
            r#"{{"specific_data":{{"signers":["{}"],"signers":["{}"]}}}}"#,
            other.address(),
            signer.address()
        );
        assert_eq!(required_signers(&text).unwrap(), [signer.address()]);
    }
}
