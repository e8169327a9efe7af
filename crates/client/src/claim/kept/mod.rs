//! A signed transaction that is kept in a file before it is sent.

mod error;
mod file;
mod pending;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use nodeproof_primitives::{Amount, RawJson, TransactionCode, escape::escaped_up_to};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{CheckedTransaction, Fee, echo::shown_apart};
use crate::{BaseUrl, ContractCall, SignedTransaction, decode::members};
pub use error::KeptError;
use file::Folder;
pub(super) use file::Place;
pub use pending::Pending;

/// What tells such a file from any other.
const FORMAT: &str = "nodeproof-client/kept-transaction";
/// The version of the form that is written.
const VERSION: u32 = 1;

/// A signed transaction in a file: what a crash must not lose.
///
/// It is written whole or not at all, and before the transaction is sent. The file holds what was
/// asked for and what was signed; it holds no key. Who has it can submit the transaction, and
/// nothing else; on Unix its mode is 600.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    path: PathBuf,
    contents: Contents,
    signed: SignedTransaction,
    trans_code: TransactionCode,
}

/// What is known of a kept transaction's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum KeptState {
    /// It is signed, and was not sent.
    Signed,
    /// It was about to be sent, and what came of that is not known.
    Sent,
    /// A node refused it, and may take it later.
    Refused,
    /// A node took it.
    Accepted,
    /// Its record was read back.
    Recorded,
}

impl KeptState {
    /// Whether a node may have taken it.
    #[must_use]
    pub fn may_have_arrived(self) -> bool {
        matches!(self, Self::Sent | Self::Accepted | Self::Recorded)
    }

    /// Whether it may still be recorded without anybody signing anything: it is neither refused
    /// nor recorded.
    #[must_use]
    pub fn is_pending(self) -> bool {
        matches!(self, Self::Signed | Self::Sent | Self::Accepted)
    }
}

/// The file's contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Contents {
    format: String,
    version: u32,
    node: String,
    state: KeptState,
    /// Whether a record that says the same was there before this was signed.
    #[serde(default)]
    recorded_before: bool,
    trans_code: TransactionCode,
    asked: ContractCall,
    fee: FeeText,
    /// The exact text, as a string, so that no editor and no tool rewrites its numbers.
    signed_transaction: String,
    /// Of all that a transaction's owner would not want to be changed.
    sha256: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FeeText {
    amount: Amount,
    currency: String,
}

/// The start of the file, which is read first: another version may have other members.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

impl Kept {
    /// Writes a signed transaction to a file that is not there yet.
    ///
    /// When this returns, the file is on disk, whole. Of two processes that do so at the same
    /// time, one gets [`KeptError::Exists`].
    ///
    /// # Errors
    /// If the file is there already or can't be written, or the transaction is not the signed
    /// form of what was checked.
    pub fn create(
        path: &Path,
        node: &BaseUrl,
        checked: &CheckedTransaction,
        signed: &SignedTransaction,
    ) -> Result<Self, KeptError> {
        let kept = Self::of(path, node, checked, signed)?;
        kept.write_first(&Place::New)?;
        Ok(kept)
    }

    /// Writes a signed transaction to a file, and puts aside the one that is there, if there is
    /// one: as `FILE.1`, or the first such name that is free. Tells where that one is then.
    ///
    /// The file that was there is under one name or the other at any time, and is never written
    /// over; a crash leaves either it or the new one under the first name, whole.
    ///
    /// # Errors
    /// If the file can't be written, or the transaction is not the signed form of what was
    /// checked; the one that was there is still there then.
    pub fn create_beside(
        path: &Path,
        node: &BaseUrl,
        checked: &CheckedTransaction,
        signed: &SignedTransaction,
    ) -> Result<(Self, Option<PathBuf>), KeptError> {
        let kept = Self::of(path, node, checked, signed)?;
        let aside = kept.write_first(&Place::Aside)?;
        Ok((kept, aside))
    }

    /// Writes the file for the first time; tells where the one is that was put aside.
    pub(super) fn write_first(&self, place: &Place) -> Result<Option<PathBuf>, KeptError> {
        let folder = Folder::of(&self.path)?;
        folder.remove_stale();
        folder.write(&self.path, &self.contents, place)
    }

    /// The same, where a record that says the same was there before this was signed.
    pub(super) fn after_a_record(mut self, recorded_before: bool) -> Self {
        self.contents.recorded_before = recorded_before;
        self
    }

    /// What is to be kept, if the transaction is the signed form of what was checked.
    pub(super) fn of(
        path: &Path,
        node: &BaseUrl,
        checked: &CheckedTransaction,
        signed: &SignedTransaction,
    ) -> Result<Self, KeptError> {
        let fee = checked.fee();
        CheckedTransaction::check_signed(checked.call(), signed, fee).map_err(|source| {
            KeptError::NotEchoed {
                path: path.to_owned(),
                source,
            }
        })?;
        let mut contents = Contents {
            format: FORMAT.to_owned(),
            version: VERSION,
            node: node.as_str().to_owned(),
            state: KeptState::Signed,
            recorded_before: false,
            trans_code: checked.trans_code(),
            asked: checked.call().clone(),
            fee: FeeText {
                amount: fee.amount().clone(),
                currency: fee.currency().to_owned(),
            },
            signed_transaction: signed.text().as_str().to_owned(),
            sha256: String::new(),
        };
        contents.sha256 = contents.digest();
        Ok(Self {
            path: path.to_owned(),
            trans_code: checked.trans_code(),
            contents,
            signed: signed.clone(),
        })
    }

    /// Reads a kept transaction; `None` if there is no such file.
    ///
    /// It is checked as if a node had just built it: that it is what the file says was asked for,
    /// and that it has a signature of every signer.
    ///
    /// # Errors
    /// If the file can't be read, is something else, or was changed.
    pub fn open(path: &Path) -> Result<Option<Self>, KeptError> {
        let Some(text) = file::read(path)? else {
            return Ok(None);
        };
        let foreign = |reason: String| KeptError::Foreign {
            path: path.to_owned(),
            reason,
        };
        let damaged = |reason: String| KeptError::Damaged {
            path: path.to_owned(),
            reason,
        };
        if text.trim().is_empty() {
            return Err(damaged("it is empty".to_owned()));
        }
        if !text.trim_start().starts_with('{') {
            return Err(foreign("it is no JSON object".to_owned()));
        }
        let head: Head = serde_json::from_str(&text).map_err(|error| match error.classify() {
            serde_json::error::Category::Eof => damaged("it ends too early".to_owned()),
            _ => foreign(error.to_string()),
        })?;
        if head.format != FORMAT {
            return Err(foreign("its `format` is another one".to_owned()));
        }
        if head.version != VERSION {
            let found = head.version;
            return Err(foreign(format!(
                "it is of version {found}, and this program knows version {VERSION}"
            )));
        }
        let contents: Contents =
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if contents.sha256 != contents.digest() {
            return Err(damaged("it was changed after it was written".to_owned()));
        }
        let fee = Fee::new(contents.fee.amount.clone(), &*contents.fee.currency)
            .map_err(|error| damaged(error.to_string()))?;
        let signed = SignedTransaction::from_text(&contents.signed_transaction)
            .map_err(|error| damaged(error.to_string()))?;
        let checked =
            CheckedTransaction::check_signed(&contents.asked, &signed, &fee).map_err(|source| {
                KeptError::NotEchoed {
                    path: path.to_owned(),
                    source,
                }
            })?;
        if checked.trans_code() != contents.trans_code {
            return Err(damaged(
                "its `trans_code` is not the one that was signed".to_owned(),
            ));
        }
        Ok(Some(Self {
            path: path.to_owned(),
            trans_code: contents.trans_code,
            contents,
            signed,
        }))
    }

    /// Checks that it keeps the transaction of this very call, at this fee.
    ///
    /// # Errors
    /// With what differs.
    pub fn check_same(&self, asked: &ContractCall, fee: &Fee) -> Result<(), KeptError> {
        let kept = &self.contents;
        let mut differences = Vec::new();
        let mut compare = |name: &str, kept: String, asked: String| {
            if kept != asked {
                let (kept, asked) = shown_apart(&kept, &asked);
                differences.push(format!("`{name}` was {kept}, and is {asked}"));
            }
        };
        compare(
            "sc_address",
            kept.asked.sc_address.to_string(),
            asked.sc_address.to_string(),
        );
        compare(
            "function_called",
            kept.asked.function_called.clone(),
            asked.function_called.clone(),
        );
        compare("signers", list(&kept.asked), list(asked));
        compare("fee", kept.fee.amount.to_string(), fee.amount().to_string());
        compare(
            "currency",
            kept.fee.currency.clone(),
            fee.currency().to_owned(),
        );
        let (before, now) = (params(&kept.asked), params(asked));
        for (name, value) in &before {
            let other = now.iter().find(|(other, _)| other == name);
            compare(
                name,
                value.to_string(),
                other.map_or_else(|| "not there".to_owned(), |(_, value)| value.to_string()),
            );
        }
        for (name, value) in &now {
            if !before.iter().any(|(known, _)| known == name) {
                compare(name, "not there".to_owned(), value.to_string());
            }
        }
        if differences.is_empty() {
            // The same once more, by the check that guards the signature.
            let checked = CheckedTransaction::check_signed(asked, &self.signed, fee);
            return checked.map(drop).map_err(|source| KeptError::NotEchoed {
                path: self.path.clone(),
                source,
            });
        }
        Err(KeptError::OfAnother {
            path: self.path.clone(),
            differences,
        })
    }

    /// Checks that it was kept for the node at this base URL.
    ///
    /// # Errors
    /// If it was kept for another one, whose network may be another one, too.
    pub fn check_node(&self, node: &BaseUrl) -> Result<(), KeptError> {
        let kept = &self.contents.node;
        if kept == node.as_str() {
            return Ok(());
        }
        Err(KeptError::OfAnother {
            path: self.path.clone(),
            differences: vec![format!(
                "the node was {}, and is {}",
                shortened(kept),
                shortened(node.as_str())
            )],
        })
    }

    /// Notes in the file how far the transaction has come.
    ///
    /// What was noted by anybody as accepted stays so until it is noted as recorded, and what was
    /// recorded stays so.
    ///
    /// # Errors
    /// If the file can't be written, or keeps another transaction by now; what was there before is
    /// still there then.
    pub fn note(&mut self, state: KeptState) -> Result<(), KeptError> {
        self.note_after(state).map(drop)
    }

    /// The same, telling what was noted before, by this process or by another one.
    pub(super) fn note_after(&mut self, state: KeptState) -> Result<KeptState, KeptError> {
        let folder = Folder::of(&self.path)?;
        // Somebody may have put this one aside, whose own transaction must not be written over.
        let there = match Self::open(&self.path)? {
            Some(there) if there.signed == self.signed => there,
            Some(other) => {
                return Err(KeptError::OfAnother {
                    path: self.path.clone(),
                    differences: vec![format!(
                        "the transaction was {}, and is {}",
                        self.trans_code, other.trans_code
                    )],
                });
            }
            None => {
                return Err(KeptError::Unusable {
                    path: self.path.clone(),
                    action: "written",
                    source: std::io::ErrorKind::NotFound.into(),
                });
            }
        };
        let before = there.contents.state;
        let stays = match before {
            KeptState::Recorded => true,
            KeptState::Accepted => state != KeptState::Recorded,
            _ => before == state,
        };
        let contents = Contents {
            state: if stays { before } else { state },
            ..self.contents.clone()
        };
        if !stays {
            folder.write(&self.path, &contents, &Place::Over)?;
        }
        self.contents = contents;
        Ok(before)
    }

    /// Whether a record that says the same was there before this was signed.
    pub(super) fn recorded_before(&self) -> bool {
        self.contents.recorded_before
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The transaction, byte for byte as it was signed.
    #[must_use]
    pub fn signed(&self) -> &SignedTransaction {
        &self.signed
    }

    /// What names the transaction.
    #[must_use]
    pub fn trans_code(&self) -> TransactionCode {
        self.trans_code
    }

    /// What was asked for.
    #[must_use]
    pub fn asked(&self) -> &ContractCall {
        &self.contents.asked
    }

    /// The base URL of the node that built it.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.contents.node
    }

    /// How far it had come when that was last noted.
    #[must_use]
    pub fn state(&self) -> KeptState {
        self.contents.state
    }
}

impl Contents {
    /// SHA-256 over everything but what changes, the state and what goes with it, and the digest itself.
    fn digest(&self) -> String {
        let asked = RawJson::from_value(&self.asked).map(|raw| raw.to_string());
        let mut hasher = Sha256::new();
        for part in [
            self.node.as_str(),
            &self.trans_code.to_string(),
            &asked.unwrap_or_default(),
            self.fee.amount.as_str(),
            &self.fee.currency,
            &self.signed_transaction,
        ] {
            // With its length, so that no text can move from one part into the next.
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part.as_bytes());
        }
        nodeproof_primitives::Hash256::from_bytes(hasher.finalize().into()).to_string()
    }
}

fn list(call: &ContractCall) -> String {
    let signers: Vec<_> = call.signers.iter().map(ToString::to_string).collect();
    signers.join(", ")
}

/// The parameters, each as its text; values that are written differently count as different.
fn params(call: &ContractCall) -> Vec<(String, RawJson)> {
    let mut found = Vec::new();
    // What was asked is an object, or the echo check has said so.
    let _ = members(call.params.as_str(), |name, value| {
        found.push((name.to_owned(), RawJson::from(value.to_owned())));
    });
    found
}

fn shortened(text: &str) -> String {
    escaped_up_to(text, 80)
}
