//! Where the signed transaction of a claim is kept, so that a second run finds the first one's.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use node_client::{ContractCall, claim::Fee};
use node_primitives::Network;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{config_file::users_folder, failure::Failure};

/// What makes a claim the same one as before.
#[derive(Serialize)]
struct Same<'c> {
    network: &'c str,
    call: &'c ContractCall,
    fee: &'c str,
    currency: &'c str,
}

/// The file of a claim, named by a digest of the claim and of the network that it is made on.
///
/// The node is no part of it: by way of another node of the network it is the same claim.
pub(super) fn usual_place(
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
    let folder = users_folder("XDG_STATE_HOME", ".local/state").ok_or_else(|| {
        Failure::usage(
            "there is no home folder to keep the signed transaction in: give --keep FILE",
        )
    })?;
    Ok(folder.join("nodectl/claims").join(format!("{name}.json")))
}

/// Makes the folder of a file; only its owner can look into one that is made here.
pub(super) fn make_folder(path: &Path) -> Result<(), Failure> {
    let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
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

/// Puts an earlier claim's file aside, under a name that is free; nothing is ever removed.
pub(super) fn put_aside(path: &Path) -> Result<Option<PathBuf>, Failure> {
    let failed = |error: io::Error| {
        Failure::usage(format!("{} can't be put aside: {error}", path.display()))
    };
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(failed)?,
    };
    for number in 1_u32.. {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        let aside = PathBuf::from(name);
        // A link fails where the name is taken, which a renaming does not.
        match fs::hard_link(path, &aside) {
            Ok(()) => {
                fs::remove_file(path).map_err(failed)?;
                return Ok(Some(aside));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(None)
}
