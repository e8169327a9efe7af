//! What is wrong with a kept file.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::claim::EchoError;
use nodeproof_primitives::escape::escaped;

/// The file of a kept transaction can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeptError {
    /// There is a file of that name already, and it is not written over.
    #[error("{} is there already, and is not written over", shown(path))]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file can't be read or written.
    #[error("{} can't be {action}: {source}", shown(path))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What was to be done with it: `read` or `written`.
        action: &'static str,
        /// Why.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} holds no kept transaction: {reason}", shown(path))]
    Foreign {
        /// The file.
        path: PathBuf,
        /// How that was seen.
        reason: String,
    },
    /// The file was changed after it was written, or was cut short.
    #[error(
        "{} is damaged: {reason}; look whether the claim is recorded before you remove it",
        shown(path)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How that was seen.
        reason: String,
    },
    /// The transaction in the file is not what the file says was asked for.
    #[error(
        "the transaction in {} is not what was asked for: {source}",
        shown(path)
    )]
    NotEchoed {
        /// The file.
        path: PathBuf,
        /// What is not.
        source: EchoError,
    },
    /// The file is of another claim, or of another call.
    #[error(
        "{} keeps another transaction: {}; give another file, or the same claim as before",
        shown(path),
        differences.join("; ")
    )]
    OfAnother {
        /// The file.
        path: PathBuf,
        /// What differs, with what was kept and what is asked.
        differences: Vec<String>,
    },
}

fn shown(path: &Path) -> String {
    escaped(&path.to_string_lossy())
}
