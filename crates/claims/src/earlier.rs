//! Earlier claims about the same asset. They stay rivals whatever a node reports about them.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use nodeproof_primitives::{ContractAddress, Network, WalletAddress};

use crate::{
    error::ClaimError,
    saved::{SavedClaims, SavedTransaction, SavedTransactionError, TransactionState},
};

/// The largest number of unreadable files that are reported for each folder.
const MAX_NAMED: usize = 3;

/// Where to look for earlier claims, and which claims are about the same asset.
#[derive(Clone, Debug)]
pub(crate) struct EarlierClaims {
    pub(crate) folders: Vec<PathBuf>,
    /// The claim's own file, which is not an earlier claim.
    pub(crate) own: PathBuf,
    /// The network, if it is known. Claims on another network do not count.
    pub(crate) network: Option<Network>,
    pub(crate) contract: ContractAddress,
    pub(crate) asset_id: String,
    pub(crate) verifiers: Vec<WalletAddress>,
}

/// A saved claim about the same asset, and its verifier.
pub(crate) type Rival = (SavedTransaction, WalletAddress);

/// Returns the error for earlier claims about an asset, of which the first is the one to be made again.
pub(crate) fn earlier_claim(
    asset_id: &str,
    (first, verifier): &Rival,
    others: &[Rival],
) -> ClaimError {
    let other = |(saved, _): &Rival| (saved.path().to_owned(), saved.state());
    ClaimError::EarlierClaim {
        path: first.path().to_owned(),
        trans_code: first.trans_code(),
        state: first.state(),
        asset_id: asset_id.to_owned(),
        verifier: *verifier,
        others: others.iter().map(other).collect(),
    }
}

/// The result of a search for an earlier claim.
#[derive(Default)]
pub(crate) struct Found {
    /// The earlier claims, each once. Those that no node has shown as recorded come first.
    pub(crate) rivals: Vec<Rival>,
    /// The first file that can't be read, and may contain an earlier claim.
    pub(crate) unread: Option<SavedTransactionError>,
    /// A folder with too many files to search all of them.
    too_many_files: Option<PathBuf>,
}

/// Returns the error for a file that may contain an earlier claim about an asset.
pub(crate) fn unread_claim(asset_id: &str, source: SavedTransactionError) -> ClaimError {
    ClaimError::UnreadClaim {
        asset_id: asset_id.to_owned(),
        source: Box::new(source),
    }
}

impl Found {
    /// Leaves out a transaction, and those that were put aside for it.
    pub(crate) fn without(mut self, own: &SavedTransaction) -> Self {
        let mut aside = own.path().as_os_str().to_owned();
        aside.push(".");
        let is_aside = |path: &Path| {
            let path = path.as_os_str().as_encoded_bytes();
            path.starts_with(aside.as_encoded_bytes())
        };
        self.rivals
            .retain(|(saved, _)| saved.trans_code() != own.trans_code() && !is_aside(saved.path()));
        self
    }
}

impl EarlierClaims {
    /// Fails if there is an earlier claim about the same asset, or may be one where the search ended. The
    /// folders have to be locked.
    pub(crate) fn refuse(&self) -> Result<(), ClaimError> {
        // Unreadable files were reported before signing.
        let found = self.find(true, |_| {})?;
        match (found.rivals.as_slice(), found.unread, found.too_many_files) {
            ([rival, others @ ..], ..) => Err(earlier_claim(&self.asset_id, rival, others)),
            ([], Some(unread), _) => Err(unread_claim(&self.asset_id, unread)),
            ([], None, Some(folder)) => Err(ClaimError::TooManyFiles { folder }),
            ([], None, None) => Ok(()),
        }
    }

    /// Finds the earlier claims about the same asset. Calls `unsearched` with each reason why a claim may
    /// have been missed.
    pub(crate) fn find(
        &self,
        is_locked: bool,
        mut unsearched: impl FnMut(&str),
    ) -> Result<Found, ClaimError> {
        let (mut rivals, mut unread, mut too_many_files) = (Vec::new(), None, None);
        for folder in &self.folders {
            let (contract, asset_id) = (self.contract, &self.asset_id);
            let found = SavedClaims::find(folder, contract, asset_id, &self.verifiers, is_locked)?;
            for fault in found.skipped.iter().take(MAX_NAMED) {
                unsearched(&format!(
                    "it is unknown whether it contains a claim about this asset: {fault}"
                ));
            }
            if !found.complete {
                unsearched(&format!(
                    "{} has too many files to search all of them for an earlier claim",
                    folder.display()
                ));
                too_many_files = Some(folder.clone());
            }
            unread = unread.or(found.unread.into_iter().next());
            let others = found.transactions.into_iter();
            rivals.extend(others.filter(|(saved, _)| self.is_rival(saved)));
        }
        rivals.sort_by_key(|(saved, _)| saved.state() == TransactionState::Recorded);
        // A folder can have a link to a file in another one, and a crash can leave two files.
        let mut codes = BTreeSet::new();
        rivals.retain(|(saved, _)| codes.insert(saved.trans_code().to_string()));
        Ok(Found {
            rivals,
            unread,
            too_many_files,
        })
    }

    fn is_rival(&self, saved: &SavedTransaction) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let is_own = self.own == saved.path()
            || real(&self.own).is_some_and(|own| real(saved.path()) == Some(own));
        let is_elsewhere =
            matches!((self.network, saved.network()), (Some(here), Some(other)) if here != other);
        !is_own && !is_elsewhere
    }
}
