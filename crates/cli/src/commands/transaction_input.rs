//! The input of a command: a transaction's text, or the file in which `claim add` saved it.

use std::path::Path;

use nodeproof_claims::SavedTransaction;

use crate::{failure::Failure, io::input};

/// A transaction from a file or from standard input.
pub(super) enum TransactionInput {
    /// The text of the transaction.
    Text(String),
    /// A transaction that `claim add` saved.
    Saved(Box<SavedTransaction>),
}

impl TransactionInput {
    /// Reads a file, or standard input if the path is `-`.
    pub(super) fn read(what: &str, path: &Path) -> Result<Self, Failure> {
        let text = input::text(what, path)?;
        if !SavedTransaction::has_format(&text) {
            return Ok(Self::Text(text));
        }
        if path == Path::new("-") {
            return Err(Failure::usage(
                "this file was written by `claim add`: give the path of \
                 the file instead of `-`, because the file itself is checked",
            ));
        }
        match SavedTransaction::open(path).map_err(Failure::usage)? {
            Some(saved) => Ok(Self::Saved(Box::new(saved))),
            None => Err(Failure::usage(format!(
                "{} no longer exists",
                path.display()
            ))),
        }
    }

    /// Returns the transaction's text, in the form in which it would be submitted.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text.trim(),
            Self::Saved(saved) => saved.signed().text().as_str(),
        }
    }
}
