//! The transaction and the exact message that would be signed.

use std::path::Path;

use nodeproof_claims::SavedTransaction;
use nodeproof_client::contract_call::CheckedTransaction;
use nodeproof_primitives::{RawJson, WalletAddress, signed_message};
use serde::Serialize;
use sha1::{Digest, Sha1};

use crate::{
    failure::Failure,
    io::output::{CommandResult, for_a_person},
};

/// The output of a dry run: what would be signed.
#[derive(Serialize)]
pub(super) struct ToSign {
    /// The transaction, in the form in which it would be submitted.
    transaction: RawJson,
    /// The exact message, which is ASCII.
    message: String,
    message_bytes: usize,
    /// The message's SHA-1 digest, hexadecimal. ECDSA signs this digest.
    digest: String,
    /// The wallets that would sign.
    signers: Vec<WalletAddress>,
    /// The file in which the signed transaction is, or would be, saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved_in: Option<String>,
    /// Whether an earlier run signed it. The same transaction is then submitted again.
    already_signed: bool,
}

impl ToSign {
    pub(super) fn of(
        transaction: &str,
        message: &str,
        signers: Vec<WalletAddress>,
    ) -> Result<Self, Failure> {
        let digest = Sha1::digest(message.as_bytes());
        Ok(Self {
            transaction: transaction.parse().map_err(Failure::usage)?,
            message: message.to_owned(),
            message_bytes: message.len(),
            digest: const_hex::encode(digest),
            signers,
            saved_in: None,
            already_signed: false,
        })
    }

    /// Returns the transaction that an earlier run signed, or else that a node builds now.
    pub(super) async fn planned(
        saved: Option<SavedTransaction>,
        build: impl Future<Output = Result<CheckedTransaction, Failure>>,
        file: Option<&Path>,
        signers: Vec<WalletAddress>,
    ) -> Result<Self, Failure> {
        let mut shown = match &saved {
            Some(saved) => {
                let transaction = saved.signed().transaction_text();
                let message = signed_message(transaction).map_err(Failure::usage)?;
                Self::of(transaction, &message, signers)?
            }
            None => {
                let checked = build.await?;
                Self::of(checked.transaction_text(), checked.message(), signers)?
            }
        };
        shown.saved_in = file.map(|path| path.display().to_string());
        shown.already_signed = saved.is_some();
        Ok(shown)
    }
}

impl CommandResult for ToSign {
    fn for_a_person(&self) -> String {
        let (transaction, rewritten) = for_a_person(self.transaction.as_str());
        let how = if rewritten {
            ", except control and invisible characters, which are escapes here"
        } else {
            ""
        };
        let mut text = format!(
            "message, {} bytes of ASCII, complete:\n{}\n\n\
             SHA-1 digest of the message:\n{}\n\n\
             transaction, as it would be submitted{how}:\n{transaction}\n\n",
            self.message_bytes, self.message, self.digest,
        );
        for wallet in &self.signers {
            text.push_str(&format!("to be signed by {wallet}\n"));
        }
        if let Some(path) = &self.saved_in {
            let path = nodeproof_primitives::escape::escaped(path);
            text.push_str(&if self.already_signed {
                format!("signed by an earlier run already, and saved in {path}\n")
            } else {
                format!("to be saved in {path}\n")
            });
        }
        text.push_str("nothing was signed, and nothing was submitted\n");
        text
    }
}
