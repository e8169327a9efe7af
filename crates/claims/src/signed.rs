//! Signing a claim's transaction and saving it.

use std::path::PathBuf;

use nodeproof_client::{SignedTransaction, contract_call::CheckedTransaction};
use nodeproof_primitives::{Signer, TransactionCode};

use crate::{
    blocking::blocking,
    earlier::EarlierClaims,
    error::ClaimError,
    options::ClaimStep,
    prepared::{ExistingRecord, PreparedClaim},
    saved::{Placement, SavedTransaction, SavedTransactionError, TransactionState},
};

/// A signed claim that is not saved yet.
#[derive(Debug)]
#[must_use = "a signed claim has to be saved and submitted"]
pub struct SignedClaim<'p> {
    prepared: &'p PreparedClaim,
    checked: CheckedTransaction,
    signed: SignedTransaction,
    existing: ExistingRecord,
}

/// A signed claim that may be submitted: it is saved, if a file is
/// [set](crate::ClaimOptions::save_to).
#[derive(Debug)]
#[must_use = "a claim is only made when it is submitted"]
pub struct ReadyClaim<'p> {
    pub(crate) prepared: &'p PreparedClaim,
    pub(crate) signed: SignedTransaction,
    pub(crate) trans_code: TransactionCode,
    pub(crate) saved: Option<SavedTransaction>,
    /// Whether an earlier run or another process signed it.
    pub(crate) resumed: bool,
    pub(crate) put_aside: Option<PathBuf>,
    /// Whether the same record existed before it was signed.
    pub(crate) recorded_before: bool,
    /// Whether a node showed its record in an earlier run.
    pub(crate) recorded_earlier: bool,
    /// Whether this verifier had a record before it was signed, if that is known.
    pub(crate) had_record: Option<bool>,
}

impl PreparedClaim {
    /// Has every signer sign the transaction. `existing` is the result of
    /// [`existing_record`](Self::existing_record).
    ///
    /// # Errors
    /// [`ClaimError::Input`] if the transaction does not belong to this claim, and
    /// [`ClaimError::Signing`] if a signer is missing, is bound to another network, or does not sign.
    pub async fn sign(
        &self,
        checked: &CheckedTransaction,
        signers: &[&dyn Signer],
        existing: ExistingRecord,
    ) -> Result<SignedClaim<'_>, ClaimError> {
        if checked.call() != &self.call || checked.fee() != &self.claim.fee {
            let reason = "the transaction is not of this claim";
            return Err(ClaimError::Input(reason.to_owned()));
        }
        self.check_networks(signers)?;
        let signed = checked.sign(signers).await?;
        self.options.report(&ClaimStep::Signed);
        Ok(SignedClaim {
            prepared: self,
            checked: checked.clone(),
            signed,
            existing,
        })
    }

    /// Continues with a transaction that is already [saved](Self::saved).
    pub fn resume(&self, saved: SavedTransaction) -> ReadyClaim<'_> {
        self.options.report(&ClaimStep::Resumed {
            path: saved.path(),
            trans_code: saved.trans_code(),
        });
        ReadyClaim {
            prepared: self,
            signed: saved.signed().clone(),
            trans_code: saved.trans_code(),
            recorded_before: saved.recorded_before(),
            had_record: None,
            recorded_earlier: saved.state() == TransactionState::Recorded,
            saved: Some(saved),
            resumed: true,
            put_aside: None,
        }
    }
}

impl<'p> SignedClaim<'p> {
    /// Saves the signed transaction, if a file is set. When this returns, the file is on disk.
    ///
    /// If another process saved a transaction of the same claim in the meantime, this one is dropped
    /// and the saved one is used. If another process saved another claim about the same asset, this
    /// one is dropped.
    ///
    /// # Errors
    /// [`ClaimError::Saved`] if the file can't be written. Unless [`again`](crate::ClaimOptions::again)
    /// is set, [`ClaimError::EarlierClaim`] if another claim about the same asset is saved now, and
    /// [`ClaimError::TooManyFiles`] if not all files can be searched for one. Nothing was sent.
    pub async fn save(self) -> Result<ReadyClaim<'p>, ClaimError> {
        let prepared = self.prepared;
        let options = &prepared.options;
        let mut ready = ReadyClaim {
            prepared,
            trans_code: self.checked.trans_code(),
            signed: self.signed,
            saved: None,
            resumed: false,
            put_aside: None,
            recorded_before: self.existing == ExistingRecord::Same,
            recorded_earlier: false,
            had_record: Some(self.existing != ExistingRecord::None),
        };
        let Some(path) = &options.save_to else {
            return Ok(ready);
        };
        let node = prepared.client.base_url();
        let saved = SavedTransaction::of(path, node, &self.checked, &ready.signed)?
            .after_a_record(ready.recorded_before);
        let earlier = prepared.earlier_claims();
        let folder = path.clone();
        let placement = if options.again {
            Placement::Aside
        } else {
            Placement::New
        };
        let without_lock = options.clone();
        let may_write = move |is_locked: bool| {
            let folder = nodeproof_files::parent_folder(&folder).to_owned();
            match (is_locked, without_lock.without_lock) {
                (true, _) => Ok(()),
                (false, false) => Err(ClaimError::NoLock { folder }),
                (false, true) => {
                    without_lock.report(&ClaimStep::NotSearched {
                        reason: &format!(
                            "the file system of {} has no locks: a claim that another process makes \
                             now is not found",
                            folder.display()
                        ),
                    });
                    Ok(())
                }
            }
        };
        let written = blocking(move || {
            write_unless(&saved, placement, &earlier, may_write).map(|aside| (saved, aside))
        })
        .await;
        match written {
            // Another process was faster. Submit its transaction.
            Err(ClaimError::Saved(SavedTransactionError::Exists { path })) => {
                let other = prepared.saved_at(path.clone()).await?;
                let other = other.ok_or(SavedTransactionError::Exists { path })?;
                Ok(prepared.resume(other))
            }
            Err(error) => Err(error),
            Ok((saved, put_aside)) => {
                if let Some(path) = &put_aside {
                    options.report(&ClaimStep::PutAside { path });
                }
                options.report(&ClaimStep::Saved { path: saved.path() });
                ready.saved = Some(saved);
                ready.put_aside = put_aside;
                Ok(ready)
            }
        }
    }
}

/// Writes a transaction for the first time. Fails if an earlier claim about the same asset is
/// saved, unless `placement` puts the old file aside. The folders are locked, so no process can
/// save a claim between the search and the write.
fn write_unless(
    saved: &SavedTransaction,
    placement: Placement,
    earlier: &EarlierClaims,
    may_write: impl FnOnce(bool) -> Result<(), ClaimError>,
) -> Result<Option<PathBuf>, ClaimError> {
    saved.write_first(placement, &earlier.folders, |is_locked| {
        may_write(is_locked)?;
        match placement {
            Placement::Aside => Ok(()),
            Placement::New | Placement::Over => earlier.refuse(),
        }
    })
}
