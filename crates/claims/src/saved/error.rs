//! The errors of a saved transaction.

use std::{
    io,
    path::{Path, PathBuf},
};

use nodeproof_client::contract_call::BuiltCallMismatch;
use nodeproof_primitives::{
    Network,
    escape::{escaped, escaped_up_to},
};

/// The file of a saved transaction can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedTransactionError {
    /// A file with this name exists. It is never overwritten. The new transaction was not saved, so
    /// do not submit it. Submit the one in the file. For another call, give another file.
    #[error("{} already exists and is not overwritten", shown(path))]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file can't be read or written. Correct the cause, such as its permissions or a full
    /// disk, and try again. Keep the file: its transaction may have been sent, and a new one may
    /// pay twice.
    #[error("{} can't be {action}: {source}", shown(path))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The failed action: `read` or `written`.
        action: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// The file is not a saved transaction of this version. Give another file. If an earlier run
    /// wrote this one, look for its transaction first, or for a claim's record: a new one may pay twice.
    #[error("{} does not hold a saved transaction: {reason}", shown(path))]
    NotSavedTransaction {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The file was changed after it was written, or was truncated. Its transaction may have been
    /// sent. Restore the file, or look for its transaction, or for a claim's record, before you remove
    /// it.
    #[error(
        "{} is damaged: {reason}; check on the chain what became of its transaction before you remove \
         the file",
        shown(path)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The transaction in the file does not match the call in the file. Do not submit it. If an
    /// earlier run wrote the file, look for its transaction, or for a claim's record, before you give
    /// another file.
    #[error(
        "the transaction in {} is not the requested one: {source}",
        shown(path)
    )]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// The mismatch.
        source: BuiltCallMismatch,
    },
    /// The transaction was saved for a node at another base URL. On the same network, set
    /// `ClaimOptions::any_node` for a claim, and `SavedCall::any_node` for another call: it submits this
    /// transaction, so you pay once. On another network, give another file.
    #[error(
        "the transaction in {} was saved for the node at {}, and the node is now {}; if both are of \
         one network, `any_node` submits this transaction, so that you pay once",
        shown(path),
        escaped_up_to(saved_for, 80),
        escaped_up_to(node, 80)
    )]
    DifferentNode {
        /// The file.
        path: PathBuf,
        /// The base URL of the node that it was saved for.
        saved_for: String,
        /// The base URL of the node that is used now.
        node: String,
    },
    /// The transaction was saved for a node on the port of another network. It is not submitted here,
    /// whatever `any_node` is: on this network too, it would be valid and paid for. To make the call on
    /// this network, give another file.
    #[error(
        "the transaction in {} was saved for {saved_for}, and the node is one of {network}: it would be \
         valid and paid for there, too. For {network}, give another file",
        shown(path)
    )]
    DifferentNetwork {
        /// The file.
        path: PathBuf,
        /// The network that it was saved for.
        saved_for: Network,
        /// The network of the node that is used now.
        network: Network,
    },
    /// The file belongs to another call, such as another claim. The same call as before submits the
    /// transaction in the file, so you pay once. With another file, you may pay for both.
    #[error(
        "{} contains another transaction: {}; make the same call as before, which is paid for once; with another file, you may pay for both",
        shown(path),
        differences.join("; ")
    )]
    DifferentTransaction {
        /// The file.
        path: PathBuf,
        /// The differences, each with the saved and the new value.
        differences: Vec<String>,
    },
}

fn shown(path: &Path) -> String {
    escaped(&path.to_string_lossy())
}
