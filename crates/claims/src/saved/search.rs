//! The saved claims of a folder about an asset.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nodeproof_client::{AddVerification, ContractCall, ContractFunction};
use nodeproof_primitives::{ContractAddress, WalletAddress};

use super::{
    compare::params,
    error::SavedTransactionError,
    file,
    index::Index,
    transaction::{FORMAT, SavedTransaction},
};

/// The largest number of entries of a folder that are searched.
const MAX_FILES: usize = 10_000;
/// The largest number of bytes that are read in all.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The saved transactions of a folder that make a claim about an asset.
#[derive(Debug, Default)]
pub(crate) struct SavedClaims {
    /// The transactions, sorted by their paths, and the verifier of each. After a crash, two files may
    /// contain the same transaction.
    pub(crate) transactions: Vec<(SavedTransaction, WalletAddress)>,
    /// The files that contain such a transaction, or may do so, and can't be read: those to which a
    /// [link](SavedTransaction::link_from) of this asset leads, saved transactions that are damaged or of another version,
    /// and whatever else has the name of a claim about this asset.
    pub(crate) unread: Vec<SavedTransactionError>,
    /// Other files that can't be read.
    pub(crate) skipped: Vec<SavedTransactionError>,
    /// Whether the whole folder was searched. If not, it has more than 10,000 entries, or more than
    /// 256 MiB of files that can be saved transactions.
    pub(crate) complete: bool,
    /// The number of files that were read.
    pub(crate) read: usize,
}

impl SavedClaims {
    /// Finds the saved transactions in a folder that make a claim about an asset as one of these verifiers.
    /// Each of them has its own fee, and may still be recorded.
    ///
    /// All [states](super::TransactionState) count. A node can report a transaction as refused and include
    /// it later, and it can show a record that no block contains.
    ///
    /// Subfolders and other files are skipped. A missing folder counts as empty. The transactions may
    /// be for another network.
    ///
    /// The names of all files are listed. A file that the folder's [index](Index) has as unchanged, and as
    /// not about the asset, is not read. With `is_locked`, the index is updated.
    pub(crate) fn find(
        folder: &Path,
        contract: ContractAddress,
        asset_id: &str,
        verifiers: &[WalletAddress],
        is_locked: bool,
    ) -> Result<Self, SavedTransactionError> {
        let unusable = |source| SavedTransactionError::Unusable {
            path: folder.to_owned(),
            action: "read",
            source,
        };
        let mut found = Self {
            complete: true,
            ..Self::default()
        };
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            Err(error) => return Err(unusable(error)),
        };
        let (mut index, mut next) = (Index::read(folder), Index::next());
        let asset = file::digest_name(asset_id.as_bytes());
        let mut left = MAX_BYTES;
        let (link_prefix, prefix) = (file::link_prefix(asset_id), file::claim_prefix(asset_id));
        for (count, entry) in entries.enumerate() {
            let entry = entry.map_err(unusable)?;
            if count >= MAX_FILES {
                found.complete = false;
                break;
            }
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            if file::is_not_saved(name) {
                continue;
            }
            // A name tells what its file was about when it got it.
            let is_about_it = name.starts_with(&link_prefix) || name.starts_with(&prefix);
            if file::is_link_name(name) && !is_about_it {
                continue;
            }
            let Some((about, path, is_link)) = found.located(&entry, is_about_it) else {
                continue;
            };
            // A larger file is not a saved transaction.
            if !is_about_it && (!about.is_file() || about.len() > file::MAX_LENGTH) {
                continue;
            }
            if !is_link && index.keeps(name, &about, &asset, &mut next) {
                continue;
            }
            let Some(rest) = left.checked_sub(about.len()) else {
                found.complete = false;
                continue;
            };
            left = rest;
            found.read += 1;
            let verifier =
                |saved: &SavedTransaction| claimant(saved.call(), contract, asset_id, verifiers);
            let asset = found.open(&path, is_about_it, verifier);
            // The target of a link can change, so it is not in the index.
            if let Some(asset) = asset.filter(|_| !is_link) {
                next.add(name, &about, asset);
            }
        }
        if is_locked {
            next.save(folder);
        }
        tracing::debug!(read = found.read, "searched for earlier claims");
        found
            .transactions
            .sort_by(|(a, _), (b, _)| a.path().cmp(b.path()));
        Ok(found)
    }
}

impl SavedClaims {
    /// Reads a file, and keeps its claim if that is about the asset and by one of the verifiers. Returns what the index has
    /// about the file: the digest of its asset, if it is a saved transaction of a claim.
    fn open(
        &mut self,
        path: &Path,
        is_about_it: bool,
        verifier: impl Fn(&SavedTransaction) -> Option<WalletAddress>,
    ) -> Option<Option<String>> {
        match SavedTransaction::open(path) {
            Ok(Some(saved)) => {
                let asset = saved.asset_id().map(|id| file::digest_name(id.as_bytes()));
                if let Some(verifier) = verifier(&saved) {
                    self.transactions.push((saved, verifier));
                }
                return Some(asset);
            }
            Ok(None) => {}
            Err(error) if is_about_it || names_format(path) => self.unread.push(error),
            Err(SavedTransactionError::NotSavedTransaction { .. }) => return Some(None),
            Err(error) => self.skipped.push(error),
        }
        None
    }

    /// Returns the file of an entry, its path, and whether the entry is a link. Notes a link to the requested asset
    /// if its file can't be found. Another entry may have been removed already.
    fn located(
        &mut self,
        entry: &fs::DirEntry,
        is_about_it: bool,
    ) -> Option<(fs::Metadata, PathBuf, bool)> {
        match located(entry) {
            Ok(located) => Some(located),
            Err(source) => {
                if is_about_it {
                    self.unread.push(SavedTransactionError::Unusable {
                        path: fs::read_link(entry.path()).unwrap_or(entry.path()),
                        action: "read",
                        source,
                    });
                }
                None
            }
        }
    }
}

/// Whether a file names the format of saved transactions. It may be damaged, or of another version.
fn names_format(path: &Path) -> bool {
    let text = file::read(path).ok().flatten();
    text.is_some_and(|text| text.contains(FORMAT))
}

/// Returns a folder's entry, or the file that it links to: the metadata, the path, and whether it is a link.
fn located(entry: &fs::DirEntry) -> io::Result<(fs::Metadata, PathBuf, bool)> {
    if entry.file_type()?.is_symlink() {
        let path = entry.path().canonicalize()?;
        Ok((fs::metadata(&path)?, path, true))
    } else {
        Ok((entry.metadata()?, entry.path(), false))
    }
}

/// Returns the first of these verifiers for which nodes would store a claim of the call about the asset.
fn claimant(
    call: &ContractCall,
    contract: ContractAddress,
    asset_id: &str,
    verifiers: &[WalletAddress],
) -> Option<WalletAddress> {
    let params = params(call);
    let text = |name: &str| params.get(name)?.decode::<String>().ok();
    let is_about_it = call.sc_address == contract
        && call.function_called == AddVerification::NAME
        && text("asset_id").is_some_and(|asset| asset == asset_id);
    let named = text("verifier_address").and_then(|text| text.parse().ok());
    // Nodes were seen to store the first wallet that signs.
    let stored = [named, call.signers.first().copied()];
    let mut verifiers = verifiers.iter().copied();
    verifiers.find(|verifier| is_about_it && stored.contains(&Some(*verifier)))
}

/// Returns the claim that a call makes, if it has all members of a claim.
pub(crate) fn claim_of(call: &ContractCall) -> Option<AddVerification> {
    call.params.decode().ok()
}
