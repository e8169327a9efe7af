//! The folder of saved claims. A second run finds the transaction of the first one there.

use std::path::{Path, PathBuf};

use nodeproof_claims::PreparedClaim;
use nodeproof_files::{Shared, check_private_folder, create_private_folder};

use super::outcome;
use crate::failure::Failure;

/// Returns the default file of a claim.
///
/// The node is not part of its name, because the claim is the same on all nodes of a network.
pub(super) fn default_file(prepared: &PreparedClaim) -> Result<PathBuf, Failure> {
    let name = prepared.file_name().map_err(outcome::failure)?;
    let folder = default_folder().ok_or_else(|| {
        Failure::usage(
            "there is no home folder to save the signed transaction in: give --keep FILE",
        )
    })?;
    Ok(folder.join(name))
}

/// Creates the folder of a file, and the default folder, which is searched for saved claims.
///
/// Only the user can read the folders that this creates.
pub(super) fn create_folders(path: &Path) -> Result<(), Failure> {
    if let Some(folder) = default_folder() {
        // If this fails, a file in another folder can still be written.
        let _made = create_folder(&folder);
    }
    create_folder(nodeproof_files::parent_folder(path))
}

fn create_folder(folder: &Path) -> Result<(), Failure> {
    create_private_folder(folder).map_err(|error| {
        Failure::usage(format!(
            "the folder {} for the signed transaction can't be made: {error}; give --keep FILE",
            folder.display()
        ))
    })
}

/// Rejects folders in which other users could add or change claims: the folder of a claim's file, and
/// the default one.
pub(super) fn check_folders(place: &Path) -> Result<(), Failure> {
    if let Some(folder) = default_folder() {
        check_private_folder(&folder, Shared::No).map_err(Failure::usage)?;
    }
    // A file in a folder like /tmp is allowed, because other users can't replace it there.
    check_private_folder(nodeproof_files::parent_folder(place), Shared::Sticky)
        .map_err(Failure::usage)
}

/// Returns the default folder of saved claims.
pub(super) fn default_folder() -> Option<PathBuf> {
    nodeproof_files::state_folder().map(|folder| folder.join("nodectl/claims"))
}
