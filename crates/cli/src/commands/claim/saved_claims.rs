//! The folder of saved claims, in which a second run finds the transaction of the first.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nodeproof_client::{ContractCall, contract_call::Fee};
use nodeproof_files::{Shared, check_own_folder};
use nodeproof_primitives::Network;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::failure::Failure;

/// The contents that make two claims the same one.
#[derive(Serialize)]
struct Same<'c> {
    network: &'c str,
    call: &'c ContractCall,
    fee: &'c str,
    currency: &'c str,
}

/// The file of a claim, named by a digest of the claim and its network.
///
/// The node is not part of the digest: through another node of the network it is the same claim.
pub(super) fn default_file(
    network: Network,
    call: &ContractCall,
    fee: &Fee,
) -> Result<PathBuf, Failure> {
    let same = Same {
        network: network.name(),
        call,
        fee: fee.amount().as_str(),
        currency: fee.currency(),
    };
    let text = serde_json::to_vec(&same).map_err(Failure::usage)?;
    let digest = Sha256::digest(text);
    let name: String = digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let folder = default_folder().ok_or_else(|| {
        Failure::usage(
            "there is no home folder to save the signed transaction in: give --keep FILE",
        )
    })?;
    Ok(folder.join(format!("{name}.json")))
}

/// Creates the folder of a file and the default one, from which the file is found. Only its owner
/// can read a folder that is created here.
pub(super) fn create_folders(path: &Path) -> Result<(), Failure> {
    if let Some(folder) = default_folder() {
        // Where it can't be made, a file that is named elsewhere can be kept all the same.
        let _made = create_folder(&folder);
    }
    create_folder(nodeproof_files::parent_folder(path))
}

fn create_folder(folder: &Path) -> Result<(), Failure> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        Failure::usage(format!(
            "the folder {} for the signed transaction can't be made: {error}; give --keep FILE",
            folder.display()
        ))
    })
}

/// Refuses folders in which other users could plant or change claims: that of a claim's file, and
/// the default one.
pub(super) fn check_folders(place: &Path) -> Result<(), Failure> {
    if let Some(folder) = default_folder() {
        check_own_folder(&folder, Shared::No).map_err(Failure::usage)?;
    }
    // Whoever names a file in /tmp may do so: others can't touch it there.
    check_own_folder(nodeproof_files::parent_folder(place), Shared::Sticky).map_err(Failure::usage)
}

/// The folder of claims whose file is not named.
pub(super) fn default_folder() -> Option<PathBuf> {
    nodeproof_files::state_folder().map(|folder| folder.join("nodectl/claims"))
}
