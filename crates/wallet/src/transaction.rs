//! Signing transactions, and verifying signed transactions.

use nodeproof_primitives::{
    MessageError, MessageSignature, RawJson, Signer, SignerError, WalletAddress, signed_message,
};
use serde::{Deserialize, Serialize};

use crate::{
    message::members_of,
    private_key::KeyPair,
    public_key::PublicKey,
    signature::{Signature, SignatureError, SignatureParseError},
};

/// An element of a submission's `signatures`.
///
/// Source: TX-11 and SUBMIT-3 of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureEntry {
    /// The wallet that signed.
    pub wallet_address: WalletAddress,
    /// Its signature over the transaction.
    pub msgsign: Signature,
}

impl SignatureEntry {
    /// Verifies that this wallet signed the transaction, and returns its public key.
    ///
    /// Use this for a transaction whose `specific_data` has no `signers`. For other transactions,
    /// [`verify_transaction`] also checks that all signers signed.
    ///
    /// ```
    /// use nodeproof_wallet::{KeyPair, sign_transaction};
    ///
    /// let wallet = KeyPair::from_bytes(&[1; 32])?;
    /// let transaction = r#"{"fee":1000000,"specific_data":{"score":1}}"#;
    /// let entry = sign_transaction(&wallet, transaction)?;
    /// assert_eq!(entry.verify(transaction)?, *wallet.public_key());
    /// assert!(entry.verify(&transaction.replace("1000000", "2000000")).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the wallet did not sign this transaction, or nodes could not parse the text.
    pub fn verify(&self, transaction: &str) -> Result<PublicKey, TransactionError> {
        let message = signed_message(transaction)?;
        Ok(self
            .msgsign
            .verify_by_address(message.as_bytes(), self.wallet_address)?)
    }
}

/// The wallet and its signature, in the form that `nodeproof-client` takes and returns.
impl From<SignatureEntry> for (WalletAddress, MessageSignature) {
    fn from(entry: SignatureEntry) -> Self {
        (entry.wallet_address, entry.msgsign.into())
    }
}

impl TryFrom<(WalletAddress, MessageSignature)> for SignatureEntry {
    type Error = SignatureParseError;

    fn try_from(
        (wallet_address, signature): (WalletAddress, MessageSignature),
    ) -> Result<Self, Self::Error> {
        Ok(Self {
            wallet_address,
            msgsign: signature.try_into()?,
        })
    }
}

/// The reason why a transaction was not signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignTransactionError {
    /// Nodes could not parse the text. Nothing was signed. Correct the text.
    #[error("the transaction has no signed message: {0}")]
    Message(#[from] MessageError),
    /// `specific_data.signers` exists, but is not a list of wallet addresses. Nothing was signed.
    /// Correct the list.
    #[error("the transaction does not name its signers: {0}")]
    Signers(String),
    /// `specific_data.signers` does not contain the wallet. Nothing was signed. Sign with a wallet
    /// in the list, or request the transaction again with this wallet as a signer.
    #[error(
        "{0} is not listed in the transaction's specific_data.signers, so nodes would refuse \
         its signature"
    )]
    NotASigner(WalletAddress),
    /// The signer refused or failed. If `SignerError::is_refusal` is true, ask the wallet's owner.
    /// Otherwise unlock or connect the signer, and sign again.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The signer returned a malformed signature. Do not use it. Correct or replace the signer.
    #[error("the signer did not return a signature: {0}")]
    Form(#[from] SignatureParseError),
    /// The signer returned a signature of another wallet, or over another message. Do not use it.
    /// Check that the signer has the key of this wallet.
    #[error("the signer returned a wrong signature: {0}")]
    Wrong(#[from] SignatureError),
}

/// The reason why a signed transaction is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransactionError {
    /// The text is not a transaction with its signatures. Give a JSON object with one `transaction`
    /// and one list `signatures`.
    #[error("this is not a signed transaction: {0}")]
    NotSigned(String),
    /// Nodes could not parse the text. Do not submit it. Correct the text, and sign it again.
    #[error("the transaction has no signed message: {0}")]
    Message(#[from] MessageError),
    /// `specific_data.signers` is not a list of wallet addresses. Do not submit the transaction.
    /// Correct the list, and sign again.
    #[error("the transaction does not name its signers: {0}")]
    Signers(String),
    /// `specific_data.signers` is missing or empty, so the required signatures are unknown. Verify
    /// each entry with [`SignatureEntry::verify`].
    #[error("the transaction names no signers in specific_data.signers")]
    NoSigners,
    /// A signer has not signed. Have this wallet sign the same text before you submit it.
    #[error("the signature of {0} is missing")]
    Missing(WalletAddress),
    /// A wallet signed that is not in `specific_data.signers`. Leave its entry out.
    #[error("{0} signed, but is not listed in specific_data.signers")]
    Unlisted(WalletAddress),
    /// A signature was not made by the wallet that its entry names, or the text was changed after
    /// it was signed. Do not submit the transaction. Have the wallet sign this text again.
    #[error(transparent)]
    Wrong(#[from] SignatureError),
}

/// Signs the text of a transaction. Submit exactly this text.
///
/// The [signed message](signed_message) depends on the order of the members and on the form of
/// the numbers. If these change, the text needs a new signature. This function does not
/// check that the wallet is one of the transaction's signers. [`sign_with`] does.
///
/// # Errors
/// If nodes could not parse the text.
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

/// Signs the text of a transaction with any [`Signer`]. Submit exactly this text.
///
/// The wallet must be one of the transaction's signers. If `specific_data` has no `signers`,
/// any wallet can sign. The returned signature is verified.
///
/// If there are several signers, each signs the same text, one after the other. All entries
/// together are the submission's `signatures`.
///
/// ```
/// use nodeproof_wallet::{KeyPair, sign_with, verify_transaction};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let (first, second) = (KeyPair::generate()?, KeyPair::generate()?);
/// let transaction = format!(
///     r#"{{"type":3,"specific_data":{{"signers":["{}","{}"]}}}}"#,
///     first.address(),
///     second.address()
/// );
/// let mut signatures = vec![sign_with(&first, &transaction).await?];
/// signatures.push(sign_with(&second, &transaction).await?);
/// verify_transaction(&transaction, &signatures)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If nodes could not parse the text, if the wallet is not one of the signers, or if the signer
/// does not return a valid signature of its wallet.
pub async fn sign_with<S: Signer + ?Sized>(
    signer: &S,
    transaction: &str,
) -> Result<SignatureEntry, SignTransactionError> {
    let message = signed_message(transaction)?;
    let wallet_address = signer.wallet_address();
    let signers = listed_signers(&message).map_err(SignTransactionError::Signers)?;
    if signers.is_some_and(|signers| !signers.contains(&wallet_address)) {
        return Err(SignTransactionError::NotASigner(wallet_address));
    }
    let msgsign = Signature::try_from(signer.sign_message(message.as_bytes()).await?)?;
    msgsign.verify_by_address(message.as_bytes(), wallet_address)?;
    Ok(SignatureEntry {
        wallet_address,
        msgsign,
    })
}

/// Returns the wallets that must sign a transaction: its `specific_data.signers`.
///
/// ```
/// use nodeproof_wallet::{KeyPair, TransactionError, required_signers};
///
/// let wallet = KeyPair::from_bytes(&[1; 32])?;
/// let transaction = format!(r#"{{"specific_data":{{"signers":["{}"]}}}}"#, wallet.address());
/// assert_eq!(required_signers(&transaction)?, [wallet.address()]);
/// assert_eq!(required_signers("{}"), Err(TransactionError::NoSigners));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the list is missing, empty or malformed, or nodes could not parse the text.
pub fn required_signers(transaction: &str) -> Result<Vec<WalletAddress>, TransactionError> {
    signers_of_message(&signed_message(transaction)?)
}

fn signers_of_message(message: &str) -> Result<Vec<WalletAddress>, TransactionError> {
    match listed_signers(message).map_err(TransactionError::Signers)? {
        Some(signers) if !signers.is_empty() => Ok(signers),
        _ => Err(TransactionError::NoSigners),
    }
}

/// Returns `specific_data.signers` if it exists.
fn listed_signers(message: &str) -> Result<Option<Vec<WalletAddress>>, String> {
    #[derive(Deserialize)]
    struct Transaction {
        specific_data: Option<SpecificData>,
    }
    #[derive(Deserialize)]
    struct SpecificData {
        signers: Option<Vec<WalletAddress>>,
    }
    let transaction: Transaction = members_of(message)?;
    Ok(transaction.specific_data.and_then(|data| data.signers))
}

/// Verifies a signed transaction.
///
/// Every wallet in `specific_data.signers` must have signed it, every signature must be valid,
/// and no other wallet may have signed. A transaction without this list is rejected, because
/// its required signatures are unknown. Verify its entries with [`SignatureEntry::verify`].
///
/// # Errors
/// Returns the first mismatch.
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

/// Verifies a transaction that is in one JSON text with its signatures, such as a submission, a
/// saved transaction, or an element of a block.
///
/// Other members of the text, such as a `status`, are ignored.
///
/// ```
/// use nodeproof_wallet::{KeyPair, sign_transaction, verify_signed};
///
/// let wallet = KeyPair::generate()?;
/// let transaction = format!(r#"{{"specific_data":{{"signers":["{}"]}}}}"#, wallet.address());
/// let entry = serde_json::to_string(&sign_transaction(&wallet, &transaction)?)?;
/// let in_block = format!(r#"{{"transaction":{transaction},"signatures":[{entry}],"status":1}}"#);
/// verify_signed(&in_block)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the text does not have this form, or has a member twice. Otherwise the errors of
/// [`verify_transaction`].
pub fn verify_signed(text: impl AsRef<str>) -> Result<(), TransactionError> {
    #[derive(Deserialize)]
    struct Signed {
        transaction: RawJson,
        signatures: Vec<SignatureEntry>,
    }
    let signed: Signed = serde_json::from_str(text.as_ref())
        .map_err(|error| TransactionError::NotSigned(error.to_string()))?;
    verify_transaction(signed.transaction.as_str(), &signed.signatures)
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
    fn a_transaction_is_verified_where_it_stands() {
        let signer = wallet(1);
        let text = transaction(&[&signer]);
        let entry = sign_transaction(&signer, &text).unwrap();
        let entry = serde_json::to_string(&entry).unwrap();
        let good = format!(r#"{{"signatures":[{entry}],"transaction": {text},"status":1}}"#);
        assert_eq!(verify_signed(&good), Ok(()));
        let changed = verify_signed(good.replace("1e6", "2e6"));
        assert!(matches!(changed, Err(TransactionError::Wrong(_))));
        let unsigned = verify_signed(good.replace(&entry, ""));
        assert_eq!(unsigned, Err(TransactionError::Missing(signer.address())));
        for text in [
            "",
            "[]",
            "{}",
            &good.replace("msgsign", "signature"),
            &good.replace("\"status\":1", "\"transaction\":{}"),
        ] {
            let error = verify_signed(text).unwrap_err();
            assert!(matches!(error, TransactionError::NotSigned(_)), "{error}");
        }
    }

    #[test]
    fn an_entry_becomes_a_wallet_and_a_signature_and_back() {
        let entry = sign_transaction(&wallet(1), "{}").unwrap();
        let parts: (WalletAddress, MessageSignature) = entry.into();
        assert_eq!(SignatureEntry::try_from(parts), Ok(entry));
        let zero = (parts.0, MessageSignature::from_bytes([0; 64]));
        assert!(SignatureEntry::try_from(zero).is_err());
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
        for text in [
            "{}",
            r#"{"specific_data":{}}"#,
            r#"{"specific_data":{"signers":null}}"#,
        ] {
            assert_eq!(required_signers(text), Err(TransactionError::NoSigners));
        }
        for text in [
            "[]",
            r#"{"specific_data":{"signers":["0x1"]}}"#,
            r#"{"specific_data":7}"#,
        ] {
            assert!(matches!(
                required_signers(text),
                Err(TransactionError::Signers(_))
            ));
        }
    }

    #[test]
    fn each_signature_can_be_verified_where_no_signers_are_listed() {
        let (signer, other) = (wallet(1), wallet(2));
        let text = r#"{"type":6,"specific_data":{"address1":"0x1","score":1e400}}"#;
        let mut entry = sign_transaction(&signer, text).unwrap();
        assert_eq!(entry.verify(text).as_ref(), Ok(signer.public_key()));
        assert!(entry.verify(&text.replace('6', "5")).is_err());
        entry.wallet_address = other.address();
        assert!(matches!(
            entry.verify(text),
            Err(TransactionError::Wrong(_))
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
