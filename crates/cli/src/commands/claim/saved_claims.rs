//! The folder of saved claims, in which a second run finds the transaction of the first.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nodeproof_claims::{Claim, SavedTransaction};
use nodeproof_client::{BaseUrl, ContractCall, contract_call::Fee};
use nodeproof_primitives::{Network, WalletAddress};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{failure::Failure, io::output::Output};

/// The number of warnings about files that can't be read.
const MOST_WARNINGS: usize = 3;

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
            "there is no home folder to keep the signed transaction in: give --keep FILE",
        )
    })?;
    Ok(folder.join(format!("{name}.json")))
}

/// Creates the folder of a file. Only its owner can read a folder that is created here.
pub(super) fn create_folder(path: &Path) -> Result<(), Failure> {
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
        let pending =
            SavedTransaction::pending_in(folder, claim.contract, &claim.asset_id, verifier)
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
        let is_here = |saved: &&SavedTransaction| {
            let other = saved
                .node()
                .parse()
                .ok()
                .and_then(|node: BaseUrl| Network::from_port(node.port()));
            other.is_none_or(|other| other == network)
        };
        if let Some(saved) = pending.transactions.iter().find(is_here) {
            let path = saved.path().display();
            return Err(Failure::usage(format!(
                "an earlier claim about {:?} by {verifier} is pending: transaction {}, kept in \
                 {path}. A node keeps one record for each asset and verifier, so another one would \
                 be paid for in vain: `nodectl submit {path}` submits the earlier one once more, \
                 and --again makes and pays another one all the same",
                claim.asset_id,
                saved.trans_code(),
            )));
        }
    }
    Ok(())
}

/// The folders in which an earlier claim may be saved.
pub(super) fn folders(place: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = default_folder().into_iter().collect();
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

/// The folder of claims whose file is not named.
fn default_folder() -> Option<PathBuf> {
    nodeproof_files::state_folder().map(|folder| folder.join("nodectl/claims"))
}
