//! Where the signed transaction of a claim is kept, so that a second run finds the first one's.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use nodeproof_client::{
    BaseUrl, ContractCall,
    claim::{Claim, Fee, Kept},
};
use nodeproof_primitives::{Network, WalletAddress};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{config_file::users_folder, failure::Failure, output::Output};

/// How the names begin of files that are not written to their end yet.
const BEGUN: &str = ".kept-";
/// After how long nobody writes to such a file any more.
const OLD: Duration = Duration::from_secs(3_600);
/// How many files that can't be read are told.
const MOST_WARNINGS: usize = 3;

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
    let folder = usual_folder().ok_or_else(|| {
        Failure::usage(
            "there is no home folder to keep the signed transaction in: give --keep FILE",
        )
    })?;
    Ok(folder.join(format!("{name}.json")))
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

/// Removes what runs left behind that were killed while they wrote a file. Nothing of it was ever
/// sent: a transaction is sent when its file has its name.
pub(super) fn clear_leavings(place: &Path) {
    let Some(Ok(entries)) = place.parent().map(fs::read_dir) else {
        return;
    };
    for entry in entries.flatten() {
        let is_leaving = entry.file_name().to_string_lossy().starts_with(BEGUN);
        let is_old = entry
            .metadata()
            .and_then(|found| found.modified())
            .is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > OLD));
        if is_leaving && is_old {
            // Whoever can't remove it, can live with it.
            let _removed = fs::remove_file(entry.path());
        }
    }
}

/// Refuses to pay a second time for a claim about the same asset by the same verifier, while an
/// earlier one may still be recorded.
pub(super) fn refuse_pending(
    folders: &[PathBuf],
    network: Network,
    claim: &Claim,
    verifier: WalletAddress,
    output: Output,
) -> Result<(), Failure> {
    for folder in folders {
        let pending = Kept::pending_in(folder, claim.contract, &claim.asset_id, verifier)
            .map_err(Failure::usage)?;
        for fault in pending.skipped.iter().take(MOST_WARNINGS) {
            output.warn(&format!(
                "whether it keeps a claim about this asset is not known: {fault}"
            ));
        }
        if !pending.complete {
            output.warn(&format!(
                "{} holds too many files to look for an earlier claim in all of them",
                folder.display()
            ));
        }
        let here = |kept: &&Kept| {
            let other = kept
                .node()
                .parse()
                .ok()
                .and_then(|node: BaseUrl| Network::from_port(node.port()));
            other.is_none_or(|other| other == network)
        };
        if let Some(kept) = pending.kept.iter().find(here) {
            let path = kept.path().display();
            return Err(Failure::usage(format!(
                "an earlier claim about {:?} by {verifier} is pending: transaction {}, kept in \
                 {path}. A node keeps one record for each asset and verifier, so another one would \
                 be paid for in vain: `nodectl submit {path}` submits the earlier one once more, \
                 and --again makes and pays another one all the same",
                claim.asset_id,
                kept.trans_code(),
            )));
        }
    }
    Ok(())
}

/// The folders in which an earlier claim may be kept.
pub(super) fn folders(place: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = usual_folder().into_iter().collect();
    let beside = match place.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => return folders,
    };
    if !folders.iter().any(|folder| folder == beside) {
        folders.push(beside.to_owned());
    }
    folders
}

/// Where claims are kept unless a file is named.
fn usual_folder() -> Option<PathBuf> {
    users_folder("XDG_STATE_HOME", ".local/state").map(|folder| folder.join("nodectl/claims"))
}
