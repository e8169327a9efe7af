//! The saved claims of a folder about an asset.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nodeproof_client::{AddVerification, ContractCall};
use nodeproof_primitives::{ContractAddress, WalletAddress};

use super::{
    error::SavedTransactionError,
    file,
    transaction::{SavedTransaction, params},
};

/// The largest number of entries of a folder that are searched.
const MAX_FILES: usize = 10_000;
/// The largest number of bytes that are read in all.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The saved transactions of a folder that make a claim about an asset.
#[derive(Debug, Default)]
pub(crate) struct SavedClaims {
    /// The transactions, sorted by their paths. After a crash, two files may contain the same
    /// transaction.
    pub(crate) transactions: Vec<SavedTransaction>,
    /// The files that are damaged or can't be read. They may contain such a transaction.
    pub(crate) skipped: Vec<SavedTransactionError>,
    /// Whether the whole folder was searched. If not, it has more than 10,000 entries, or more than
    /// 256 MiB of files that can be saved transactions.
    pub(crate) complete: bool,
}

impl SavedTransaction {
    /// Finds the saved transactions in a folder that make a claim about an asset as this verifier. Each
    /// of them has its own fee, and may still be recorded.
    ///
    /// All [states](super::TransactionState) count. A node can report a transaction as refused and include it
    /// later, and it can show a record that no block contains.
    ///
    /// Subfolders and other files are skipped. A missing folder counts as empty. The transactions may
    /// be for another network.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub(crate) fn find_claims(
        folder: &Path,
        contract: ContractAddress,
        asset_id: &str,
        verifier: WalletAddress,
    ) -> Result<SavedClaims, SavedTransactionError> {
        let unusable = |source| SavedTransactionError::Unusable {
            path: folder.to_owned(),
            action: "read",
            source,
        };
        let mut found = SavedClaims {
            complete: true,
            ..SavedClaims::default()
        };
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            Err(error) => return Err(unusable(error)),
        };
        let mut left = MAX_BYTES;
        for (count, entry) in entries.enumerate() {
            let entry = entry.map_err(unusable)?;
            if count >= MAX_FILES {
                found.complete = false;
                break;
            }
            if entry.file_name().to_str().is_some_and(file::is_not_saved) {
                continue;
            }
            // A link points to a file in another folder. The entry may have been removed already.
            let Ok(path) = real_path(&entry) else {
                continue;
            };
            let Ok(about) = fs::metadata(&path) else {
                continue;
            };
            // A larger file is not a saved transaction.
            if !about.is_file() || about.len() > file::MAX_LENGTH {
                continue;
            }
            let Some(rest) = left.checked_sub(about.len()) else {
                found.complete = false;
                continue;
            };
            left = rest;
            match Self::open(&path) {
                Ok(Some(saved)) if claims(saved.call(), contract, asset_id, verifier) => {
                    found.transactions.push(saved);
                }
                Ok(_) | Err(SavedTransactionError::NotSavedTransaction { .. }) => {}
                Err(error) => found.skipped.push(error),
            }
        }
        found.transactions.sort_by(|a, b| a.path().cmp(b.path()));
        Ok(found)
    }
}

/// Returns the path of a folder's entry, or of the file that it links to.
fn real_path(entry: &fs::DirEntry) -> io::Result<PathBuf> {
    if entry.file_type()?.is_symlink() {
        entry.path().canonicalize()
    } else {
        Ok(entry.path())
    }
}

/// Returns whether a call makes a claim about the asset that nodes would store for this verifier.
fn claims(
    call: &ContractCall,
    contract: ContractAddress,
    asset_id: &str,
    verifier: WalletAddress,
) -> bool {
    if call.sc_address != contract || call.function_called != "add_verification" {
        return false;
    }
    let params = params(call);
    let text = |name: &str| {
        let value = params.get(name)?;
        value.decode::<String>().ok()
    };
    // Nodes were seen to store the first wallet that signs.
    let verifies = text("verifier_address").is_some_and(|text| text.parse() == Ok(verifier))
        || call.signers.first() == Some(&verifier);
    verifies && text("asset_id").is_some_and(|asset| asset == asset_id)
}

/// Returns the claim that a call makes, if it has all members of a claim.
pub(crate) fn claim_of(call: &ContractCall) -> Option<AddVerification> {
    call.params.decode().ok()
}
