//! A signed transaction in a file, and its last known state.

use std::path::{Path, PathBuf};

use nodeproof_client::{
    BaseUrl, Block, ContractCall, Inclusion, SignedTransaction,
    contract_call::{CheckedTransaction, Fee},
};
use nodeproof_primitives::{
    Amount, Hash256, Network, RawJson, TransactionCode, escape::escaped_up_to,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    compare::{Difference, in_fees_and_time, in_params, in_texts, is_same_value, params},
    error::SavedTransactionError,
    file::{self, LockedFolder, Placement},
};

/// The value of `format`, which identifies such a file.
pub(super) const FORMAT: &str = "nodeproof-claims/saved-transaction";
/// The version of the format.
const VERSION: u32 = 1;

/// A signed transaction in a file. A crash does not lose it.
///
/// The file is written whole or not at all, before the transaction is sent. It contains the
/// requested call and the signed transaction, but no key. It can only be used to submit this
/// transaction. On Unix its mode is 600.
///
/// [`SavedCall`](crate::SavedCall) and [`Claim`](crate::Claim) write, read and submit such files.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedTransaction {
    path: PathBuf,
    contents: Contents,
    signed: SignedTransaction,
    trans_code: TransactionCode,
}

/// The last known state of a saved transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TransactionState {
    /// Signed, and not sent.
    Signed,
    /// About to be sent. The result is not known.
    Sent,
    /// Refused by a node, which may still take it later.
    ///
    /// Anyone who has the transaction can still submit it.
    Refused,
    /// Accepted by a node.
    Accepted,
    /// A node showed the record of the claim, or the block of another call. A node can show a record that
    /// no block contains.
    Recorded,
}

impl TransactionState {
    /// Returns whether it was sent to a node, which may have executed it, whatever it responded.
    pub(crate) fn was_submitted(self) -> bool {
        self != Self::Signed
    }
}

/// The file's contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Contents {
    format: String,
    version: u32,
    node: String,
    /// The network that was stated, if the port of the node is that of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<Network>,
    state: TransactionState,
    /// The latest block when this was signed, and later the block that contains it, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    block: Option<u64>,
    /// The hash of that block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    block_hash: Option<Hash256>,
    trans_code: TransactionCode,
    requested: ContractCall,
    fee: FeeText,
    /// The exact text, as a string. In this form, no tool rewrites its numbers.
    pub(super) signed_transaction: String,
    /// A digest of everything that must not change.
    pub(super) sha256: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FeeText {
    amount: Amount,
    currency: String,
}

/// A block as it was when a file was written. Later, the chain can have another block in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownBlock {
    pub(crate) index: u64,
    /// `None` if it can't be computed.
    hash: Option<Hash256>,
}

impl KnownBlock {
    pub(crate) fn of(block: &Block) -> Option<Self> {
        Some(Self {
            index: block.index.as_u64()?,
            hash: block.block_hash(),
        })
    }

    /// Returns whether this can be the same block.
    pub(crate) fn is(self, block: &Block) -> bool {
        let mut hashes = self.hash.iter().zip(block.block_hash());
        hashes.all(|(known, found)| *known == found)
    }
}

impl From<&Inclusion> for KnownBlock {
    fn from(included: &Inclusion) -> Self {
        Self {
            index: included.block,
            hash: included.block_hash,
        }
    }
}

/// The members that exist in every version of the format. They are read first.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

impl SavedTransaction {
    /// Writes a signed transaction to a new file.
    ///
    /// When this returns, the whole file is on disk. If two processes write it at the same time, one
    /// of them gets [`SavedTransactionError::Exists`].
    ///
    /// # Errors
    /// If the file exists or can't be written, or `signed` is not the signed form of `checked`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     checked: nodeproof_client::contract_call::CheckedTransaction,
    /// #     signed: nodeproof_client::SignedTransaction,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_claims::SavedTransaction;
    /// use nodeproof_client::SubmitPolicy;
    /// use std::path::Path;
    ///
    /// let (path, base) = (Path::new("transfer.json"), node.base_url());
    /// let mut saved = SavedTransaction::create(path, base, &checked, &signed)?;
    /// saved.submit(&node, &SubmitPolicy::default(), |_| ()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create(
        path: &Path,
        node: &BaseUrl,
        checked: &CheckedTransaction,
        signed: &SignedTransaction,
    ) -> Result<Self, SavedTransactionError> {
        let saved = Self::of(path, node, checked, signed)?;
        saved.write_new()?;
        Ok(saved)
    }

    /// Writes the file, which must not exist.
    pub(crate) fn write_new(&self) -> Result<(), SavedTransactionError> {
        self.write_first(Placement::New, &[], |_| Ok(())).map(drop)
    }

    /// Writes the file for the first time, if `check` passes while its folder and the others are
    /// locked. Its argument is false if a file system has no locks. Each of the other folders gets a
    /// [link](Self::link_from) to it. Returns the path of the file that was put aside.
    pub(crate) fn write_first<E: From<SavedTransactionError>>(
        &self,
        placement: Placement,
        others: &[PathBuf],
        check: impl FnOnce(bool) -> Result<(), E>,
    ) -> Result<Option<PathBuf>, E> {
        let folder = LockedFolder::with_others(&self.path, others)?;
        check(folder.is_locked())?;
        folder.remove_leftovers();
        let aside = folder.write(&self.path, &self.contents, placement)?;
        // Nothing was submitted yet. A run that ends here is continued, and makes the links, too.
        self.link_from(others)?;
        Ok(aside)
    }

    /// Makes a link to the file in each of these folders. A search for claims about its asset then finds it there,
    /// or finds that it can't be read.
    pub(crate) fn link_from(&self, folders: &[PathBuf]) -> Result<(), SavedTransactionError> {
        match self.asset_id() {
            Some(asset_id) => file::link_from(&self.path, &asset_id, folders),
            None => Ok(()),
        }
    }

    /// Returns the asset that the call names, if it names one.
    pub(super) fn asset_id(&self) -> Option<String> {
        params(self.call()).get("asset_id")?.decode().ok()
    }

    /// Sets the network that was stated for the node, if its port is that of none.
    pub(crate) fn on_network(mut self, network: Option<Network>) -> Self {
        if self.network().is_none() {
            self.contents.network = network;
            self.contents.sha256 = self.contents.digest();
        }
        self
    }

    /// Sets the latest block when this was signed, or the block that contains it.
    pub(crate) fn at_block(mut self, block: Option<KnownBlock>) -> Self {
        self.contents.block = block.map(|block| block.index);
        self.contents.block_hash = block.and_then(|block| block.hash);
        self
    }

    /// Returns that block.
    pub(crate) fn block(&self) -> Option<KnownBlock> {
        Some(KnownBlock {
            index: self.contents.block?,
            hash: self.contents.block_hash,
        })
    }

    /// Returns the transaction to save, if it is the signed form of `checked`.
    pub(crate) fn of(
        path: &Path,
        node: &BaseUrl,
        checked: &CheckedTransaction,
        signed: &SignedTransaction,
    ) -> Result<Self, SavedTransactionError> {
        let fee = checked.fee();
        CheckedTransaction::check_signed(checked.call(), signed, fee).map_err(|source| {
            SavedTransactionError::Mismatch {
                path: path.to_owned(),
                source,
            }
        })?;
        let mut contents = Contents {
            format: FORMAT.to_owned(),
            version: VERSION,
            node: node.as_str().to_owned(),
            network: None,
            state: TransactionState::Signed,
            block: None,
            block_hash: None,
            trans_code: checked.trans_code(),
            requested: checked.call().clone(),
            fee: FeeText {
                amount: fee.amount().clone(),
                currency: fee.currency().to_owned(),
            },
            signed_transaction: signed.text().as_str().to_owned(),
            sha256: String::new(),
        };
        contents.sha256 = contents.digest();
        Ok(Self {
            path: path.to_owned(),
            trans_code: checked.trans_code(),
            contents,
            signed: signed.clone(),
        })
    }

    /// Reads a saved transaction. Returns `None` if there is no such file.
    /// It is checked like a transaction that a node has just built: it must match the call in the file,
    /// and every signer must have signed it.
    ///
    /// # Errors
    /// If the file can't be read, is not a saved transaction, or was changed.
    pub fn open(path: &Path) -> Result<Option<Self>, SavedTransactionError> {
        let Some(text) = file::read(path)? else {
            return Ok(None);
        };
        let not_saved = |reason: String| SavedTransactionError::NotSavedTransaction {
            path: path.to_owned(),
            reason,
        };
        let damaged = |reason: String| SavedTransactionError::Damaged {
            path: path.to_owned(),
            reason,
        };
        if text.trim().is_empty() {
            return Err(damaged("it is empty".to_owned()));
        }
        if !text.trim_start().starts_with('{') {
            return Err(not_saved("it is not a JSON object".to_owned()));
        }
        let head: Head = serde_json::from_str(&text).map_err(|error| match error.classify() {
            serde_json::error::Category::Eof => damaged("it ends too early".to_owned()),
            _ => not_saved(error.to_string()),
        })?;
        if head.format != FORMAT {
            return Err(not_saved(
                "its `format` is not that of a saved transaction".to_owned(),
            ));
        }
        if head.version != VERSION {
            let found = head.version;
            return Err(not_saved(format!(
                "it is of version {found}, and this program knows version {VERSION}"
            )));
        }
        let contents: Contents =
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if contents.sha256 != contents.digest() {
            return Err(damaged("it was changed after it was written".to_owned()));
        }
        let fee = Fee::new(contents.fee.amount.clone(), &*contents.fee.currency)
            .map_err(|error| damaged(error.to_string()))?;
        let signed = SignedTransaction::from_json(&contents.signed_transaction)
            .map_err(|error| damaged(error.to_string()))?;
        let checked = CheckedTransaction::check_signed(&contents.requested, &signed, &fee)
            .map_err(|source| SavedTransactionError::Mismatch {
                path: path.to_owned(),
                source,
            })?;
        if checked.trans_code() != contents.trans_code {
            return Err(damaged(
                "its `trans_code` differs from the signed transaction".to_owned(),
            ));
        }
        Ok(Some(Self {
            path: path.to_owned(),
            trans_code: contents.trans_code,
            contents,
            signed,
        }))
    }

    /// Returns whether a text has the format of such a file. It may still be damaged.
    ///
    /// ```
    /// use nodeproof_claims::SavedTransaction;
    ///
    /// let text = r#"{"format":"nodeproof-claims/saved-transaction","version":1}"#;
    /// assert!(SavedTransaction::has_format(text));
    /// assert!(!SavedTransaction::has_format("{}"));
    /// ```
    #[must_use]
    pub fn has_format(text: &str) -> bool {
        #[derive(Deserialize)]
        struct Format {
            format: String,
        }
        text.trim_start().starts_with('{')
            && serde_json::from_str(text).is_ok_and(|head: Format| head.format == FORMAT)
    }

    /// Checks that it is the transaction for this call, and this fee unless any fee will do.
    ///
    /// # Errors
    /// [`SavedTransactionError::DifferentTransaction`] with the differences.
    pub(crate) fn check_same(
        &self,
        requested: &ContractCall,
        fee: Option<&Fee>,
    ) -> Result<(), SavedTransactionError> {
        let kept = &self.contents;
        let names = ["sc_address", "function_called", "signers"];
        let mut all: Vec<_> = in_texts(&kept.requested, requested, names).collect();
        if let Some(fee) = fee {
            let (amount, currency) = (fee.amount().to_string(), fee.currency().to_owned());
            all.extend(Difference::between(
                "fee",
                kept.fee.amount.to_string(),
                amount,
            ));
            all.extend(Difference::between(
                "currency",
                kept.fee.currency.clone(),
                currency,
            ));
        }
        // Values with different text count as different.
        all.extend(in_params(&kept.requested, requested, RawJson::eq));
        let told = all.iter().map(|different| {
            let (kept, requested) = different.shown();
            format!("`{}` was {kept}, and is now {requested}", different.name)
        });
        let differences: Vec<_> = told.collect();
        if differences.is_empty() {
            // Repeat the check that runs before signing.
            let repeated =
                fee.map(|fee| CheckedTransaction::check_signed(requested, &self.signed, fee));
            return match repeated {
                Some(Err(source)) => Err(SavedTransactionError::Mismatch {
                    path: self.path.clone(),
                    source,
                }),
                _ => Ok(()),
            };
        }
        Err(SavedTransactionError::DifferentTransaction {
            path: self.path.clone(),
            differences,
        })
    }

    /// Returns the first difference of a transaction that a node shows, and of its call, from those in the file. They may be
    /// written in another way.
    pub(crate) fn difference_from(
        &self,
        shown: &ContractCall,
        in_block: Option<&SignedTransaction>,
    ) -> Option<String> {
        let kept = &self.contents.requested;
        let texts = in_texts(kept, shown, ["address", "function", "signers"]);
        let own = self.signed().transaction_text();
        let rest = in_block.and_then(|shown| in_fees_and_time(own, shown.transaction_text()));
        let mut all = texts
            .chain(in_params(kept, shown, is_same_value))
            .chain(rest);
        let different = all.next()?;
        let (signed, shown) = different.shown();
        let name = escaped_up_to(&different.name, 60);
        Some(format!(
            "`{name}` is {shown} there, and was signed as {signed}"
        ))
    }

    /// Checks that it was saved for the node at this base URL or, with `any_node`, for another one. All
    /// names and addresses of this machine are one host: `localhost`, `127.0.0.1`, `[::1]`.
    ///
    /// There is no chain ID: the transaction is valid and paid for on another network, too. So a node is always refused
    /// if `network` or its port shows that it is of another network than the saved one, which was stated or is that of
    /// the port.
    ///
    /// # Errors
    /// [`SavedTransactionError::DifferentNode`] and [`SavedTransactionError::DifferentNetwork`].
    pub fn check_target(
        &self,
        node: &BaseUrl,
        network: Option<Network>,
        any_node: bool,
    ) -> Result<(), SavedTransactionError> {
        let saved_for = &self.contents.node;
        let place = |url: &BaseUrl| {
            let parts = url.as_ref();
            (
                parts.scheme().to_owned(),
                url.port(),
                parts.path().to_owned(),
            )
        };
        let is_same = |other: BaseUrl| {
            other.is_loopback() && node.is_loopback() && place(&other) == place(node)
        };
        let networks = [network, Network::from_port(node.port())];
        for network in networks.into_iter().flatten() {
            if let Some(saved_for) = self.network()
                && saved_for != network
            {
                return Err(SavedTransactionError::DifferentNetwork {
                    path: self.path.clone(),
                    saved_for,
                    network,
                });
            }
        }
        if saved_for == node.as_str() || saved_for.parse().is_ok_and(is_same) {
            return Ok(());
        }
        if any_node {
            return Ok(());
        }
        Err(SavedTransactionError::DifferentNode {
            path: self.path.clone(),
            saved_for: saved_for.clone(),
            node: node.as_str().to_owned(),
        })
    }

    /// Saves the transaction's state in the file. Returns the state that this or another process saved
    /// before.
    ///
    /// An accepted transaction stays accepted until it is recorded. A recorded one stays recorded. Both
    /// hold even if another process saves a state.
    ///
    /// # Errors
    /// If the file can't be written, or now contains another transaction. Then the file is unchanged.
    pub(super) fn save_state(
        &mut self,
        state: TransactionState,
    ) -> Result<TransactionState, SavedTransactionError> {
        let folder = LockedFolder::of(&self.path)?;
        // Another process may have put this file aside. Its transaction must not be overwritten.
        let there = match Self::open(&self.path)? {
            Some(there) if there.signed == self.signed => there,
            Some(other) => {
                return Err(SavedTransactionError::DifferentTransaction {
                    path: self.path.clone(),
                    differences: vec![format!(
                        "the transaction was {}, and is {}",
                        self.trans_code, other.trans_code
                    )],
                });
            }
            None => {
                return Err(SavedTransactionError::Unusable {
                    path: self.path.clone(),
                    action: "written",
                    source: std::io::ErrorKind::NotFound.into(),
                });
            }
        };
        let mut contents = there.contents.clone();
        let before = contents.state;
        contents.state = match (before, state) {
            (TransactionState::Recorded, _) => before,
            (TransactionState::Accepted, state) if state != TransactionState::Recorded => before,
            _ => state,
        };
        if state == TransactionState::Recorded {
            contents.block = self.contents.block;
            contents.block_hash = self.contents.block_hash;
        }
        if contents != there.contents {
            folder.write(&self.path, &contents, Placement::Over)?;
        }
        self.contents = contents;
        Ok(before)
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the transaction, byte for byte as it was signed.
    #[must_use]
    pub fn signed(&self) -> &SignedTransaction {
        &self.signed
    }

    /// Returns the transaction's identifier.
    #[must_use]
    pub fn trans_code(&self) -> TransactionCode {
        self.trans_code
    }

    /// Returns the requested call.
    #[must_use]
    pub fn call(&self) -> &ContractCall {
        &self.contents.requested
    }

    /// Returns the base URL of the node that built it.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.contents.node
    }

    /// Returns the network that was stated for the node that built it, or the one whose nodes listen on its port.
    pub(crate) fn network(&self) -> Option<Network> {
        let of_port = || {
            let node: BaseUrl = self.contents.node.parse().ok()?;
            Network::from_port(node.port())
        };
        self.contents.network.or_else(of_port)
    }

    /// Returns the last saved state.
    #[must_use]
    pub fn state(&self) -> TransactionState {
        self.contents.state
    }
}

impl Contents {
    /// Returns the SHA-256 of all members that never change, except the digest itself.
    pub(super) fn digest(&self) -> String {
        let requested = RawJson::from_value(&self.requested).map(|raw| raw.to_string());
        let mut hasher = Sha256::new();
        let always = [
            self.node.as_str(),
            &self.trans_code.to_string(),
            &requested.unwrap_or_default(),
            self.fee.amount.as_str(),
            &self.fee.currency,
            &self.signed_transaction,
        ];
        for part in always.into_iter().chain(self.network.map(Network::name)) {
            // The length comes first. It keeps text from moving into the next part.
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part.as_bytes());
        }
        Hash256::from_bytes(hasher.finalize().into()).to_string()
    }
}
