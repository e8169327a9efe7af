//! Describes a signature: the signed message, its digest and the command that verifies it.

use nodeproof_client::SignedTransaction;
use nodeproof_primitives::{WalletAddress, escape::escaped_json, signed_message};
use nodeproof_report::SignedReport;
use nodeproof_wallet::{SignatureEntry, required_signers, verify_transaction};
use serde::Deserialize;
use serde_json::Value;
use sha1::{Digest, Sha1};

use crate::{api::ReceiptMembers, http::quoted};

/// Maximum length of a message and of a command in a report, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// Describes a receipt's signature. Returns `None` if a part of it is missing, or if the data has
/// no signed message.
pub(crate) fn signed_receipt(receipt: &ReceiptMembers) -> Option<Box<SignedReport>> {
    let data = receipt.data.as_ref().ok()?.as_str();
    let text = |hex: &str| Value::from(hex).to_string();
    let key = text(receipt.public_key.as_ref().ok()?.as_str());
    let signature = text(receipt.signature.as_ref().ok()?.as_str());
    let document = format!("{{\"data\":{data},\"public_key\":{key},\"signature\":{signature}}}");
    describe(data, &document)
}

/// Describes the signatures of a transaction. `document` has the transaction and its signatures.
pub(crate) fn signed_transaction(document: &str) -> Option<Box<SignedReport>> {
    let signed = SignedTransaction::from_json(document).ok()?;
    describe(signed.transaction_text(), document)
}

/// Returns the signers of a transaction, and whether the signature of each verifies, or why not. Others may have signed, too, such
/// as the wallet that pays. Returns `None` if it names no signers.
pub(crate) fn verified_signers(
    signed: &SignedTransaction,
) -> Option<(Vec<WalletAddress>, Result<(), String>)> {
    #[derive(Deserialize)]
    struct Signatures {
        signatures: Vec<SignatureEntry>,
    }
    let transaction = signed.transaction_text();
    let signers = required_signers(transaction).ok()?;
    let list = serde_json::from_str(signed.text().as_str()).map_err(|error| error.to_string());
    let verified = list.and_then(|Signatures { mut signatures }| {
        signatures.retain(|entry| signers.contains(&entry.wallet_address));
        verify_transaction(transaction, &signatures).map_err(|error| error.to_string())
    });
    Some((signers, verified))
}

fn describe(signed: &str, document: &str) -> Option<Box<SignedReport>> {
    let message = signed_message(signed).ok()?;
    let digest = Sha1::digest(message.as_bytes());
    Some(Box::new(SignedReport {
        message_bytes: u64::try_from(message.len()).unwrap_or(u64::MAX),
        digest: const_hex::encode(digest),
        verify: Some(verify(document)).filter(|command| command.len() <= MAX_BYTES),
        message: Some(message).filter(|message| message.len() <= MAX_BYTES),
    }))
}

/// Returns a shell command that verifies a document, on one line of ASCII.
fn verify(document: &str) -> String {
    // In a JSON document, these characters occur only between values.
    let line = document.replace(['\n', '\r', '\t'], " ");
    format!(
        "printf %s {} | nodectl verify -",
        quoted(&escaped_json(&line))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_line_whatever_the_document_holds() {
        let document = "{\n\"transaction\":{\t\"a\":\"it's \u{202e}\\n\"},\r\n\"signatures\":[]}";
        let signed = signed_transaction(document).unwrap();
        assert_eq!(
            signed.verify.as_deref(),
            Some(
                "printf %s '{ \"transaction\":{ \"a\":\"it'\\''s \\u202e\\n\"},  \
                 \"signatures\":[]}' | nodectl verify -"
            )
        );
        assert_eq!(
            signed.message.as_deref(),
            Some("{\"a\": \"it's \\u202e\\n\"}")
        );
        assert_eq!(signed.message_bytes, 22);
    }

    #[test]
    fn a_long_message_is_not_kept_and_never_cut() {
        let long = "x".repeat(MAX_BYTES);
        let document = format!("{{\"transaction\":{{\"a\":\"{long}\"}},\"signatures\":[]}}");
        let signed = signed_transaction(&document).unwrap();
        assert_eq!(
            (signed.message.as_ref(), signed.verify.as_ref()),
            (None, None)
        );
        assert_eq!(signed.digest.len(), 40);
    }
}
