//! The input of a command: a transaction's text, or the file in which `claim add` saved it.

use std::path::Path;

use nodeproof_claims::SavedTransaction;

use crate::{failure::Failure, io::input};

/// A transaction from a file or from standard input.
pub(super) enum TransactionInput {
    /// The text of the transaction, and the name of its file.
    Text { text: String, shown: String },
    /// A transaction that `claim add` saved.
    Saved(Box<SavedTransaction>),
}

impl TransactionInput {
    /// Reads a file, or standard input if the path is `-`.
    pub(super) fn read(what: &str, path: &Path) -> Result<Self, Failure> {
        let text = input::text(what, path)?;
        if !SavedTransaction::has_format(&text) {
            let shown = input::shown(path);
            return Ok(Self::Text { text, shown });
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
            Self::Text { text, .. } => text.trim(),
            Self::Saved(saved) => saved.signed().text().as_str(),
        }
    }

    /// Reads the transaction's text. A failure names the file.
    pub(super) fn parsed<T>(
        &self,
        parse: impl FnOnce(&str) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        parse(self.text()).map_err(|failure| match self {
            Self::Text { shown, .. } => failure.rewritten(|message| format!("{shown}: {message}")),
            Self::Saved(_) => failure,
        })
    }
}
