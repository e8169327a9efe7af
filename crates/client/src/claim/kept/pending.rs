//! The kept transactions of a folder that may still be recorded.

use std::{fs, io, path::Path};

use nodeproof_primitives::{ContractAddress, WalletAddress};

use super::{Kept, KeptError, file, params};
use crate::{ContractCall, decode::text_in};

/// How many files of a folder are read.
const MOST_FILES: usize = 10_000;
/// How many bytes of them are read in all.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// The kept transactions of a folder that claim something of an asset, and may still be recorded.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Pending {
    /// Those that are neither refused nor recorded, sorted by their paths. After a crash, two files
    /// may keep the same transaction.
    pub kept: Vec<Kept>,
    /// The files that are damaged or can't be read. One of them may keep such a transaction.
    pub skipped: Vec<KeptError>,
    /// Whether the whole folder was looked at. If not, it has more or longer files than are read.
    pub complete: bool,
}

impl Kept {
    /// The transactions kept in a folder that claim something of an asset as this verifier, and
    /// are neither refused nor recorded: each of them may yet be recorded, and has its own fee.
    ///
    /// Folders in it are not looked into, and files of other kinds are passed over. Where there is
    /// no such folder, nothing is kept in it. The transactions may be of another network; see
    /// [`node`](Self::node).
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn pending_in(
        folder: &Path,
        contract: ContractAddress,
        asset_id: &str,
        verifier: WalletAddress,
    ) -> Result<Pending, KeptError> {
        let unusable = |source| KeptError::Unusable {
            path: folder.to_owned(),
            action: "read",
            source,
        };
        let mut pending = Pending {
            complete: true,
            ..Pending::default()
        };
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(pending),
            Err(error) => return Err(unusable(error)),
        };
        let mut left = MOST_BYTES;
        for (count, entry) in entries.enumerate() {
            let entry = entry.map_err(unusable)?;
            if count >= MOST_FILES {
                pending.complete = false;
                break;
            }
            if entry.file_name().to_str().is_some_and(file::is_unfinished) {
                continue;
            }
            let path = entry.path();
            // What is no file, or is gone meanwhile, is none.
            let Ok(about) = fs::metadata(&path) else {
                continue;
            };
            if !about.is_file() {
                continue;
            }
            let Some(rest) = left.checked_sub(about.len()) else {
                pending.complete = false;
                continue;
            };
            left = rest;
            match Self::open(&path) {
                Ok(Some(kept)) if kept.state().is_pending() => {
                    if claims(kept.asked(), contract, asset_id, verifier) {
                        pending.kept.push(kept);
                    }
                }
                Ok(_) | Err(KeptError::Foreign { .. }) => {}
                Err(error) => pending.skipped.push(error),
            }
        }
        pending.kept.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(pending)
    }
}

/// Whether a call claims something of the asset, and nodes would store the wallet as its verifier.
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
        let found = params.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| text_in(value.as_str()))
    };
    // Nodes were seen to store the wallet that signs first.
    let verifies = text("verifier_address").is_some_and(|text| text.parse() == Ok(verifier))
        || call.signers.first() == Some(&verifier);
    verifies && text("asset_id").is_some_and(|asset| asset == asset_id)
}
